"""Who publishes a text, and how far it is trusted."""
