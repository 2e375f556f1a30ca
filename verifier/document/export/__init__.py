"""A text that was checked as a whole, as HTML, Markdown, JSON, JSON Lines, text and ClaimReview, and back from JSON Lines."""

FORMAT_NAMES = ("text", "markdown", "html", "jsonl", "json", "claimreview")
"""The formats in which a checked text can be written; named here so that the command line's help loads nothing heavy."""
