"""The answers that programs get from searches, imports and health; those of checks are in `report/answers.py`."""

from __future__ import annotations

from typing import Literal, TypedDict


class FoundAnswer(TypedDict):
    """A record found in the evidence store; times are ISO 8601 in UTC."""

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
    """A passage of a page that was found.

    If `extraction_failed`, it is the line that the search engine shows of the page.
    """

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
    """What the web search found, most relevant first.

    A page that could not be read is in `unread` with the reason.
    """

    query: str
    results: list[PassageAnswer]
    attempts: list[AttemptAnswer]
    unread: list[str]
    warnings: list[str]


class AddedAnswer(TypedDict):
    """What became of added evidence.

    `merged` passages were known or near-duplicates; `denied` ones are from a site on the blocklist.
    """

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
    """The state of the service, its store's number of records, and an error or ""."""

    status: Literal["loading", "ok", "failed"]
    kb_size: int
    error: str
