"""Check a whole text: every sentence that states something is marked where it stands."""
