"""Read a sitemap.xml: the pages and the further sitemaps that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from errors import FetchError, FetchFailure
from web.address import MAX_URL
from web.charset import decode
from web.xml_text import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_URLS = 5_000
"""Addresses taken from one sitemap; the first ones."""


class Sitemap(NamedTuple):
    """Addresses as the sitemap states them: each is checked when it is fetched."""

    urls: tuple[str, ...]
    nested: tuple[str, ...]


def read_sitemap(body: bytes) -> Sitemap:
    """Return the addresses in a sitemap, a sitemap index, or a plain list of addresses.

    Raises:
        FetchError: it is none of them (UNREADABLE).
    """
    from lxml import etree

    root = parse_xml(body)
    if root is None:
        return _plain(decode(body))
    if etree.QName(root).localname not in {"urlset", "sitemapindex"}:
        raise _unreadable()
    return Sitemap(_locations(root, "url"), _locations(root, "sitemap"))


def _locations(root: _Element, entry: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for location in root.iterfind(f"{{*}}{entry}/{{*}}loc"):
        if len(found) >= MAX_URLS:
            break
        address = (location.text or "").strip()
        if _fits(address):
            found[address] = None
    return tuple(found)


def _plain(document: str) -> Sitemap:
    lines = (line.strip() for line in document.splitlines())
    urls = tuple(dict.fromkeys(line for line in lines if _fits(line)))[:MAX_URLS]
    if not urls:
        raise _unreadable()
    return Sitemap(urls, ())


def _fits(address: str) -> bool:
    return address.startswith(("http://", "https://")) and len(address) <= MAX_URL and address.isprintable()


def _unreadable() -> FetchError:
    return FetchError(
        "the sitemap cannot be read: it has no urlset and no sitemapindex; give the address of a sitemap.xml",
        FetchFailure.UNREADABLE,
    )
