"""Measure a bundled model, or another in its place, on public held-out data.

This is what `python -m lab.evaluation` runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from verifier.settings import Settings

if TYPE_CHECKING:
    from lab.evaluation.classifier import Classifier
    from lab.evaluation.figures import Figure

SUITES = ("stance", "pairs", "type", "worth", "relevance", "retrieval", "tasks", "languages", "retellings")


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: suite, public data, a model instead of the bundled one, and amount.

    `diagram` is where a reliability diagram of the suites stance and type goes, `answers` where the suite tasks keeps its answers.
    """

    suite: str
    data: Path | None = None
    model: Path | None = None
    split: str = "test"
    limit: int | None = None
    diagram: Path | None = None
    answers: Path | None = None


def evaluate(request: Request, settings: Settings) -> list[Figure]:
    """The figures of one suite, slow ones with a progress bar.

    Raises:
        InputError: the data folder is missing or lacks a file.
        ModelError: a model cannot be loaded.
    """
    if request.data is None and request.suite not in {"type", "pairs", "tasks", "languages", "retellings"}:
        raise InputError(f"suite {request.suite} needs public data: give its folder with --data DIR")
    if request.data is not None and not request.data.is_dir():
        raise InputError(f"{request.data} is not a folder: --data wants the one that holds pairs/, ranking/, ...")
    try:
        return _figures(request, settings)
    except FileNotFoundError as exc:
        raise InputError(f"the data folder {request.data} is not complete: {exc}") from exc


def _figures(request: Request, settings: Settings) -> list[Figure]:
    from verifier.build import build_verifier, load_claim_type, load_embedder, load_models, load_reader

    if request.suite == "type":
        from lab.evaluation import claim_type

        return claim_type.evaluate(load_claim_type(settings, request.model), request.data, request.diagram)
    if request.suite == "tasks":
        from lab.evaluation import tasks

        return tasks.evaluate(settings, request.limit, request.answers)
    if request.suite == "worth":
        from lab.evaluation import worth

        assert request.data
        return worth.evaluate(load_claim_type(settings, request.model), request.data, request.limit)
    if request.suite == "languages":
        from lab.evaluation import languages

        return languages.evaluate(request.split, request.limit, settings)
    if request.suite == "retellings":
        from lab.evaluation import retellings

        offline = replace(settings, web=False)
        models = load_models(offline, load_embedder(offline))
        return retellings.evaluate(build_verifier(offline, None, models), request.split, request.limit)
    if request.suite == "pairs":
        from lab.evaluation import pairs

        return pairs.evaluate(_stance_model(request, settings))
    assert request.data
    if request.suite == "stance":
        from lab.evaluation import stance

        model = _stance_model(request, settings)
        figures = stance.evaluate(model, request.data, request.split, request.limit, request.diagram)
        return figures + stance.decisive(model, request.data, request.split, request.limit)
    if request.suite == "retrieval":
        from lab.evaluation import retrieval

        return retrieval.evaluate(load_embedder(settings, request.model), request.data)
    from lab.evaluation import relevance

    return relevance.evaluate(load_reader(settings, request.model), load_embedder(settings), request.data)


def _stance_model(request: Request, settings: Settings) -> Classifier:
    """What ships, a reader in another folder, or any GGUF stance model."""
    from models.encoders.classifier import EncoderClassifier
    from models.reader import LABELS
    from verifier.build import load_reader, load_stance

    if request.model and request.model.is_file():
        return EncoderClassifier(request.model, settings.encoder_threads, LABELS)
    return load_reader(settings, request.model) if request.model else load_stance(settings)
