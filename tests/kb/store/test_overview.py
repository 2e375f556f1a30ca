"""A store in figures, and the records that are the user's own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from errors import StoreError
from kb.record import NewEvidence, Origin
from kb.store.evidence_store import EvidenceStore
from kb.store.statistics import Count, overview, own_records, remove_own
from tests.kb.tiny import open_tiny


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    made = open_tiny(tmp_path / "kb")
    made.add(
        [
            NewEvidence("The Moon orbits the Earth.", "https://www.nasa.gov/a", origin=Origin.WEB),
            NewEvidence("Mars has two moons.", "https://www.nasa.gov/b", origin=Origin.WEB),
            NewEvidence("My neighbour's cat is called Tom."),
        ]
    )
    made.add([NewEvidence("My neighbour's dog is called Rex, it's said.", "https://a.example/x")])
    return made


def test_the_figures_count_what_is_there(store: EvidenceStore) -> None:
    told = overview(store.uri)
    assert told.records == 4 and told.bytes > 0
    assert told.days == ((datetime.now(UTC).date(), 4),)
    assert told.origins == (Count("user", 2), Count("web", 2))
    assert told.domains[0] == Count("nasa.gov", 2) and all(count.name for count in told.domains)


def test_the_users_own_records_come_newest_first(store: EvidenceStore) -> None:
    assert [record.text[15:18] for record in own_records(store.uri, 10)] == ["dog", "cat"]
    assert len(own_records(store.uri, 1)) == 1


def test_only_the_users_own_records_can_be_removed(store: EvidenceStore) -> None:
    own = own_records(store.uri, 1)[0]
    (web,) = [record for record in store.get(store.add([NewEvidence("Mars has two moons.")]).ids)]
    assert remove_own(store.uri, own.id) and not remove_own(store.uri, own.id)
    assert not remove_own(store.uri, web.id) and not remove_own(store.uri, "' OR 1=1 --")
    assert store.count() == 3


def test_an_empty_store_has_figures_too_and_none_has_an_error(tmp_path: Path) -> None:
    told = overview(open_tiny(tmp_path / "new").uri)
    assert (told.records, told.days, told.domains) == (0, (), ()) and own_records(str(tmp_path / "new"), 5) == []
    with pytest.raises(StoreError, match="no evidence store"):
        overview(str(tmp_path / "missing"))
