from __future__ import annotations

from dataclasses import replace

import pytest

from kb.record import NewEvidence, Origin
from verifier.evidence.retrieve import from_texts
from verifier.judgement.coefficients import coefficients
from verifier.judgement.sureness import DECIDED, OPEN, chance_decided, chance_open, decided_features, open_features
from verifier.schema import Evidence, Judgement, Stance, Tier, Verdict

YES, HALF, NO = Stance(0.9, 0.05, 0.05), Stance(0.5, 0.1, 0.4), Stance(0.05, 0.9, 0.05)


def piece(
    whole: Stance = YES, sentence: Stance = YES, credibility: float = 0.9, origin: Origin = Origin.KB
) -> Evidence:
    (found,) = from_texts([NewEvidence("It is open.", "https://a.example/1")])
    return replace(
        found, stance=whole, readings=(whole, sentence), credibility=credibility, relevance=4.0, origin=origin
    )


def sure(found: Evidence, verdict: Verdict = Verdict.TRUE, votes: tuple[float, float] = (0.8, 0.0)) -> float:
    return chance_decided(decided_features(Judgement(verdict, 0.0, Tier.LOW, plain=0.8), *votes, [found]))


def test_the_file_has_the_features_of_the_code_in_their_order() -> None:
    assert coefficients().decided.features == DECIDED and coefficients().left_open.features == OPEN
    assert coefficients().decided.classes == coefficients().left_open.classes == ("right", "wrong")


@pytest.mark.parametrize(
    "harder",
    [
        sure(piece(sentence=HALF)),
        sure(piece(whole=HALF)),
        sure(piece(credibility=0.2)),
        sure(piece(origin=Origin.WEB)),
        sure(piece(), votes=(0.8, 0.6)),
        sure(piece(), Verdict.PARTIALLY_TRUE, (0.8, 0.6)),
    ],
    ids=["sentence", "whole", "credibility", "brought", "opposed", "conflict"],
)
def test_what_makes_reading_hard_makes_a_verdict_less_sure(harder: float) -> None:
    assert 0 < harder < sure(piece()) < 1


def test_the_side_of_the_verdict_is_what_is_read() -> None:
    for_it, against = (
        decided_features(Judgement(verdict, 0.0, Tier.LOW, plain=0.5), 0.7, 0.2, [piece(NO, HALF)])
        for verdict in (Verdict.TRUE, Verdict.FALSE)
    )
    assert for_it[DECIDED.index("opposed")] == 0.2 and against[DECIDED.index("opposed")] == 0.7
    assert for_it[DECIDED.index("whole")] < against[DECIDED.index("whole")]
    assert for_it[DECIDED.index("log_odds")] == 0.0
    unread = decided_features(
        Judgement(Verdict.TRUE, 0.0, Tier.LOW, plain=1.0), 0.7, 0.2, [replace(piece(), readings=None)]
    )
    assert unread[DECIDED.index("whole")] == unread[DECIDED.index("sentence")] > 0.7


def test_a_verdict_that_a_rule_withheld_is_less_surely_open() -> None:
    withheld, open_ = (chance_open(open_features(0.6, held_back, [piece()])) for held_back in (True, False))
    assert 0 < withheld < open_ < 1
    assert 0 < chance_open(open_features(1.0, False, [])) < 1
