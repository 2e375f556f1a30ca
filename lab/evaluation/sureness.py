"""Fit how likely a verdict is right, and write it to `verifier/judgement/coefficients.json`.

python -m lab.evaluation.sureness [--own tests/data]

This depends on how hard the evidence was to read. There are two logistic regressions (`verifier.judgement.sureness`):
for verdicts that take a side, and for claims that are left open.

Data: the development parts of the starter facts' claims, the blind and the fresh claims, checked by the store, and of
the news claims and the claims for the grades, checked by their topics' texts. The writers of blind and
fresh claims had seen no fact. Nearly all of these are true or false, so only their decided verdicts are used. Only claims
that state one thing and are decided by votes count.

Run `lab.evaluation.fit` first: the regressions start from its probabilities. A ridge penalty on features of unit
variance keeps the weights small (Hoerl and Kennard, 1970).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from lab.evaluation.fit import part, write
from models.pairs import DEV
from verifier.build import load_embedder, load_models
from verifier.check.pipeline import Verifier
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evaluation.measures import Row
from verifier.evaluation.run import ReadOnly, run_cases
from verifier.evaluation.stores import filled_store
from verifier.judgement import sureness, verdict
from verifier.judgement.verdict import FEATURES, chances_of, features_of
from verifier.judgement.votes import votes_of
from verifier.schema import Judgement, Verdict, VerificationResult
from verifier.settings import Settings

_PENALTY, _STEPS = 5.0, 50
_GRADED = 360
"""How many claims for the grades are fitted on, by whole topics drawn at random.

Eight numbers need no more.
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """Features of a judgement (`sureness.DECIDED` or `sureness.OPEN`), and whether it is the expected one."""

    decided: bool
    features: tuple[float, ...]
    right: bool


def fit(rows: Sequence[tuple[Sequence[float], bool]]) -> tuple[Tensor, Tensor]:
    """Fit one regression, for right and wrong, by Newton's method.

    The weights have shape (2, features) and the bias has shape (2,).
    """
    values = torch.tensor([list(features) for features, _ in rows], dtype=torch.float64)
    truth = torch.tensor([right for _, right in rows], dtype=torch.float64)
    mean, spread = values.mean(0), values.std(0).clamp(min=1e-6)
    scaled = torch.cat([(values - mean) / spread, torch.ones(len(rows), 1, dtype=torch.float64)], 1)
    held = torch.diag(torch.tensor([*[_PENALTY] * values.shape[1], 1e-6], dtype=torch.float64))
    found = torch.zeros(scaled.shape[1], dtype=torch.float64)
    for _ in range(_STEPS):
        chance = torch.sigmoid(scaled @ found)
        slope = scaled.T @ (chance - truth) + held @ found
        curve = (scaled.T * (chance * (1 - chance))) @ scaled + held
        found = found - torch.linalg.solve(curve, slope)
    weights = found[:-1] / spread
    bias = found[-1] - (weights * mean).sum()
    return torch.stack([weights, torch.zeros_like(weights)]), torch.stack([bias, torch.zeros_like(bias)])


def parts_of(rows: Sequence[Judged]) -> dict[str, dict[str, object]]:
    """Both regressions as the file of coefficients has them."""
    found = {}
    for name, decided, features in (("decided", True, sureness.DECIDED), ("left_open", False, sureness.OPEN)):
        weights, bias = fit([(row.features, row.right) for row in rows if row.decided is decided])
        found[name] = part((sureness.RIGHT, "wrong"), features, weights, bias)
    return found


def rows_of(row: Row, result: VerificationResult | None, least: float) -> Iterator[Judged]:
    """Yield the features of a verdict on a claim that states one thing.

    There are none for other claims, and none where a rating or two figures decided. A verdict whose confidence is below
    `least` is withheld in use, so it is a claim left open too.
    """
    if result is None or result.parts or result.plain is None:
        return
    if not result.verdict.decided:
        features = sureness.open_features(result.plain, bool(result.held_back), result.evidence)
        yield Judged(False, features, row.correct)
        return
    time_bound = make_plan(parse_claim(result.claim)).time_bound
    values = features_of(votes_of(result.evidence, time_bound, result.checked_at))
    votes = dict(zip(FEATURES, values, strict=True))
    found = Judgement(result.verdict, result.confidence, result.tier, plain=result.plain)
    features = sureness.decided_features(found, votes["supports_1"], votes["refutes_1"], result.evidence)
    yield Judged(True, features, row.correct)
    if result.confidence < least:
        open_ = chances_of(values)[Verdict.NOT_ENOUGH_EVIDENCE]
        features = sureness.open_features(max(open_, 0.5), True, result.evidence)
        yield Judged(False, features, row.expected is Verdict.NOT_ENOUGH_EVIDENCE)


def cases_of(own: Path) -> list[Case]:
    """Read the development claims, with the texts to judge them by where they have some."""
    plain, news, graded = (read_cases(own / f"{name}claims.jsonl", DEV) for name in ("", "news_", "guarantee_"))
    topics = sorted({case.topic for case in graded})
    random.Random(1).shuffle(topics)
    drawn = sorted(graded, key=lambda case: topics.index(case.topic))[:_GRADED]
    return [
        *plain,
        *with_texts_of_topic(news, own / "news_passages.jsonl"),
        *with_texts_of_topic(drawn, own / "guarantee_passages.jsonl"),
    ]


def settled_cases_of(own: Path) -> list[Case]:
    """Read the development claims of the sets in which nearly every claim is true or false."""
    return [case for name in ("blind", "fresh") for case in read_cases(own / f"{name}_claims.jsonl", DEV)]


def main() -> None:
    """Fit and write, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own", type=Path, default=Path("tests/data"))
    own: Path = parser.parse_args().own
    settings = replace(Settings(), web=False)
    models = load_models(settings, load_embedder(settings))
    cases, settled = cases_of(own), settled_cases_of(own)
    least, verdict.LEAST = verdict.LEAST, 0.0  # verdicts that are withheld for being too unsure are fitted on too
    total = len(cases) + len(settled)
    with filled_store(settings, models.embedder, None) as store, tqdm(total=total, desc="claims") as bar:
        verifier = Verifier(models, ReadOnly(store), None, settings)
        rows, of_settled = (
            [found for row, result in run_cases(some, verifier, bar.update) for found in rows_of(row, result, least)]
            for some in (cases, settled)
        )
    write(parts_of([*rows, *(found for found in of_settled if found.decided)]))


if __name__ == "__main__":
    main()
