"""Turn addresses of pages, feeds and sitemaps into sources.

What fetches and parses them is passed in: the store knows no web.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from errors import FetchError, InputError
from kb.intake.formats.pages import Page, page_passages
from kb.intake.formats.pdf import read_pdf
from kb.intake.ingest import Found
from kb.intake.sources import Kind, Problem, Source
from kb.publishers.urls import canonical_url
from kb.record import NewEvidence

MAX_PAGES = 2_000
"""Pages that one feed or sitemap may bring."""
MAX_SITEMAPS = 50
_MAX_LIST = 50_000_000
_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class Resource:
    """A fetched resource, or the content of a file.

    `url` is the final address, or "" for a file; `charset` is as the server named it.
    """

    url: str
    body: bytes
    content_type: str = ""
    charset: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed. `summary` is plain text."""

    url: str
    title: str
    summary: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The addresses of pages and of further sitemaps."""

    pages: Sequence[str]
    nested: Sequence[str]


class Web(Protocol):
    """What an import of addresses needs from the web."""

    def fetch(self, url: str) -> Resource:
        """Return the resource at an address. Raises FetchError."""

    def page(self, resource: Resource) -> Page:
        """Return the article in a page. Raises FetchError if there is none."""

    def feed(self, resource: Resource) -> Sequence[Entry]:
        """Return the entries of a feed. Raises FetchError if it is none."""

    def sitemap(self, resource: Resource) -> Sitemap:
        """Return the addresses in a sitemap. Raises FetchError if it is none."""


def is_address(name: str) -> bool:
    """Return whether the user named an address to fetch."""
    return name.lower().startswith(("http://", "https://"))


def address_sources(url: str, kind: Kind, web: Web) -> Iterator[Source | Problem]:
    """Yield the pages behind an address.

    That is the page itself, or those of the feed or sitemap found there.

    Raises:
        InputError: a file format that cannot be read from an address.
    """
    if kind not in {Kind.AUTO, Kind.FEED, Kind.SITEMAP, Kind.HTML, Kind.PDF}:
        raise InputError(f"{url}: an address can be a page, PDF, feed or sitemap; to import {kind}, save it as a file")
    try:
        resource = web.fetch(url)
        found = _kind_of(resource) if kind is Kind.AUTO else kind
        if found in {Kind.FEED, Kind.SITEMAP}:
            yield from _listed(resource, found, web)
        else:
            yield Source(url, canonical_url(url), "", lambda: _resource_rows(resource, found, web))
    except FetchError as exc:
        yield Problem(url, 0, str(exc))


def list_sources(path: Path, kind: Kind, web: Web) -> Iterator[Source | Problem]:
    """Yield the pages of a feed or sitemap saved as a file.

    Raises:
        InputError: it cannot be read, or is too large.
    """
    try:
        if path.stat().st_size > _MAX_LIST:
            raise InputError(f"{path.name}: a feed or sitemap may have at most {_MAX_LIST // 1_000_000} MB; split it")
        resource = Resource("", path.read_bytes())
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    try:
        yield from _listed(resource, kind, web)
    except FetchError as exc:
        yield Problem(path.name, 0, str(exc))


def _listed(resource: Resource, kind: Kind, web: Web) -> Iterator[Source | Problem]:
    """Yield one source per page, fetched in its turn unless an earlier run had it."""
    if kind is Kind.FEED:
        entries = [entry for entry in web.feed(resource) if is_address(entry.url)]
    else:
        entries = []
        for found in _sitemap_pages(resource, web):
            if isinstance(found, Problem):
                yield found
            else:
                entries.append(Entry(found, "", "", None))
    unique = {canonical_url(entry.url): entry for entry in entries}
    for key, entry in list(unique.items())[:MAX_PAGES]:
        yield Source(entry.url, key, "", lambda entry=entry: _entry_rows(entry, web))  # type: ignore[misc]
    if len(unique) > MAX_PAGES:
        yield Problem(resource.url or kind.value, 0, f"only the first {MAX_PAGES:,} of {len(unique):,} pages were read")
    if not unique:
        yield Problem(resource.url or kind.value, 0, f"this {kind} names no pages")


def _sitemap_pages(resource: Resource, web: Web) -> Iterator[str | Problem]:
    """Yield page addresses from this sitemap and those it names; each is read once."""
    waiting, seen = [resource], {resource.url}
    count = 0
    while waiting:
        try:
            sitemap = web.sitemap(waiting[0])
        except FetchError as exc:
            yield Problem(waiting[0].url or "sitemap", 0, str(exc))
            continue
        finally:
            waiting.pop(0)
        for page in sitemap.pages:
            if is_address(page):
                count += 1
                yield page
            if count > MAX_PAGES:
                return
        for url in sitemap.nested:
            if url in seen or not is_address(url) or len(seen) >= MAX_SITEMAPS:
                continue
            seen.add(url)
            try:
                waiting.append(web.fetch(url))
            except FetchError as exc:
                yield Problem(url, 0, str(exc))


def _entry_rows(entry: Entry, web: Web) -> Iterator[Found]:
    """Yield a listed page's passages.

    If the page cannot be read, the feed's summary is kept, marked as such.
    """
    try:
        resource = web.fetch(entry.url)
        yield from _resource_rows(resource, _kind_of(resource), web)
    except FetchError as exc:
        summary = entry.summary.strip()
        if not any(character.isalpha() for character in summary):
            raise InputError(str(exc)) from exc
        yield NewEvidence(summary, entry.url, entry.title, published_at=entry.published_at, extraction_failed=True)


def _resource_rows(resource: Resource, kind: Kind, web: Web) -> Iterator[Found]:
    if kind is Kind.PDF:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{Path(resource.url).stem[:60] or 'document'}.pdf"
            path.write_bytes(resource.body)
            yield from read_pdf(path, url=resource.url)
        return
    yield from page_passages(web.page(resource), resource.url)


def _kind_of(resource: Resource) -> Kind:
    """Return what was fetched, by its first bytes: servers often name the wrong type."""
    head = resource.body[:_HEAD].lstrip().lower()
    if head.startswith(b"%pdf"):
        return Kind.PDF
    if b"<urlset" in head or b"<sitemapindex" in head:
        return Kind.SITEMAP
    if b"<rss" in head or b"<feed" in head or b"<rdf:rdf" in head:
        return Kind.FEED
    return Kind.HTML
