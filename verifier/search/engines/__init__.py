"""Hold one file for each search engine."""
