"""Define the answers of checks, field by field; other answers are in `verifier/api/answers.py`.

Gradio and MCP clients read these shapes as a schema.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class StanceAnswer(TypedDict):
    """Probabilities that a text supports, refutes or leaves open the claim; they sum to 1."""

    supports: float
    refutes: float
    neutral: float


class EvidenceAnswer(TypedDict):
    """A piece of evidence; `number` is the one in the reasoning's brackets.

    Times are ISO 8601 in UTC.
    """

    number: int
    id: str
    text: str
    source: str
    title: str
    domain: str
    origin: str
    source_type: str
    source_credibility: float
    published_at: str | None
    retrieved_at: str | None
    standing: Literal["as stored", "changed", "gone"]
    looked_at: str | None
    similarity: float
    relevance: float
    score: float
    rating: str
    note: str
    also_reported_by: list[str]
    stance: Literal["supports", "refutes", "neutral"] | None
    stance_probabilities: StanceAnswer | None


class CitationAnswer(TypedDict):
    """The deciding words: `quote` is `text[start:end]` of the evidence with this number."""

    number: int
    quote: str
    start: int
    end: int
    source: str
    title: str


class PartEvidenceAnswer(TypedDict):
    """A piece of the evidence, by its number, and its stance on one part."""

    number: int
    stance: Literal["supports", "refutes", "neutral"] | None


class PartAnswer(TypedDict):
    """The verdict on one statement of a claim that makes several.

    `evidence` is everything that was found for it.
    """

    claim: str
    verdict: str
    confidence: float
    tier: str
    citations: list[int]
    evidence: list[PartEvidenceAnswer]


class UnaskedAnswer(TypedDict):
    """A source that was not asked or did not answer, and why."""

    source: str
    why: str


class MissingAnswer(TypedDict):
    """What would settle a claim left open; `told` says it in one line."""

    told: str
    sought: list[str]
    not_asked: list[UnaskedAnswer]


class GradeAnswer(TypedDict):
    """What was tested: of `n` verdicts given as surely, `errors` were wrong.

    With 95% certainty, at most the share `level` of all such are wrong.
    """

    level: float
    n: int
    errors: int
    bound: float


class ResultAnswer(TypedDict):
    """A whole check.

    `timings` are milliseconds by stage and in `total`. `missing` is set for Not Enough Evidence. `grade` is null if no
    verdicts as sure as this one were tested.
    A claim in another `language` (ISO 639-1) was checked in its English `translation`; reasoning, warnings and
    `verdict_told` are then in the claim's language. All three fields are "" for any other claim.
    """

    session_id: str
    status: Literal["ok", "degraded"]
    checked_at: str
    original_claim: str
    claim: str
    claim_type: Literal["FACTUAL", "OPINION", "MIXED", "AMBIGUOUS"]
    type_reason: str
    verdict: Literal["True", "False", "Partially True", "Misleading", "Not Enough Evidence", "Not Verifiable"]
    verdict_three_way: Literal["SUPPORTED", "REFUTED", "NEI"]
    verdict_mixed_scale: Literal["Supported", "Refuted", "Mixed", "Not Enough Evidence"]
    confidence: float
    tier: Literal["high", "medium", "low"]
    reasoning: str
    citations: list[CitationAnswer]
    evidence: list[EvidenceAnswer]
    steps: list[str]
    step_milliseconds: list[float]
    timings: dict[str, float]
    sub_results: list[PartAnswer]
    unchecked: list[str]
    held_back: str
    added: list[str]
    missing: MissingAnswer | None
    grade: GradeAnswer | None
    tool_calls: int
    store_version: int | None
    warnings: list[str]
    language: str
    translation: str
    verdict_told: str


class RowHead(TypedDict):
    """A row's number, from 1, and its claim as sent."""

    row: int
    input: str


class CheckedRow(RowHead, ResultAnswer):
    """A checked row: its head and the whole check."""


class FailedRow(RowHead):
    """A row that could not be checked, and why."""

    status: Literal["failed"]
    error: str


class SentenceAnswer(TypedDict):
    """A sentence of a text, `text[start:end]`, counted from 0; `reason` explains its kind."""

    number: int
    start: int
    end: int
    text: str
    kind: Literal["fact", "opinion", "question", "instruction", "speech", "unread"]
    reason: str


class MarkAnswer(TypedDict):
    """What became of the claim in a sentence.

    `claim` is what was checked: our words, not the author's, if `resolved`. A `speaker` is who is reported to have said
    it. If `was_said`, the claim is that the speaker said so; otherwise it is what was said. A claim that failed or was
    left out has a `reason` instead of a result.
    """

    sentence: int
    start: int
    end: int
    text: str
    claim: str
    worth: float
    resolved: bool
    speaker: str
    was_said: bool
    outcome: Literal["checked", "failed", "left out"]
    verdict: str | None
    reason: str
    seconds: float
    result: ResultAnswer | None


class TextAnswer(TypedDict):
    """A text, as far as it has been checked.

    Its sentences are in reading order, its claims in the order they were done, most checkworthy first.
    """

    status: Literal["checking", "done"]
    summary: str
    done: int
    total: int
    sentences: list[SentenceAnswer]
    claims: list[MarkAnswer]
    seconds: float
    warnings: list[str]


class ExportAnswer(TypedDict):
    """A result in another form, with a suggested file name."""

    format: str
    file_name: str
    mime: str
    content: str


class TypeAnswer(TypedDict):
    """Whether a text can be checked; `extracted_claim` is what would be, "" for nothing."""

    claim: str
    claim_type: Literal["FACTUAL", "OPINION", "MIXED", "AMBIGUOUS"]
    extracted_claim: str
    reason: str
    probabilities: dict[str, float]
