"""Readers of files, one a format: each turns a file into texts for the store, and names the rows that cannot be used."""
