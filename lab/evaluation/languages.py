"""Measure claims in other languages: detected, translated by the instruct model, checked like their English.

Every claim comes with the same claim in English (tests/data/language_claims.jsonl). Both are checked with the bundled
models and the starter facts, the web off. A row for every claim goes to the error output as JSON.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tqdm import tqdm

from errors import InputError, ModelError
from lab.evaluation.figures import Figure
from verifier.build import find_assistant, load_embedder, load_models
from verifier.check.pipeline import Verifier
from verifier.claim.intake import clean_claim
from verifier.evaluation.stores import filled_store
from verifier.llm.assistant import Assistant, Limits
from verifier.settings import Settings
from verifier.text.language import foreign_language
from verifier.text.names import names_of
from verifier.text.numerals import ENGLISH, numerals

CLAIMS = Path("tests/data/language_claims.jsonl")
_SECONDS, _SEED, _ROOT = 120.0, 23, 4


@dataclass(frozen=True, slots=True)
class Row:
    """A claim in another language, its English, and the verdict that the starter facts allow."""

    id: str
    language: str
    claim: str
    english: str
    expected: str
    kind: str
    split: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a row.

    Without a valid `translation`, `failure` says why, and there is no verdict. `seconds` is the translation's time by
    the clock, `cpu_seconds` its processor time.
    """

    row: Row
    detected: str
    translation: str
    failure: str
    kept: bool
    verdict: str
    english_verdict: str
    seconds: float
    cpu_seconds: float


def read_rows(split: str, limit: int | None, path: Path = CLAIMS) -> list[Row]:
    """Read the rows of a split: at most `limit` per language, drawn with fixed seed."""
    rows = [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row.split == split]
    if limit is None:
        return rows
    draw, kept = random.Random(_SEED), list[Row]()
    for language in dict.fromkeys(row.language for row in rows):
        of_language = [row for row in rows if row.language == language]
        kept += draw.sample(of_language, min(limit, len(of_language)))
    draw.shuffle(kept)  # so a run that is cut short has seen all languages
    return kept


def evaluate(split: str, limit: int | None, settings: Settings) -> list[Figure]:
    """The figures of each language, and of all.

    Raises:
        InputError: there is no instruct model on this machine.
        ModelError: a model cannot be loaded.
    """
    assistant = find_assistant(settings)
    if assistant is None:
        raise InputError("there is no instruct model to translate: set VERIFIER_LLM=FILE.gguf")
    outcomes = list(measured(read_rows(split, limit), assistant, settings))
    groups = {
        language: [each for each in outcomes if each.row.language == language] for language in _languages(outcomes)
    }
    return [figure for name, found in (groups | {"all": outcomes}).items() for figure in figures_of(name, found)]


def measured(rows: Sequence[Row], assistant: Assistant, settings: Settings) -> Iterator[Outcome]:
    """Detect, translate and check each row."""
    settings = replace(settings, web=False)
    embedder = load_embedder(settings)
    models = load_models(settings, embedder)
    with filled_store(settings, embedder, None) as store:
        verifier = Verifier(models, store, None, settings)
        for row in tqdm(rows, desc="languages"):
            outcome = _outcome(row, assistant, verifier)
            tqdm.write(json.dumps(asdict(outcome), ensure_ascii=False))
            yield outcome


def _outcome(row: Row, assistant: Assistant, verifier: Verifier) -> Outcome:
    claim = clean_claim(row.claim)
    detected = foreign_language(claim)
    start, cpu, translation, failure = time.monotonic(), time.process_time(), "", ""
    try:
        translation = assistant.english(claim, Limits(_SECONDS), detected)
    except ModelError as exc:
        failure = str(exc)
    took, cost = time.monotonic() - start, time.process_time() - cpu
    english = str(verifier.verify(row.english, web=False).verdict)
    verdict = str(verifier.verify(translation, web=False).verdict) if translation else ""
    kept = bool(translation) and same_figures_and_names(row.english, translation)
    return Outcome(row, detected, translation, failure, kept, verdict, english, round(took, 2), round(cost, 2))


def same_figures_and_names(english: str, translation: str) -> bool:
    """Whether a translation keeps the figures and names of the English that a person wrote.

    It must have a word for every word of the names.
    """
    said = {value for numeral in numerals(translation, ENGLISH) for value in numeral.values}
    asked = [numeral.values[0] for numeral in numerals(english, ENGLISH) if numeral.needed]
    words = {word[:_ROOT] for word in _words(translation)}
    names = {word[:_ROOT] for name in names_of(english) for word in _words(name) if len(word) > 2}
    return said.issuperset(asked) and words.issuperset(names)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def figures_of(name: str, outcomes: Sequence[Outcome]) -> list[Figure]:
    """The shares of a group of outcomes, and the median seconds of a translation."""
    count = len(outcomes)

    def share(right: Sequence[bool]) -> float:
        return sum(right) / count

    values = {
        "detected": share([each.detected == each.row.language for each in outcomes]),
        "translated": share([bool(each.translation) for each in outcomes]),
        "figures and names kept": share([each.kept for each in outcomes]),
        "verdict of its English": share([each.verdict == each.english_verdict for each in outcomes]),
        "verdict right": share([each.verdict == each.row.expected for each in outcomes]),
        "English right": share([each.english_verdict == each.row.expected for each in outcomes]),
        "seconds": sorted(each.seconds for each in outcomes)[count // 2],
        "CPU seconds": sorted(each.cpu_seconds for each in outcomes)[count // 2],
    }
    return [Figure("languages", name, count, measure, value) for measure, value in values.items()]


def _languages(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({each.row.language for each in outcomes})
