from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from kb.credibility import SourceType
from kb.record import Collection, NewEvidence
from kb.sql import Filter, condition
from kb.store import EvidenceStore
from tests.kb.stores import opened, spread

OLD, NEW = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
TEXTS = {
    "nasa": NewEvidence("The bridge is old, says a space agency.", "https://www.nasa.gov/bridge", published_at=OLD),
    "snopes": NewEvidence("The bridge is new, says a checker.", "https://www.snopes.com/bridge", published_at=NEW),
    "blog": NewEvidence("The bridge is blue.", "https://blog.example/bridge", collection=Collection.CURRENT),
    "german": NewEvidence("The bridge heißt Brücke.", "https://seite.example/bridge", language="de"),
}


@pytest.fixture
def four(tmp_path: Path) -> EvidenceStore:
    store = opened(tmp_path / "kb")
    store.add(list(TEXTS.values()))
    return store


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("where", "names"),
    [
        (None, {"nasa", "snopes", "blog", "german"}),
        (Filter(), {"nasa", "snopes", "blog", "german"}),
        (Filter(collections=(Collection.CURRENT,)), {"blog"}),
        (Filter(domains=("NASA.gov", "blog.example")), {"nasa", "blog"}),
        (Filter(languages=("DE", "fr")), {"german"}),
        (Filter(source_types=(SourceType.FACT_CHECKER,)), {"snopes"}),
        (Filter(published_since=datetime(2022, 1, 1, tzinfo=UTC)), {"snopes"}),
        (Filter(published_until=datetime(2022, 1, 1)), {"nasa"}),
        (Filter(published_since=OLD, published_until=OLD), {"nasa"}),
        (Filter(published_since=datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))), {"nasa", "snopes"}),
        (Filter(denied_domains=("snopes.com", "blog.example")), {"nasa", "german"}),
        (Filter(domains=("nasa.gov",), denied_domains=("nasa.gov",)), set()),
        (Filter(languages=("en",), published_since=NEW), {"snopes"}),
    ],
)
def test_a_filter_bounds_what_is_found_by_words_and_by_meaning(
    four: EvidenceStore, where: Filter | None, names: set[str], exact: bool
) -> None:
    hits = four.search("bridge", spread(["bridge"])[0], 10, where=where, exact=exact)
    assert {hit.record.text for hit in hits} == {TEXTS[name].text for name in names}


@pytest.mark.parametrize(
    "value", ["o'brien.example", "'", "''", "x') OR (1=1", "\\'; DROP TABLE evidence; --", "%", '"']
)
def test_no_value_is_read_as_a_command(four: EvidenceStore, value: str) -> None:
    query = spread(["bridge"])[0]
    for where in (Filter(domains=(value,)), Filter(languages=(value,)), Filter(domains=(value, value))):
        assert four.search("bridge", query, 10, where=where) == []
    assert len(four.search("bridge", query, 10, where=Filter(denied_domains=(value,)))) == 4
    assert four.count() == 4


def test_a_quote_in_a_value_is_doubled() -> None:
    assert condition(Filter(domains=("o'brien.example",))) == "domain IN ('o''brien.example')"
