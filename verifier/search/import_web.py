"""Give an import of addresses the fetcher and readers of checks, as kb expects them."""

from __future__ import annotations

from collections.abc import Sequence

from kb.intake.addresses import Entry, Resource, Sitemap
from web.feeds import read_feed
from web.fetch import READABLE, Fetched, Fetcher
from web.page import Page, read_page
from web.sitemap import read_sitemap

_ACCEPTED = READABLE | {"application/pdf", "application/octet-stream"}
_FILE_TYPE = "application/xml"
"""Content type for a feed or sitemap from a file; readers look at the bytes."""


class ImportWeb:
    """The web, for one import.

    Addresses follow the rules of checks: no private ones, and robots.txt applies.
    """

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    def fetch(self, url: str) -> Resource:
        """Return the resource at an address.

        Raises:
            FetchError: it was not fetched.
        """
        found = self._fetcher.fetch(url, accept=_ACCEPTED)
        return Resource(found.url, found.body, found.content_type, found.charset)

    def page(self, resource: Resource) -> Page:
        """Return the article in a page.

        Raises:
            FetchError: there is none.
        """
        return read_page(_fetched(resource))

    def feed(self, resource: Resource) -> Sequence[Entry]:
        """Return the entries of a feed.

        Raises:
            FetchError: it is none.
        """
        entries = read_feed(_fetched(resource)).entries
        return [Entry(entry.url, entry.title, entry.summary, entry.published_at) for entry in entries]

    def sitemap(self, resource: Resource) -> Sitemap:
        """Return the addresses in a sitemap.

        Raises:
            FetchError: it is none.
        """
        found = read_sitemap(resource.body)
        return Sitemap(found.urls, found.nested)


def _fetched(resource: Resource) -> Fetched:
    return Fetched(resource.url, 200, resource.content_type or _FILE_TYPE, resource.body, resource.charset)
