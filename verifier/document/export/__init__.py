"""Write a checked text as HTML, Markdown, JSON, JSON Lines, text and ClaimReview.

Read it back from JSON Lines.
"""

FORMAT_NAMES = ("text", "markdown", "html", "jsonl", "json", "claimreview")
"""The formats for a checked text.

Named here so that the command line's help loads nothing heavy.
"""
