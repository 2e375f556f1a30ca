"""Fit how to use the instruct model on this machine, or measure what was fitted.

python -m lab.evaluation.cascade fit --readings FILE [--pairs N] [--claims N] [--write]
python -m lab.evaluation.cascade measure --readings FILE [--claims N]

Fitted are how the model reads evidence, when to ask it and how far to trust it. `fit` uses development rows alone:
labelled texts for the calibration and the weight, then claims of the invented news for the threshold. It takes the
lowest threshold whose verdicts are within half a point of the best. `measure` judges claims of the test half, once by
the small models and once with both, with a 95% interval of the difference. The file of readings keeps what the model
says of a text, so a stopped run can resume, and a fit can be repeated without the model.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tqdm import tqdm

from errors import InputError, exit_status
from kb.record import NewEvidence
from lab.evaluation.gathered import with_evidence
from lab.evaluation.readings import (
    SEED,
    Array,
    Readings,
    Text,
    chances,
    difference,
    fit_calibration,
    loss,
    pooled,
)
from lab.evaluation.retellings import read_retellings
from models.hub.download import find_local
from models.llm.generator import Generator
from models.metrics import expected_calibration_error
from models.pairs import DEV, news_pairs, reader_pairs
from verifier.build import load_embedder, load_models
from verifier.check.gather import Models
from verifier.claim.parsed import ParsedClaim, parse_claim
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evidence.retrieve import from_texts
from verifier.judgement.cascade import excerpts, fused, of_claim, unsure
from verifier.judgement.stance import judge_stances
from verifier.judgement.verdict import Circumstances, judge
from verifier.llm import likelihood
from verifier.llm.likelihood import Calibration
from verifier.schema import Advice, Evidence, Judgement
from verifier.settings import Settings

_OWN = Path("tests/data")
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_NEARLY = 0.005
_LABELS = "SRN"

Ask = Callable[[str, str], Array]
"""A statement and a text -> the model's likelihoods, shape (orders, stances)."""


@dataclass(frozen=True, slots=True)
class Read:
    """A claim, its right verdict, evidence, small models' judgement, and the instruct model's readings."""

    case: Case
    claim: ParsedClaim
    evidence: list[Evidence]
    around: Circumstances
    alone: Judgement
    readings: list[Array]


@dataclass(frozen=True, slots=True)
class Row:
    """A threshold's shares of claims put to the instruct model, and of right verdicts."""

    threshold: float
    asked: float
    right: float


def labelled_texts(models: Models, ask: Ask, count: int) -> list[Text]:
    """Read development texts that trained no model: retellings, pairs for the reader, and invented news."""
    rng = random.Random(SEED)
    sets = [[(row["claim"], row["passage"], row["stance"][0]) for row in read_retellings(DEV)]]
    sets += [
        [(p.claim, p.evidence, p.label) for p in pairs() if p.split == DEV] for pairs in (reader_pairs, news_pairs)
    ]
    rows = [row for found in sets for row in rng.sample(found, min(count // len(sets), len(found)))]
    return [_read_text(claim, text, label, models, ask) for claim, text, label in tqdm(rows, desc="texts")]


def _read_text(sentence: str, text: str, label: str, models: Models, ask: Ask) -> Text:
    claim = parse_claim(sentence)
    pieces = judge_stances(claim, from_texts([NewEvidence(text)]), models.stance, models.reranker)
    (excerpt,) = excerpts(claim, pieces)
    stance = pieces[0].stance
    assert stance is not None
    theirs = ask(claim.statement.text, excerpt)
    ours = np.array([stance.supports, stance.refutes, stance.neutral])
    return Text(ours, theirs[:, [1, 0, 2]] if claim.denied else theirs, _LABELS.index(label))


def read_claims(cases: Sequence[Case], models: Models, ask: Ask, settings: Settings) -> list[Read]:
    """Judge the claims that state one thing and have evidence.

    The instruct model reads them too where a threshold would ask for it.
    """
    found = []
    for case, plan, evidence in with_evidence("claims", cases, models, None, settings):
        around = Circumstances(plan.time_bound, datetime.now(UTC))
        alone = judge(plan.claim, evidence, around)
        asked = bool(evidence) and unsure(alone, max(THRESHOLDS))
        texts = excerpts(plan.claim, evidence) if asked else []
        readings = [ask(plan.claim.statement.text, text) for text in texts]
        found.append(Read(case, plan.claim, evidence, around, alone, readings))
    return found


def verdict_of(each: Read, calibration: Calibration, weight: float) -> Judgement:
    """The judgement by both models."""
    advice = of_claim(each.claim, Advice(tuple(calibration.stance(readings) for readings in each.readings)))
    return judge(each.claim, fused(each.evidence, advice, weight), each.around)


def rows_of(read: Sequence[Read], calibration: Calibration, weight: float) -> list[Row]:
    """What every threshold is worth."""
    return [
        Row(threshold, float(np.mean([_asked(each, threshold) for each in read])), float(np.mean(right)))
        for threshold in THRESHOLDS
        for right in [right_of(read, calibration, weight, threshold)]
    ]


def right_of(read: Sequence[Read], calibration: Calibration, weight: float, threshold: float) -> list[bool]:
    """Whether the verdict on each claim is right, with the model asked below the threshold."""
    both = [verdict_of(each, calibration, weight) if _asked(each, threshold) else each.alone for each in read]
    return [judgement.verdict is each.case.expected for judgement, each in zip(both, read, strict=True)]


def _asked(each: Read, threshold: float) -> bool:
    return bool(each.readings) and unsure(each.alone, threshold)


def chosen(rows: Sequence[Row]) -> Row:
    """Choose the row of the lowest threshold that is nearly as good as the best.

    A question costs seconds.
    """
    best = max(row.right for row in rows)
    return next(row for row in rows if row.right >= best - _NEARLY)


def told_of_texts(texts: Sequence[Text], calibration: Calibration) -> list[str]:
    """Accuracy, calibration error and cross-entropy of each model and of both, one line per weight."""
    truth = [text.truth for text in texts]
    ours, theirs = chances(texts, calibration)
    rows = [("the instruct model alone", theirs)] + [(f"both, weight {w:g}", pooled(ours, theirs, w)) for w in WEIGHTS]
    lines = ["| of the texts | right | calibration error | cross-entropy |", "|---|---|---|---|"]
    for name, shares in rows:
        right = (shares.argmax(axis=1) == np.array(truth)).mean()
        lines.append(
            f"| {name} | {right:.3f} | {expected_calibration_error(shares, np.array(truth)):.3f} | {loss(shares, truth):.3f} |"
        )
    return lines


def fit(models: Models, ask: Ask, settings: Settings, pairs: int, cases: Sequence[Case]) -> tuple[Calibration, str]:
    """Fit on development rows; return the calibration, and what to print.

    Raises:
        InputError: there is nothing to fit on.
    """
    texts = labelled_texts(models, ask, pairs)
    read = read_claims(cases, models, ask, settings)
    if not texts or not read:
        raise InputError("there is nothing to fit on; ask for more pairs and claims")
    calibration = fit_calibration(texts)
    ours, theirs = chances(texts, calibration)
    weight = min(WEIGHTS, key=lambda w: loss(pooled(ours, theirs, w), [text.truth for text in texts]))
    rows = rows_of(read, calibration, weight)
    best = chosen(rows)
    lines = [*told_of_texts(texts, calibration), "", f"{len(read)} claims, weight {weight:g}"]
    lines += ["| asked below | share asked | right |", "|---|---|---|"]
    lines += [f"| {row.threshold:g} | {row.asked:.0%} | {row.right:.1%} |" for row in rows]
    set_ = f"VERIFIER_CASCADE={best.threshold:g} VERIFIER_LLM_TRUST={weight:g}"
    return calibration, "\n".join([*lines, "", str(calibration), set_])


def measure(models: Models, ask: Ask, settings: Settings, cases: Sequence[Case], name: str) -> str:
    """Compare the small models alone with both, by the current calibration and settings."""
    read = read_claims(cases, models, ask, settings)
    judged, calibration = settings.judgement, likelihood.calibration_of(name)
    lines = [f"{len(read)} claims, {calibration}"]
    alone = right_of(read, calibration, judged.trust, 0.0)
    for threshold in THRESHOLDS[1:]:
        both = right_of(read, calibration, judged.trust, threshold)
        gain, low, high = difference(alone, both)
        lines.append(
            f"asked below {threshold:g}, weight {judged.trust:g}: alone {np.mean(alone):.3f}, both {np.mean(both):.3f}, "
            f"difference {gain:+.3f} (95% interval {low:+.3f} to {high:+.3f})"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after printing an error in one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("fit", "measure"))
    parser.add_argument("--readings", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--claims", type=int, default=80)
    parser.add_argument("--write", action="store_true", help="put the calibration into verifier/llm/calibration.json")
    args = parser.parse_args(arguments)
    return exit_status(lambda: _run(args), "stopped")


def _run(args: argparse.Namespace) -> None:
    settings = replace(Settings.from_env(), web=False)
    path = find_local(settings.llm)
    if path is None:
        raise InputError("there is no instruct model on this machine; run: python -m models download")
    model = Generator(path, settings.threads)
    ask = Readings(args.readings, lambda: model)
    models = load_models(settings, load_embedder(settings))
    split = DEV if args.task == "fit" else "test"
    cases = read_cases(_OWN / "news_claims.jsonl", split)
    cases = random.Random(SEED).sample(cases, min(args.claims, len(cases)))
    cases = with_texts_of_topic(cases, _OWN / "news_passages.jsonl")
    if args.task == "measure":
        sys.stdout.write(measure(models, ask, settings, cases, model.name) + "\n")
        return
    calibration, told = fit(models, ask, settings, args.pairs, cases)
    if args.write:
        likelihood.keep(model.name, calibration, f"{args.pairs} development texts, {datetime.now(UTC):%Y-%m-%d}")
    sys.stdout.write(told + "\n")


if __name__ == "__main__":
    sys.exit(main())
