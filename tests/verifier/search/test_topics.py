"""E12: a refresh as it is wired: feeds and standing topics, searched for and read in an invented web on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputError, RefreshError, RefreshStopped, SettingsError
from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from kb.store.evidence_store import EvidenceStore
from lab.world.faults import Fault, Faults
from lab.world.server import World
from tests.kb.upkeep.refreshing import kept
from verifier.build import build_refresh
from verifier.settings import Settings


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as running:
        yield running


@pytest.fixture(autouse=True)
def _calm(world: World) -> None:
    world.town.reset()


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return kept(tmp_path / "kb")


def _settings(world: World, tmp_path: Path, **more: str) -> Settings:
    return Settings.from_env(
        world.environment()
        | {"VERIFIER_SEARCH_CACHE": str(tmp_path / "cache"), "VERIFIER_KB_URI": str(tmp_path / "kb")}
        | more
    )


def _lists(world: World, tmp_path: Path) -> DomainLists:
    lists = DomainLists(tmp_path / "domains.csv")
    for domain, source_type, credibility in world.domains():
        lists.add(parse_line(domain, "allow", source_type, str(credibility)))
    return lists


def test_feeds_and_topics_of_a_whole_web_come_in_with_one_commit(
    world: World, store: EvidenceStore, tmp_path: Path
) -> None:
    settings = _settings(world, tmp_path, VERIFIER_TOPICS="Halvard Crossing bridge", VERIFIER_REFRESH_PAGES="4")
    feeds = settings.search.providers.feeds
    lists = _lists(world, tmp_path)
    before = store.version
    report = build_refresh(settings, store, lists.publisher_of, lists.preferred).run()
    assert [source.name for source in report.sources] == [*feeds, "Halvard Crossing bridge"]
    assert not any(source.failed for source in report.sources)
    assert report.added == report.staged == store.count() and report.sources[-1].texts > 0
    assert store.version >= before + 1
    rows = store._table.search().select(["text", "domain", "expires_at", "collection"]).limit(None).to_list()
    assert any("Halvard" in row["text"] for row in rows)
    assert all(row["expires_at"] and row["collection"] == "current" and row["domain"] for row in rows)


def test_a_web_that_is_down_leaves_the_store_and_says_whom_it_asked(
    world: World, store: EvidenceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.search.topics._SECONDS", 1.0)  # nobody waits for the pauses after refusals here
    world.town.faults = Faults(rate=1.0, kinds=(Fault.UNAVAILABLE,))
    settings = _settings(world, tmp_path, VERIFIER_TOPICS="Halvard Crossing bridge")
    with pytest.raises(RefreshError, match="nothing could be read.*feed"):
        build_refresh(settings, store).run(force=True)
    assert store.count() == 0


def test_a_topic_stops_before_its_next_search(world: World, store: EvidenceStore, tmp_path: Path) -> None:
    settings = replace(_settings(world, tmp_path, VERIFIER_TOPICS="Halvard Crossing bridge", VERIFIER_FEEDS=""))
    with pytest.raises(RefreshStopped):
        build_refresh(settings, store).run(stopped=lambda: True)
    assert store.count() == 0


def test_without_the_web_there_is_no_refresh(world: World, store: EvidenceStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="VERIFIER_WEB is off"):
        build_refresh(_settings(world, tmp_path, VERIFIER_WEB="off"), store)


def test_settings_that_are_not_allowed_name_the_rule(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("VERIFIER_REFRESH_HOURS", "0.5", "0 \\(off\\) or from 1"),
        ("VERIFIER_REFRESH_HOURS", "-1", "from 0 to"),
        ("VERIFIER_KEEP_DAYS", "many", "a number from 0"),
        ("VERIFIER_TOPICS", "floods, ???", "up to 100 characters"),
        ("VERIFIER_TOPICS", ",".join(f"topic {n}" for n in range(21)), "not 21"),
        ("VERIFIER_REFRESH_PAGES", "0", "from 1 to 200"),
    ]
    for name, value, rule in cases:
        with subtests.test(repr(name)[:80]):
            with pytest.raises(SettingsError, match=rule):
                Settings.from_env({name: value})


def test_settings_come_from_the_environment() -> None:
    values = {"VERIFIER_REFRESH_HOURS": "24", "VERIFIER_TOPICS": " floods ,the  sea,floods", "VERIFIER_KEEP_DAYS": "0"}
    upkeep = Settings.from_env(values).upkeep
    assert (upkeep.refresh_hours, upkeep.topics, upkeep.keep_days) == (24, ("floods", "the sea"), 0)
    assert Settings.from_env({}).upkeep.keep_days == 30 and Settings.from_env({}).upkeep.refresh_hours == 0
