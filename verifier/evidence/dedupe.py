"""Keep one piece of evidence per statement, and only a few per organisation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kb.store.near_duplicates import near_duplicate_of, same_prefix
from verifier.interfaces import Embedder
from verifier.schema import Evidence


def distinct(ranked: Sequence[Evidence], embedder: Embedder) -> list[Evidence]:
    """Drop pieces that repeat an earlier one, keeping the order.

    A piece repeats another with the same record, the same first 100 characters, or nearly the same meaning with the
    same names, numbers and negations. The store merges such records when it adds them, so only texts from outside it
    are compared by meaning. (Copies of one page are dropped where results come in; two passages of one page may both
    stay.)
    """
    outside = [i for i, piece in enumerate(ranked) if not piece.record_id]
    vectors = dict(zip(outside, embedder.embed([ranked[i].text for i in outside]), strict=True))
    kept: list[int] = []
    for i, piece in enumerate(ranked):
        copied = any(piece.record_id and piece.record_id == ranked[j].record_id for j in kept)
        copied = copied or any(same_prefix(piece.text, ranked[j].text) for j in kept)
        likeness = [
            (str(j), ranked[j].text, float(vectors[j] @ vectors[i])) for j in kept if i in vectors and j in vectors
        ]
        if not copied and near_duplicate_of(piece.text, likeness) is None:
            kept.append(i)
    return [ranked[i] for i in kept]


def at_most_per_voice(ranked: Sequence[Evidence], limit: int) -> list[Evidence]:
    """Keep at most `limit` pieces of each organisation, in order.

    Pieces without a source are not limited.
    """
    seen: Counter[str] = Counter()
    kept = []
    for piece in ranked:
        seen[piece.voice] += 1
        if not piece.voice or seen[piece.voice] <= limit:
            kept.append(piece)
    return kept
