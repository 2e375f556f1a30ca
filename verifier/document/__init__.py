"""Check a whole text: every sentence that states something is marked in place."""
