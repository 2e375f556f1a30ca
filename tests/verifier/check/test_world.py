"""Whole checks against an invented web: real search clients, real fetching, a real store, over HTTP on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
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
from tests.conftest import CHECKSUM
from verifier.build import build_search
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.schema import Stage, Status, Verdict, VerificationResult
from verifier.settings import Settings

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as running:
        yield running


@pytest.fixture(autouse=True)
def _calm(world: World) -> None:
    world.town.faults = Faults()


@pytest.fixture
def make(world: World, models: Models, embedder: Embedder, tmp_path: Path) -> Callable[[float], Verifier]:
    """Makes a verifier with an empty store and a deadline in seconds, whose web is the invented one."""

    def made(deadline: float) -> Verifier:
        environment = world.environment() | {"VERIFIER_SEARCH_CACHE": str(tmp_path / "cache")}
        settings = replace(Settings.from_env(environment), deadline=deadline)
        lists = DomainLists(tmp_path / "domains.csv")
        for domain, source_type, credibility in world.domains():
            lists.add(parse_line(domain, "allow", source_type, str(credibility)))
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


@pytest.mark.parametrize("kind", list(Fault))
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


def test_the_command_line_lists_the_sentences_of_an_article(world: World, tmp_path: Path) -> None:
    pages = (page for page in world.town.web.pages if page.site.domain.startswith("north-courier"))
    address = next(page.url(world.port) for page in pages if page.kind is Kind.NEWS)
    environment = (
        dict(os.environ) | world.environment() | {"VERIFIER_KB_URI": str(tmp_path / "kb"), "VERIFIER_WEB": "on"}
    )
    run = subprocess.run(
        [sys.executable, "-m", "verifier", "verify", address],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "An article is not checked as a whole" in run.stdout and "\n1. " in run.stdout
