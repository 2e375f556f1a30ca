"""Web addresses: one spelling per page, the organisation behind it, and whether it is an article at all."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

import tldextract
from courlan import normalize_url

_SUFFIXES = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None
)  # the list that ships with the library: no download
_INDEX_PAGE = re.compile(r"/(index|default|home)\.(html?|php|aspx?)$", re.IGNORECASE)
_LISTING = re.compile(
    r"^/(?:[a-z]{2}/)?(?:tag|tags|category|categories|author|authors|search|archive|archives|page)(?:/|$)"
)
_SECTION = re.compile(r"^/?[a-z-]{2,20}(/[a-z-]{2,20})?/?$")
_SECTION_WORDS = frozenset(
    "news world politics business sport sports science health technology tech opinion entertainment culture climate environment economy "
    "markets international europe asia africa americas middle-east uk us us-news uk-news local lifestyle travel latest live video videos "
    "search archive archives blog home topics topic category tag tags author authors press newsroom fact-check fact-checks "
    "factcheck magazine money life arts education".split()
)


_NOWHERE = SplitResult("", "", "", "", "")


def _split(url: str) -> SplitResult:
    """The parts of an address; all empty for what is not one ("http://[::1")."""
    try:
        return urlsplit(url.strip())
    except ValueError:
        return _NOWHERE


def host_of(url: str) -> str:
    """The host of an address in lower case, without "www." and a full stop at its end; "" where there is none."""
    return (_split(url).hostname or "").rstrip(".").removeprefix("www.")


def is_web_address(text: str) -> bool:
    """Whether `text` is one http(s) address, or a bare host with a path, and nothing else."""
    return bool(
        re.fullmatch(r"(https?://|www\.)\S+", text.strip(), re.IGNORECASE)
        or re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}/\S*", text.strip())
    )


def canonical_url(url: str) -> str:
    """One spelling per page: https, lower-case host without "www.", no tracking, no fragment, no trailing slash.

    An address that is not http(s) comes back as it is.
    """
    parts = _split(url)
    if parts.scheme.lower() not in {"http", "https"} or not parts.netloc:
        return url.strip()
    cleaned = urlsplit(str(normalize_url(url.strip(), strict=False)))
    host = cleaned.netloc.lower().removeprefix("www.")
    path = posixpath.normpath(cleaned.path) if cleaned.path.strip("/") else ""
    return urlunsplit(("https", host, path, cleaned.query, ""))


@lru_cache(maxsize=4096)
def domain_of(url: str) -> str:
    """The registered domain behind an address ("https://science.nasa.gov/earth" -> "nasa.gov"), or "" where there is none.

    Two addresses with one registered domain count as one voice.
    """
    host = host_of(url)
    return str(_SUFFIXES(host).top_domain_under_public_suffix or host)


def is_homepage(url: str) -> bool:
    """Whether the address is a front, section or tag page, whose content changes daily and proves nothing."""
    parts = _split(url)
    if parts.query:
        return False
    path = _INDEX_PAGE.sub("/", parts.path).rstrip("/").lower()
    if not path or _LISTING.match(path):
        return True
    words = path.strip("/").split("/")
    return bool(_SECTION.match(path)) and all(word in _SECTION_WORDS for word in words)
