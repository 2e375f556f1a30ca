"""Define a piece of evidence as the store keeps it, and its Arrow schema."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pyarrow as pa

from kb.publishers.credibility import PublisherOf, SourceType, publisher_of
from kb.publishers.urls import canonical_url

VECTOR_WIDTH = 384
ID_LENGTH = 32
"""Characters of the content hash that form a record's key: 128 bits."""


class Origin(StrEnum):
    """Where a piece of evidence comes from."""

    KB = "kb"
    WEB = "web"
    FACT_CHECK = "fact_check"
    USER = "user"


class Collection(StrEnum):
    """What a record belongs to: what rarely changes, or news."""

    STATIC = "static"
    CURRENT = "current"


PACK = "pack/"
"""Prefix of a pack's collection; the pack's name follows."""
_PACK_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")


def pack_collection(name: str) -> str:
    """Return the collection of the pack with this name.

    Raises:
        ValueError: a name is 1 to 64 small letters, digits, hyphens, dots and underscores.
    """
    if not _PACK_NAME.fullmatch(name):
        raise ValueError(f"not a pack's name: {name[:80]!r}")
    return PACK + name


def parse_collection(value: str) -> str:
    """Parse one of `Collection`, or the collection of a pack.

    Raises:
        ValueError: it is neither.
    """
    return pack_collection(value.removeprefix(PACK)) if value.startswith(PACK) else Collection(value)


class Standing(StrEnum):
    """How a stored text compares with its page, as last checked."""

    AS_STORED = "as stored"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A text to be stored, before the store adds what it knows about it."""

    text: str
    source: str = ""
    title: str = ""
    origin: Origin = Origin.USER
    collection: str = Collection.STATIC
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
    """Stored evidence, without its vector, which searches do not need. Times are UTC.

    `looked_at` is when a refresh last compared it with its page, `standing` the result.
    """

    id: str
    text: str
    source: str
    domain: str
    title: str
    source_type: SourceType
    source_credibility: float
    origin: Origin
    collection: str
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
    standing: Standing
    looked_at: datetime | None

    @staticmethod
    def from_row(row: dict[str, Any]) -> EvidenceRecord:
        """Make a record from a row of the store; unknown columns are skipped."""
        values = {field.name: row[field.name] for field in dataclasses.fields(EvidenceRecord)}
        values["source_type"], values["origin"] = SourceType(row["source_type"]), Origin(row["origin"])
        values["collection"], values["source_urls"] = parse_collection(row["collection"]), tuple(row["source_urls"])
        values["standing"] = Standing(row["standing"])
        return EvidenceRecord(**values)

    def to_row(self) -> dict[str, Any]:
        """Return the record as a row, without its vector."""
        row = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return row | {"source_urls": list(self.source_urls)}


RETRACTED = "Retracted"
"""Start of the `rating` of a work that its publisher has withdrawn."""


def is_retracted(rating: str, origin: Origin) -> bool:
    """Return whether a record's rating says that the work was retracted.

    A fact-checker's rating is about a claim and never says so.
    """
    return origin is not Origin.FACT_CHECK and rating.startswith(RETRACTED)


def content_hash(text: str) -> str:
    """Return the text's SHA-256, ignoring case and spacing: equal for copies of one statement."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()


def _expires(item: NewEvidence) -> bool:
    """Return whether a text expires, as news from the web does.

    What a user added stays until the user removes it.
    """
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
    "standing": pa.string(),
    "looked_at": _TIME,
}


def arrow_schema(embedder: str) -> pa.Schema:
    """Return the table's schema; its metadata holds `embedder`, the checksum of the vectors' model."""
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata=_PRIMARY_KEY),
        *(pa.field(name, kind) for name, kind in _COLUMNS.items()),
    ]
    return pa.schema(fields, metadata={"embedder": embedder})


def make_record(
    item: NewEvidence, publisher_of: PublisherOf = publisher_of, keep: timedelta | None = None
) -> EvidenceRecord:
    """Make the full record of a new text: publisher, credibility, times, and counters at zero.

    `keep` is the time to live of news from the web; without it, and for everything else, there is no end.
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
        expires_at=now + keep if keep and _expires(item) else None,
        source_urls=tuple(dict.fromkeys(canonical_url(url) for url in (item.source, *item.also_at) if url)),
        publisher=item.publisher or publisher.name,
        rating=item.rating,
        extraction_failed=item.extraction_failed,
        pinned=item.pinned,
        standing=Standing.AS_STORED,
        looked_at=None,
    )
