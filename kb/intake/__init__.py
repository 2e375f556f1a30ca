"""What brings texts into the store, and takes them out to files."""
