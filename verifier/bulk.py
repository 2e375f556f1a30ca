"""What several workers do at once: check the claims of a file, embed many texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from verifier.batch import CLAIM_FIELD, Row, one_row
from verifier.workers import Plan, run_parts

if TYPE_CHECKING:
    from verifier.settings import Settings

_T = TypeVar("_T")
_ROWS_AT_ONCE = 4
"""After so many, a worker writes what it noted in the store."""
_TEXTS_AT_ONCE = 256


def checking(plan: Plan, settings: Settings) -> Callable[[Sequence[Row]], Iterator[dict[str, Any]]]:
    """What makes the results of rows, for `write_results`: the same that `run_batch` would write, in the same order.

    What is called raises VerifierError where a worker cannot go on.
    """

    def results(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
        parts = [
            json.dumps([(row.number, row.fields, row.error) for row in part])
            for part in portions(rows, plan.count, _ROWS_AT_ONCE)
        ]
        for answer in run_parts(plan, start_checking, settings, parts):
            yield from json.loads(answer)

    return results


def start_checking(settings: Settings) -> Callable[[str], str]:
    """Load a Checker; what is returned takes rows and gives their results.

    Raises:
        ModelError: a weight file cannot be loaded.
        StoreError: the store cannot be opened.
    """
    from verifier.report.as_json import result_to_dict
    from verifier.service import Checker

    checker = Checker(settings)

    def check(part: str) -> str:
        rows = [Row(number, fields, error) for number, fields, error in json.loads(part)]
        found = [one_row(row, lambda fields: result_to_dict(checker.verify(fields[CLAIM_FIELD]))) for row in rows]
        checker.close()  # a worker may be ended without notice
        return json.dumps(found)

    return check


def embed_many(texts: Sequence[str], plan: Plan, settings: Settings) -> NDArray[np.float32]:
    """Unit vectors of the texts, shape (texts, 384), made by several workers.

    Raises:
        VerifierError: a worker could not go on.
    """
    parts = [json.dumps(part) for part in portions(texts, plan.count, _TEXTS_AT_ONCE)]
    rows = [row for answer in run_parts(plan, start_embedding, settings, parts) for row in json.loads(answer)]
    return np.array(rows, dtype=np.float32).reshape(len(texts), -1)


def start_embedding(settings: Settings) -> Callable[[str], str]:
    """Load the embedder; what is returned takes texts and gives their vectors.

    Raises:
        ModelError: the weight file cannot be loaded.
    """
    from verifier.build import load_embedder

    embedder = load_embedder(settings)
    return lambda part: json.dumps(embedder.embed(json.loads(part)).tolist())


def portions(items: Sequence[_T], workers: int, most: int) -> list[list[_T]]:
    """Portions of at most `most`, small enough that every worker gets some, in order."""
    size = max(1, min(most, len(items) // workers))
    return [list(items[start : start + size]) for start in range(0, len(items), size)]
