"""Fit how likely a verdict is right, given how hard its evidence was to read, into `verifier/judgement/coefficients.json`.

python -m lab.evaluation.sureness [--own tests/data]

Two logistic regressions (`verifier.judgement.sureness`): of verdicts that take a side, and of claims that are left open. Data: the
development halves of the starter facts' claims by the store, and of the news claims and the claims for the grades by their topics' texts,
as far as they state one thing. They are fitted after `lab.evaluation.fit`, whose probabilities they start from. Weights are
held back by a ridge penalty on features of unit variance (Hoerl and Kennard, 1970).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from lab.evaluation.fit import part, write
from models.pairs import DEV
from verifier.build import load_embedder, load_models
from verifier.check.gather import Gatherer, Models
from verifier.check.trace import Trace, run_to_end
from verifier.check.web import Sources
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.claim.split import split_claim
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evaluation.stores import filled_store
from verifier.interfaces import Store
from verifier.judgement import sureness
from verifier.judgement.verdict import FEATURES, features_of
from verifier.judgement.votes import votes_of
from verifier.schema import Evidence, Judgement
from verifier.settings import Settings

_PENALTY, _STEPS = 5.0, 50


@dataclass(frozen=True, slots=True)
class Judged:
    """The features of a judgement, of `sureness.DECIDED` or of `sureness.OPEN`, and whether it is the expected one."""

    decided: bool
    features: tuple[float, ...]
    right: bool


def fit(rows: Sequence[tuple[Sequence[float], bool]]) -> tuple[Tensor, Tensor]:
    """Fit one regression by Newton's method: weights of shape (2, features) and bias of shape (2,), for right and wrong."""
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


def judged(name: str, cases: Sequence[Case], models: Models, store: Store, settings: Settings) -> Iterator[Judged]:
    """Judge the cases that state one thing, by their texts or by the store. What a fact-check's rating decides is left out."""
    for case in tqdm(cases, desc=name):
        claim = parse_claim(case.claim)
        if len(split_claim(claim)) > 1:
            continue
        plan = make_plan(claim)
        sources = Sources(None, store) if case.given is None else Sources(case.given)
        found = run_to_end(Gatherer(models, sources, settings, Trace(settings.deadline)).gather(plan))
        if found.judgement.rated_by is None:
            right = found.judgement.verdict is case.expected
            yield row_of(found.judgement, found.evidence, plan.time_bound, right)


def row_of(found: Judgement, evidence: Sequence[Evidence], time_bound: bool, right: bool) -> Judged:
    """The features of a judgement by these pieces."""
    if not found.verdict.decided:
        plain = found.plain or 0.0
        return Judged(False, sureness.open_features(plain, bool(found.held_back), evidence), right)
    votes = dict(zip(FEATURES, features_of(votes_of(evidence, time_bound, datetime.now(UTC))), strict=True))
    return Judged(True, sureness.decided_features(found, votes["supports_1"], votes["refutes_1"], evidence), right)


def main() -> None:
    """Fit and write, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own", type=Path, default=Path("tests/data"))
    own: Path = parser.parse_args().own
    settings = replace(Settings(), web=False)
    models = load_models(settings, load_embedder(settings))
    sets = {
        name: [case for case in read_cases(own / f"{name}_claims.jsonl") if case.split == DEV]
        for name in ("news", "guarantee")
    }
    sets = {name: with_texts_of_topic(cases, own / f"{name}_passages.jsonl") for name, cases in sets.items()}
    sets["claims"] = [case for case in read_cases(own / "claims.jsonl") if case.split == DEV]
    with filled_store(settings, models.embedder, None) as store:
        rows = [row for name, cases in sets.items() for row in judged(name, cases, models, store, settings)]
    write(parts_of(rows))


if __name__ == "__main__":
    main()
