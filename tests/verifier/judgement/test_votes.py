from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kb.record import NewEvidence, Origin
from verifier.evidence.independence import is_copy
from verifier.evidence.retrieve import from_given, from_texts
from verifier.judgement.votes import YIELDING, decisive_first, is_given, votes_of, weight_of, weights_of
from verifier.schema import Basis, Evidence, Judgement, Stance, Tier, Verdict

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FOR, AGAINST = Stance(0.9, 0.04, 0.06), Stance(0.05, 0.8, 0.15)
AGENCY = "The ministry said on Monday that the bridge over the Tarn would stay closed until the end of next year for repairs."


def piece(
    text: str, source: str, stance: Stance | None = FOR, credibility: float = 1.0, relevance: float = 0.0
) -> Evidence:
    (found,) = from_texts([NewEvidence(text, source, origin=Origin.WEB)])
    return replace(found, stance=stance, credibility=credibility, relevance=relevance)


def test_a_vote_is_probability_times_relevance_times_the_root_of_credibility() -> None:
    (vote,) = votes_of([piece("It is open.", "https://a.example/1", FOR, 0.49, math.log(3))], False, NOW)
    assert vote.supports == pytest.approx(0.9 * 0.75 * 0.7)
    assert vote.refutes == pytest.approx(0.04 * 0.75 * 0.7)
    assert vote.source == "a.example" and [found.text for found in vote.pieces] == ["It is open."]


def test_relevance_and_credibility_weigh() -> None:
    base = piece("It is open.", "https://a.example/1", credibility=0.5)
    assert weight_of(base, False, NOW) == pytest.approx(0.5 * math.sqrt(0.5))
    assert weight_of(replace(base, credibility=1.0), False, NOW) == pytest.approx(0.5)
    assert weight_of(replace(base, credibility=0.0), False, NOW) == 0
    assert weight_of(replace(base, relevance=50.0), False, NOW) == pytest.approx(math.sqrt(0.5))
    assert weight_of(replace(base, relevance=-50.0), False, NOW) == pytest.approx(0, abs=1e-9)


def test_a_source_has_one_vote_its_strongest_on_each_side() -> None:
    pieces = [
        piece("It is open.", "https://a.example/1", FOR, relevance=1.0),
        piece("It may well be open.", "https://a.example/2", FOR, relevance=-1.0),
        piece("It is closed.", "https://a.example/3", AGAINST),
    ]
    (vote,) = votes_of(pieces, False, NOW)
    assert vote.supports == pytest.approx(0.9 / (1 + math.exp(-1)))
    assert vote.refutes == pytest.approx(0.8 * 0.5, rel=0.1)
    assert len(vote.pieces) == 3


def test_sources_vote_in_the_order_of_their_first_piece() -> None:
    urls = ["https://b.example/1", "https://a.example/1", "https://b.example/2", "https://c.example/1"]
    votes = votes_of([piece(f"Text {n}.", url) for n, url in enumerate(urls)], False, NOW)
    assert [vote.source for vote in votes] == ["b.example", "a.example", "c.example"]


def test_two_domains_of_one_broadcaster_are_one_voice() -> None:
    pieces = [piece("It is open.", "https://www.bbc.com/1"), piece("They opened it.", "https://www.bbc.co.uk/2")]
    assert len(votes_of(pieces, False, NOW)) == 1
    assert len(votes_of([pieces[0], piece("They opened it.", "https://www.reuters.com/2")], False, NOW)) == 2


def test_texts_without_a_source_are_sources_of_their_own() -> None:
    votes = votes_of([piece("It is open.", ""), piece("They opened it.", "")], False, NOW)
    assert [vote.source for vote in votes] == ["text 1", "text 2"]


def test_a_piece_without_a_stance_has_no_vote() -> None:
    assert votes_of([piece("It is open.", "https://a.example/1", None)], False, NOW) == []
    assert votes_of([], False, NOW) == []


def test_copies_are_one_source_whoever_publishes_them() -> None:
    pieces = [piece(AGENCY, "https://a.example/1"), piece(f"TARN - {AGENCY}", "https://b.example/1")]
    (vote,) = votes_of(pieces, False, NOW)
    assert vote.source == "a.example" and len(vote.pieces) == 2


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 2, 3), (2, 1, 0, 3), (3, 2, 1, 0), (0, 3, 2, 1)])
def test_a_publisher_that_copies_another_is_one_source_with_it_in_any_order(order: tuple[int, ...]) -> None:
    own = "Our reporter found the northern lane of the crossing open to cyclists and walkers this morning."
    pieces = [
        piece(AGENCY, "https://a.example/1"),
        piece(own, "https://b.example/1"),
        piece(AGENCY.replace("Monday", "Tuesday"), "https://b.example/2"),
        piece("Cranes will stand in the river for two summers, an engineer tells us.", "https://b.example/3"),
    ]
    assert len(votes_of([pieces[n] for n in order], False, NOW)) == 1


@pytest.mark.parametrize(
    ("age", "time_bound", "weight"),
    [(366, True, 0.6), (364, True, 1.0), (366, False, 1.0), (4000, False, 1.0), (-30, True, 1.0)],
)
def test_old_evidence_weighs_less_for_a_claim_bound_to_its_time_alone(
    age: int, time_bound: bool, weight: float
) -> None:
    found = replace(piece("It is open.", "https://a.example/1"), published_at=NOW - timedelta(days=age))
    assert weight_of(found, time_bound, NOW) == pytest.approx(0.5 * weight)


def test_evidence_without_a_date_is_not_taken_for_old() -> None:
    assert weight_of(piece("It is open.", "https://a.example/1"), True, NOW) == pytest.approx(0.5)


def test_a_new_weaker_piece_may_outweigh_an_old_one() -> None:
    old = replace(piece("It is open.", "https://a.example/1"), published_at=NOW - timedelta(days=800))
    new = replace(piece("It is closed.", "https://a.example/2", Stance(0.7, 0.2, 0.1)), published_at=NOW)
    (vote,) = votes_of([old, new], True, NOW)
    assert vote.supports == pytest.approx(0.5 * 0.7) and vote.newest == NOW
    (vote,) = votes_of([old, new], False, NOW)
    assert vote.supports == pytest.approx(0.5 * 0.9)


def test_the_newest_date_is_unknown_where_no_piece_has_one() -> None:
    (vote,) = votes_of([piece("It is open.", "https://a.example/1")], True, NOW)
    assert vote.newest is None


def test_text_that_the_user_gives_counts_as_vouched_for() -> None:
    (given,) = from_given([NewEvidence("It is open.")])
    assert given.credibility == 0.5 and is_given(given)
    assert weight_of(given, False, NOW) == pytest.approx(0.5 * math.sqrt(0.9))
    stored = replace(given, record_id="id")
    assert not is_given(stored) and weight_of(stored, False, NOW) == pytest.approx(0.5 * math.sqrt(0.5))
    assert not is_given(piece("It is open.", "https://a.example/1"))
    assert weight_of(replace(given, credibility=0.95), False, NOW) == pytest.approx(0.5 * math.sqrt(0.95))


@pytest.mark.parametrize(
    ("a", "b", "copy"),
    [
        (AGENCY, AGENCY, True),
        (AGENCY, AGENCY.upper(), True),
        (AGENCY, f"Our correspondent writes: {AGENCY} We shall see what comes of it, and when.", True),
        (AGENCY, AGENCY.replace("Monday", "Friday"), True),
        ("one two three four five six seven eight", "one two three four five six other words here", True),
        ("one two three four five six seven eight", "one two three four other words are here now", False),
        ("one two three four five six seven", "one two three four five six seven", False),
        (
            AGENCY,
            "Repairs keep the bridge over the Tarn shut until the end of next year, according to officials.",
            False,
        ),
        (AGENCY, "", False),
        ("", "", False),
    ],
)
def test_a_copy_shares_half_of_the_word_triples_of_the_shorter_text(a: str, b: str, copy: bool) -> None:
    assert is_copy(a, b) is is_copy(b, a) is copy


def test_the_piece_that_decides_comes_first() -> None:
    evidence = [
        replace(piece("It is open.", "https://a.example/1"), relevance=1.0, stance=Stance(0.6, 0.3, 0.1)),
        replace(piece("It is shut.", "https://b.example/1"), relevance=6.0, stance=Stance(0.0, 0.9, 0.1)),
        replace(piece("It opened.", "https://c.example/1"), relevance=5.0, stance=Stance(0.9, 0.0, 0.1)),
    ]
    for verdict, first in ((Verdict.TRUE, 2), (Verdict.FALSE, 1), (Verdict.NOT_ENOUGH_EVIDENCE, 0)):
        ordered, _ = decisive_first(evidence, Judgement(verdict, 0.9, Tier.HIGH))
        assert ordered[0] is evidence[first] and sorted(map(id, ordered)) == sorted(map(id, evidence))
    ordered, rated = decisive_first(evidence, Judgement(Verdict.MISLEADING, 0.75, Tier.MEDIUM, rated_by=1))
    assert ordered[0] is evidence[1] and rated.rated_by == 0
    assert decisive_first([], Judgement(Verdict.TRUE, 0.9, Tier.HIGH))[0] == []


def test_a_piece_far_less_relevant_than_the_best_counts_for_less() -> None:
    near, far = (
        piece("It is open.", "https://a.example/1", FOR, 0.9, 6.0),
        piece("It was.", "https://b.example/1", AGAINST, 0.9, 3.0),
    )
    alone, beside = votes_of([far], False, NOW)[0].refutes, votes_of([near, far], False, NOW)[1].refutes
    assert beside == pytest.approx(alone * 0.5, rel=0.06)
    assert votes_of([near, far], False, NOW)[0].supports == votes_of([near], False, NOW)[0].supports


def test_pieces_of_like_relevance_count_alike() -> None:
    pieces = [piece(f"Text {n}.", f"https://site{n}.example/1", FOR, 0.9, 5.0 - n / 2) for n in range(3)]
    weights = weights_of(pieces, False, NOW)
    assert weights == sorted(weights, reverse=True) and weights[2] > 0.9 * weights[0]
    assert weights_of([], False, NOW) == []


def test_a_stranger_takes_no_weight_from_a_known_source() -> None:
    known = piece("It is open.", "https://a.example/1", FOR, 0.9, 3.0)
    stranger = piece("It is not open.", "https://b.example/1", AGAINST, 0.5, 6.0)
    assert weights_of([known, stranger], False, NOW)[0] == weights_of([known], False, NOW)[0]
    assert weights_of([stranger, known], False, NOW)[0] == weights_of([stranger], False, NOW)[0]


def test_what_only_a_model_reads_yields_to_the_claims_own_words() -> None:
    outright = replace(piece("The gate is open.", "https://a.example/1", FOR, 0.7), basis=Basis.WORDS)
    read = piece("The keeper locked something.", "https://b.example/1", AGAINST, 0.7)

    def against(*pieces: Evidence) -> float:
        return next(vote.refutes for vote in votes_of(pieces, False, NOW) if vote.source == "b.example")

    alone = against(read)
    assert against(outright, read) == pytest.approx(alone * YIELDING)
    assert against(outright, replace(read, basis=Basis.SIGN)) == pytest.approx(alone * YIELDING)
    assert against(outright, replace(read, basis=Basis.WORDS)) == pytest.approx(alone)
    assert against(outright, replace(read, basis=Basis.SIGN, closest="He did not open it.")) == pytest.approx(alone)
    assert against(outright, replace(read, credibility=0.9)) == pytest.approx(against(replace(read, credibility=0.9)))
    authority, best = replace(outright, credibility=0.9), replace(read, credibility=0.95)
    assert against(authority, best) == pytest.approx(against(best) * YIELDING)
    denial = replace(piece("The gate is not open.", "https://c.example/1", AGAINST, 0.7), basis=Basis.WORDS)
    assert against(outright, denial, read) == pytest.approx(alone)


def test_what_only_a_model_reads_yields_to_a_sentence_with_all_of_the_claims_words() -> None:
    held = replace(piece("The gate is open.", "https://a.example/1", FOR, 0.7), basis=Basis.ALL_WORDS)
    read = piece("The keeper locked something.", "https://b.example/1", AGAINST, 0.7)

    def against(*pieces: Evidence) -> float:
        return next(vote.refutes for vote in votes_of(pieces, False, NOW) if vote.source == "b.example")

    alone = against(read)
    assert against(held, read) == pytest.approx(alone * YIELDING)
    for basis in (Basis.SIGN, Basis.ALL_WORDS, Basis.WORDS):
        assert against(held, replace(read, basis=basis)) == pytest.approx(alone)
    assert against(replace(held, stance=Stance(0.7, 0.2, 0.1)), read) == pytest.approx(alone)  # not sure enough
    denied = replace(piece("The gate is not open.", "https://c.example/1", AGAINST, 0.7), basis=Basis.WORDS)
    assert against(held, denied, read) == pytest.approx(alone)


def test_a_piece_that_code_understands_is_shown_before_one_that_only_the_model_does() -> None:
    read = piece("The keeper locked something.", "https://a.example/1", Stance(0.05, 0.9, 0.05))
    signed = replace(piece("The gate is not open.", "https://b.example/1", Stance(0.05, 0.85, 0.1)), basis=Basis.SIGN)
    ordered, _ = decisive_first([read, signed], Judgement(Verdict.FALSE, 0.9, Tier.HIGH))
    assert ordered == [signed, read]
