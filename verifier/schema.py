"""The records that pass between the stages of a check, and their choices. Frozen: a stage returns new ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from kb.publishers.credibility import SourceType
from kb.record import Origin, Standing, is_retracted
from verifier.grade import Grade
from verifier.missing import Missing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    """What the evidence says about the claim. Never stands for a failure: a check that failed has no verdict."""

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
        """The verdict on the scale SUPPORTED / REFUTED / NEI; what is true in part is not supported as it stands."""
        return {"True": "SUPPORTED", "False": "REFUTED", "Partially True": "REFUTED", "Misleading": "REFUTED"}.get(
            self.value, "NEI"
        )

    @property
    def with_mixed(self) -> str:
        """The verdict on the scale Supported / Refuted / Mixed / Not Enough Evidence."""
        scale = {"True": "Supported", "False": "Refuted", "Partially True": "Mixed", "Misleading": "Mixed"}
        return scale.get(self.value, "Not Enough Evidence")


SIDE_OF = {Verdict.TRUE: StanceLabel.SUPPORTS, Verdict.FALSE: StanceLabel.REFUTES}
"""The side that the evidence takes after which a claim is judged so."""


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


@dataclass(frozen=True, slots=True)
class Classification:
    """The type of a claim, why, and the text that is to be checked (the factual part of a MIXED claim).

    `unclear` are its other sentences, which do not say who or what they are about, and so cannot be checked.
    """

    claim_type: ClaimType
    reason: str
    claim: str
    probabilities: dict[str, float] = field(default_factory=dict)
    fell_back: bool = False
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stance:
    """Probabilities that a text supports, refutes, or does not settle a claim; they sum to 1."""

    supports: float
    refutes: float
    neutral: float

    @property
    def label(self) -> StanceLabel:
        """The likeliest of the three."""
        ranked = (
            (self.supports, StanceLabel.SUPPORTS),
            (self.refutes, StanceLabel.REFUTES),
            (self.neutral, StanceLabel.NEUTRAL),
        )
        return max(ranked, key=lambda pair: pair[0])[1]


class Basis(StrEnum):
    """What a stance rests on.

    What the model reads, in a sentence that holds every word of the claim or in another; a sign that code finds (a denial, a figure); or
    the claim's own words stated outright.
    """

    READING = "reading"
    ALL_WORDS = "all words"
    SIGN = "sign"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that may speak for or against the claim.

    `relevance` is the cross-encoder's score on the common logit-like scale, `score` adds the source's credibility;
    `voice` names the organisation behind it: two pieces of one organisation are not independent. `record_id` is empty for a
    text that is not in the store; `current` says whether it is in the store's news collection. `rating` is a
    fact-checker's own, `note` says how the text speaks of the claim, and `also` names the other sites that report the same.
    `retrieved_at` is when the text came here, None for one that the user hands over; `standing` is how its page stood
    against it when a refresh looked at that, at `looked_at`. `readings` are what the stance models alone say of the whole text and of
    its sentence closest to the claim, which is `closest`; None and "" where they read neither. `basis` is what the stance rests on.
    `vector` is its unit vector, shape (384,), where it comes out of the store.
    """

    text: str
    source: str
    title: str
    origin: Origin
    source_type: SourceType
    credibility: float
    domain: str
    voice: str
    published_at: datetime | None = None
    record_id: str = ""
    similarity: float = 0.0
    relevance: float = 0.0
    score: float = 0.0
    listed: bool = False
    current: bool = False
    stance: Stance | None = None
    rating: str = ""
    note: str = ""
    also: tuple[str, ...] = ()
    retrieved_at: datetime | None = None
    standing: Standing = Standing.AS_STORED
    looked_at: datetime | None = None
    readings: tuple[Stance, Stance] | None = None
    closest: str = ""
    basis: Basis = Basis.READING
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    @property
    def retracted(self) -> bool:
        """Whether its publisher has withdrawn the work: it is shown, and decides nothing."""
        return is_retracted(self.rating, self.origin)


@dataclass(frozen=True, slots=True)
class Advice:
    """An instruct model's reading of the evidence: the stance of each of the first pieces.

    `left_out` pieces, the least relevant ones, were not reached in time.
    """

    stances: tuple[Stance, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence about one piece of evidence, with the span of the words in its text that it rests on."""

    sentence: str
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a piece of evidence that decided: `quote` is `evidence[number - 1].text[start:end]`, word for word."""

    number: int
    quote: str
    start: int
    end: int
    source: str
    title: str


@dataclass(frozen=True, slots=True)
class Step:
    """What a stage did, in a sentence, and how long it took in seconds; or, in passing, what it is busy with until the next.

    `settled` is the judgement of the whole claim, once it stands while its reasons are still being written.
    """

    stage: Stage
    message: str
    seconds: float
    passing: bool = False
    settled: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its confidence (0 to 0.99), the tier in words, and notes that a reader should see.

    `told` counts the sources of each side in words; `rated_by` is the position of the fact-check whose rating decided.
    `held_back` is the rule that withheld a verdict for which the evidence speaks, in words. `compared`: the figures of all
    pieces decided together, by code. `plain` is what the votes alone give for the confidence.
    """

    verdict: Verdict
    confidence: float
    tier: Tier
    notes: tuple[str, ...] = ()
    told: str = ""
    rated_by: int | None = None
    held_back: str = ""
    compared: bool = False
    plain: float | None = None


@dataclass(frozen=True, slots=True)
class PartEvidence:
    """A piece of the whole result's evidence, by its number, and what it says of one part; None where that was not judged."""

    number: int
    stance: StanceLabel | None


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of one part of a compound claim; `citations` are numbers of the whole result's evidence.

    `evidence` are all pieces that were found for the part.
    """

    claim: str
    verdict: Verdict
    confidence: float
    tier: Tier
    citations: tuple[int, ...]
    evidence: tuple[PartEvidence, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its evidence, those that are quoted first."""
        return tuple(dict.fromkeys((*self.citations, *(piece.number for piece in self.evidence))))


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Everything that one check found.

    `parts` are the sub-claims of a compound claim, none for a claim that states one thing; `unchecked` are those beyond
    the fifth, and sentences that do not say what they are about. `held_back` is the rule that withheld a verdict, in words.
    `added` are the records that the check brought into the store from the web; `missing` is there under Not Enough Evidence.
    `grade` is what was tested of verdicts as sure as this one; None where nothing was. `plain` is as in a judgement.
    `translation` is the English that was checked of a claim in another `language` (ISO 639-1); both are "" for any other.
    """

    session_id: str
    checked_at: datetime
    original_claim: str
    claim: str
    claim_type: ClaimType
    type_reason: str
    verdict: Verdict
    confidence: float
    tier: Tier
    status: Status
    reasoning: str
    evidence: tuple[Evidence, ...]
    citations: tuple[Citation, ...]
    steps: tuple[Step, ...]
    tool_calls: int
    store_version: int | None
    warnings: tuple[str, ...]
    parts: tuple[PartResult, ...] = ()
    unchecked: tuple[str, ...] = ()
    held_back: str = ""
    added: tuple[str, ...] = ()
    missing: Missing | None = None
    grade: Grade | None = None
    language: str = ""
    translation: str = ""
    plain: float | None = None
