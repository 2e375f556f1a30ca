"""The workshop: what made and measures the product. Nothing that users run imports it."""
