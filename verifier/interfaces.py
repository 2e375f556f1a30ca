"""Define what the pipeline needs of a model, a store and a search.

Each has few methods, so that it can be replaced.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.record import NewEvidence
from kb.store.evidence_store import AddReport
from kb.store.fusion import Boost, Hit, Keep
from kb.store.usage import Usage
from models.llm.chat import Message
from models.llm.grammar import Schema


class Embedder(Protocol):
    """Texts -> unit vectors, shape (texts, 384)."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Classifier(Protocol):
    """One text, or a pair -> label probabilities."""

    def probabilities(self, *texts: str) -> dict[str, float]: ...


class StanceModel(Classifier, Protocol):
    """A claim and a text -> probabilities of the stances.

    Many pairs may be announced, to be read together.
    """

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None: ...


class Reranker(Protocol):
    """Query and texts -> relevance on the common logit-like scale, shape (texts,)."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Generator(Protocol):
    """An instruct model, within a deadline in seconds. A failure is a `ModelError`.

    `answer`: messages -> a JSON value of the schema. `likelihoods`: messages, the last continued by a text and then by
    one of the endings -> how likely the answer begins with each label, shape (endings, labels).
    """

    @property
    def name(self) -> str: ...

    def answer(
        self,
        messages: Sequence[Message],
        schema: Schema,
        *,
        max_tokens: int,
        temperature: float,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> object: ...

    def likelihoods(
        self,
        messages: Sequence[Message],
        text: str,
        endings: Sequence[str],
        labels: Sequence[str],
        *,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float64]: ...

    def count_tokens(self, text: str) -> int: ...


class Store(Protocol):
    """The evidence store, as far as a check uses it."""

    @property
    def version(self) -> int: ...

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        boost: Boost | None = None,
        *,
        keep: Keep | None = None,
    ) -> list[Hit]: ...

    def add(self, items: Sequence[NewEvidence]) -> AddReport: ...

    def record_usage(self, usages: Sequence[Usage]) -> None: ...

    def protect(self, version: int) -> None: ...
