"""Keep verdicts a reader calls wrong, as cases for `python -m verifier evaluate --cases FILE`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from atomic import atomic_write
from errors import InputError, StoreError
from verifier.schema import Verdict, VerificationResult

MAX_NOTE = 1_000
MAX_BYTES = 20_000_000
_LOCK_SECONDS = 5


@dataclass(frozen=True, slots=True)
class WrongVerdict:
    """A reader's correction of a verdict: the one given, the right one, and why."""

    id: str
    claim: str
    given: Verdict
    expected: Verdict
    note: str = ""


def wrong_verdict(result: VerificationResult, expected: str, note: str) -> WrongVerdict:
    """Build a reader's correction of a result.

    Raises:
        InputError: `expected` is no verdict or is the one that was given, or the note is too long.
    """
    if expected not in list(Verdict):
        raise InputError(f"say which verdict is right: one of {', '.join(Verdict)}, not {expected[:40]!r}")
    if expected == result.verdict:
        raise InputError(f"the verdict was {expected} already; choose the one that is right")
    if len(note) > MAX_NOTE:
        raise InputError(f"the note must have at most {MAX_NOTE:,} characters, this one has {len(note):,}")
    return WrongVerdict(result.session_id, result.original_claim, result.verdict, Verdict(expected), note.strip())


def save_case(path: Path, wrong: WrongVerdict) -> None:
    """Add a case to the file, replacing one for the same check.

    Several processes may do so at once.

    Raises:
        StoreError: the file cannot be read or written, or is full.
    """
    row = {
        "id": wrong.id,
        "claim": wrong.claim,
        "expected": wrong.expected.value,
        "given": wrong.given.value,
        "note": wrong.note,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
            kept = [line for line in _lines(path) if _id_of(line) != wrong.id]
            with atomic_write(path) as fresh:
                fresh.write_text("\n".join([*kept, json.dumps(row, ensure_ascii=False), ""]), encoding="utf-8")
    except Timeout as exc:
        raise StoreError(f"the cases {path} are locked by another process; try again") from exc
    except (OSError, UnicodeDecodeError) as exc:
        raise StoreError(f"cannot use the cases {path}: {exc}; set VERIFIER_CASES to another file") from exc


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    if path.stat().st_size > MAX_BYTES:
        raise StoreError(
            f"the cases {path} have more than {MAX_BYTES // 10**6} MB; move them aside, or set VERIFIER_CASES"
        )
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _id_of(line: str) -> str:
    """Read a line's id; "" for a line written by hand, which stays unchanged."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return str(row.get("id", "")) if isinstance(row, dict) else ""
