"""Turn a fetched page into its article: text, title, address, date, language, ratings.

Scripts, menus and hidden text are left out.
"""

from __future__ import annotations

import logging
import re
import warnings
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from errors import FetchError, FetchFailure
from web.address import shown
from web.charset import decode
from web.claim_review import ClaimRating, claim_ratings
from web.fetch import HTML, Fetched
from web.linked_data import Thing, linked_data
from web.markup import drop_unseen, parse_html
from web.page_kind import is_article_page
from web.site import on_same_site, site_of
from web.times import moment
from web.words import one_line, paragraphs

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from trafilatura.settings import Document

MAX_TEXT = 500_000
"""Characters of an article."""
MAX_TITLE = 300
_FILES = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x7fELF", b"MZ\x90", b"RIFF", b"Rar!", b"\x1f\x8b", b"\x00\x00\x01\x00", b"OggS", b"ID3")  # fmt: skip
"""First bytes of files that are no text, whatever their content type says."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page states. None of it is to be trusted: only `url` is known."""

    text: str
    """One paragraph a line, at most MAX_TEXT characters."""
    title: str
    url: str
    """Its canonical address if that is on the site that answered, else the address that answered."""
    published_at: datetime | None
    """UTC."""
    site_name: str = ""
    language: str = ""
    """Two letters, or "" if it does not say."""
    ratings: tuple[ClaimRating, ...] = ()
    is_article: bool = True
    """False for front pages, lists, searches and logins."""


def read_page(fetched: Fetched) -> Page:
    """Return the article of a fetched page.

    Raises:
        FetchError: there is no text: it is no page, or scripts make all of it (UNREADABLE).
    """
    if fetched.content_type not in HTML | {"text/plain", ""}:
        raise _unreadable(fetched, f"it is {shown(fetched.content_type)}, not a page")
    start = fetched.body.lstrip()[:8]
    if start.startswith(_FILES):
        raise _unreadable(
            fetched, f"it says that it is {fetched.content_type or 'a page'}, but it is a file of another kind"
        )
    text = decode(fetched.body, fetched.charset)
    if fetched.content_type == "text/plain" or (not fetched.content_type and not text.lstrip().startswith("<")):
        page = _plain(text, fetched.url)
    else:
        page = read_html(text, fetched.url)
    if page is None:
        raise _unreadable(fetched, "there is no text in it; it may need a browser that runs scripts")
    return page


def read_html(html: str, url: str) -> Page | None:
    """Return the article in `html`, or None if there is no text.

    `url` is where it came from, "" for a file.
    """
    tree = parse_html(html) if re.search(r"<[A-Za-z!]", html) else None
    if tree is None:
        return None
    things = linked_data(tree)
    drop_unseen(tree)
    said = _said_in_head(tree)
    types = frozenset(kind for thing in things for kind in thing.types)
    is_article = is_article_page(url, said.get("og:type", ""), types, tree)
    address = _canonical(tree, said, url)
    document = _extract(tree)
    text = paragraphs(document.text or "", MAX_TEXT) if document else ""
    if document is None or not any(character.isalpha() for character in text):
        return None
    return Page(
        text,
        one_line(_headline(things) or said.get("og:title", "") or document.title or "", MAX_TITLE),
        address,
        _published(things, said) or moment(document.date),
        one_line(said.get("og:site_name", "") or document.sitename or "", 100) if url else "",
        _language(tree),
        claim_ratings(things, url) if url else (),
        is_article,
    )


def _plain(text: str, url: str) -> Page | None:
    body = paragraphs(text, MAX_TEXT)
    if not body or text.count("\ufffd") + text.count("\x00") > len(text) // 20:
        return None
    return Page(body, one_line(body.partition("\n")[0], MAX_TITLE), url, None)


def _extract(tree: HtmlElement) -> Document | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing it warns about an unused SOCKS package
        import trafilatura
    for name in ("trafilatura", "htmldate"):  # they warn of every page without text, which is an error here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return trafilatura.bare_extraction(
            tree,
            include_comments=False,
            include_tables=False,
            with_metadata=True,
            # a date from markup only: the extensive search takes any number that looks like a year
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except RecursionError:
        return None


def _said_in_head(tree: HtmlElement) -> dict[str, str]:
    """Return the page's `meta` values by lower-case property or name; the first of each counts."""
    said: dict[str, str] = {}
    for count, meta in enumerate(tree.iter("meta")):
        if count >= 500:
            break
        name, content = meta.get("property") or meta.get("name") or "", meta.get("content") or ""
        if name and content:
            said.setdefault(name[:100].strip().lower(), content[:2_100])
    return said


def _canonical(tree: HtmlElement, said: dict[str, str], url: str) -> str:
    """Return the address that the page states, if it is on its own site.

    A front page is accepted only from a front page.
    """
    links = [link.get("href") for link in tree.iter("link") if (link.get("rel") or "").strip().lower() == "canonical"]
    for stated in [*links[:1], said.get("og:url", "")]:
        if not url:
            if stated and re.fullmatch(r"https?://[^\s\\@]{1,2000}", stated.strip()) and site_of(stated.strip()):
                return str(stated).strip()
            continue
        full = on_same_site(stated, url)
        if full and (_path(full) != "/" or _path(url) == "/"):
            return full.partition("#")[0]
    return url


def _path(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).path or "/"


def _headline(things: tuple[Thing, ...]) -> str:
    return next((thing.text("headline") for thing in things if thing.text("headline")), "")


def _published(things: tuple[Thing, ...], said: dict[str, str]) -> datetime | None:
    stated = [thing.values.get("datePublished") for thing in things if "ClaimReview" not in thing.types]
    stated += [thing.values.get("datePublished") for thing in things]
    return next((found for found in map(moment, [*stated, said.get("article:published_time")]) if found), None)


def _language(tree: HtmlElement) -> str:
    stated = (tree.get("lang") or tree.get("xml:lang") or "").strip().lower()
    found = re.match(r"[a-z]{2}(?=$|[-_])", stated)
    return found.group() if found else ""


def _unreadable(fetched: Fetched, reason: str) -> FetchError:
    return FetchError(f"{shown(fetched.url)} cannot be read: {reason}", FetchFailure.UNREADABLE)
