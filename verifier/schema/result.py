"""What a check makes of a claim: type, steps, judgement, parts, and the whole result."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from verifier.schema.choices import ClaimType, Stage, StanceLabel, Status, Tier, Verdict
from verifier.schema.evidence import Citation, Evidence
from verifier.schema.grade import Grade
from verifier.schema.missing import Missing


@dataclass(frozen=True, slots=True)
class Classification:
    """The type of a claim, the reason, and the text to check.

    For a MIXED claim, that text is its factual part. `unclear` are its other sentences, which do not say who or what
    they are about, and so cannot be checked.
    """

    claim_type: ClaimType
    reason: str
    claim: str
    probabilities: dict[str, float] = field(default_factory=dict)
    fell_back: bool = False
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What a stage did, in a sentence, and its seconds.

    If `passing`, it is what the stage is doing until the next step. `settled` is the judgement of the whole claim,
    given while its reasons are still being written.
    """

    stage: Stage
    message: str
    seconds: float
    passing: bool = False
    settled: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with confidence (0 to 0.99), tier in words, and notes for a reader.

    `told` counts the sources of each side in words; `rated_by` is the position of the fact-check whose rating decided.
    `held_back` says in words which rule withheld a verdict that the evidence supports. `compared`: code decided by the
    figures of all pieces together. `plain` is the confidence that the votes alone give.
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
    """A piece of evidence by its number, and its stance on one part.

    The number is that in the whole result; the stance is None if it was not judged.
    """

    number: int
    stance: StanceLabel | None


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of one part of a compound claim.

    `citations` are numbers of the whole result's evidence. `evidence` are all pieces found for the part.
    """

    claim: str
    verdict: Verdict
    confidence: float
    tier: Tier
    citations: tuple[int, ...]
    evidence: tuple[PartEvidence, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its evidence, quoted pieces first."""
        return tuple(dict.fromkeys((*self.citations, *(piece.number for piece in self.evidence))))


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Everything that one check found.

    `parts` are the sub-claims of a compound claim, none for a claim that states one thing; `unchecked` are those beyond
    the fifth, and sentences that do not say what they are about. `held_back` is the rule that withheld a verdict, in
    words. `added` are the records that the check added to the store from the web; `missing` is set under Not Enough
    Evidence. `grade` is what was tested of verdicts as sure as this one; None if nothing was. `plain` is as in a
    judgement. For a claim in another `language` (ISO 639-1), `translation` is the English that was checked; both are ""
    for any other.
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
