"""Web pages: hostile input is handled here. Knows no claim and no store."""
