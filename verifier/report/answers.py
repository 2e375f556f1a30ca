"""The answers that programs get, field by field. Gradio and MCP clients read these shapes as a schema."""

from __future__ import annotations

from typing import Literal, TypedDict


class StanceAnswer(TypedDict):
    """Probabilities that a text supports, refutes, or does not settle the claim; they sum to 1."""

    supports: float
    refutes: float
    neutral: float


class EvidenceAnswer(TypedDict):
    """A piece of evidence; `number` is the one in the reasoning's brackets, times are ISO 8601 in UTC."""

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
    """Words that decided: `quote` is `text[start:end]` of the evidence with this number."""

    number: int
    quote: str
    start: int
    end: int
    source: str
    title: str


class PartEvidenceAnswer(TypedDict):
    """A piece of the evidence, by its number, and what it says of one part."""

    number: int
    stance: Literal["supports", "refutes", "neutral"] | None


class PartAnswer(TypedDict):
    """The verdict on one statement of a claim that makes several; `evidence` is all that was found for it."""

    claim: str
    verdict: str
    confidence: float
    tier: str
    citations: list[int]
    evidence: list[PartEvidenceAnswer]


class UnaskedAnswer(TypedDict):
    """A source that was not asked, or did not answer, and why."""

    source: str
    why: str


class MissingAnswer(TypedDict):
    """What would settle a claim that was left open; `told` says it in one line."""

    told: str
    sought: list[str]
    not_asked: list[UnaskedAnswer]


class GradeAnswer(TypedDict):
    """What was tested: of `n` verdicts given as surely, `errors` were wrong; with 95% certainty at most the share `level` of all such."""

    level: float
    n: int
    errors: int
    bound: float


class ResultAnswer(TypedDict):
    """A whole check; `timings` are milliseconds by stage and in `total`, `missing` is there under Not Enough Evidence.

    `grade` is null where nothing was tested of verdicts as sure as this one.
    A claim in another `language` (ISO 639-1) was checked in its English `translation`; reasoning, warnings and `verdict_told`
    are in the claim's language then. All three are "" for any other claim.
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
    """The number of a row, from 1, and its claim as it was sent."""

    row: int
    input: str


class CheckedRow(RowHead, ResultAnswer):
    """A row that was checked: its head, and the whole check."""


class FailedRow(RowHead):
    """A row that could not be checked, and why."""

    status: Literal["failed"]
    error: str


class SentenceAnswer(TypedDict):
    """A sentence of a text, `text[start:end]` of it, counted from 0; `reason` says why it is of this kind."""

    number: int
    start: int
    end: int
    text: str
    kind: Literal["fact", "opinion", "question", "instruction", "speech", "unread"]
    reason: str


class MarkAnswer(TypedDict):
    """What became of the claim in a sentence. `claim` is what was checked: ours, not the author's, where `resolved`.

    A `speaker` is who is reported to have said it; where `was_said`, the claim is that the speaker said so, else it is what was
    said. A claim that failed or was left out has a `reason` in place of a result.
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
    """A text as far as it is checked: its sentences in reading order, and the claims as they were done, most checkworthy first."""

    status: Literal["checking", "done"]
    summary: str
    done: int
    total: int
    sentences: list[SentenceAnswer]
    claims: list[MarkAnswer]
    seconds: float
    warnings: list[str]


class ExportAnswer(TypedDict):
    """A result in another form, with a name for the file that it may be saved in."""

    format: str
    file_name: str
    mime: str
    content: str


class TypeAnswer(TypedDict):
    """Whether a text can be checked; `extracted_claim` is what of it would be, "" for nothing."""

    claim: str
    claim_type: Literal["FACTUAL", "OPINION", "MIXED", "AMBIGUOUS"]
    extracted_claim: str
    reason: str
    probabilities: dict[str, float]


class FoundAnswer(TypedDict):
    """A record of the evidence store that was found; times are ISO 8601 in UTC."""

    score: float
    similarity: float
    id: str
    text: str
    source: str
    domain: str
    title: str
    source_type: str
    source_credibility: float
    origin: str
    collection: str
    timestamp: str
    published_at: str | None
    last_accessed: str
    access_count: int
    verification_count: int
    avg_relevance: float
    language: str
    text_length: int
    content_hash: str
    expires_at: str | None
    source_urls: list[str]
    publisher: str
    rating: str
    extraction_failed: bool
    pinned: bool
    standing: str
    looked_at: str | None


class PassageAnswer(TypedDict):
    """A passage of a page that was found. Where `extraction_failed`, it is the line that the search engine shows of it."""

    text: str
    source: str
    title: str
    published_at: str | None
    origin: str
    rating: str
    relevance: float
    extraction_failed: bool


class AttemptAnswer(TypedDict):
    """A query that was sent, or would have been, and how it ended."""

    stage: str
    provider: str
    query: str
    outcome: str
    found: int
    detail: str
    cached: bool


class WebAnswer(TypedDict):
    """What the web search found, most relevant first. A page that could not be read stands in `unread` with the reason."""

    query: str
    results: list[PassageAnswer]
    attempts: list[AttemptAnswer]
    unread: list[str]
    warnings: list[str]


class AddedAnswer(TypedDict):
    """What became of evidence: `merged` passages were known or near-duplicates; `denied` ones are of a site on the blocklist."""

    added: int
    merged: int
    denied: int
    ids: list[str]
    kb_size: int


class ArticleAnswer(TypedDict):
    """The sentences of an article that can be checked, in reading order."""

    url: str
    title: str
    published_at: str | None
    sentences: list[str]


class HealthAnswer(TypedDict):
    """The state of the service, the number of records in its store, and an error or ""."""

    status: Literal["loading", "ok", "failed"]
    kb_size: int
    error: str
