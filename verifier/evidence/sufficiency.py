"""E3: is the evidence enough to judge by, or must the web be asked?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from verifier.schema import Evidence, StanceLabel
from verifier.settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the gate is passed, and the rule that decided."""

    enough: bool
    reason: str


def judge_sufficiency(evidence: Sequence[Evidence], settings: RetrievalSettings) -> Sufficiency:
    """Three rules, all of which must hold: enough pieces, relevant on average, and at least one that settles the claim.

    Args:
        evidence: pieces with relevance and stance.
        settings: the thresholds.
    """
    if len(evidence) < settings.min_pieces:
        return Sufficiency(False, f"{len(evidence)} relevant pieces, {settings.min_pieces} are needed")
    mean = fmean(piece.relevance for piece in evidence)
    if mean < settings.min_mean_relevance:
        return Sufficiency(False, f"mean relevance {mean:.2f}, {settings.min_mean_relevance:.2f} is needed")
    if not any(piece.stance and piece.stance.label is not StanceLabel.NEUTRAL for piece in evidence):
        return Sufficiency(False, "no piece settles the claim either way")
    return Sufficiency(True, f"{len(evidence)} relevant pieces, mean relevance {mean:.2f}")
