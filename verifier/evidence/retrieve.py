"""E1: the records of the store that lie nearest to a claim, in meaning and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb.credibility import publisher_of
from kb.fusion import Boost
from kb.record import EvidenceRecord, NewEvidence, make_record
from verifier.interfaces import Embedder, Store
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings


def retrieve(claim: str, store: Store, embedder: Embedder, settings: RetrievalSettings) -> list[Evidence]:
    """The `settings.top_k` best records by cosine and BM25 fused; popularity counts a little, up to a ceiling.

    Raises:
        ModelError: the claim could not be embedded.
        StoreError: the store could not be searched.
    """
    vector = embedder.embed([claim])[0]
    boost = Boost(settings.access_boost, settings.access_boost_ceiling)
    hits = store.search(claim, vector, settings.top_k, boost)
    return [replace(_evidence(hit.record), similarity=hit.similarity) for hit in hits]


def from_texts(items: Sequence[NewEvidence], ids: Sequence[str] = ()) -> list[Evidence]:
    """Texts that did not come out of the store (a search, a file) as evidence; `ids` are their records, where stored."""
    found = [_evidence(make_record(item)) for item in items]
    keys = ids or [""] * len(found)
    return [replace(piece, record_id=key) for piece, key in zip(found, keys, strict=True)]


def _evidence(record: EvidenceRecord) -> Evidence:
    """A record as evidence. Its publisher is looked up anew, so that a change of kb/domains.csv counts at once."""
    publisher = publisher_of(record.source)
    return Evidence(
        text=record.text,
        source=record.source,
        title=record.title,
        origin=record.origin,
        source_type=publisher.source_type,
        credibility=publisher.credibility,
        domain=publisher.domain,
        voice=publisher.voice,
        listed=publisher.listed,
        published_at=record.published_at,
        record_id=record.id,
    )
