"""Decide whether the evidence is enough to judge by, or the web must be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from kb.publishers.credibility import SourceType
from verifier.evidence.independence import independent
from verifier.schema import Evidence, StanceLabel
from verifier.settings import RetrievalSettings

AUTHORITY = 0.9
"""A source of this credibility may decide alone."""


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the gate is passed, and the rule that decided."""

    enough: bool
    reason: str


def judge_sufficiency(evidence: Sequence[Evidence], settings: RetrievalSettings) -> Sufficiency:
    """Apply four rules, all of which must hold.

    They are: enough pieces, relevant on average, one that settles the claim, and enough publishers. Copies of one text
    and pieces of one publisher are one source; retracted works do not count. One source of high credibility that takes
    a side is enough, as it is for a verdict.

    Args:
        evidence: pieces with relevance and stance.
        settings: the thresholds.
    """
    evidence = [piece for piece in evidence if not piece.retracted]
    if len(evidence) < settings.min_pieces:
        return Sufficiency(False, f"{len(evidence)} relevant pieces, {settings.min_pieces} are needed")
    mean = fmean(piece.relevance for piece in evidence)
    if mean < settings.min_mean_relevance:
        return Sufficiency(False, f"mean relevance {mean:.2f}, {settings.min_mean_relevance:.2f} is needed")
    if not any(piece.stance and piece.stance.label is not StanceLabel.NEUTRAL for piece in evidence):
        return Sufficiency(False, "no piece settles the claim either way")
    sources = len(independent(evidence))
    if sources < settings.min_pieces and not any(_decides_alone(piece) for piece in evidence):
        only = "1 independent source" if sources == 1 else f"{sources} independent sources"
        return Sufficiency(False, f"{only}, {settings.min_pieces} are needed")
    return Sufficiency(True, f"{len(evidence)} relevant pieces, mean relevance {mean:.2f}")


def _decides_alone(piece: Evidence) -> bool:
    sided = piece.stance is not None and piece.stance.label is not StanceLabel.NEUTRAL
    return sided and piece.credibility >= AUTHORITY and piece.source_type is not SourceType.SOCIAL
