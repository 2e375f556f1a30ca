"""How often verdicts of a confidence were right, as measured with the weights in use; `reliability.json` holds the figures.

`python -m verifier evaluate --cases FILE --reliability verifier/judgement/reliability.json` measures again. A
table that was measured with other weights or other coefficients promises nothing, and is not quoted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from models.catalogue import WEIGHTS
from verifier.judgement.coefficients import FILE as COEFFICIENTS

FILE = Path(__file__).parent / "reliability.json"
EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Confidences between which verdicts are counted together."""
LEAST = 20
"""A share of fewer verdicts than this is chance, and is not quoted."""


@dataclass(frozen=True, slots=True)
class Band:
    """Verdicts of a confidence from `least` to under `most`: how many were given, and how many of them were right."""

    least: float
    most: float
    given: int
    right: int

    @property
    def share(self) -> float:
        """The share of right ones, 0 to 1."""
        return self.right / self.given if self.given else 0.0


@dataclass(frozen=True, slots=True)
class Reliability:
    """What was measured on so many claims, with the weights of this fingerprint."""

    weights: str
    claims: int
    bands: tuple[Band, ...]

    @property
    def whole(self) -> Band:
        """All verdicts together."""
        return Band(EDGES[0], EDGES[-1], sum(band.given for band in self.bands), sum(band.right for band in self.bands))

    def at(self, confidence: float) -> Band | None:
        """The verdicts of about this confidence; None where they were too few to say anything."""
        found = next((band for band in self.bands if band.least <= confidence < band.most), None)
        return found if found and found.given >= LEAST else None


def counted(verdicts: Iterable[tuple[float, bool]], claims: int) -> Reliability:
    """The table of decided verdicts, each with its confidence and whether it was right, of so many claims."""
    rows = list(verdicts)
    bands = []
    for least, most in zip(EDGES, EDGES[1:], strict=False):
        here = [right for confidence, right in rows if least <= confidence < most]
        bands.append(Band(least, most, len(here), sum(here)))
    return Reliability(fingerprint(), claims, tuple(bands))


def write(measured: Reliability, path: Path) -> None:
    """Write the table, for `measured_with_these_weights` to read."""
    path.write_text(json.dumps(asdict(measured), indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Reliability | None:
    """The table, where there is one and it was measured with the weights in use."""
    if not path.is_file():
        return None
    values = json.loads(path.read_text(encoding="utf-8"))
    found = Reliability(values["weights"], values["claims"], tuple(Band(**band) for band in values["bands"]))
    return found if found.weights == fingerprint() else None


@lru_cache(maxsize=1)
def measured_with_these_weights() -> Reliability | None:
    """The table that ships, read once."""
    return read(FILE)


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Identifies all that confidence depends on and that is trained or fitted: the weights and the coefficients."""
    parts = [*(WEIGHTS[role].checksum for role in sorted(WEIGHTS)), COEFFICIENTS.read_text(encoding="utf-8")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
