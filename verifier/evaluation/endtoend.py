"""`evaluate --suite endtoend`: the whole pipeline on a file of cases or a public set, with one of its parts left out or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from errors import InputError
from kb.record import NewEvidence
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evaluation import SETS
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evaluation.public import load_public, scifact_corpus
from verifier.evaluation.report import Row, as_markdown, draw_confusion, draw_coverage, draw_reliability, write_csv
from verifier.evaluation.run import ReadOnly, run_cases, selection
from verifier.evaluation.stores import filled_store
from verifier.interfaces import Store
from verifier.judgement.reliability import counted, write
from verifier.schema import VerificationResult
from verifier.settings import Settings


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """What to run: a file of cases or the name of a public set, how much of it, where results go.

    `evidence` is a JSON-lines file that a store of its own is filled with; without it, and without `kb`, that is the starter
    facts. With `given`, each case is judged by the texts of its own topic in it, and no store is searched. `out` is a CSV file for a line a case, `pictures` a folder for
    the confusion matrix, the reliability diagram and the coverage curve, `reliability` the table that the page quotes.
    """

    cases: str
    data: Path | None = None
    split: str = ""
    limit: int | None = None
    kb: str | None = None
    evidence: Path | None = None
    given: bool = False
    out: Path | None = None
    pictures: Path | None = None
    reliability: Path | None = None


def evaluate_endtoend(request: EndToEnd, settings: Settings, tick: Callable[[int], Callable[[], None]]) -> str:
    """Run the cases, write the files that were asked for, and return a Markdown summary.

    Args:
        request: what to run.
        settings: of the checks; the web is never asked.
        tick: number of cases -> what to call after each.

    Raises:
        InputError: the cases or a file cannot be read, or nothing is left to run.
        ModelError, StoreError: a model or the store cannot be used at all.
    """
    from verifier.build import load_embedder, load_models

    cases = read(request)
    settings = replace(settings, web=False)
    models = load_models(settings, load_embedder(settings))
    with _store(request, settings, models) as store:
        verifier = Verifier(models, ReadOnly(store), None, settings)
        judged = run_cases(cases, verifier, tick(len(cases)))
    rows = [row for row, _ in judged]
    if request.out:
        write_csv(rows, request.out)
    if request.reliability:
        write(counted([(row.confidence, row.correct) for row in rows if row.decided], len(rows)), request.reliability)
    if request.pictures:
        _draw(rows, request.pictures)
    return as_markdown(rows) + _selection(cases, [result for _, result in judged])


def read(request: EndToEnd) -> list[Case]:
    """The cases to run: of a public set by its name, or of a file; of one split where the file names splits."""
    if request.cases in SETS and not Path(request.cases).exists():
        if request.data is None:
            raise InputError(f"cases {request.cases} are public data: give its folder with --data DIR")
        return load_public(request.cases, request.data, request.limit)
    cases = read_cases(Path(request.cases))
    if any(case.split for case in cases):
        cases = [case for case in cases if request.split in ("", case.split)]
    if not cases:
        raise InputError(f"{request.cases}: no case of the split {request.split!r} in it")
    cases = cases[: request.limit]
    if request.given and request.evidence is None:
        raise InputError("--given needs --evidence FILE.jsonl, whose rows have a topic")
    return with_texts_of_topic(cases, request.evidence) if request.given and request.evidence else cases


@contextmanager
def _store(request: EndToEnd, settings: Settings, models: Models) -> Iterator[Store]:
    from verifier.build import open_store

    if request.kb:
        store = open_store(replace(settings, kb_uri=request.kb), models.embedder.embed)
        if not store.count():
            raise InputError(
                f"--kb {request.kb}: the store is empty; fill it first: python -m kb add FILE --kb {request.kb}"
            )
        yield store
        store.close()
        return
    texts: Path | list[NewEvidence] | None = request.evidence
    if request.cases == "scifact" and request.data:
        texts = scifact_corpus(request.data)
    with filled_store(settings, models.embedder, texts) as filled:
        yield filled


def _draw(rows: Sequence[Row], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise InputError(f"cannot make the folder {folder}: {exc.strerror or exc}") from exc
    draw_confusion(rows, folder / "confusion.png")
    draw_reliability(rows, folder / "reliability.png")
    draw_coverage(rows, folder / "coverage.png")


def _selection(cases: Sequence[Case], results: Sequence[VerificationResult | None]) -> str:
    """Precision, recall and F1 of the cited sentences, where the makers of a set named the decisive ones; else nothing."""
    counts = [
        selection(case, result) for case, result in zip(cases, results, strict=True) if result and case.evidence_spans
    ]
    if not counts:
        return ""
    hits, cited, gold = (sum(column) for column in zip(*counts, strict=True))
    precision, recall = hits / max(cited, 1), hits / gold
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return (
        f"\nSentence selection over {len(counts)} claims that have gold sentences: precision {precision:.3f}, "
        f"recall {recall:.3f}, F1 {f1:.3f}\n"
    )
