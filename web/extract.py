"""A saved web page -> the article in it, for files that a user adds."""

from __future__ import annotations

from web.markup import MAX_HTML
from web.page import Page, read_html

__all__ = ["MAX_HTML", "Page", "extract_page"]


def extract_page(html: str) -> Page | None:
    """Return the article in `html`, or None where there is no text to be had. Its address is what the page itself states, or ""."""
    return read_html(html, "")
