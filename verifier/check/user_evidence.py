"""Read user evidence, and write findings as lines that a program can hand back.

A search line is `[EVIDENCE DB] Text: '...' | Source: https://...` or the same with `[WEB]`. A labelled claim is
`[FEVER DB] Claim: '...' | Label: SUPPORTS` or `[ISOT DB] Headline: '...' | Label: REAL`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from errors import InputError
from kb.intake.formats.claim_sets import Dataset
from kb.intake.formats.rows import MAX_TEXT, parse_fields
from kb.intake.labelled import LabelledHit
from kb.publishers.credibility import PublisherOf, SourceType
from kb.record import NewEvidence
from verifier.search.pages import rating_sentence

MISS = "NO_DB_MATCH"
NO_WEB_MATCH = "NO_WEB_MATCH"
MAX_GIVEN = 50_000
"""Most characters of all evidence together."""
MAX_PIECES = 100
_FOUND = re.compile(
    r"\[(?:EVIDENCE DB|WEB)\] Text: '(?P<text>.+)' \| Source: ?(?P<source>\S*)(?: \| Title: (?P<title>.*))?"
)
_LABELLED = re.compile(r"\[(?P<by>[\w-]{1,40}) DB\] (?:Claim|Headline): '(?P<claim>.+)' \| Label: (?P<label>.{1,200})")
_RATED = re.compile(r".{1,80} rated the claim \u201c.+\u201d: (?P<rating>.{1,100})\.")
_FIELD = re.compile(r"\|(?=\s*(?:Source|Title|Label)\s*:)", re.IGNORECASE)
_FOR = frozenset({"supports", "supported", "real", "true"})
_AGAINST = frozenset({"refutes", "refuted", "fake", "false", "pants-fire"})


def line_of(where: str, text: str, source: str, title: str = "") -> str:
    """Write a found text as a line."""
    told = f"[{where}] Text: '{_one_line(text)}' | Source: {_one_line(source).replace(' ', '%20')}"
    return f"{told} | Title: {_one_line(title)}" if title else told


def labelled_line(hit: LabelledHit) -> str:
    """Write a claim that others have labelled as a line."""
    found = hit.labelled
    name, label = ("Headline", found.label.upper()) if found.dataset is Dataset.ISOT else ("Claim", found.label)
    return f"[{found.dataset.display} DB] {name}: '{_one_line(found.claim)}' | Label: {_one_line(label)}"


def read_given(evidence: str | list[Any], publisher_of: PublisherOf) -> list[NewEvidence]:
    """Read evidence: a list of texts or rows, its JSON, lines as above, or prose.

    Pieces of prose are separated by an empty line. Each is one text of an unknown source. `NO_DB_MATCH` and the like
    are not evidence.

    Raises:
        InputError: it is none of these, is too long, has too many pieces, or has an unusable row.
    """
    if not isinstance(evidence, (str, list)):
        raise InputError(
            f"evidence must be a text, or a list of texts or objects with a text, not {str(evidence)[:40]!r}"
        )
    length = len(evidence if isinstance(evidence, str) else json.dumps(evidence, ensure_ascii=False))
    if length > MAX_GIVEN:
        raise InputError(f"evidence may have at most {MAX_GIVEN:,} characters, this has {length:,}; leave some out")
    rows = _json_rows(evidence) if isinstance(evidence, str) else evidence
    found = list(_from_rows(rows) if rows is not None else _from_lines(str(evidence), publisher_of))
    if len(found) > MAX_PIECES:
        raise InputError(f"evidence may have at most {MAX_PIECES} pieces, this has {len(found)}; leave some out")
    return found


def _json_rows(evidence: str) -> Sequence[object] | None:
    if not evidence.lstrip().startswith(("[{", '["', "[\n", "[ ")):
        return None
    try:
        found: object = json.loads(evidence)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _from_rows(rows: Iterable[object]) -> Iterator[NewEvidence]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, (str, dict)):
            raise InputError(f"evidence {number}: a row must be a text or an object with a text")
        try:
            yield parse_fields({"text": row} if isinstance(row, str) else row)
        except InputError as exc:
            raise InputError(f"evidence {number}: {exc}") from exc


def _from_lines(evidence: str, publisher_of: PublisherOf) -> Iterator[NewEvidence]:
    prose: list[str] = []
    for line in [*(line.strip() for line in evidence.splitlines()), ""]:
        found, labelled = _FOUND.fullmatch(line), _LABELLED.fullmatch(line)
        if line and not found and not labelled and line not in {MISS, NO_WEB_MATCH}:
            prose.append(line)
            continue
        yield from _prose(" ".join(prose))
        prose = []
        if found:
            source = found["source"]
            yield NewEvidence(
                found["text"], source, found["title"] or "", rating=_rating(found["text"], source, publisher_of)
            )
        elif labelled:
            text = rating_sentence(labelled["by"], labelled["claim"], labelled["label"])
            yield NewEvidence(text, rating=_plain_rating(labelled["label"]))


def _prose(text: str) -> Iterator[NewEvidence]:
    if any(sign.isalpha() for sign in text):
        yield NewEvidence(text)


def _rating(text: str, source: str, publisher_of: PublisherOf) -> str:
    """Return the rating in a fact-checker's line; anyone else's words are not a rating."""
    rated = _RATED.fullmatch(text)
    return rated["rating"] if rated and publisher_of(source).source_type is SourceType.FACT_CHECKER else ""


def _plain_rating(label: str) -> str:
    """Translate a data set's label into the words that fact-checkers use for ratings."""
    word = label.strip().lower()
    return "True" if word in _FOR else "False" if word in _AGAINST else label.strip()


def _one_line(text: str) -> str:
    """Put `text` on one line so that it cannot fake a source, title or label."""
    return _FIELD.sub("\u00a6", " ".join(text.split())[:MAX_TEXT])


def read_given_file(path: Path) -> list[NewEvidence]:
    """Read the evidence in a file of any format that a store accepts.

    A text, a page or a PDF is one piece, since one author wrote it.

    Raises:
        InputError: the file cannot be read, is of another kind, holds nothing, or has an unusable row: leaving that row
            out could change a verdict.
    """
    from kb.intake.ingest import BadRow, Format, Stored, WithVector, format_of, read_file
    from web.extract import extract_page

    found: list[NewEvidence] = []
    for item in read_file(path, extract_page):
        if isinstance(item, BadRow):
            raise InputError(f"{path.name}, line {item.line}: {item.reason}")
        if not isinstance(item, Stored):  # only a backup that is read back has these
            found.append(item.evidence if isinstance(item, WithVector) else item)
    if not found:
        raise InputError(f'{path.name}: no evidence in it; a line must be an object such as {{"text": "..."}}')
    if format_of(path) in {Format.JSONL, Format.CSV, Format.PARQUET}:
        return found
    return [replace(found[0], text="\n".join(item.text for item in found))]
