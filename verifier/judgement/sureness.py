"""Estimate how likely a verdict is right, given how hard its evidence was to read.

The combiner's probability knows only the votes. It does not know that a verdict rests on a text whose sentence alone
says less than the whole, or that the other side has a vote too. Two logistic regressions with fitted coefficients
(`python -m lab.evaluation.sureness`) turn its log-odds, and what makes reading hard, into the probability that the
verdict is right. One is for verdicts that take a side, one for claims left open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from kb.record import Origin
from verifier.judgement.coefficients import coefficients
from verifier.judgement.votes import strength
from verifier.schema import Evidence, Judgement, StanceLabel, Verdict

DECIDED = ("log_odds", "is_true", "is_conflict", "whole", "sentence", "opposed", "is_brought")
"""Inputs for a verdict: the log-odds of its probability; which verdict; what the models read in the whole deciding text
and in its closest sentence alone (probabilities of the verdict's side, each weighted as its vote is); the strongest
vote of the other side; and whether the text came from the user or the web. Such texts are about the very subject, and
harder to read than the plain statements of a store."""
OPEN = ("log_odds", "is_held_back", "relevance")
"""Inputs for a claim left open: the log-odds of that, whether a rule withheld a verdict, and the highest relevance of
any piece."""
RIGHT = "right"
_LEAST, _MOST = 0.01, 0.995
_NO_PIECE = -3.0
"""The relevance used when there is no piece."""


def decided_features(
    found: Judgement, supports: float, refutes: float, evidence: Sequence[Evidence]
) -> tuple[float, ...]:
    """Compute the values of `DECIDED`.

    Args:
        found: a judgement that takes a side, with the combiner's probability.
        supports: the strongest vote for the claim, 0 to 1.
        refutes: the strongest vote against it, 0 to 1.
        evidence: pieces with stances and readings.
    """
    true, conflict = found.verdict is Verdict.TRUE, found.verdict not in {Verdict.TRUE, Verdict.FALSE}
    for_it = supports >= refutes if conflict else true
    side, opposed = (StanceLabel.SUPPORTS, refutes) if for_it else (StanceLabel.REFUTES, supports)
    decisive = max(evidence, key=lambda piece: strength(piece, side), default=None)
    whole, sentence = (0.0, 0.0) if decisive is None else readings_of(decisive, side)
    brought = float(decisive is not None and decisive.origin is not Origin.KB)
    return _log_odds(found.plain or 0.0), float(true), float(conflict), whole, sentence, opposed, brought


def open_features(chance: float, is_held_back: bool, evidence: Sequence[Evidence]) -> tuple[float, ...]:
    """Compute the values of `OPEN`."""
    relevance = max((piece.relevance for piece in evidence), default=_NO_PIECE)
    return _log_odds(chance), float(is_held_back), relevance


def chance_decided(features: Sequence[float]) -> float:
    """Estimate the probability that a verdict is right, from the values of `DECIDED`."""
    return coefficients().decided.probabilities(features)[RIGHT]


def chance_open(features: Sequence[float]) -> float:
    """Estimate the probability that a claim is rightly left open, from the values of `OPEN`."""
    return coefficients().left_open.probabilities(features)[RIGHT]


def readings_of(piece: Evidence, side: StanceLabel) -> tuple[float, float]:
    """Weight the models' own readings for a side: the whole text, and its closest sentence.

    Uses the stance where they read neither.
    """
    if piece.stance is None:
        return 0.0, 0.0
    whole, sentence = piece.readings or (piece.stance, piece.stance)
    return strength(replace(piece, stance=whole), side), strength(replace(piece, stance=sentence), side)


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, _LEAST), _MOST)
    return math.log(bounded / (1 - bounded))
