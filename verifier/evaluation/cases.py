"""Read claims with their expected verdicts, from a file that a person wrote.

A .jsonl file has one object per line; a .csv file names its columns in the first line. `claim` and `expected` are
required; `id` (default: the row's number), `difficulty`, `kind`, `split` and `topic` are optional. A row of a .jsonl
file may also have `evidence`, the texts to judge by: strings, or objects with `text` and optionally `source` (or
`url`), `title`, `published_at` (or `published`) and `rating`. An empty list means that there is nothing to judge by;
without the field, the store is searched. Other fields are ignored.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errors import InputError
from kb.intake.ingest import MAX_TEXT, parse_row, read_text
from kb.record import NewEvidence
from verifier.schema import Verdict

_VERDICTS: dict[str, Verdict] = {
    **{verdict.value.lower(): verdict for verdict in Verdict},
    "supported": Verdict.TRUE,
    "supports": Verdict.TRUE,
    "refuted": Verdict.FALSE,
    "refutes": Verdict.FALSE,
    "mixed": Verdict.PARTIALLY_TRUE,
    "nei": Verdict.NOT_ENOUGH_EVIDENCE,
    "not enough info": Verdict.NOT_ENOUGH_EVIDENCE,
}
"""What `expected` may say, in lower case. A scale without "Misleading" calls what is neither true nor false mixed."""
_REQUIRED = ("claim", "expected")

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rationale:
    """Sentences of one document that together settle a claim, word for word.

    `source` is the document's address.
    """

    source: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One claim with its expected verdict.

    `given` is the evidence to judge by (None: the store is searched). `evidence_spans` are the sentences that its
    makers named as decisive, each sufficient alone; empty if they named none.
    """

    id: str
    claim: str
    expected: Verdict
    difficulty: str = ""
    kind: str = ""
    given: tuple[NewEvidence, ...] | None = None
    evidence_spans: tuple[Rationale, ...] = ()
    split: str = ""
    topic: str = ""


def read_cases(path: Path, split: str = "") -> list[Case]:
    """Read the cases of a .jsonl or .csv file, in its order; with `split`, only those of this one.

    Raises:
        InputError: the file cannot be read, is of another kind, has no rows, or has an unusable row: no claim, an
            unknown verdict, an id that an earlier row has.
    """
    readers = {".jsonl": jsonl_rows, ".csv": _csv_rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path.name}: a file of cases must end in .jsonl or .csv")
    cases = cases_of(reader(read_text(path), path.name), path.name)
    return [case for case in cases if split in ("", case.split)]


def with_texts_of_topic(cases: Sequence[Case], path: Path) -> list[Case]:
    """Limit each case to the texts of a JSON-lines file that share its `topic`.

    Raises:
        InputError: the file cannot be read, a row has no text, or a case's topic has none.
    """
    texts: dict[str, list[NewEvidence]] = {}
    for line, fields in jsonl_rows(read_text(path), path.name):
        where = f"{path.name}, line {line}"
        texts.setdefault(_text(fields, "topic", where), []).append(_piece(dict(fields), where))
    for case in cases:
        if case.topic not in texts:
            raise InputError(f"{path.name}: no text of the topic {case.topic!r}, which the case {case.id} needs")
    return [replace(case, given=tuple(texts[case.topic])) for case in cases]


def topics_of(path: Path) -> set[str]:
    """Return the topics of the texts in a JSON-lines file.

    Raises:
        InputError: the file cannot be read.
    """
    return {_text(fields, "topic", path.name) for _, fields in jsonl_rows(read_text(path), path.name)}


def cases_of(rows: Iterable[tuple[int, Fields]], name: str) -> list[Case]:
    """Build cases from (line number, fields) pairs; `name` is the file's, for errors.

    Raises:
        InputError: there are no rows, or one is unusable.
    """
    cases: list[Case] = []
    lines: dict[str, int] = {}
    for number, (line, fields) in enumerate(rows, start=1):
        case = _case(fields, number, f"{name}, line {line}")
        if case.id in lines:
            raise InputError(
                f"{name}, line {line}: the id {case.id!r} is that of line {lines[case.id]} too; every case needs an id of its own"
            )
        lines[case.id] = line
        cases.append(case)
    if not cases:
        raise InputError(f"{name}: no cases in it; it needs at least one row with {' and '.join(_REQUIRED)}")
    return cases


def jsonl_rows(text: str, name: str) -> Iterator[tuple[int, Fields]]:
    """Yield (line number, fields) from JSON-lines text.

    Only a line feed ends a row; blank lines are skipped.

    Raises:
        InputError: a line is not a JSON object.
    """
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                fields = json.loads(content)
            except (ValueError, RecursionError) as exc:
                raise InputError(f"{name}, line {line}: not JSON ({exc})") from exc
            if not isinstance(fields, dict):
                raise InputError(
                    f'{name}, line {line}: a row must be an object such as {{"claim": "...", "expected": "True"}}'
                )
            yield line, fields


def _csv_rows(text: str, name: str) -> Iterator[tuple[int, Fields]]:
    """Yield (number of a row's last line, fields); a quoted cell may span several lines."""
    table = csv.DictReader(io.StringIO(text.replace("\0", ""), newline=""), strict=True)
    try:
        columns = table.fieldnames or ()
        for column in _REQUIRED:
            if column not in columns:
                raise InputError(
                    f"{name}: the first line must name a column {column!r}, it names {', '.join(columns) or 'nothing'}"
                )
        for fields in table:
            if None in fields:  # csv puts leftover cells here; the claim before them may be cut short
                raise InputError(
                    f"{name}, line {table.line_num}: more cells than the {len(columns)} columns; put a text with commas in double quotes"
                )
            yield table.line_num, fields
    except csv.Error as exc:
        line = table.reader.line_num  # the table's own count lags if a row breaks off
        raise InputError(f"{name}, line {line}: not CSV ({exc}); close every double quote that opens a cell") from exc


def _case(fields: Fields, number: int, where: str) -> Case:
    claim = _text(fields, "claim", where)
    if not claim:
        raise InputError(f'{where}: no claim; every row needs a text in "claim"')
    name = fields.get("id")
    if isinstance(name, int):  # JSON files often number their rows
        name = str(name)
    return Case(
        id=_text({"id": name}, "id", where) or str(number),
        claim=claim,
        expected=verdict_of(fields.get("expected"), where),
        difficulty=_text(fields, "difficulty", where),
        kind=_text(fields, "kind", where),
        given=given_of(fields.get("evidence"), where),
        split=_text(fields, "split", where),
        topic=_text(fields, "topic", where),
    )


def verdict_of(value: object, where: str) -> Verdict:
    """Read a verdict; JSON's true and false count too: their names are verdicts."""
    found = _VERDICTS.get(" ".join(str(value).lower().split()))
    if found is None:
        said = "no expected verdict" if value in (None, "") else f"{str(value)[:60]!r} is not a verdict"
        allowed = (*Verdict, "Supported", "Refuted", "Mixed", "NEI", "NOT ENOUGH INFO")
        raise InputError(f'{where}: {said}; "expected" must be one of {", ".join(allowed)}')
    return found


def given_of(value: object, where: str) -> tuple[NewEvidence, ...] | None:
    """Read a row's evidence, a list of texts or objects; None if there is none.

    Raises:
        InputError: it is something else.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, list):
        raise InputError(
            f'{where}: "evidence" must be a list of texts or of objects with a text, not {type(value).__name__}; only .jsonl can hold one'
        )
    return tuple(_piece(item, f"{where}, evidence {number}") for number, item in enumerate(value, start=1))


def _piece(item: object, where: str) -> NewEvidence:
    fields = {"text": item} if isinstance(item, str) else item
    if not isinstance(fields, dict):
        raise InputError(f'{where}: must be a text or an object such as {{"text": "..."}}, not {type(item).__name__}')
    text = _text(fields, "text", where)
    if len(text) > MAX_TEXT:
        raise InputError(
            f"{where}: text must have at most {MAX_TEXT:,} characters, this one has {len(text):,}; give it as several pieces"
        )
    row = {
        "text": text,
        "source": fields.get("source") or fields.get("url"),
        "title": fields.get("title"),
        "published_at": fields.get("published_at") or fields.get("published"),
        "rating": fields.get("rating"),
    }
    try:  # via JSON, so that evidence follows one set of rules wherever it is read
        return parse_row(json.dumps(row))
    except InputError as exc:
        raise InputError(f"{where}: {exc}") from exc


def _text(fields: Fields, name: str, where: str) -> str:
    """Read a field, stripped of white space; "" if it is missing."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f'{where}: "{name}" must be text, not {type(value).__name__}')
    return value.strip()
