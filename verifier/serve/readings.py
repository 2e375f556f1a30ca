"""Repeat a check by reading only the texts that are new to its claim.

A reading depends only on the two texts, the weights and the code that runs them. So it is kept under a hash of the
texts, and all readings are dropped when weights or code change. The file holds no text, and is a cache: without it,
everything is read again.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import models
from atomic import atomic_write
from models.readers.record import RECORD
from verifier.check.gather import Models
from verifier.interfaces import Reranker, StanceModel
from verifier.settings import Settings

MAX_READINGS = 200_000
"""Largest number kept; above it, only those that the last run asked for stay."""
_LOG = logging.getLogger(__name__)
Probabilities = dict[str, float]


class Readings:
    """The readings in one file.

    Safe to share between threads; one process at a time writes the file.
    """

    def __init__(self, path: Path, of: str) -> None:
        """Load the readings of the models `of` (see `models_in_use`); an unusable file counts as empty."""
        self._path, self._of = path, of
        self._known: dict[str, float | Probabilities] = {}
        self._used: set[str] = set()
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            if kept["of"] == of:
                self._known = dict(kept["readings"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return

    def over(self, found: Models) -> Models:
        """Return the models, with reranker and stance model run only for readings not kept."""
        return replace(found, reranker=_KeptReranker(found.reranker, self), stance=_KeptStance(found.stance, self))

    def get(self, key: str) -> float | Probabilities | None:
        """Return the reading with this key, or None, and mark the key as used."""
        self._used.add(key)
        return self._known.get(key)

    def put(self, key: str, reading: float | Probabilities) -> None:
        """Keep a reading."""
        self._known[key] = reading

    def save(self, whole: bool) -> None:
        """Write the file in one step; on a full disk the old one stays.

        With `whole`, keep only what was asked for since the file was loaded.
        """
        if whole or len(self._known) > MAX_READINGS:
            self._known = {key: reading for key, reading in self._known.items() if key in self._used}
        try:
            if not self._known:
                self._path.unlink(missing_ok=True)
                return
            with atomic_write(self._path) as fresh:
                fresh.write_text(json.dumps({"of": self._of, "readings": self._known}), encoding="utf-8")
        except OSError as exc:
            _LOG.warning("what was read of watched claims is not kept, and will be read again: %s", exc)


class _KeptReranker:
    """A reranker that runs only for relevance that is not kept."""

    def __init__(self, model: Reranker, kept: Readings) -> None:
        self._model, self._kept = model, kept

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Reranker`."""
        keys = [_key("relevance", query, text) for text in texts]
        found = [self._kept.get(key) for key in keys]
        missing = [at for at, reading in enumerate(found) if not isinstance(reading, float)]
        if missing:
            for at, score in zip(missing, self._model.scores(query, [texts[at] for at in missing]), strict=True):
                found[at] = float(score)
                self._kept.put(keys[at], float(score))
        return np.array(found, dtype=np.float32)


class _KeptStance:
    """A stance model that runs only for probabilities that are not kept."""

    def __init__(self, model: StanceModel, kept: Readings) -> None:
        self._model, self._kept = model, kept

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        """See `StanceModel`."""
        missing = [pair for pair in pairs if self._kept.get(_key("stance", *pair)) is None]
        if missing:
            self._model.prefetch(missing)

    def probabilities(self, *texts: str) -> Probabilities:
        """See `Classifier`."""
        key = _key("stance", *texts)
        reading = self._kept.get(key)
        if not isinstance(reading, dict):
            reading = self._model.probabilities(*texts)
            self._kept.put(key, reading)
        return dict(reading)


def _key(kind: str, *texts: str) -> str:
    """Return a hash of 16 bytes, as text."""
    packed = json.dumps([kind, *texts])  # ASCII, and different for any two lists of texts
    return hashlib.blake2b(packed.encode(), digest_size=16).hexdigest()


def models_in_use(settings: Settings) -> str:
    """Hash the code that runs the models and the record of an adopted reader.

    The code holds the checksums of the bundled weights.
    """
    told, adopted = hashlib.sha256(), settings.readers / RECORD
    code = sorted(Path(models.__path__[0]).rglob("*.py"))
    for path in (*code, *([adopted] if adopted.is_file() else [])):
        told.update(path.read_bytes())
    return told.hexdigest()
