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
    """What to run: a file of cases or the name of a public set, how much of it, where results go.

    `evidence` is a JSON-lines file that a store of its own is filled with; without it, and without `kb`, that is the starter
    facts. With `given`, each case is judged by the texts of its own topic in it, and no store is searched. `out` is a CSV file for a line a case, `pictures` a folder for
    the confusion matrix, the reliability diagram and the coverage curve.
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
    """Run files of cases, test which confidence keeps each level, write the grades to `out`, and return a Markdown summary.

    Args:
        requests: one for each file of cases. Where all are to be judged by given texts, a file of which no topic has one is
            checked against the store.
        levels: shares of wrong verdicts, 0 to 1.
        out: where the grades go, as JSON.
        settings: of the checks; the web is never asked.
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
    """The cases of a file, by their given texts; by the store where `--evidence` has a text for none of their topics."""
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
