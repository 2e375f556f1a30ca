"""Read files, one reader per format.

Each turns a file into texts for the store, and names the rows that cannot be used.
"""
