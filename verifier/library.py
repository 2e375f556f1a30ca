"""The evidence store for whoever tends it: search it, look at its figures, add to it, take back what one has added.

The page and the endpoints for programs share these functions. Whether they may write is the settings' to say (`allow_add`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from errors import InputError
from verifier.settings import Settings

if TYPE_CHECKING:
    from kb.fusion import Hit as Hit
    from kb.importing import ImportReport
    from kb.lists import DomainLists
    from kb.lists import ListedDomain as ListedDomain
    from kb.overview import Count as Count
    from kb.overview import Overview as Overview
    from kb.record import EvidenceRecord as EvidenceRecord
    from kb.sources import Problem, Source
    from kb.store import Embed, EvidenceStore
    from verifier.schema import VerificationResult

MAX_RESULTS = 50
MAX_OWN = 100
MAX_PAGES = 20
"""Pages of a feed or sitemap that one address brings in."""
_MAX_QUERY = 2_000
_MAX_NAME = 300
"""Characters of a title or an address."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of something that was added; `problems` are lines for people."""

    added: int
    known: int
    denied: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()


class Shelves(Protocol):
    """What a library stands on; a `Checker` is one."""

    @property
    def store(self) -> EvidenceStore | None:
        """The evidence store, where there is one."""

    @property
    def embed(self) -> Embed:
        """The embedder that filled it."""

    @property
    def lists(self) -> DomainLists:
        """The user's lists of domains."""


class Library:
    """The store behind a checker. Safe to share between threads."""

    def __init__(self, shelves: Shelves, settings: Settings) -> None:
        """`settings` say what may be done to it."""
        self._shelves, self._settings = shelves, settings

    @property
    def _store(self) -> EvidenceStore:
        if self._shelves.store is None:
            raise InputError("there is no evidence store here")
        return self._shelves.store

    def search(self, query: str, limit: int = 20) -> list[Hit]:
        """The records on a query, most similar first.

        Raises:
            InputError: the query has no letters or digits, or more than 2,000 characters.
            StoreError: the store cannot be read.
        """
        words = query.strip()
        if not any(character.isalnum() for character in words) or len(words) > _MAX_QUERY:
            raise InputError(f"a search must be words, of at most {_MAX_QUERY:,} characters")
        return self._store.look_up(words, self._shelves.embed([words])[0], max(1, min(limit, MAX_RESULTS)))

    def overview(self) -> Overview:
        """The store in figures.

        Raises:
            StoreError: it cannot be read.
        """
        from kb.overview import overview

        return overview(self._store.uri)

    def add_text(self, text: str, source: str = "", title: str = "") -> Added:
        """Add a text, cut into passages; `source` is where it comes from, best an address.

        Raises:
            InputError: nothing may be added here, or the text, source or title cannot be used.
            StoreError: the store cannot be written.
        """
        from kb.chunk import passages
        from kb.ingest import MAX_TEXT
        from kb.record import NewEvidence

        self._check_allowed()
        if not any(character.isalpha() for character in text):
            raise InputError("the text is empty or has no letters")
        if len(text) > MAX_TEXT:
            raise InputError(
                f"the text must have at most {MAX_TEXT:,} characters, this one has {len(text):,}; add it as a file"
            )
        place, name = _line("source", source), _line("title", title)
        done = self._store.add([NewEvidence(passage, place, name) for passage in passages(text)])
        return Added(done.added, done.merged, done.denied)

    def add_url(self, url: str) -> Added:
        """Fetch a page, a PDF, or the first 20 pages of a feed or sitemap, and add what they say.

        Raises:
            InputError: nothing may be added here, the web is switched off, this is no web address, or nothing came of it.
            StoreError: the store cannot be written.
        """
        from kb.addresses import address_sources, is_address
        from kb.sources import Kind
        from verifier.import_web import ImportWeb
        from web.fetch import Fetcher

        self._check_allowed()
        place = _line("address", url)
        if not is_address(place):
            raise InputError(f"the address must begin with http:// or https://, not {place[:60]!r}")
        if not self._settings.web:
            raise InputError("the page was not fetched, since the web is switched off; add its text, or a saved file")
        fetcher = Fetcher(self._settings.search.allow_private)
        try:
            return self._take_in(islice(address_sources(place, Kind.AUTO, ImportWeb(fetcher)), MAX_PAGES), place)
        finally:
            fetcher.close()

    def add_file(self, path: Path) -> Added:
        """Add what a file says: text, Markdown, HTML, PDF, CSV, JSON lines or Parquet.

        Raises:
            InputError: nothing may be added here, or nothing in the file can be used.
            StoreError: the store cannot be written.
        """
        from kb.ingest import Reading
        from kb.sources import Kind, path_sources
        from web.extract import extract_page

        self._check_allowed()
        if path.is_dir():
            raise InputError(f"{path.name} is a folder; add its files, or run: python -m kb import {path.name}")
        return self._take_in(path_sources(path, Kind.AUTO, Reading(extract_page, self._store.embedder)), path.name)

    def own(self) -> list[EvidenceRecord]:
        """The last records that the user added, newest first, at most 100.

        Raises:
            StoreError: the store cannot be read.
        """
        from kb.overview import own_records

        return own_records(self._store.uri, MAX_OWN)

    def remove(self, record_id: str) -> None:
        """Delete a record that the user added.

        Raises:
            InputError: nothing may be removed here, or there is no such record of the user's.
            StoreError: the store cannot be written.
        """
        from kb.overview import remove_own

        self._check_allowed()
        if not remove_own(self._store.uri, record_id):
            raise InputError("there is no such record among those that you added; only these can be removed here")

    def found_by(self, result: VerificationResult) -> list[EvidenceRecord]:
        """What a check brought into the store from the web, as far as it is there still.

        Raises:
            StoreError: the store cannot be read.
        """
        from kb.overview import found_records

        return found_records(self._store.uri, result.added)

    def take_out(self, result: VerificationResult) -> int:
        """Delete what a check brought into the store from the web; returns how many records.

        Raises:
            InputError: nothing may be removed here.
            StoreError: the store cannot be written.
        """
        from kb.overview import remove_found

        self._check_allowed()
        return remove_found(self._store.uri, result.added)

    def domains(self) -> tuple[ListedDomain, ...]:
        """The user's lists of domains.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._shelves.lists.rows()

    def list_domain(self, domain: str, rule: str, note: str = "") -> None:
        """Put a domain on the user's lists; `rule` is "allow" or "deny".

        Raises:
            InputError: nothing may be changed here, or one of the three cannot be used.
            StoreError: the file cannot be written.
        """
        from kb.lists import parse_line

        self._check_allowed()
        self._shelves.lists.add(parse_line(domain, rule, note=note))

    def unlist_domain(self, domain: str) -> None:
        """Take a domain off the user's lists.

        Raises:
            InputError: nothing may be changed here, or the domain is not on them.
            StoreError: the file cannot be written.
        """
        self._check_allowed()
        if not self._shelves.lists.remove(domain):
            raise InputError(f"{domain[:80]} is not on your lists")

    def _check_allowed(self) -> None:
        if not self._settings.allow_add:
            raise InputError("this server lets nobody change its evidence; its owner can set VERIFIER_ALLOW_ADD=on")

    def _take_in(self, sources: Iterable[Source | Problem], name: str) -> Added:
        from kb.importing import Target, import_sources
        from kb.journal import Journal

        store = self._store
        report = import_sources(sources, Target(store, self._shelves.embed), Journal(store.uri, [name]))
        told = tuple(str(problem) for problem in report.problems)
        if not report.taken + report.denied:
            raise InputError(f"nothing of {name[:80]} can be used: {told[0] if told else 'it holds no text'}")
        return _summary(report, told)


def _summary(report: ImportReport, told: tuple[str, ...]) -> Added:
    return Added(report.added, report.merged, report.denied, report.skipped, told)


def _line(what: str, text: str) -> str:
    found = " ".join(text.split())
    if len(found) > _MAX_NAME and not found.startswith(("http://", "https://")) or len(found) > _MAX_QUERY:
        raise InputError(f"the {what} must have at most {_MAX_NAME} characters, this one has {len(found):,}")
    return found
