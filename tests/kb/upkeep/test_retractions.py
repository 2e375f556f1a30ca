"""A refresh asks again whether the works of the store stand, and marks those that were retracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from errors import RefreshError
from kb.publishers.urls import doi_address, doi_of
from kb.record import NewEvidence, Origin
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.news import Stopped
from kb.upkeep.retractions import Retractions, recheck
from tests.kb.upkeep.refreshing import Texts, kept, news, refresh_of

REASON = "Retracted on 2010-02-06 (Crossref)"
ONE, TWO, THREE = "10.5555/one", "10.5555/two", "10.1002/(sici)1097(1998)17:15<1661::aid>3.0.co;2-2"


class Registry:
    """What is known of works, and who asked."""

    def __init__(self, **ratings: str) -> None:
        self.ratings = dict(ratings)
        self.asked = list[Sequence[str]]()

    def __call__(self, dois: Sequence[str], stopped: Stopped) -> Retractions:
        self.asked.append(dois)
        return Retractions({doi: rating for doi, rating in self.ratings.items() if doi in dois})


def work(text: str, source: str, **more: str) -> NewEvidence:
    return replace(NewEvidence(text, source, "Study: x", Origin.WEB), **more)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    made = kept(tmp_path / "kb", None)
    made.add(
        [
            work("Coffee causes cancer.", doi_address(ONE)),
            work("Coffee was drunk by all.", f"https://journal.example/doi/full/{ONE.upper()}/pdf"),
            work("Tea causes cancer.", doi_address(TWO)),
            work("Milk causes cancer.", doi_address(THREE)),
            work("Water is wet.", "https://site.example/2010.5/x"),
            replace(
                work("It rated a claim.", f"https://checker.example/{ONE}"), origin=Origin.FACT_CHECK, rating="True"
            ),
        ]
    )
    return made


def ratings(store: EvidenceStore) -> dict[str, str]:
    rows = store._table.search().select(["text", "rating"]).limit(None).to_list()
    return {row["text"].partition(" ")[0]: row["rating"] for row in rows}


def test_every_record_of_a_retracted_work_is_marked_and_no_other(store: EvidenceStore) -> None:
    registry = Registry(**{ONE: REASON, TWO: "", "10.5555/not-ours": REASON})
    report = recheck(store.uri, registry, lambda: False)
    assert registry.asked == [sorted([ONE, TWO, THREE])]
    assert (report.works, report.unknown, report.retracted, report.restored) == (3, 1, (ONE,), ())
    marked = {"Tea": "", "Milk": "", "Water": "", "It": "True"}
    rows = store._table.search().select(["source", "rating"]).limit(None).to_list()
    assert [row["rating"] for row in rows if doi_of(row["source"]) == ONE].count(REASON) == 2
    assert ratings(store) | marked == ratings(store)


def test_nothing_is_written_where_nothing_changes_and_in_a_dry_run(store: EvidenceStore) -> None:
    version = store.version
    assert recheck(store.uri, Registry(**{ONE: REASON}), lambda: False, dry_run=True).retracted == (ONE,)
    recheck(store.uri, Registry(**{ONE: ""}), lambda: False)
    assert kept(store.uri, None).version == version
    recheck(store.uri, Registry(**{ONE: REASON}), lambda: False)
    after = kept(store.uri, None).version
    again = recheck(store.uri, Registry(**{ONE: REASON}), lambda: False)
    assert after > version and kept(store.uri, None).version == after and again.retracted == ()


def test_a_work_that_stands_after_all_is_restored_and_silence_changes_nothing(store: EvidenceStore) -> None:
    recheck(store.uri, Registry(**{ONE: REASON}), lambda: False)
    assert recheck(store.uri, Registry(), lambda: False).unknown == 3
    assert ratings(kept(store.uri, None))["Coffee"] == REASON
    report = recheck(store.uri, Registry(**{ONE: ""}), lambda: False)
    assert report.restored == (ONE,) and ratings(kept(store.uri, None))["Coffee"] == ""


def test_a_refresh_asks_even_without_feeds(store: EvidenceStore) -> None:
    registry = Registry(**{ONE: REASON})
    report = replace(refresh_of(store), retractions_of=registry).run()
    assert report.works.retracted == (ONE,) and report.sources == ()
    report = replace(refresh_of(store, Texts(news(1))), retractions_of=registry).run()
    assert report.works.retracted == () and report.added > 0 and report.works.works == 3


def test_a_store_without_works_and_feeds_has_nothing_to_refresh(tmp_path: Path) -> None:
    registry = Registry()
    with pytest.raises(RefreshError, match="nothing to refresh from"):
        replace(refresh_of(kept(tmp_path / "kb")), retractions_of=registry).run()
    assert registry.asked == []


def test_a_work_found_again_as_retracted_is_marked_at_once(store: EvidenceStore) -> None:
    again = work("Tea causes cancer.", doi_address(TWO), rating=REASON)
    elsewhere = work("Water is wet.", doi_address("10.5555/other"), rating=REASON)
    assert store.add([again, elsewhere]).added == 0
    marked = ratings(store)
    assert (marked["Tea"], marked["Water"], marked["Milk"]) == (REASON, "", "")


@pytest.mark.parametrize(
    ("url", "doi"),
    [
        (doi_address(THREE), THREE),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2034577", "10.1056/nejmoa2034577"),
        ("https://onlinelibrary.wiley.com/doi/epdf/10.1002/x.1?src=a#b", "10.1002/x.1"),
        ("doi:10.1038/s41586-020-2649-2.", "10.1038/s41586-020-2649-2"),
        ("https://a.example/version-10.5/x", ""),
        ("https://a.example/210.1234/x", ""),
        ("", ""),
    ],
)
def test_the_doi_in_an_address(url: str, doi: str) -> None:
    assert doi_of(url) == doi
