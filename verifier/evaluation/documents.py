"""Run `evaluate --suite documents`: whole texts with labelled sentences, judged by their own evidence."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from errors import InputError
from kb.record import NewEvidence
from verifier.check.pipeline import Verifier
from verifier.document.export.pieces import gravest
from verifier.document.schema import DocumentResult, DocumentText, Sentence
from verifier.evaluation.document_cases import LabelledDocument, LabelledSentence, read_documents
from verifier.evaluation.document_measures import Judged, as_table, figures_of, write_rows
from verifier.schema import Step, VerificationResult
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.serve.checker import Checker

CASES = Path(__file__).parents[2] / "tests" / "data" / "documents.jsonl"
"""The texts that ship with the tests."""


class GivenChecker:
    """Checks claims by one text's evidence alone.

    It uses neither a store nor the web, and keeps nothing.
    """

    def __init__(self, verifier: Verifier, settings: Settings, evidence: Sequence[NewEvidence]) -> None:
        """`evidence` is what every claim is judged by."""
        self.verifier, self.settings, self._evidence = verifier, settings, evidence
        self.store = None

    def stream(
        self,
        claim: str,
        web: bool = False,
        given: Sequence[NewEvidence] | None = None,
        verifier: Verifier | None = None,
    ) -> Generator[Step, None, VerificationResult]:
        """Check a claim by the evidence."""
        return (verifier or self.verifier).stream(claim, False, self._evidence)


def evaluate_documents(
    path: Path,
    split: str,
    limit: int | None,
    out: Path | None,
    settings: Settings,
    tick: Callable[[int], Callable[[], None]],
) -> str:
    """Check a file's texts and return the figures as a table.

    Writes a line per sentence to `out` if given.

    Args:
        path: the texts, see `document_cases`.
        split: which of them, dev or test.
        limit: maximum number of texts.
        out: a CSV file.
        settings: of the checks; neither the store nor the web is used.
        tick: number of texts -> what to call after each.

    Raises:
        InputError: a file cannot be read or written, or no text is left.
        ModelError: a model cannot be used at all.
    """
    from verifier.build import load_embedder, load_models

    documents = [found for found in read_documents(path) if found.split in ("", split)][:limit]
    if not documents:
        raise InputError(f"{path.name}: no text of the split {split!r} in it")
    settings = replace(settings, web=False)
    verifier = Verifier(load_models(settings, load_embedder(settings)), None, None, settings)
    rows, results, done = list[Judged](), list[DocumentResult](), tick(len(documents))
    for document in documents:
        results.append(checked(document, verifier, settings))
        rows += judged(document, results[-1])
        done()
    if out:
        write_rows(rows, out)
    return as_table(figures_of(rows, results))


def checked(document: LabelledDocument, verifier: Verifier, settings: Settings) -> DocumentResult:
    """Check every claim of a text by its own evidence."""
    from verifier.document.check import check_document

    # the evidence replaces the store; a checker's log and counts are not part of a measurement
    checker = cast("Checker", GivenChecker(verifier, settings, document.evidence))
    steps = check_document(DocumentText(document.text, document.id), checker, max_claims=len(document.text), web=False)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(DocumentResult, end.value)


def judged(document: LabelledDocument, result: DocumentResult) -> list[Judged]:
    """Pair each labelled sentence with the one found there, and with its claims."""
    found = []
    for label in document.sentences:
        numbers = [n for n, sentence in enumerate(result.sentences) if _is_within(sentence, label)]
        marks = [mark for mark in result.marks if mark.claim.sentence in numbers]
        sentences = [result.sentences[number] for number in numbers]
        found.append(
            Judged(
                document.id,
                document.form,
                document.text[label.start : label.end],
                label,
                any((sentence.start, sentence.end) == (label.start, label.end) for sentence in sentences),
                sentences[0].kind if sentences else None,
                max((mark.claim.worth for mark in marks), default=0.0),
                gravest(marks) if marks else None,
                tuple(mark.result.verdict for mark in marks if mark.result),
            )
        )
    return found


def _is_within(sentence: Sentence, label: LabelledSentence) -> bool:
    """Return whether more than half of a found sentence lies in the labelled one."""
    return 2 * (min(sentence.end, label.end) - max(sentence.start, label.start)) > sentence.end - sentence.start
