"""Web pages: handle hostile input. Knows no claim and no store."""
