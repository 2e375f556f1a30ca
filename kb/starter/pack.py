"""Read and write the built starter pack: statements.jsonl.gz, and their vectors in vectors.npz.

A vector takes one byte per number: whole numbers as large as its longest component allows, up to 127. That is a third of
the size in half precision, at a cosine of more than 0.999 to the originals. Vectors are used only if the store's embedder made them
for exactly these texts.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import StoreError
from kb.record import NewEvidence, Origin
from kb.starter.statement import Kind, Statement

STATEMENTS = Path(__file__).parent / "statements.jsonl.gz"
VECTORS = Path(__file__).parent / "vectors.npz"
_LARGEST = 127


def write_statements(statements: Sequence[Statement], path: Path = STATEMENTS) -> None:
    """Write the statements, compressed; the same statements give the same bytes.

    Raises:
        StoreError: the file cannot be written.
    """
    rows = [
        json.dumps(
            {"kind": s.kind.value, "about": s.about, "text": s.text, "source": s.source, "title": s.title},
            ensure_ascii=False,
        )
        for s in statements
    ]
    try:
        path.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode(), compresslevel=9, mtime=0))
    except OSError as exc:
        raise StoreError(f"cannot write the starter pack to {path}: {exc.strerror or exc}") from exc


def starter_facts(path: Path = STATEMENTS) -> list[NewEvidence]:
    """Return the statements as evidence: pinned, in the collection static.

    Raises:
        StoreError: the file is damaged.
    """
    return [NewEvidence(row.text, row.source, row.title, Origin.KB, pinned=True) for row in read_statements(path)]


@lru_cache(maxsize=1)
def read_statements(path: Path = STATEMENTS) -> tuple[Statement, ...]:
    """Read the statements, in order, once.

    A start needs them twice: to fill the store and to know their subjects.

    Raises:
        StoreError: the file is damaged.
    """
    try:
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        return tuple(Statement(Kind(r["kind"]), tuple(r["about"]), r["text"], r["source"], r["title"]) for r in rows)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as exc:
        raise StoreError(
            f"the starter pack {path} cannot be read ({exc}); restore the file that came with the program"
        ) from exc


def write_vectors(texts: Sequence[str], vectors: NDArray[np.float32], embedder: str, path: Path = VECTORS) -> None:
    """Write the vectors of all texts, in order.

    `vectors` has the shape (texts, 384) and rows of length 1.

    Raises:
        StoreError: the file cannot be written.
    """
    try:
        np.savez_compressed(path, codes=codes_of(vectors), embedder=np.array(embedder), texts=np.array(_digest(texts)))
    except OSError as exc:
        raise StoreError(f"cannot write the starter pack's vectors to {path}: {exc.strerror or exc}") from exc


def starter_vectors(texts: Sequence[str], embedder: str, path: Path = VECTORS) -> NDArray[np.float32] | None:
    """Return the texts' unit vectors in order, or None.

    None: the file is missing, or was made from other texts or by another embedder.
    """
    if not path.exists():
        return None
    with np.load(path) as file:
        if (str(file["embedder"]), str(file["texts"])) != (embedder, _digest(texts)):
            return None
        return vectors_of(file["codes"])


def codes_of(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Scale each vector to whole numbers from -127 to 127, by its largest component."""
    scales = np.abs(vectors).max(axis=1, keepdims=True) / _LARGEST
    codes: NDArray[np.int8] = np.round(vectors / scales).astype(np.int8)
    return codes


def vectors_of(codes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Turn the codes back into vectors of length 1."""
    vectors: NDArray[np.float32] = codes.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
