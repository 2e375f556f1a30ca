"""HTML -> the article in it: main text, title, address, date. Scripts, menus and advertisements are left behind."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import UTC, datetime

MAX_HTML = 5_000_000
"""Characters of HTML that are read; the rest of a longer page is ignored."""


@dataclass(frozen=True, slots=True)
class Page:
    """What was found in a page. `text` has one paragraph a line."""

    text: str
    title: str
    url: str
    published_at: datetime | None


def extract_page(html: str) -> Page | None:
    """The article in `html`, or None where there is no text to be had."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on import, about a SOCKS package that is not used
        import trafilatura

    found = trafilatura.bare_extraction(
        html[:MAX_HTML], include_comments=False, include_tables=False, with_metadata=True
    )
    if found is None or not (found.text or "").strip():
        return None
    return Page(found.text.strip(), (found.title or "").strip(), _http(found.url), _date(found.date))


def _http(url: str | None) -> str:
    return url if url and url.startswith(("http://", "https://")) else ""


def _date(value: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=UTC) if value else None
    except ValueError:
        return None
