"""Find near-duplicates: texts alike in meaning, and equal in every name, number and negation.

Similarity of vectors alone is not enough: "4.54 billion years" and "4.45 billion years" are within 0.98 of each other,
and so may be a sentence and its negation. Dropping one of such a pair would hide the very conflict that a check must
find.

Candidates are found by locality-sensitive hashing (LSH, `hashing`): ten thousand new texts against a million stored
ones are ten billion pairs, and only a handful count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.record import VECTOR_WIDTH, EvidenceRecord
from kb.store.hashing import KEYS, Hasher, KeyRuns, Rows, Vectors

if TYPE_CHECKING:
    from lancedb.table import Table

    from kb.store.stored_hashes import StoredHashes

SAME_TEXT = 0.98
"""Cosine similarity from which two texts may be the same."""
PREFIX = 100
"""Two texts whose first 100 characters agree, ignoring case, are the same."""
_ROWS_PER_LOOKUP = 2_000
"""Looking up one vector in the index takes about as long as reading this many vectors in passing."""
_CANDIDATES = 3
_ROWS_AT_ONCE = 16_384
_ALL_AT_ONCE = 64
"""Up to this many new vectors are compared with everything: hashing would cost more than it saves."""
_BLOCK, _PAIRS_AT_ONCE = 16_384, 16_384

Pairs = tuple[Rows, Rows, Vectors]
"""Row among the new, row among the others, cosine: three arrays of one length."""
Candidate = tuple[str, str, float]
"""Id, text and cosine of a record that may say the same."""

_FACTS = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:no|not|never|none|neither|nor|without|false|untrue|myth|cannot)\b|n't\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]+")


def same_facts(a: str, b: str) -> bool:
    """Return whether two texts carry the same numbers, negations and names.

    Names are capitalised words inside a sentence.
    """
    return _facts(a) == _facts(b)


def _facts(text: str) -> Counter[str]:
    return Counter(word.lower() for word in _FACTS.findall(text)) + Counter(_NAME.findall(text))


def same_prefix(a: str, b: str) -> bool:
    """Return whether the first 100 characters agree, ignoring case and spacing.

    Shorter texts must agree as a whole.
    """
    return _prefix(a) == _prefix(b)


def _prefix(text: str) -> str:
    return " ".join(text.lower().split())[:PREFIX]


def near_duplicate_of(text: str, candidates: Iterable[Candidate]) -> str | None:
    """Return the id of the first candidate that says the same as `text`, or None."""
    for key, other, similarity in candidates:
        if similarity >= SAME_TEXT and same_facts(text, other):
            return key
    return None


class SimilarVectors:
    """New vectors, hashed for comparison with any number of others."""

    def __init__(self, new: Vectors, threshold: float) -> None:
        """`new`: unit vectors, shape (n, width). `threshold`: the cosine from which a pair counts."""
        self._new, self._threshold = new, threshold
        self._keyed = len(new) > _ALL_AT_ONCE
        if not self._keyed:
            return
        self._hasher = Hasher(new.mean(axis=0))
        self._runs = [KeyRuns() for _ in range(KEYS)]
        for run, keys in zip(self._runs, self._hasher.keys(new).T, strict=True):
            run.add(keys, 0)

    def pairs(self, others: Vectors) -> Iterator[Pairs]:
        """Yield the pairs of a new vector and one of `others` that count, unordered.

        `others`: unit vectors, shape (m, width).
        """
        for start in range(0, len(others), _BLOCK):
            block = others[start : start + _BLOCK]
            for new, other, cosines in self._by_key(block) if self._keyed else self._all(block):
                close = cosines >= self._threshold
                yield new[close], other[close] + start, cosines[close]

    def _all(self, block: Vectors) -> Iterator[Pairs]:
        cosines = self._new @ block.T
        new, other = np.nonzero(cosines >= self._threshold)
        yield new, other, cosines[new, other]

    def _by_key(self, block: Vectors) -> Iterator[Pairs]:
        pairs = self._sharing_a_key(block)
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            new, other = np.divmod(pairs[start : start + _PAIRS_AT_ONCE], len(block))
            yield new, other, np.einsum("ij,ij->i", self._new[new], block[other])

    def _sharing_a_key(self, block: Vectors) -> Rows:
        """Return pairs of rows that share a key, each once.

        A pair is one number (new row x size of the block + row of the block).
        """
        found = [np.zeros(0, np.int64)]
        for run, keys in zip(self._runs, self._hasher.keys(block).T, strict=True):
            found += [new * len(block) + row for row, new in run.matches(keys)]
        return np.unique(np.concatenate(found))


def find_near_duplicates(
    table: Table,
    fresh: Sequence[EvidenceRecord],
    vectors: NDArray[np.float32],
    indexed: bool,
    hashes: StoredHashes | None = None,
) -> dict[str, str]:
    """Map new ids to ids of stored or earlier new records that say the same.

    Args:
        table: what is stored.
        fresh: records that are not stored in the same words.
        vectors: their unit vectors, shape (fresh, 384).
        indexed: whether the table has an index of its vectors.
        hashes: of all that the table holds, if texts are added many times in a row.
    """
    if not fresh:
        return {}
    new = SimilarVectors(vectors, SAME_TEXT)
    stored = _close_stored(table, new, vectors, indexed, hashes)
    earlier = _among_themselves(new, vectors)
    found: dict[str, str] = {}
    for i in sorted(stored.keys() | earlier.keys()):
        candidates = sorted(stored.get(i, []), key=lambda candidate: -candidate[2])
        candidates += [
            (fresh[j].id, fresh[j].text, cosine) for j, cosine in earlier.get(i, []) if fresh[j].id not in found
        ]
        duplicate = near_duplicate_of(fresh[i].text, candidates)
        if duplicate:
            found[fresh[i].id] = duplicate
    return found


def _close_stored(
    table: Table, new: SimilarVectors, vectors: Vectors, indexed: bool, hashes: StoredHashes | None
) -> dict[int, list[Candidate]]:
    """Map new rows to close stored records, in the way that reads least."""
    few = indexed and len(vectors) * _ROWS_PER_LOOKUP < table.count_rows()
    if (
        hashes is not None
        and (indexed or len(vectors) > _ALL_AT_ONCE)
        and hashes.worth(len(vectors), _ROWS_PER_LOOKUP, few)
        and hashes.refresh()
    ):
        return hashes.close_to(vectors, SAME_TEXT)
    return _by_index(table, vectors) if few else _by_reading(table, new)


def _by_index(table: Table, vectors: NDArray[np.float32]) -> dict[int, list[Candidate]]:
    """Map rows of `vectors` to the stored records nearest to them, by the index."""
    query = table.search(vectors).distance_type("cosine").select(["id", "text", "_distance"]).limit(_CANDIDATES)
    found: dict[int, list[Candidate]] = {}
    for row in query.to_list():
        found.setdefault(row.get("query_index", 0), []).append((row["id"], row["text"], 1 - row["_distance"]))
    return found


def _by_reading(table: Table, new: SimilarVectors) -> dict[int, list[Candidate]]:
    """Map new rows to close stored records, by reading all stored vectors once."""
    found: dict[int, list[Candidate]] = {}
    for batch in table.search().select(["id", "text", "vector"]).limit(None).to_batches(_ROWS_AT_ONCE):
        stored = batch["vector"].flatten().to_numpy().reshape(-1, VECTOR_WIDTH)
        for rows, others, cosines in new.pairs(stored):
            for i, j, cosine in zip(rows.tolist(), others.tolist(), cosines.tolist(), strict=True):
                found.setdefault(i, []).append((batch["id"][j].as_py(), batch["text"][j].as_py(), cosine))
    return found


def _among_themselves(new: SimilarVectors, vectors: NDArray[np.float32]) -> dict[int, list[tuple[int, float]]]:
    """Map rows to the earlier rows close to them, in order."""
    found: dict[int, list[tuple[int, float]]] = {}
    for rows, others, cosines in new.pairs(vectors):
        before = others < rows
        for i, j, cosine in zip(*(part[before].tolist() for part in (rows, others, cosines)), strict=True):
            found.setdefault(i, []).append((j, cosine))
    return {i: sorted(pairs) for i, pairs in found.items()}
