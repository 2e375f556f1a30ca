"""What made and measures the product. Nothing that users run imports it."""
