"""Measure checked texts: planted errors found, false alarms, and what was chosen for checking."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from verifier.document.schema import DocumentResult, SentenceKind
from verifier.document.summary import Side
from verifier.evaluation.document_cases import LabelledSentence
from verifier.schema import Verdict

FLAGGED = frozenset({Side.CONTRADICTED, Side.MIXED})
"""The sides that tell a reader that something in a sentence is wrong."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled sentence and its result.

    `kind` is None if no sentence was found there, `side` is None without a claim.
    """

    document: str
    form: str
    text: str
    label: LabelledSentence
    exact: bool
    kind: SentenceKind | None
    worth: float
    side: Side | None
    verdicts: tuple[Verdict, ...]

    @property
    def flagged(self) -> bool:
        """Whether the reader was told that something is wrong here."""
        return self.side in FLAGGED


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """The figures of a run; shares are between 0 and 1, None without cases.

    planted_found: planted errors whose sentence was marked contradicted, or partly right or misleading;
        `_in_chat` for chatbot-style answers, `_of_checked` for those with a claim that was found and checked.
        planted_contradicted: those marked contradicted.
    false_alarms: per 100 true sentences, those marked so. contradicted_alarms: likewise.
    supported_precision: of sentences marked supported, those that are true.
    true_supported: of true sentences, those marked supported.
    score_error: mean distance, over texts, between the share of checked sentences marked supported (as in
        FActScore, Min et al., EMNLP 2023) and the share of them that are true.
    open_kept: of sentences that the evidence does not settle, those left open or not checked.
    worth_precision, worth_recall: of sentences with a claim, those worth checking, and the reverse.
    worth_average_precision: of sentences ranked by worth. kinds: sentences given the right kind.
    exact: sentences found with exactly their offsets. seconds: per checked claim, including reading the text.
    """

    documents: int
    sentences: int
    exact: float | None
    kinds: float | None
    worth_precision: float | None
    worth_recall: float | None
    worth_average_precision: float | None
    planted: int
    planted_found: float | None
    planted_contradicted: float | None
    planted_found_in_chat: float | None
    planted_found_of_checked: float | None
    true: int
    false_alarms: float | None
    contradicted_alarms: float | None
    supported_precision: float | None
    true_supported: float | None
    score_error: float | None
    open_kept: float | None
    seconds: float | None


_NAMES = {
    "documents": "texts",
    "sentences": "sentences",
    "exact": "sentences found with their exact offsets",
    "kinds": "sentences of the right kind",
    "worth_precision": "worth checking, of those checked",
    "worth_recall": "checked, of those worth checking",
    "worth_average_precision": "average precision of the ranking",
    "planted": "planted errors",
    "planted_found": "planted errors found",
    "planted_contradicted": "planted errors marked contradicted",
    "planted_found_in_chat": "planted errors found in chatbot-like answers",
    "planted_found_of_checked": "planted errors found, of those that were checked",
    "true": "true sentences",
    "false_alarms": "false alarms per 100 true sentences",
    "contradicted_alarms": "true sentences marked contradicted, per 100",
    "supported_precision": "true, of those marked supported",
    "true_supported": "marked supported, of those that are true",
    "score_error": "error of a text's share of supported statements",
    "open_kept": "left open, of those that the evidence does not settle",
    "seconds": "seconds per claim",
}


def figures_of(rows: Sequence[Judged], results: Sequence[DocumentResult]) -> DocumentFigures:
    """Compute the figures of a run."""
    planted = [row for row in rows if row.label.planted]
    true = [row for row in rows if row.label.expected is Verdict.TRUE]
    unsettled = [row for row in rows if row.label.expected is Verdict.NOT_ENOUGH_EVIDENCE]
    supported = [row for row in rows if row.side is Side.SUPPORTED]
    worth, claimed = [row for row in rows if row.label.worth], [row for row in rows if row.side is not None]
    alarms, contradicted = (
        _share(true, lambda row: row.flagged),
        _share(true, lambda row: row.side is Side.CONTRADICTED),
    )
    marks = [mark for result in results for mark in result.marks]
    return DocumentFigures(
        documents=len(results),
        sentences=len(rows),
        exact=_share(rows, lambda row: row.exact),
        kinds=_share(rows, lambda row: row.kind is row.label.kind),
        worth_precision=_share(claimed, lambda row: row.label.worth),
        worth_recall=_share(worth, lambda row: row.side is not None),
        worth_average_precision=average_precision([(row.worth, row.label.worth) for row in rows]),
        planted=len(planted),
        planted_found=_share(planted, lambda row: row.flagged),
        planted_contradicted=_share(planted, lambda row: row.side is Side.CONTRADICTED),
        planted_found_in_chat=_share([row for row in planted if row.form == "chatbot"], lambda row: row.flagged),
        planted_found_of_checked=_share([row for row in planted if row.verdicts], lambda row: row.flagged),
        true=len(true),
        false_alarms=None if alarms is None else 100 * alarms,
        contradicted_alarms=None if contradicted is None else 100 * contradicted,
        supported_precision=_share(supported, lambda row: row.label.expected is Verdict.TRUE),
        true_supported=_share(true, lambda row: row.side is Side.SUPPORTED),
        score_error=_score_error(rows),
        open_kept=_share(unsettled, lambda row: row.side in (None, Side.OPEN, Side.UNCHECKED)),
        seconds=sum(result.seconds for result in results) / len(marks) if marks else None,
    )


def _share(rows: Sequence[Judged], holds: Callable[[Judged], bool]) -> float | None:
    return sum(map(holds, rows)) / len(rows) if rows else None


def _score_error(rows: Sequence[Judged]) -> float | None:
    texts: dict[str, list[Judged]] = {}
    for row in rows:
        if row.label.expected is not None and row.side not in (None, Side.UNCHECKED):
            texts.setdefault(row.document, []).append(row)
    errors = [
        abs(sum((row.side is Side.SUPPORTED) - (row.label.expected is Verdict.TRUE) for row in some)) / len(some)
        for some in texts.values()
    ]
    return sum(errors) / len(errors) if errors else None


def average_precision(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Compute the average precision of (score, is relevant) pairs.

    Pairs with equal scores are taken together. None if no pair is relevant.
    """
    scores: NDArray[np.float64] = np.array([score for score, _ in pairs], dtype=np.float64)
    right: NDArray[np.bool_] = np.array([relevant for _, relevant in pairs], dtype=bool)
    if not right.any():
        return None
    total, before = 0.0, 0
    for threshold in np.unique(scores)[::-1]:
        taken = scores >= threshold
        hits = int((taken & right).sum())
        total += (hits - before) * hits / int(taken.sum())
        before = hits
    return total / int(right.sum())


def as_table(found: DocumentFigures) -> str:
    """Write the figures as a Markdown table."""
    lines = [f"| {name} | {_number(getattr(found, field))} |" for field, name in _NAMES.items()]
    return "\n".join(["| measure | value |", "| --- | --- |", *lines]) + "\n"


def _number(value: float | None) -> str:
    if value is None:
        return "\u2013"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def write_rows(rows: Iterable[Judged], path: Path) -> None:
    """Write a CSV line per sentence: what was expected, and what came out.

    Raises:
        InputError: the file cannot be written.
    """
    columns = ("document", "form", "text", "kind", "found_kind", "worth", "found_worth", "expected", "verdicts", "side")
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for row in rows:
                label = row.label
                verdicts = "; ".join(row.verdicts)
                expected = label.expected or ""
                asked = (row.document, row.form, row.text, label.kind, row.kind or "", str(label.worth).lower())
                writer.writerow((*asked, row.worth, expected, verdicts, row.side or ""))
    except OSError as exc:
        raise InputError(f"cannot write {path}: {exc.strerror or exc}; choose another place for it") from exc
