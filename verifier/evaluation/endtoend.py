"""Run `evaluate --suite endtoend`: the whole pipeline on cases or a public set.

One of its parts may be left out.
"""

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
from verifier.evaluation.cases import Case, read_cases, topics_of, with_texts_of_topic
from verifier.evaluation.guarantee import Judged, decided_of, grades_as_markdown, grades_of
from verifier.evaluation.public import load_public, scifact_corpus
from verifier.evaluation.report import Row, as_markdown, draw_confusion, draw_coverage, draw_reliability, write_csv
from verifier.evaluation.run import ReadOnly, run_cases, selection
from verifier.evaluation.stores import filled_store
from verifier.interfaces import Store
from verifier.judgement.grades import running, write
from verifier.schema import VerificationResult
from verifier.settings import Settings


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """What to run (a file of cases or a public set), how much, where results go.

    `evidence` is a JSON-lines file that fills a separate store; without it, and without `kb`, the store has the starter
    facts. With `given`, each case is judged by the file's texts on its own topic, and no store is searched. `out` is a
    CSV file with a line per case. `pictures` is a folder for the confusion matrix, the reliability diagram and the
    coverage curve.
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


def evaluate_endtoend(request: EndToEnd, settings: Settings, tick: Callable[[int], Callable[[], None]]) -> str:
    """Run the cases, write the requested files, and return a Markdown summary.

    Args:
        request: what to run.
        settings: of the checks; the web is never used.
        tick: number of cases -> what to call after each.

    Raises:
        InputError: the cases or a file cannot be read, or nothing is left to run.
        ModelError, StoreError: a model or the store cannot be used at all.
    """
    from verifier.build import load_embedder, load_models

    cases = read(request)
    settings = replace(settings, web=False)
    models = load_models(settings, load_embedder(settings))
    judged = _judged(request, cases, models, settings, tick)
    rows = [row for row, _ in judged]
    if request.out:
        write_csv(rows, request.out)
    if request.pictures:
        _draw(rows, request.pictures)
    return as_markdown(rows) + _selection(cases, [result for _, result in judged])


def evaluate_guarantee(
    requests: Sequence[EndToEnd],
    levels: Sequence[float],
    out: Path,
    settings: Settings,
    tick: Callable[[int], Callable[[], None]],
) -> str:
    """Run files of cases and test which confidence keeps each level.

    Writes the grades to `out` and returns a Markdown summary.

    Args:
        requests: one for each file of cases. If all are to be judged by given texts, a file whose topics all lack one
            is checked against the store.
        levels: shares of wrong verdicts, 0 to 1.
        out: where the grades go, as JSON.
        settings: of the checks; the web is never used.
        tick: number of cases -> what to call after each.

    Raises:
        InputError: the cases or a file cannot be read, or nothing is left to run.
        ModelError, StoreError: a model or the store cannot be used at all.
    """
    from verifier.build import load_embedder, load_models

    asked = [_by_given_or_store(request) for request in requests]
    settings = replace(settings, web=False)
    models = load_models(settings, load_embedder(settings))
    judged = [row for request, cases in asked for row in _judged(request, cases, models, settings, tick)]
    files = [Path(request.cases) for request in requests]
    grades = grades_of(decided_of(judged), levels, running(settings.readers), files)
    write(grades, out)
    return f"{as_markdown([row for row, _ in judged])}\n{grades_as_markdown(grades, levels)}"


def _by_given_or_store(request: EndToEnd) -> tuple[EndToEnd, list[Case]]:
    """Read a file's cases, to be judged by their given texts.

    If `--evidence` has no text for any of their topics, they are judged by the store.
    """
    if request.given and request.evidence:
        by_store = replace(request, given=False, evidence=None)
        cases = read(by_store)
        if not {case.topic for case in cases} & topics_of(request.evidence):
            return by_store, cases
    return request, read(request)


def _judged(
    request: EndToEnd,
    cases: Sequence[Case],
    models: Models,
    settings: Settings,
    tick: Callable[[int], Callable[[], None]],
) -> list[Judged]:
    with _store(request, settings, models) as store:
        return run_cases(cases, Verifier(models, ReadOnly(store), None, settings), tick(len(cases)))


def read(request: EndToEnd) -> list[Case]:
    """Read the cases to run, from a public set by name or from a file.

    If the file names splits, only one split is read.
    """
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
    texts: Path | list[NewEvidence] | None = [] if request.given else request.evidence
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
    """Report precision, recall and F1 of the cited sentences.

    Reports nothing unless the set's makers named the decisive sentences.
    """
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
