"""Retrieve the store's records nearest to a claim, in meaning and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import log

from kb.chunk import MAX_CHARACTERS, passages
from kb.publishers.credibility import UNKNOWN, Publisher, PublisherOf, publisher_of
from kb.record import Collection, EvidenceRecord, NewEvidence, Origin
from kb.starter.subjects import bears_on
from kb.store.fusion import Boost
from verifier.evidence.sufficiency import AUTHORITY
from verifier.interfaces import Embedder, Store
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings
from verifier.text.stems import stems

REVIEWED = AUTHORITY
"""Lowest credibility of a starter fact: enough to decide alone."""
_CURRENT = 1.2
"""Weight of the words that a piece of the news collection shares with the claim.

Used if only some pieces can be read.
"""


def retrieve(
    query: str,
    store: Store,
    embedder: Embedder,
    settings: RetrievalSettings,
    limit: int,
    publisher_of: PublisherOf = publisher_of,
) -> list[Evidence]:
    """Find the `limit` best records by fused cosine and BM25.

    Popularity counts a little, up to a ceiling. Statements of the starter pack about something that the query does not
    name are skipped.

    Raises:
        ModelError: the query could not be embedded.
        StoreError: the store could not be searched.
    """
    vector = embedder.embed([query])[0]
    boost = Boost(settings.access_boost, settings.access_boost_ceiling)
    hits = store.search(query, vector, limit, boost, keep=lambda key: bears_on(key, query))
    return [
        replace(
            _evidence(hit.record, publisher_of(hit.record.source), hit.record.id),
            similarity=hit.similarity,
            standing=hit.record.standing,
            looked_at=hit.record.looked_at,
            vector=hit.vector,
        )
        for hit in hits
    ]


def from_texts(
    items: Sequence[NewEvidence], ids: Sequence[str] = (), publisher_of: PublisherOf = publisher_of
) -> list[Evidence]:
    """Make evidence of texts from outside the store (a search, a file).

    `ids` are their records, if stored. Texts of publishers on the user's blocklist are left out.
    """
    keys = ids or [""] * len(items)
    published = [(item, publisher_of(item.source), key) for item, key in zip(items, keys, strict=True)]
    return [_evidence(item, publisher, key) for item, publisher, key in published if not publisher.denied]


def from_given(items: Sequence[NewEvidence], publisher_of: PublisherOf = publisher_of) -> list[Evidence]:
    """Make evidence of the user's texts, long ones as passages.

    One without a source is its own organisation.
    """
    found = []
    for number, item in enumerate(items, start=1):
        texts = [item.text] if len(item.text) <= MAX_CHARACTERS else passages(item.text)
        pieces = from_texts([replace(item, text=text) for text in texts], publisher_of=publisher_of)
        found += [replace(piece, voice=piece.voice or f"text {number}") for piece in pieces]
    return found


def shortlist(claim: str, evidence: Sequence[Evidence], limit: int) -> list[Evidence]:
    """Choose the `limit` pieces that share most words with the claim, in the order given.

    Rare words count more. Between pieces that share about as much, those of the news collection are preferred.
    The cross-encoder is spared what cannot matter: its time for one claim is bounded, however many texts there are.
    """
    if len(evidence) <= limit:
        return list(evidence)
    asked = set(stems(claim))
    there = [asked.intersection(stems(piece.text)) for piece in evidence]
    holders = Counter(word for words in there for word in words)
    weight = {word: log(1 + len(evidence) / count) for word, count in holders.items()}

    def shared(i: int) -> float:
        return sum(weight[word] for word in there[i]) * (_CURRENT if evidence[i].current else 1.0)

    order = sorted(range(len(evidence)), key=lambda i: -shared(i))
    return [evidence[i] for i in sorted(order[:limit])]


def _retrieved_at(record: EvidenceRecord | NewEvidence) -> datetime | None:
    """Return when a text was retrieved.

    That is a record's own time, now for a new web text, None for user evidence.
    """
    if isinstance(record, EvidenceRecord):
        return record.timestamp
    return datetime.now(UTC) if record.origin in {Origin.WEB, Origin.FACT_CHECK} else None


def _credibility(record: EvidenceRecord | NewEvidence, publisher: Publisher) -> float:
    """Rate a text as its publisher, but a starter fact higher.

    This project wrote and reviewed the starter facts. If a user's list puts a publisher below an unknown one, the same
    goes for its starter facts.
    """
    ours = record.origin is Origin.KB and record.pinned and publisher.credibility >= UNKNOWN
    return max(publisher.credibility, REVIEWED) if ours else publisher.credibility


def _evidence(record: EvidenceRecord | NewEvidence, publisher: Publisher, record_id: str) -> Evidence:
    """Make evidence of a text and its publisher today: a changed list counts at once."""
    return Evidence(
        text=record.text.strip(),
        source=record.source,
        title=record.title,
        origin=record.origin,
        source_type=publisher.source_type,
        credibility=_credibility(record, publisher),
        domain=publisher.domain,
        voice=publisher.voice,
        listed=publisher.listed,
        published_at=record.published_at,
        retrieved_at=_retrieved_at(record),
        current=record.collection is Collection.CURRENT,
        record_id=record_id,
        rating=record.rating,
    )
