"""The choices of a check: claim types, stances, verdicts, tiers, stages."""

from __future__ import annotations

from enum import StrEnum


class ClaimType(StrEnum):
    """Whether a text can be checked."""

    FACTUAL = "FACTUAL"
    OPINION = "OPINION"
    MIXED = "MIXED"
    AMBIGUOUS = "AMBIGUOUS"


class StanceLabel(StrEnum):
    """What a piece of evidence says about the claim."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    NEUTRAL = "neutral"


class Verdict(StrEnum):
    """What the evidence says about the claim.

    Never stands for a failure: a check that failed has no verdict.
    """

    TRUE = "True"
    FALSE = "False"
    PARTIALLY_TRUE = "Partially True"
    MISLEADING = "Misleading"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    NOT_VERIFIABLE = "Not Verifiable"

    @property
    def decided(self) -> bool:
        """Whether it takes a side."""
        return self not in (Verdict.NOT_ENOUGH_EVIDENCE, Verdict.NOT_VERIFIABLE)

    @property
    def three_way(self) -> str:
        """The verdict on the scale SUPPORTED / REFUTED / NEI.

        A partly true claim is not supported as it stands.
        """
        return {"True": "SUPPORTED", "False": "REFUTED", "Partially True": "REFUTED", "Misleading": "REFUTED"}.get(
            self.value, "NEI"
        )

    @property
    def with_mixed(self) -> str:
        """The verdict on the scale Supported / Refuted / Mixed / Not Enough Evidence."""
        scale = {"True": "Supported", "False": "Refuted", "Partially True": "Mixed", "Misleading": "Mixed"}
        return scale.get(self.value, "Not Enough Evidence")


SIDE_OF = {Verdict.TRUE: StanceLabel.SUPPORTS, Verdict.FALSE: StanceLabel.REFUTES}
"""The side that the evidence takes when a claim gets this verdict."""


class Tier(StrEnum):
    """Confidence in a word."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Status(StrEnum):
    """How a check ended. `degraded`: its verdict was withdrawn because its citations did not hold."""

    OK = "ok"
    DEGRADED = "degraded"


class Stage(StrEnum):
    """The stages of a check, in order."""

    INTAKE = "intake"
    CLASSIFY = "classify"
    DECOMPOSE = "decompose"
    PLAN = "plan"
    RETRIEVE = "retrieve"
    RERANK = "rerank"
    STANCE = "stance"
    SUFFICIENCY = "sufficiency"
    SEARCH = "search"
    STORE = "store"
    VERDICT = "verdict"
    EXPLAIN = "explain"


class Basis(StrEnum):
    """What a stance rests on.

    It is the model's reading of a sentence, or of one that holds every word of the claim; a sign that code finds (a
    denial, a figure); or the claim's own words stated outright.
    """

    READING = "reading"
    ALL_WORDS = "all words"
    SIGN = "sign"
    WORDS = "words"
