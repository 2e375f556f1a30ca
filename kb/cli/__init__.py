"""The store's command line."""
