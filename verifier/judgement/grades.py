"""Read and write the grades of verdicts: tested thresholds of confidence, kept in `grades.json`.

They were tested with the weights and coefficients in use.
`python -m verifier evaluate --guarantee 0.05 --cases FILE --out verifier/judgement/grades.json` tests again. Grades
tested with other weights or coefficients are withdrawn: they promise nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from errors import InputError
from kb.record import Origin
from models.catalogue import WEIGHTS
from models.readers.record import read_record
from verifier.judgement.coefficients import FILE as COEFFICIENTS
from verifier.schema import Evidence, Verdict
from verifier.schema.grade import Grade

FILE = Path(__file__).parent / "grades.json"


class Kind(StrEnum):
    """What a verdict rests on: statements shipped with the store, the web, or user texts.

    `ALL` is never one verdict's kind: it stands for all tested kinds together.
    """

    STORE = "store"
    WEB = "web"
    GIVEN = "given"
    ALL = "all"


def kind_of(evidence: Sequence[Evidence]) -> Kind:
    """Return what a verdict rests on.

    Any piece from the web makes it the web, else any text of the user's (given or imported) decides.
    """
    origins = {piece.origin for piece in evidence}
    if origins & {Origin.WEB, Origin.FACT_CHECK}:
        return Kind.WEB
    return Kind.GIVEN if Origin.USER in origins else Kind.STORE


@dataclass(frozen=True, slots=True)
class Running:
    """Checksums of the weights and coefficients: the trained and fitted parts that confidence depends on."""

    weights: str
    coefficients: str


@dataclass(frozen=True, slots=True)
class Passed:
    """The loosest confidence threshold that passed for a kind of evidence, of `decided` decided verdicts."""

    kind: Kind
    threshold: float
    decided: int
    grade: Grade

    @property
    def coverage(self) -> float:
        """The share of decided verdicts that are at least this sure, 0 to 1."""
        return self.grade.n / self.decided


@dataclass(frozen=True, slots=True)
class Grades:
    """Everything that passed: the day, what ran, and the claim files (name -> SHA-256)."""

    day: date
    running: Running
    claims: dict[str, str]
    tested: tuple[Passed, ...]

    def of(self, verdict: Verdict, confidence: float, kind: Kind) -> Grade | None:
        """Return a verdict's strictest grade.

        None if it takes no side, or is less sure than what was tested.
        """
        if not verdict.decided:
            return None
        held = [each.grade for each in self.tested if each.kind is kind and confidence >= each.threshold]
        return min(held, key=lambda grade: grade.level, default=None)


def write(grades: Grades, path: Path) -> None:
    """Write the grades, for `in_use` to read.

    Raises:
        InputError: the file cannot be written.
    """
    rows = [
        {"kind": each.kind, "threshold": each.threshold, "decided": each.decided, "coverage": round(each.coverage, 4)}
        | asdict(each.grade)
        for each in grades.tested
    ]
    values = {"day": grades.day.isoformat(), "running": asdict(grades.running), "claims": grades.claims, "tested": rows}
    try:
        path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    except OSError as exc:
        raise InputError(f"cannot write {path}: {exc.strerror or exc}; choose another place for it") from exc


def read(path: Path) -> Grades:
    """Read the grades in a file, regardless of what they were tested with.

    Raises:
        InputError: there is no such file, or it holds something else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        tested = tuple(
            Passed(
                Kind(row["kind"]),
                float(row["threshold"]),
                int(row["decided"]),
                Grade(float(row["level"]), int(row["n"]), int(row["errors"]), float(row["bound"])),
            )
            for row in values["tested"]
        )
        return Grades(date.fromisoformat(values["day"]), Running(**values["running"]), values["claims"], tested)
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise InputError(
            f"{path}: no grades can be read from it ({exc}); make them with: python -m verifier evaluate --guarantee 0.05 --cases FILE --out {path}"
        ) from exc


def in_use(path: Path, readers: Path) -> Grades | None:
    """Read the grades at `path`; None if tested with other weights or coefficients than run.

    `readers` is the folder of an adopted reader.

    Raises:
        InputError: the file cannot be read.
        ModelError: the record of an adopted reader cannot be read.
    """
    found = read(path)
    return found if found.running == running(readers) else None


def running(readers: Path) -> Running:
    """Identify what runs: the bundled weights, any adopted reader, and the coefficients.

    Raises:
        ModelError: the record of an adopted reader cannot be read.
    """
    adopted = read_record(readers)
    return _running(tuple(entry.sha256 for entry in adopted.files) if adopted else ())


@lru_cache(maxsize=4)
def _running(adopted: tuple[str, ...]) -> Running:
    shipped = [WEIGHTS[role] for role in sorted(WEIGHTS)]
    weights = [f"{each.checksum} {each.temperature} {each.scale} {each.offset}" for each in shipped]
    return Running(_checksum("\n".join([*weights, *adopted])), checksum_of(COEFFICIENTS))


def checksum_of(path: Path) -> str:
    """Compute a text file's SHA-256, its first 16 digits, ignoring line-end style.

    Raises:
        OSError: it cannot be read.
    """
    return _checksum(path.read_text(encoding="utf-8"))


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
