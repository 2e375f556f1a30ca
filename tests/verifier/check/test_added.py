"""What a check brings into the store from the web is known by the check, listed, and taken out again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from errors import InputError
from kb.publishers.lists import DomainLists
from kb.record import NewEvidence, Origin
from kb.store.evidence_store import EvidenceStore
from models.encoders.embedder import Embedder
from tests.verifier.report.report_cases import result
from ui.added import pages
from verifier.__main__ import main
from verifier.api.knowledge import KnowledgeBase
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.history.log import VerificationLog
from verifier.report.as_json import result_to_dict
from verifier.report.from_json import result_from_dict
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.staged import StagedSearch
from verifier.settings import SearchSettings, Settings

FERRY = "The ferry to Orso sank in the harbour"
KNOWN = "The ferry to Orso is painted white."


class Paper:
    """An engine that knows two lines, one of which is in the store already."""

    name, kind = "Paper", Kind.WEB

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        lines = (f"{FERRY} on Monday.", KNOWN)
        found = tuple(SearchResult(f"https://paper.example/{n}", "Ferry", line) for n, line in enumerate(lines))
        return SearchAnswer(Outcome.ANSWERED, found)


class Shelf:
    def __init__(self, store: EvidenceStore, lists: DomainLists, embedder: Embedder) -> None:
        self.store, self.lists, self.embed = store, lists, embedder.embed


@pytest.fixture
def open_(settings: Settings) -> Settings:
    return replace(settings, allow_add=True)


def test_a_check_knows_what_it_added_and_it_can_be_taken_out_again(
    models: Models,
    empty: EvidenceStore,
    embedder: Embedder,
    open_: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (mine,) = empty.add([NewEvidence(KNOWN, "https://own.example/", origin=Origin.USER)]).ids
    search = StagedSearch([Paper()], SearchSettings(), sleep=lambda seconds: None)
    found = Verifier(models, empty, search, open_).verify(FERRY)
    (added,) = found.added
    assert result_from_dict(dict(result_to_dict(found))).added == found.added
    library = KnowledgeBase(Shelf(empty, DomainLists(open_.domains_path), embedder), open_)
    assert [record.text for record in library.found_by(found)] == [f"{FERRY} on Monday."]
    VerificationLog(open_.log_path, 90).append(found)
    monkeypatch.setenv("VERIFIER_LOG_PATH", str(open_.log_path))
    assert main(["added", found.session_id[:8], "--kb", empty.uri]) == 0
    assert capsys.readouterr().out == f"{added[:8]}  https://paper.example/0\n          {FERRY} on Monday.\n"
    assert main(["added", found.session_id, "--kb", empty.uri, "--undo"]) == 0
    assert library.found_by(found) == [] and library.take_out(found) == 0
    assert [record.id for record in empty.get([mine, added])] == [mine]


def test_only_what_a_search_brought_is_taken_out(empty: EvidenceStore, embedder: Embedder, open_: Settings) -> None:
    (mine,) = empty.add([NewEvidence(KNOWN, "https://own.example/", origin=Origin.USER)]).ids
    library = KnowledgeBase(Shelf(empty, DomainLists(open_.domains_path), embedder), open_)
    assert library.take_out(result(added=(mine,))) == 0 and empty.get([mine])
    closed = KnowledgeBase(Shelf(empty, DomainLists(open_.domains_path), embedder), replace(open_, allow_add=False))
    with pytest.raises(InputError):
        closed.take_out(result(added=(mine,)))


def test_a_check_that_added_nothing_has_no_list() -> None:
    assert pages(None, result()) == ""  # type: ignore[arg-type]
