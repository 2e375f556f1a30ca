"""Extract the article from a saved web page that a user adds."""

from __future__ import annotations

from web.markup import MAX_HTML
from web.page import Page, read_html

__all__ = ["MAX_HTML", "Page", "extract_page"]


def extract_page(html: str) -> Page | None:
    """Return the article in `html`, or None if there is no text.

    Its address is what the page itself states, or "".
    """
    return read_html(html, "")
