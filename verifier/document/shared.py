"""Share the work of one text's claims: vectors and what the store found are remembered, and the reader reads for several at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.record import NewEvidence
from kb.store.evidence_store import AddReport
from kb.store.fusion import Boost, Hit, Keep
from kb.store.usage import Usage
from verifier.check.gather import READ_FIRST
from verifier.check.pipeline import Verifier
from verifier.claim.intake import clean_claim
from verifier.claim.parsed import parse_claim
from verifier.claim.split import MAX_PARTS, split_claim
from verifier.evidence.retrieve import retrieve
from verifier.interfaces import Embedder, Store
from verifier.schema import Stage, VerificationResult
from verifier.settings import Settings
from verifier.text.sanitise import readable

WEB_SECONDS = 120.0
"""Seconds for which all claims of a text together may ask the web."""
_REMEMBERED = 5_000


class RememberingEmbedder:
    """An embedder that embeds no text twice, but where two threads ask for it at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length 1, shape (texts, 384).

        Raises:
            ModelError: the model failed on a text.
        """
        if not texts:
            return self._embedder.embed(texts)
        held = self._known
        known = {text: held[text] for text in set(texts) & held.keys()}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            found = dict(zip(new, self._embedder.embed(new), strict=True))
            self._known = found if len(held) > _REMEMBERED else held | found
            known |= found
        return np.array([known[text] for text in texts], dtype=np.float32)


class RememberingStore:
    """A store that is asked nothing twice, until something is added to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, int], list[Hit]] = {}

    @property
    def version(self) -> int:
        """The version of the store now."""
        return self._store.version

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        boost: Boost | None = None,
        *,
        keep: Keep | None = None,
    ) -> list[Hit]:
        """What the store finds; within one text the same question is always asked with the same vector and bounds."""
        hits = self._known.get((text, limit))
        if hits is None:
            hits = self._known[text, limit] = self._store.search(text, vector, limit, boost, keep=keep)
        return list(hits)

    def add(self, items: Sequence[NewEvidence]) -> AddReport:
        """Add to the store; what was found before is forgotten."""
        self._known.clear()
        return self._store.add(items)

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Note which records were used."""
        self._store.record_usage(usages)

    def protect(self, version: int) -> None:
        """Keep a version for a while."""
        self._store.protect(version)


class SharedVerifier:
    """A verifier for the claims of one text, which share what was embedded, found and read, and one time for the web."""

    def __init__(self, verifier: Verifier, store: Store | None, settings: Settings) -> None:
        """`verifier` and `store` do the work; `settings` are those of a single check."""
        self._models = replace(verifier.models, embedder=RememberingEmbedder(verifier.models.embedder))
        self._store = RememberingStore(store) if store else None
        self._verifier, self._settings = verifier, settings
        self._web_left, self._lock = WEB_SECONDS, threading.Lock()

    def verifier(self) -> Verifier:
        """What checks the next claim: it may ask the web for as long as is left to the whole text."""
        search = replace(self._settings.search, deadline=self.web_seconds())
        return self._verifier.sharing(self._models, self._store, replace(self._settings, search=search))

    def web_seconds(self) -> float:
        """For how long the next claim may ask the web."""
        return max(0.0, min(self._settings.search.deadline, self._web_left))

    def note(self, result: VerificationResult) -> None:
        """Take the time for which a check asked the web from what is left."""
        with self._lock:
            self._web_left -= sum(step.seconds for step in result.steps if step.stage is Stage.SEARCH)

    def prepare(self, claims: Sequence[str]) -> None:
        """Look for the evidence of several claims, and let the reader read all of it in full batches.

        Raises:
            ModelError: a model failed.
            StoreError: the store failed.
        """
        if self._store is None:
            return
        retrieval, pairs = self._settings.retrieval, []
        for statement in (part for claim in claims for part in _statements(claim)):
            found = retrieve(statement, self._store, self._models.embedder, retrieval, retrieval.top_k)
            pairs += [(statement, readable(piece.text)) for piece in found[:READ_FIRST]]
        self._models.stance.prefetch(pairs)


def _statements(claim: str) -> list[str]:
    """What of a claim the store will be asked for, part by part."""
    try:
        parsed = parse_claim(clean_claim(claim))
    except InputError:
        return []
    return [parse_claim(part).statement.text for part in split_claim(parsed)[:MAX_PARTS]]
