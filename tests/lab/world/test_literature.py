"""The literature of the invented world, asked by the verifier's own clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.world import World
from lab.world.facts import events
from lab.world.literature import TOPICS, works
from verifier.build import build_retractions
from verifier.search.base import Kind, Outcome, Provider, Query
from verifier.search.engines.providers import configured
from verifier.settings import Settings

EVENT = next(event for event in events() if event.topic == "health")
OF_EVENT = {f"https://doi.org/{work.doi}": work for work in works() if work.event_id == EVENT.id}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as running:
        yield running


def indexes(world: World) -> list[Provider]:
    settings = Settings.from_env(world.environment("free"))
    return [provider for provider in configured(settings.search) if provider.kind is Kind.LITERATURE]


def test_every_event_of_health_or_science_has_four_works() -> None:
    told = {event.id for event in events() if event.topic in TOPICS}
    assert {work.event_id for work in works()} == told and len(works()) == 4 * len(told)
    assert len({work.doi for work in works()}) == len(works())


@pytest.mark.parametrize("number", [0, 1])
def test_an_index_finds_the_works_of_an_event(world: World, number: int) -> None:
    provider = indexes(world)[number]
    answer = provider.search(Query(EVENT.true[0], 6), 5)
    assert answer.outcome is Outcome.ANSWERED, answer.detail
    found = [result for result in answer.results if result.url in OF_EVENT]
    assert {OF_EVENT[result.url].kind[1] for result in found} >= {"review", "article"}
    for result in found:
        work = OF_EVENT[result.url]
        assert work.abstract in result.passages[0] and bool(result.rating) is (work.retracted is not None)
        assert result.title.startswith("Preprint") is (work.kind[1] == "preprint")
    assert provider.search(Query("zebra xylophone quartet", 6), 5).outcome is Outcome.EMPTY


def test_retractions_are_told_by_openalex_and_crossref(world: World) -> None:
    check = build_retractions(Settings.from_env(world.environment("free")).search)
    assert check is not None
    dois = [work.doi for work in works()]
    found = check([*dois, "10.5081/unknown"], lambda: False)
    wanted = {work.doi: f"Retracted on {work.retracted:%Y-%m-%d} (Crossref)" for work in works() if work.retracted}
    assert {doi: rating for doi, rating in found.ratings.items() if rating} == wanted
    assert set(found.ratings) == set(dois)
    assert found.problems == (f"it is not known whether they were retracted: 1 of {len(dois) + 1} works with a DOI",)
