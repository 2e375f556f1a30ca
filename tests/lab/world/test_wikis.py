"""The invented Wikipedia and Wikidata: what is refused, what is found, and that its claims are about what it knows."""

from __future__ import annotations

import httpx
import pytest

from lab.world import World
from lab.world.encyclopaedia import reference_claims, things
from lab.world.facts import Expected
from lab.world.wikis import WIKIDATA, WIKIPEDIA
from verifier.search.base import Outcome, Query
from verifier.search.engines.wikidata import Wikidata
from verifier.search.engines.wikipedia import Wikipedia


@pytest.fixture
def wikipedia(world: World) -> Wikipedia:
    return Wikipedia(world.environment()["VERIFIER_WIKIPEDIA_URL"])


@pytest.fixture
def wikidata(world: World) -> Wikidata:
    return Wikidata(world.environment()["VERIFIER_WIKIDATA_URL"])


def get(world: World, host: str, query: str, agent: str = "Test") -> httpx.Response:
    headers = {"Host": f"{host}:{world.port}", "User-Agent": agent}
    return httpx.get(f"{world.url}/w/api.php?{query}", headers=headers, trust_env=False)


def test_who_names_no_agent_no_format_or_no_action_is_refused_as_mediawiki_does(world: World) -> None:
    for host in (f"en.{WIKIPEDIA}", WIKIDATA):
        assert get(world, host, "action=query&format=json&formatversion=2", "").status_code == 403
        assert get(world, host, "action=query").headers["content-type"].startswith("text/html")
        unknown = get(world, host, "action=dance&format=json&formatversion=2")
        assert unknown.status_code == 200 and unknown.json()["error"]["code"] == "badvalue"


def test_an_article_is_found_with_its_sections(wikipedia: Wikipedia) -> None:
    answer = wikipedia.search(Query("Marelund covers 900 square kilometres.", 5), 5)
    assert answer.results[0].title == "Marelund"
    assert any("118,430 square kilometres" in text for text in answer.results[0].passages)
    assert not any("Lexicon" in text for found in answer.results for text in found.passages)


def test_a_claim_in_german_leads_to_the_english_article(wikipedia: Wikipedia) -> None:
    answer = wikipedia.search(Query("Die Hauptstadt von Marelund ist Lorimar.", 5, language="de"), 5)
    assert [found.language for found in answer.results if found.title == "Marelund"] == ["en", "de"]


def test_an_item_is_told_with_its_latest_figure_and_not_its_namesake_s(wikidata: Wikidata) -> None:
    answer = wikidata.search(Query("Lorimar has 5 million inhabitants.", 5), 5)
    assert [found.passages for found in answer.results] == [("Lorimar, population: 3,281,000 (2024)",)]


def test_of_two_people_of_one_name_none_is_told_unless_the_claim_says_which(wikidata: Wikidata) -> None:
    assert wikidata.search(Query("Mora Kesting was born in 1978.", 5), 5).outcome is Outcome.EMPTY
    answer = wikidata.search(Query("The painter Mora Kesting was born in 1978.", 5), 5)
    assert [found.passages[0] for found in answer.results] == ["Mora Kesting, date of birth: 1851"]


def test_no_check_sends_more_than_six_requests(world: World, wikipedia: Wikipedia, wikidata: Wikidata) -> None:
    for claim in world.reference_claims():
        world.town.reset()
        for provider in (wikipedia, wikidata):
            answer = provider.search(Query(claim.text, 5), 5)
            assert answer.outcome in {Outcome.ANSWERED, Outcome.EMPTY}, claim.text
        requests = world.requests()["total"]
        assert isinstance(requests, int) and 2 <= requests <= 6, claim.text


def test_what_a_true_claim_says_stands_in_what_is_brought_and_what_a_false_one_says_does_not(
    world: World, wikipedia: Wikipedia, wikidata: Wikidata
) -> None:
    """By its figure, where it has one."""
    seen = 0
    for claim in world.reference_claims():
        figure = next((word.strip(".") for word in claim.text.split() if word[0].isdigit() and "," in word), None)
        if figure is None or claim.expected is Expected.NOT_ENOUGH_EVIDENCE:
            continue
        answers = [provider.search(Query(claim.text, 5), 5) for provider in (wikipedia, wikidata)]
        told = " ".join(text for answer in answers for found in answer.results for text in found.passages)
        assert (figure in told) is (claim.expected is Expected.TRUE), claim.text
        seen += 1
    assert seen >= 40


def test_things_and_claims_are_each_there_once() -> None:
    titles = [thing.title for thing in things()]
    texts = [claim.text for claim in reference_claims()]
    assert len(set(titles)) == len(titles) and len(set(texts)) == len(texts) >= 200
