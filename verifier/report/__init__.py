"""A result in the forms that people and programs read."""

FORMAT_NAMES = ("text", "json", "markdown", "html", "csv", "claimreview")
"""The forms in formats.py by name, here so that a command line can list them and load none."""
