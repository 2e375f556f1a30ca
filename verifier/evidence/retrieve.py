"""E1: the records of the store that lie nearest to a claim, in meaning and in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log

from kb.chunk import MAX_CHARACTERS, passages
from kb.credibility import PublisherOf, publisher_of
from kb.fusion import Boost
from kb.record import Collection, EvidenceRecord, NewEvidence, make_record
from kb.starter.subjects import bears_on
from verifier.interfaces import Embedder, Store
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings

_CURRENT = 1.2
"""What the words that a piece of the shelf for news shares with the claim count, where only some pieces can be read."""


def retrieve(
    query: str,
    store: Store,
    embedder: Embedder,
    settings: RetrievalSettings,
    limit: int,
    publisher_of: PublisherOf = publisher_of,
) -> list[Evidence]:
    """The `limit` best records by cosine and BM25 fused; popularity counts a little, up to a ceiling.

    Statements of the starter pack about something that the query does not name are passed over.

    Raises:
        ModelError: the query could not be embedded.
        StoreError: the store could not be searched.
    """
    vector = embedder.embed([query])[0]
    boost = Boost(settings.access_boost, settings.access_boost_ceiling)
    hits = store.search(query, vector, limit, boost, keep=lambda key: bears_on(key, query))
    return [replace(_evidence(hit.record, publisher_of), similarity=hit.similarity) for hit in hits]


def from_texts(
    items: Sequence[NewEvidence], ids: Sequence[str] = (), publisher_of: PublisherOf = publisher_of
) -> list[Evidence]:
    """Texts that did not come out of the store (a search, a file) as evidence; `ids` are their records, where stored.

    Texts of publishers that the user denies are left out.
    """
    keys = ids or [""] * len(items)
    heard = [(item, key) for item, key in zip(items, keys, strict=True) if not publisher_of(item.source).denied]
    return [replace(_evidence(make_record(item, publisher_of), publisher_of), record_id=key) for item, key in heard]


def from_given(items: Sequence[NewEvidence], publisher_of: PublisherOf = publisher_of) -> list[Evidence]:
    """Texts that a user hands over, long ones as passages. A text without a source is a voice of its own."""
    found = []
    for number, item in enumerate(items, start=1):
        texts = [item.text] if len(item.text) <= MAX_CHARACTERS else passages(item.text)
        pieces = from_texts([replace(item, text=text) for text in texts], publisher_of=publisher_of)
        found += [replace(piece, voice=piece.voice or f"text {number}") for piece in pieces]
    return found


def shortlist(claim: str, evidence: Sequence[Evidence], limit: int) -> list[Evidence]:
    """The `limit` pieces that share most words with the claim, rare words counting more, in the order given.

    Of pieces that share alike, or nearly, those of the shelf for news are preferred.

    Spares the cross-encoder what cannot matter: its time for one claim is bounded, however many texts there are.
    """
    if len(evidence) <= limit:
        return list(evidence)
    asked = stems(claim)
    there = [stems(piece.text) & asked for piece in evidence]
    holders = Counter(word for words in there for word in words)
    weight = {word: log(1 + len(evidence) / count) for word, count in holders.items()}

    def shared(i: int) -> float:
        return sum(weight[word] for word in there[i]) * (_CURRENT if evidence[i].current else 1.0)

    order = sorted(range(len(evidence)), key=lambda i: -shared(i))
    return [evidence[i] for i in sorted(order[:limit])]


def stems(text: str) -> set[str]:
    """Words and numbers by their first five letters: what two texts have in common when one of them is to be picked."""
    return {word[:5] for word in re.findall(r"\w{3,}|\d+", text.lower())}


def _evidence(record: EvidenceRecord, publisher_of: PublisherOf) -> Evidence:
    """A record as evidence. Its publisher is looked up anew, so that a change of a list counts at once."""
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
        current=record.collection is Collection.CURRENT,
        record_id=record.id,
        rating=record.rating,
    )
