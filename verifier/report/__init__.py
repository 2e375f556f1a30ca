"""Write a result in forms for people and programs."""

FORMAT_NAMES = ("text", "json", "markdown", "html", "csv", "claimreview")
"""Names of the forms in formats.py, here so that a command line can list them without loading any."""
