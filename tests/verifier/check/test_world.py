"""Whole checks against an invented web: real search clients, real fetching, a real store, over HTTP on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from kb.store.evidence_store import EvidenceStore
from lab.world.facts import Expected, WorldClaim
from lab.world.faults import Fault, Faults
from lab.world.pages import Kind
from lab.world.server import World
from models.encoders.embedder import Embedder
from tests.commandline import run
from tests.conftest import CHECKSUM
from verifier.build import build_search
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.schema import Stage, Status, Verdict, VerificationResult
from verifier.search.base import Outcome
from verifier.search.staged import ENOUGH_RELEVANT
from verifier.settings import Settings

SAID = {Outcome.ANSWERED, Outcome.EMPTY}
NOTHING_LEFT = (Fault.RATE_LIMITED, Fault.UNAVAILABLE, Fault.CUT, Fault.GARBAGE, Fault.REDIRECT_LOOP)
"""Faults that leave nothing of any answer."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as running:
        yield running


@pytest.fixture(autouse=True)
def _calm(world: World) -> None:
    world.town.faults = Faults()


def listed(world: World, folder: Path) -> DomainLists:
    """The publishers of the world, with how far they are trusted."""
    lists = DomainLists(folder / "domains.csv")
    for domain, source_type, credibility in world.domains():
        lists.add(parse_line(domain, "allow", source_type, str(credibility)))
    return lists


@pytest.fixture
def make(world: World, models: Models, embedder: Embedder, tmp_path: Path) -> Callable[[float], Verifier]:
    """Makes a verifier with an empty store and a deadline in seconds, whose web is the invented one."""

    def made(deadline: float) -> Verifier:
        environment = world.environment() | {"VERIFIER_SEARCH_CACHE": str(tmp_path / "cache")}
        settings = replace(Settings.from_env(environment), deadline=deadline)
        lists = listed(world, tmp_path)
        store = EvidenceStore(str(tmp_path / "kb"), embedder.embed, CHECKSUM, lists.publisher_of)
        search = build_search(settings.search, lists.publisher_of, lists.preferred)
        return Verifier(models, store, search, settings, None, lists.publisher_of)

    return made


@pytest.fixture
def check(make: Callable[[float], Verifier]) -> Verifier:
    return make(60.0)


def claims(world: World, expected: Expected, count: int) -> list[WorldClaim]:
    return [claim for claim in world.claims() if claim.expected is expected][:: 60 // count][:count]


def requests(world: World) -> int:
    total = world.requests()["total"]
    assert isinstance(total, int)
    return total


def searched(result: VerificationResult) -> list[str]:
    return [step.message for step in result.steps if step.stage is Stage.SEARCH]


def test_a_claim_is_settled_by_pages_of_the_web_and_quoted_from_them(world: World, check: Verifier) -> None:
    claim = claims(world, Expected.TRUE, 6)[0]
    result = check.verify(claim.text)
    assert result.verdict is Verdict.TRUE and result.status is Status.OK
    assert all(piece.source.startswith("http") and ".localhost" in piece.source for piece in result.evidence)
    for citation in result.citations:
        assert citation.quote == result.evidence[citation.number - 1].text[citation.start : citation.end]
    assert any("read " in message and "asked" in message for message in searched(result))


@pytest.mark.parametrize("expected", [Expected.TRUE, Expected.NOT_ENOUGH_EVIDENCE])
def test_a_second_check_of_the_same_claim_asks_nobody(world: World, check: Verifier, expected: Expected) -> None:
    claim = claims(world, expected, 4)[1]
    first = check.verify(claim.text)
    before = requests(world)
    assert searched(first) and before
    second = check.verify(claim.text)
    assert requests(world) == before and second.verdict is first.verdict


def test_the_stages_stay_within_their_time_when_providers_take_200_ms(world: World, check: Verifier) -> None:
    world.town.faults = Faults(latency=0.2)
    result = check.verify(claims(world, Expected.NOT_ENOUGH_EVIDENCE, 4)[2].text)
    stages = [step for step in result.steps if step.stage is Stage.SEARCH]
    assert stages and max(step.seconds for step in stages) < 3


@pytest.mark.parametrize("kind", [Fault.SLOW, Fault.INJECTION])
def test_no_fault_crashes_hangs_or_turns_a_verdict(
    world: World, make: Callable[[float], Verifier], kind: Fault
) -> None:
    world.town.faults = Faults(rate=1.0, kinds=(kind,), slow_seconds=1.5)
    check = make(6.0)
    claim = claims(world, Expected.TRUE, 6)[2]
    start = time.monotonic()
    result = check.verify(claim.text)
    assert time.monotonic() - start < 6 + 2 + 16  # the models' own time on a busy machine
    assert result.verdict in {Verdict.TRUE, Verdict.NOT_ENOUGH_EVIDENCE}
    if result.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
        told = [*result.warnings, *searched(result)]
        assert any(
            reason in line for line in told for reason in ("web search", "could not read", "the time for one check")
        )


def test_no_fault_stops_a_search_or_lets_through_what_is_no_page(world: World, tmp_path: Path) -> None:
    """Of the staged search as it is wired; the faults that reach further are in the whole checks above."""
    claim = claims(world, Expected.TRUE, 6)[2].text
    queries = make_plan(parse_claim(claim)).queries[:2]
    lists = listed(world, tmp_path)
    for kind in (*NOTHING_LEFT, Fault.HUGE, Fault.CHARSET):
        world.town.faults = Faults(rate=1.0, kinds=(kind,))
        asked = world.environment() | {"VERIFIER_SEARCH_CACHE": str(tmp_path / kind)}
        settings = replace(Settings.from_env(asked).search, backoff=(0.1,))
        search = build_search(settings, lists.publisher_of, lists.preferred)
        start = time.monotonic()
        reports = list(search.by_stages(claim, queries, lambda: 20.0, lambda: ENOUGH_RELEVANT))
        search.close()
        assert reports and time.monotonic() - start < 60, kind
        items = [item for report in reports for item in report.items]
        said = [attempt for report in reports for attempt in report.attempts if attempt.outcome in SAID]
        read = [report.stage.name for report in reports if report.stage.of_web and report.read]
        assert not (kind in NOTHING_LEFT and (items or said)), kind
        assert not (kind is Fault.HUGE and read), read
        assert items or kind is not Fault.CHARSET


def test_the_command_line_lists_the_sentences_of_an_article(world: World, tmp_path: Path) -> None:
    pages = (page for page in world.town.web.pages if page.site.domain.startswith("north-courier"))
    address = next(page.url(world.port) for page in pages if page.kind is Kind.NEWS)
    done = run(
        "verifier", "verify", address, **world.environment(), VERIFIER_KB_URI=str(tmp_path / "kb"), VERIFIER_WEB="on"
    )
    assert done.status == 0, done.err
    assert "An article is not checked as a whole" in done.out and "\n1. " in done.out
