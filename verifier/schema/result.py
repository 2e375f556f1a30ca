"""What a check makes of a claim: its type, its steps, the judgement, its parts, and the whole result."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from verifier.schema.choices import ClaimType, Stage, StanceLabel, Status, Tier, Verdict
from verifier.schema.evidence import Citation, Evidence
from verifier.schema.grade import Grade
from verifier.schema.missing import Missing


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
