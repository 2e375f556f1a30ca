"""One piece of evidence as the store keeps it, and the Arrow schema it is kept in."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pyarrow as pa

from kb.credibility import PublisherOf, SourceType, publisher_of
from kb.urls import canonical_url

VECTOR_WIDTH = 384
ID_LENGTH = 32
"""Characters of the content hash that make a record's key: 128 bits."""


class Origin(StrEnum):
    """How a piece of evidence came to us."""

    KB = "kb"
    WEB = "web"
    FACT_CHECK = "fact_check"
    USER = "user"


class Collection(StrEnum):
    """Which shelf a record stands on: what rarely changes, or what is news."""

    STATIC = "static"
    CURRENT = "current"


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A text that is to be stored, before the store adds what it knows about it."""

    text: str
    source: str = ""
    title: str = ""
    origin: Origin = Origin.USER
    collection: Collection = Collection.STATIC
    published_at: datetime | None = None
    publisher: str = ""
    rating: str = ""
    language: str = "en"
    pinned: bool = False
    extraction_failed: bool = False
    also_at: tuple[str, ...] = ()
    """Further addresses that carry the same text."""


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A stored piece of evidence. Times are UTC; `vector` is not part of it (searches do not need it back)."""

    id: str
    text: str
    source: str
    domain: str
    title: str
    source_type: SourceType
    source_credibility: float
    origin: Origin
    collection: Collection
    timestamp: datetime
    published_at: datetime | None
    last_accessed: datetime
    access_count: int
    verification_count: int
    avg_relevance: float
    language: str
    text_length: int
    content_hash: str
    expires_at: datetime | None
    source_urls: tuple[str, ...]
    publisher: str
    rating: str
    extraction_failed: bool
    pinned: bool

    @staticmethod
    def from_row(row: dict[str, Any]) -> EvidenceRecord:
        """A record from a row of the store; columns that it does not know are passed over."""
        values = {field.name: row[field.name] for field in dataclasses.fields(EvidenceRecord)}
        values["source_type"], values["origin"] = SourceType(row["source_type"]), Origin(row["origin"])
        values["collection"], values["source_urls"] = Collection(row["collection"]), tuple(row["source_urls"])
        return EvidenceRecord(**values)

    def to_row(self) -> dict[str, Any]:
        """The record as a row, without its vector."""
        row = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return row | {"source_urls": list(self.source_urls)}


def content_hash(text: str) -> str:
    """SHA-256 of the text with case and spacing evened out: equal for two copies of one statement."""
    return hashlib.sha256(re.sub(r"\s+", " ", text.strip().lower()).encode()).hexdigest()


def _passes(item: NewEvidence) -> bool:
    """Whether a text's time runs out: news that the web brought. What a user added stays until the user takes it away."""
    return item.collection is Collection.CURRENT and item.origin in {Origin.WEB, Origin.FACT_CHECK} and not item.pinned


_PRIMARY_KEY = {"lance-schema:unenforced-primary-key": "true", "lance-schema:unenforced-primary-key:position": "1"}
_TIME = pa.timestamp("us", tz="UTC")
_COLUMNS: dict[str, pa.DataType] = {
    "text": pa.string(),
    "vector": pa.list_(pa.float32(), VECTOR_WIDTH),
    "source": pa.string(),
    "domain": pa.string(),
    "title": pa.string(),
    "source_type": pa.string(),
    "source_credibility": pa.float32(),
    "origin": pa.string(),
    "collection": pa.string(),
    "timestamp": _TIME,
    "published_at": _TIME,
    "last_accessed": _TIME,
    "access_count": pa.int64(),
    "verification_count": pa.int64(),
    "avg_relevance": pa.float32(),
    "language": pa.string(),
    "text_length": pa.int32(),
    "content_hash": pa.string(),
    "expires_at": _TIME,
    "source_urls": pa.list_(pa.string()),
    "publisher": pa.string(),
    "rating": pa.string(),
    "extraction_failed": pa.bool_(),
    "pinned": pa.bool_(),
}


def arrow_schema(embedder: str) -> pa.Schema:
    """The table's schema; `embedder`, the checksum of the model that made the vectors, travels in its metadata."""
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata=_PRIMARY_KEY),
        *(pa.field(name, kind) for name, kind in _COLUMNS.items()),
    ]
    return pa.schema(fields, metadata={"embedder": embedder})


def make_record(
    item: NewEvidence, publisher_of: PublisherOf = publisher_of, keep: timedelta | None = None
) -> EvidenceRecord:
    """The full record of a new text: publisher, credibility and times filled in, counters at zero.

    `keep` is how long news from the web lives; without it, and for everything else, there is no end.
    """
    publisher = publisher_of(item.source)
    digest = content_hash(item.text)
    now = datetime.now(UTC)
    return EvidenceRecord(
        id=digest[:ID_LENGTH],
        text=item.text.strip(),
        source=item.source,
        domain=publisher.domain,
        title=item.title,
        source_type=publisher.source_type,
        source_credibility=publisher.credibility,
        origin=item.origin,
        collection=item.collection,
        timestamp=now,
        published_at=item.published_at,
        last_accessed=now,
        access_count=0,
        verification_count=0,
        avg_relevance=0.0,
        language=item.language,
        text_length=len(item.text.strip()),
        content_hash=digest,
        expires_at=now + keep if keep and _passes(item) else None,
        source_urls=tuple(dict.fromkeys(canonical_url(url) for url in (item.source, *item.also_at) if url)),
        publisher=item.publisher or publisher.name,
        rating=item.rating,
        extraction_failed=item.extraction_failed,
        pinned=item.pinned,
    )
