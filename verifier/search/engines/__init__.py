"""One file for each search engine."""
