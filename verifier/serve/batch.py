"""Read many inputs from a file and write one JSON line for each, in order.

A stopped run resumes.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from errors import InputError, ModelError, VerifierError
from kb.intake.ingest import read_text

CLAIM_FIELD = "claim"
Work = Callable[[dict[str, str]], Mapping[str, Any]]
"""Fields of a row -> the fields of its result."""


@dataclass(frozen=True, slots=True)
class Row:
    """One input: its number (from 1), its fields, or why it cannot be used."""

    number: int
    fields: dict[str, str]
    error: str = ""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """The outcome of a run: rows written now, rows written before, and failed rows."""

    done: int
    skipped: int
    failed: int


def read_rows(path: Path, required: tuple[str, ...] = (CLAIM_FIELD,), most: int | None = None) -> list[Row]:
    """Read the rows of a .txt (one claim per line), .csv or .jsonl file.

    Each of the `required` fields must be text. With `most`, reading stops one row over it, because a file of a few MB
    can hold millions.

    Raises:
        InputError: the file cannot be read, is of another kind, or has no rows.
    """
    return _checked(islice(_found(path), None if most is None else most + 1), path.name, required)


def rows_of(text: str) -> list[Row]:
    """Read the rows of a text without a file name.

    It may be JSON lines, CSV with a column of claims, or one claim per line.

    Raises:
        InputError: it has no rows.
    """
    name = Path("standard input")
    first = next((line for line in text.splitlines() if line.strip()), "")
    columns = next(csv.reader([first]), [])
    reader = _from_jsonl if first.lstrip().startswith("{") else _from_csv if CLAIM_FIELD in columns else _from_lines
    return _checked(reader(text, name), name.name, (CLAIM_FIELD,))


def _checked(found: Iterable[Any], name: str, required: tuple[str, ...]) -> list[Row]:
    rows = [checked_row(number, row, required) for number, row in enumerate(found, start=1)]
    if not rows:
        raise InputError(f"{name}: no rows in it")
    return rows


def count_rows(path: Path, most: int) -> int:
    """Count the rows that `read_rows` would find, up to one over `most`.

    Raises:
        InputError: the file cannot be read, or is of another kind.
    """
    return sum(1 for _ in islice(_found(path), most + 1))


def _found(path: Path) -> Iterator[Any]:
    readers = {".txt": _from_lines, ".csv": _from_csv, ".jsonl": _from_jsonl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path.name}: a file must end in .txt, .csv or .jsonl")
    return reader(read_text(path), path)


def _from_lines(text: str, _: Path) -> Iterator[Any]:
    yield from ({CLAIM_FIELD: line.rstrip("\n")} for line in io.StringIO(text, newline="\n") if line.strip())


def _from_csv(text: str, path: Path) -> Iterator[Any]:
    table = csv.DictReader(io.StringIO(text.replace("\0", "")))
    if CLAIM_FIELD not in (table.fieldnames or ()):
        raise InputError(
            f"{path.name}: the first line must name a column {CLAIM_FIELD!r}, it names {', '.join(table.fieldnames or ()) or 'nothing'}"
        )
    rows = iter(table)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as exc:
            yield f"not CSV ({exc})"


def _from_jsonl(text: str, _: Path) -> Iterator[Any]:
    for line in io.StringIO(text, newline="\n"):  # no list of all lines, because there may be millions
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as exc:
                yield f"not JSON ({exc})"


def checked_row(number: int, found: Any, required: tuple[str, ...] = (CLAIM_FIELD,)) -> Row:  # noqa: ANN401
    """Make a row from what was found: an object, or why there is none."""
    if isinstance(found, str):
        return Row(number, {}, found)
    if not isinstance(found, dict):
        return Row(number, {}, f"a row must be an object with {' and '.join(required)}")
    fields = {name: found.get(name) for name in required}
    wrong = [name for name, value in fields.items() if not isinstance(value, str)]
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    return Row(number, texts, f"no text in the field {wrong[0]!r}" if wrong else "")


def run_batch(rows: list[Row], out: Path, work: Work, tick: Callable[[], None]) -> BatchReport:
    """Do `work` on every row not yet in `out`, and append one line for each.

    A row that cannot be used gets a line with status "failed" and its error, and the run goes on.

    Args:
        rows: the inputs.
        out: the file to append to; a last line cut short by a crash is removed first.
        work: fields of a row -> the fields of its result.
        tick: called after every row.

    Raises:
        InputError: `out` cannot be written, or holds the results of other rows.
        StoreError: the store failed; what was written stays.
    """
    return write_results(rows, out, lambda left: (one_row(row, work) for row in left), tick)


def write_results(
    rows: list[Row], out: Path, produce: Callable[[Sequence[Row]], Iterable[dict[str, Any]]], tick: Callable[[], None]
) -> BatchReport:
    """Work like `run_batch`, with `produce` making the results of all remaining rows, in order.

    Raises:
        InputError: `out` cannot be written, or holds the results of other rows.
        VerifierError: whatever `produce` raises; what was written stays.
    """
    done = _resume_point(rows, out)
    failed = 0
    try:
        with out.open("a", encoding="utf-8") as file:
            for result in produce(rows[done:]) if done < len(rows) else ():
                failed += result["status"] == "failed"
                file.write(json.dumps(result, ensure_ascii=False) + "\n")
                file.flush()
                tick()
    except OSError as exc:
        raise InputError(
            f"cannot write {out}: {exc.strerror or exc}; what was written stays, run the command again to go on"
        ) from exc
    return BatchReport(len(rows) - done, done, failed)


def checked_one_by_one(rows: list[Row], work: Work) -> Generator[dict[str, Any], None, None]:
    """Yield the result of each row as `run_batch` would write it.

    Raises:
        StoreError: the store failed.
    """
    yield from (one_row(row, work) for row in rows)


def one_row(
    row: Row, work: Work, failures: tuple[type[VerifierError], ...] = (InputError, ModelError)
) -> dict[str, Any]:
    """Do the work of a row.

    Returns its number and input, then its result or status "failed" and its error. `failures` are the errors that fail
    only the row; any other error ends the run.
    """
    head: dict[str, Any] = {"row": row.number, "input": row.fields.get(CLAIM_FIELD, "")}
    if row.error:
        return head | {"status": "failed", "error": row.error}
    try:
        return {**head, "status": "ok", **work(row.fields)}
    except failures as exc:
        return head | {"status": "failed", "error": str(exc)}


def _resume_point(rows: list[Row], out: Path) -> int:
    """Count the rows that `out` already holds."""
    if not out.exists():
        return 0
    try:
        content = out.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(out, len(whole))  # rewriting the file could lose it to a kill or a full disk
        held = [json.loads(line) for line in whole.split(b"\n")[:-1]]  # a claim may hold other line separators
        same = len(held) <= len(rows) and all(
            line["row"] == row.number and line["input"] == row.fields.get(CLAIM_FIELD, "")
            for line, row in zip(held, rows, strict=False)
        )
    except OSError as exc:
        raise InputError(f"cannot use {out}: {exc.strerror or exc}") from exc
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise InputError(
            f"{out} holds something else than the first results of this input: give another --out, or remove that file"
        )
    return len(held)
