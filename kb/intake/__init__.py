"""Import texts into the store, and export them to files."""
