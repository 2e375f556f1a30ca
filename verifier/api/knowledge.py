"""Search, describe and change the evidence store, for the page and for programs.

The settings say whether it may be changed (`allow_add`). Nothing that is refused reaches the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from errors import InputError
from verifier.api.bounds import check_may_change, query_of
from verifier.settings import Settings

if TYPE_CHECKING:
    from kb.intake.sources import Problem, Source
    from kb.publishers.lists import DomainLists
    from kb.publishers.rules import ListedDomain as ListedDomain
    from kb.record import EvidenceRecord as EvidenceRecord
    from kb.record import NewEvidence
    from kb.store.evidence_store import Embed, EvidenceStore
    from kb.store.fusion import Hit as Hit
    from kb.store.statistics import Count as Count
    from kb.store.statistics import Overview as Overview
    from verifier.schema import VerificationResult
    from verifier.search.pages import Page

MAX_RESULTS = 50
MAX_OWN = 100
MAX_PAGES = 20
"""Pages of a feed or sitemap that one address can add."""
_MAX_ADDRESS = 2_000
_MAX_NAME = 300
"""Characters in a title, or in a source that is not an address."""


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of an addition.

    `problems` are lines for people, `ids` are those of its records.
    """

    added: int
    known: int
    denied: int = 0
    skipped: int = 0
    problems: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


class Backing(Protocol):
    """The parts that a knowledge base works on; a `Checker` has them."""

    @property
    def store(self) -> EvidenceStore | None:
        """The evidence store, if there is one."""

    @property
    def embed(self) -> Embed:
        """The embedder that filled it."""

    @property
    def lists(self) -> DomainLists:
        """The user's domain lists."""


class KnowledgeBase:
    """The operations on one evidence store. Safe to share between threads."""

    def __init__(self, backing: Backing, settings: Settings) -> None:
        """Work on `backing`; `settings` say what may be done to it."""
        self._backing, self._settings = backing, settings

    @property
    def store(self) -> EvidenceStore:
        """The store.

        Raises:
            InputError: there is none.
        """
        if self._backing.store is None:
            raise InputError("this verifier was started without an evidence store")
        return self._backing.store

    def search(self, query: str, limit: int = 20) -> list[Hit]:
        """Find records for a query, most similar first, at most 50.

        Raises:
            InputError: the query has no letters or digits, or more than 2,000 characters.
            StoreError: the store cannot be read.
        """
        text = query_of(query)
        return self.store.look_up(text, self._backing.embed([text])[0], max(1, min(limit, MAX_RESULTS)))

    def record(self, record_id: str) -> dict[str, Any]:
        """Find a record by its id, as plain values.

        Records from sites on the user's blocklist are hidden.

        Raises:
            InputError: the store holds no such record.
            StoreError: the store cannot be read.
        """
        from kb.store.fusion import record_to_dict

        found = next(iter(self.store.get([record_id])), None)
        if found is None or self._backing.lists.publisher_of(found.source).denied:
            raise InputError(f"the evidence store holds no record {record_id[:60]!r}: it was removed, or never there")
        return record_to_dict(found)

    def overview(self) -> Overview:
        """Describe the store in figures.

        Raises:
            StoreError: it cannot be read.
        """
        from kb.store.statistics import overview

        return overview(self.store.uri)

    def add_text(self, text: str, source: str = "", title: str = "") -> Added:
        """Add a text, cut into passages; `source` says where it comes from, preferably an address.

        Raises:
            InputError: nothing may be added here, or the text, source or title cannot be used.
            StoreError: the store cannot be written.
        """
        from kb.chunk import passages
        from kb.intake.ingest import MAX_TEXT
        from kb.record import NewEvidence

        check_may_change(self._settings)
        if not any(character.isalpha() for character in text):
            raise InputError("the text is empty or has no letters")
        if len(text) > MAX_TEXT:
            raise InputError(
                f"the text must have at most {MAX_TEXT:,} characters, this one has {len(text):,}; add it as a file"
            )
        place, name = _line("source", source), _line("title", title)
        worded = [passage for passage in passages(text) if any(character.isalpha() for character in passage)]
        return self._put([NewEvidence(passage, place, name) for passage in worded])

    def add_page(self, page: Page) -> Added:
        """Add the article from a fetched page.

        Raises:
            InputError: nothing may be added here.
            StoreError: the store cannot be written.
        """
        from kb.intake.formats.pages import page_passages

        check_may_change(self._settings)
        return self._put(list(page_passages(page, page.url)))

    def add_url(self, url: str) -> Added:
        """Fetch and add a page, a PDF or a feed's or sitemap's first 20 pages.

        Raises:
            InputError: nothing may be added here, the web is off, this is not a web address, or nothing in it can be used.
            StoreError: the store cannot be written.
        """
        from kb.intake.addresses import address_sources, is_address
        from kb.intake.sources import Kind
        from verifier.search.import_web import ImportWeb
        from web.fetch import Fetcher

        check_may_change(self._settings)
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
        """Add the text in a file: text, Markdown, HTML, PDF, CSV, JSON lines or Parquet.

        Raises:
            InputError: nothing may be added here, or nothing in the file can be used.
            StoreError: the store cannot be written.
        """
        from kb.intake.ingest import Reading
        from kb.intake.sources import Kind, path_sources
        from web.extract import extract_page

        check_may_change(self._settings)
        if path.is_dir():
            raise InputError(f"{path.name} is a folder; add its files, or run: python -m kb import {path.name}")
        return self._take_in(path_sources(path, Kind.AUTO, Reading(extract_page, self.store.embedder)), path.name)

    def own(self) -> list[EvidenceRecord]:
        """List the records that the user added last, newest first, at most 100.

        Raises:
            StoreError: the store cannot be read.
        """
        from kb.store.statistics import own_records

        return own_records(self.store.uri, MAX_OWN)

    def remove(self, record_id: str) -> None:
        """Delete a record that the user added.

        Raises:
            InputError: nothing may be removed here, or there is no such record of the user's.
            StoreError: the store cannot be written.
        """
        from kb.store.statistics import remove_own

        check_may_change(self._settings)
        if not remove_own(self.store.uri, record_id):
            raise InputError("there is no such record among those that you added; only these can be removed here")

    def found_by(self, result: VerificationResult) -> list[EvidenceRecord]:
        """List the web records that a check stored and that are still there.

        Raises:
            StoreError: the store cannot be read.
        """
        from kb.store.statistics import found_records

        return found_records(self.store.uri, result.added)

    def take_out(self, result: VerificationResult) -> int:
        """Delete the web records that a check stored; returns how many.

        Raises:
            InputError: nothing may be removed here.
            StoreError: the store cannot be written.
        """
        from kb.store.statistics import remove_found

        check_may_change(self._settings)
        return remove_found(self.store.uri, result.added)

    def domains(self) -> tuple[ListedDomain, ...]:
        """List the domains on the user's lists.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._backing.lists.rows()

    def list_domain(self, domain: str, rule: str, note: str = "") -> None:
        """Put a domain on the user's lists; `rule` is "allow" or "deny".

        Raises:
            InputError: nothing may be changed here, or one of the three cannot be used.
            StoreError: the file cannot be written.
        """
        from kb.publishers.rules import parse_line

        check_may_change(self._settings)
        self._backing.lists.add(parse_line(domain, rule, note=note))

    def unlist_domain(self, domain: str) -> None:
        """Take a domain off the user's lists.

        Raises:
            InputError: nothing may be changed here, or the domain is not on them.
            StoreError: the file cannot be written.
        """
        check_may_change(self._settings)
        if not self._backing.lists.remove(domain):
            raise InputError(f"{domain[:80]} is not on your lists")

    def _put(self, items: Sequence[NewEvidence]) -> Added:
        done = self.store.add(items)
        return Added(done.added, done.merged, done.denied, ids=tuple(key for key in dict.fromkeys(done.ids) if key))

    def _take_in(self, sources: Iterable[Source | Problem], name: str) -> Added:
        from kb.intake.importing import Target, import_sources
        from kb.intake.journal import Journal

        store = self.store
        report = import_sources(sources, Target(store, self._backing.embed), Journal(store.uri, [name]))
        told = tuple(str(problem) for problem in report.problems)
        if not report.taken + report.denied:
            raise InputError(f"nothing of {name[:80]} can be used: {told[0] if told else 'it holds no text'}")
        return Added(report.added, report.merged, report.denied, report.skipped, told)


def _line(what: str, text: str) -> str:
    found = " ".join(text.split())
    if len(found) > _MAX_NAME and not found.startswith(("http://", "https://")) or len(found) > _MAX_ADDRESS:
        raise InputError(f"the {what} must have at most {_MAX_NAME} characters, this one has {len(found):,}")
    return found
