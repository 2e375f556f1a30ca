from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.publishers.credibility import publisher_of
from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from kb.record import Collection, NewEvidence, Origin
from kb.starter.seed import seed
from kb.store.evidence_store import EvidenceStore
from models.encoders.embedder import Embedder
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.claim.parsed import parse_statement
from verifier.evidence.dedupe import at_most_per_voice, distinct
from verifier.evidence.independence import is_copy
from verifier.evidence.rerank import best, score
from verifier.evidence.retrieve import REVIEWED, from_given, from_texts, retrieve, shortlist
from verifier.evidence.sufficiency import AUTHORITY, judge_sufficiency
from verifier.schema import Evidence, Stance, Verdict
from verifier.search.pages import rating_sentence
from verifier.settings import RetrievalSettings, Settings

RULES = RetrievalSettings()
BRIDGE = "The Vasco bridge is 412 metres long."


class FixedScores:
    """A reranker that gives the scores it is told."""

    def __init__(self, *scores: float) -> None:
        self._scores = scores

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array(self._scores, dtype=np.float32)


def ranked_by(texts: Sequence[Evidence], embedder: Embedder, *scores: float) -> list[Evidence]:
    return best(score(parse_statement("claim"), texts, FixedScores(*scores)), embedder, RULES, RULES.rerank_top_k)


def piece(
    text: str, source: str = "", stance: tuple[float, float, float] | None = None, relevance: float = 2.0
) -> Evidence:
    (found,) = from_texts([NewEvidence(text, source)])
    return replace(found, relevance=relevance, stance=Stance(*stance) if stance else None)


def test_statements_about_other_countries_are_passed_over_and_their_places_taken(
    store: EvidenceStore, embedder: Embedder
) -> None:
    seed(store, starter=True)
    found = retrieve("Montevideo is the capital of Uruguay", store, embedder, RULES, RULES.top_k)
    assert len(found) == 20 and "The capital of Uruguay is Montevideo." in {piece.text for piece in found}
    told = [piece.text for piece in found if piece.domain == "cia.gov" and "capital of" in piece.text]
    assert told == ["The capital of Uruguay is Montevideo."]


def test_retrieval_brings_twenty_candidates_with_their_sources(seeded: EvidenceStore, embedder: Embedder) -> None:
    found = retrieve("The Earth is flat", seeded, embedder, RULES, RULES.top_k)
    assert len(found) == 20
    assert "flat" in found[0].text and found[0].source.startswith("https://")
    assert found[0].record_id and found[0].similarity > 0.6 and found[0].voice


def test_the_score_is_relevance_plus_credibility_and_the_limit_is_on_relevance_alone(embedder: Embedder) -> None:
    texts = [
        piece("Snippet of a blog about the bridge.", "https://blog.example/a"),
        piece("Reuters reports on the bridge.", "https://www.reuters.com/a"),
        piece("A fact-checker on another matter.", "https://www.snopes.com/a"),
        piece("A post on the bridge.", "https://x.com/a"),
    ]
    ranked = ranked_by(texts, embedder, 1.0, 0.95, 0.29, 0.3)
    assert [found.domain for found in ranked] == ["reuters.com", "blog.example", "x.com"]
    assert [found.score for found in ranked] == pytest.approx([0.95 + 0.4 * 0.3, 1.0, 0.3 - 0.3 * 0.3])


def test_a_denied_publisher_is_never_heard(embedder: Embedder) -> None:
    denied = replace(piece("The bridge is closed.", "https://denied.example/a"), credibility=0.0)
    assert ranked_by([denied], embedder, 5.0) == []


def test_at_most_two_pieces_of_one_organisation_and_five_in_all(embedder: Embedder) -> None:
    texts = [
        piece(
            f"Different statement {n} about topic {n * 7}.",
            f"https://{'www.bbc.com' if n % 2 else 'www.bbc.co.uk'}/{n}",
        )
        for n in range(4)
    ]
    texts += [piece(f"Independent report {n}: value {n * 13}.", f"https://site{n}.example/x") for n in range(6)]
    ranked = ranked_by(texts, embedder, *np.linspace(3, 2, 10))
    assert len(ranked) == 5
    assert sum(found.voice == "bbc.com" for found in ranked) == 2


def test_pieces_without_a_source_are_not_taken_for_one_organisation() -> None:
    assert len(at_most_per_voice([piece(f"Text {n}.") for n in range(4)], 2)) == 4


def test_repetitions_go_and_contradictions_stay(embedder: Embedder) -> None:
    start = "The committee said in its report of last week that the Vasco bridge, which was built in four years, "
    texts = [
        piece(BRIDGE),
        piece(BRIDGE.upper()),
        piece("This Vasco bridge is 412 metres long."),
        piece("The Vasco bridge is 421 metres long."),
        piece(start + "is safe."),
        piece(start + "is unsafe."),
    ]
    assert [found.text for found in distinct(texts, embedder)] == [
        BRIDGE,
        "The Vasco bridge is 421 metres long.",
        start + "is safe.",
    ]


@pytest.mark.parametrize(
    ("evidence", "enough", "words"),
    [
        ([], False, "0 relevant pieces, 2 are needed"),
        ([piece("a", stance=(1, 0, 0))], False, "1 relevant pieces"),
        (
            [piece("a", stance=(1, 0, 0), relevance=0.4), piece("b", stance=(1, 0, 0), relevance=0.9)],
            False,
            "mean relevance 0.65",
        ),
        ([piece("a", stance=(0, 0, 1)), piece("b", stance=(0.3, 0.3, 0.4))], False, "no piece settles"),
        ([piece("a", stance=(0, 0.9, 0.1)), piece("b", stance=(0, 0, 1))], True, "2 relevant pieces"),
    ],
)
def test_the_gate_needs_number_relevance_and_a_side(evidence: list[Evidence], enough: bool, words: str) -> None:
    found = judge_sufficiency(evidence, RULES)
    assert found.enough is enough and words in found.reason


AGENCY = "Police in Orso said on Monday that the ferry sank in the harbour after a fire in its engine room."


@pytest.mark.parametrize(
    ("sources", "texts", "enough"),
    [
        (("https://a.example/1", "https://b.example/1"), (AGENCY, AGENCY + " Nobody was hurt."), False),
        (("https://a.example/1", "https://a.example/2"), ("It sank.", "The ferry is gone."), False),
        (("https://bbc.com/1", "https://bbc.co.uk/2"), ("It sank.", "The ferry is gone."), False),
        (("https://a.example/1", "https://b.example/1"), ("It sank.", "The ferry is gone."), True),
        (("https://www.nasa.gov/1", "https://www.nasa.gov/2"), ("It sank.", "The ferry is gone."), True),
    ],
)
def test_the_gate_counts_independent_publishers(sources: tuple[str, ...], texts: tuple[str, ...], enough: bool) -> None:
    found = from_texts([NewEvidence(text, url) for text, url in zip(texts, sources, strict=True)])
    evidence = [replace(piece, relevance=4.0, stance=Stance(0.9, 0.0, 0.1)) for piece in found]
    gate = judge_sufficiency(evidence, RULES)
    assert gate.enough is enough and (enough or gate.reason == "1 independent source, 2 are needed")


def test_one_fact_check_at_two_addresses_is_one_source_and_two_checkers_are_two() -> None:
    told = [
        rating_sentence(name, "The ferry to Orso sank in the harbour", "False") for name in ("Factline", "Checkers")
    ]
    assert is_copy(told[0], told[0]) and not is_copy(*told)


def test_the_real_reranker_keeps_what_bears_on_the_claim(seeded: EvidenceStore, models: Models) -> None:
    claim = "Water boils at 50C"
    scored = score(parse_statement(claim), retrieve(claim, seeded, models.embedder, RULES, 20), models.reranker)
    ranked = best(scored, models.embedder, RULES, 5)
    assert any("boil" in found.text for found in ranked[:3])
    assert all(found.relevance >= RULES.min_relevance for found in ranked)


def test_a_long_given_text_becomes_passages_of_one_voice() -> None:
    pieces = from_given([NewEvidence("The mayor resigned on Monday. " * 100), NewEvidence("It rained.")])
    assert all(len(found.text) <= 512 for found in pieces)
    assert {found.voice for found in pieces} == {"text 1", "text 2"} and pieces[-1].text == "It rained."


def test_a_source_is_the_voice_of_a_given_text_that_has_one() -> None:
    (found,) = from_given([NewEvidence("It rained.", "https://www.bbc.co.uk/weather/1")])
    assert found.voice == "bbc.com"


def test_the_shortlist_keeps_what_shares_rare_words_in_the_order_given() -> None:
    texts = [piece(f"The committee met on the matter of number {n}.") for n in range(100)]
    texts[70] = piece("The Vasco bridge was inspected.")
    texts[30] = piece("A bridge was closed by the committee.")
    kept = shortlist("The committee closed the Vasco bridge", texts, 10)
    assert len(kept) == 10 and texts[70] in kept and texts[30] in kept
    assert [texts.index(found) for found in kept] == sorted(texts.index(found) for found in kept)
    assert shortlist("Anything", texts[:10], 10) == texts[:10]


def test_the_shortlist_prefers_news_among_pieces_that_share_alike() -> None:
    news = replace(piece("The bridge was inspected on day 40."), current=True)
    texts = [*(piece(f"The bridge was inspected on day {n}.") for n in range(40)), news]
    assert shortlist("The bridge was inspected", texts, 5)[-1] == news
    about = piece("The Vasco bridge was inspected and closed.")
    assert shortlist("The Vasco bridge was closed", [*texts, about], 1) == [about]


def test_a_record_of_the_shelf_for_news_is_current() -> None:
    (found,) = from_texts([NewEvidence("It rained.", collection=Collection.CURRENT)])
    (other,) = from_texts([NewEvidence("It rained.")])
    assert found.current and not other.current


def test_what_a_user_denies_is_no_evidence_and_what_a_user_says_of_a_site_counts(tmp_path: Path) -> None:
    lists = DomainLists(tmp_path / "domains.csv")
    lists.add(parse_line("denied.example", "deny"))
    lists.add(parse_line("local.example", "allow", "news", "0.85"))
    items = [NewEvidence("It rained.", f"https://{site}.example/1") for site in ("denied", "local", "other")]
    found = from_texts(items, ("", "id 2", "id 3"), lists.publisher_of)
    assert [(piece.domain, piece.credibility, piece.record_id) for piece in found] == [
        ("local.example", 0.85, "id 2"),
        ("other.example", 0.5, "id 3"),
    ]
    assert len(from_given(items, lists.publisher_of)) == 2


def test_the_whole_check_hears_the_list(models: Models, settings: Settings, tmp_path: Path) -> None:
    lists = DomainLists(tmp_path / "own.csv")
    verifier = Verifier(models, None, None, settings, publisher_of=lists.publisher_of)
    given = [NewEvidence("The ferry to Orso sank in the harbour on Monday.", "https://paper.example/1")]
    assert verifier.verify("The ferry to Orso sank", given=given).evidence[0].credibility == 0.5
    lists.add(parse_line("paper.example", "deny"))
    result = verifier.verify("The ferry to Orso sank", given=given)
    assert result.evidence == () and result.verdict is Verdict.NOT_ENOUGH_EVIDENCE


def test_a_starter_fact_may_decide_alone_unless_a_list_distrusts_its_page() -> None:
    fact = NewEvidence("Bees make honey.", "https://en.wikipedia.org/wiki/Honey", origin=Origin.KB, pinned=True)
    assert from_texts([fact])[0].credibility == REVIEWED >= AUTHORITY
    assert from_texts([replace(fact, pinned=False)])[0].credibility < REVIEWED
    assert from_texts([replace(fact, origin=Origin.USER)])[0].credibility < REVIEWED
    distrusted = replace(publisher_of(fact.source), credibility=0.3)
    assert from_texts([fact], publisher_of=lambda _: distrusted)[0].credibility == 0.3
