"""Word tools that several stages need; imports no stage."""
