"""Read texts with labelled sentences and evidence, from a file that a person wrote.

One object per line: `id`, `split` (dev or test), `topic`, `form`, `text`, `sentences` and `evidence`. A sentence has
its `start` and `end` in the text, its `kind` (see `SentenceKind`), whether it is `worth` checking and, if so, the
`expected` verdict; `planted` marks a deliberate error. `evidence` is texts or objects as in a file of claims (see
`cases`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from errors import InputError
from kb.intake.ingest import read_text
from kb.record import NewEvidence
from verifier.document.schema import SentenceKind
from verifier.evaluation.cases import Fields, given_of, jsonl_rows, verdict_of
from verifier.schema import Verdict


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence with a person's labels; `expected` is None if it is not worth checking."""

    start: int
    end: int
    kind: SentenceKind
    worth: bool
    expected: Verdict | None
    planted: bool


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A text, its sentences, and the evidence that its claims are judged by."""

    id: str
    split: str
    topic: str
    form: str
    text: str
    sentences: tuple[LabelledSentence, ...]
    evidence: tuple[NewEvidence, ...]


def read_documents(path: Path) -> list[LabelledDocument]:
    """Read the texts of a file, in its order.

    Raises:
        InputError: the file cannot be read, has no rows, or has an unusable row.
    """
    found = [_document(fields, f"{path.name}, line {line}") for line, fields in jsonl_rows(read_text(path), path.name)]
    if not found:
        raise InputError(f"{path.name}: no texts in it; it needs at least one object with text, sentences and evidence")
    return found


def _document(fields: Fields, where: str) -> LabelledDocument:
    text, sentences = fields.get("text"), fields.get("sentences")
    if not isinstance(text, str) or not text.strip() or not isinstance(sentences, list) or not sentences:
        raise InputError(f'{where}: it needs a "text" and its "sentences", a list of objects')
    names = {name: str(fields.get(name, "")) for name in ("id", "split", "topic", "form")}
    labelled = tuple(_sentence(row, text, f"{where}, sentence {n}") for n, row in enumerate(sentences, start=1))
    return LabelledDocument(
        **names, text=text, sentences=labelled, evidence=given_of(fields.get("evidence"), where) or ()
    )


def _sentence(row: object, text: str, where: str) -> LabelledSentence:
    if not isinstance(row, dict):
        raise InputError(f"{where}: must be an object with start, end and kind")
    start, end, kind = row.get("start"), row.get("end"), row.get("kind")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise InputError(f"{where}: start and end must be two places in the text, which has {len(text)} characters")
    if kind not in set(SentenceKind):
        raise InputError(f'{where}: "kind" must be one of {", ".join(SentenceKind)}')
    worth, planted = row.get("worth") is True, row.get("planted") is True
    expected = verdict_of(row.get("expected"), where) if worth else None
    if planted and expected is not Verdict.FALSE:
        raise InputError(f'{where}: a planted error must be worth checking, and "expected" must be False')
    return LabelledSentence(start, end, SentenceKind(kind), worth, expected, planted)
