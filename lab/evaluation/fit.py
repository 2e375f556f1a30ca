"""Fit the combiner's coefficients, on development data only, and write `verifier/judgement/coefficients.json`.

python -m lab.evaluation.fit --data DIR [--own tests/data]

Two logistic regressions are fitted at once, since the second reads what the first says: one for a text's stance, and
one for a verdict from the votes of all texts. The loss is the cross-entropy of both, with all sets of data weighted
equally, plus a penalty for leaving the start: the plain mean of the stance model's two readings.

Data: development rows of the public sets that may train the stance model, and of our own invented news and short facts;
the development halves of our own retellings, news claims, starter claims and claims for the grades. Afterwards
`python -m lab.evaluation.sureness` fits how likely verdicts are right.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from kb.record import NewEvidence
from lab.data.pairs import MIXTURE, read_split_sentences
from lab.evaluation.gathered import ANSWERS, with_evidence
from lab.evaluation.retellings import read_retellings
from lab.evaluation.stance import STANCE_OF, held_out
from lab.training.contrasts import make_contrasts, plain_sentences
from models.pairs import DEV, NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair, fact_pairs, news_pairs
from verifier.build import load_embedder, load_models
from verifier.check.gather import Models
from verifier.claim.parsed import parse_statement
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evaluation.stores import filled_store
from verifier.interfaces import Store
from verifier.judgement import reading, verdict
from verifier.judgement.votes import votes_of, weights_of
from verifier.settings import Settings

_STANCES = ("supports", "refutes", "neutral")
VERDICT_OF = dict(zip((SUPPORTS, REFUTES, NOT_ENOUGH_INFO), ANSWERS, strict=True))
_PENALTY, _STEPS = 0.005, 400
_ROWS_PER_SET, _CLAIMS, _PASSAGES = 250, 300, 500
_AT_ONCE = 64
_MADE_SEED = 99
"""Differs from training's seed, so that the contrasts differ."""
_START_VERDICT = ((4.0, 2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 4.0, 2.0, 0.0), (0.0,) * 5)
_COST = torch.tensor([1.0, 1.0, 3.5])
"""Cost of a mistake, by what is true.

A verdict where nothing settles the claim is worse than one left open.
"""
OUT = Path(reading.__file__).with_name("coefficients.json")


@dataclass(frozen=True, slots=True)
class Texts:
    """Labelled texts of one set: features of shape (texts, features), index of each true stance."""

    name: str
    features: Tensor
    truth: Tensor


@dataclass(frozen=True, slots=True)
class Checks:
    """Claims of one set with all their evidence.

    `features` and `weights` are of all pieces of all claims, one after another. `sources`, of shape (claims, sources,
    pieces), holds the piece numbers of each independent source of each claim, padded with -1; there is room for at
    least two sources. `truth` is the index of the true verdict.
    """

    name: str
    features: Tensor
    weights: Tensor
    sources: Tensor
    truth: Tensor


class Combiner(nn.Module):
    """The two regressions, as `stance_of` and `judge` compute them."""

    def __init__(self) -> None:
        super().__init__()
        start = torch.zeros(3, len(reading.FEATURES))
        for i, label in enumerate(_STANCES):
            for part in ("whole", "sentence"):
                start[i, reading.FEATURES.index(f"{part}_{label}")] = 0.5
        self.stance = nn.Parameter(start.clone())
        self.stance_bias = nn.Parameter(torch.zeros(3))
        self.verdict = nn.Parameter(torch.tensor(_START_VERDICT))
        self.verdict_bias = nn.Parameter(torch.tensor([0.0, 0.0, 2.0]))
        self._start = [parameter.detach().clone() for parameter in self.parameters()]

    def of_texts(self, features: Tensor) -> Tensor:
        """Log-odds of the stances, shape (texts, 3)."""
        return features @ self.stance.T + self.stance_bias

    def of_checks(self, checks: Checks) -> Tensor:
        """Log-odds of the verdicts, shape (claims, 3)."""
        votes = functional.softmax(self.of_texts(checks.features), dim=-1) * checks.weights.unsqueeze(-1)
        with_none = torch.cat([votes, torch.zeros(1, 3)])
        best = with_none[checks.sources].amax(2).topk(2, dim=1).values
        both = torch.minimum(best[:, 0, 0], best[:, 0, 1])
        rows = torch.stack([best[:, 0, 0], best[:, 1, 0], best[:, 0, 1], best[:, 1, 1], both], dim=1)
        return rows @ self.verdict.T + self.verdict_bias

    def distance(self) -> Tensor:
        """How far the coefficients are from where they started, squared."""
        return torch.stack([((p - s) ** 2).sum() for p, s in zip(self.parameters(), self._start, strict=True)]).sum()


def fit(texts: Sequence[Texts], checks: Sequence[Checks]) -> Combiner:
    """The combiner that makes the true stances and verdicts likeliest."""
    combiner = Combiner()
    optimiser = torch.optim.Adam(combiner.parameters(), lr=0.03)
    for _ in tqdm(range(_STEPS), desc="fitting"):
        losses = [functional.cross_entropy(combiner.of_texts(each.features), each.truth) for each in texts]
        losses += [functional.cross_entropy(combiner.of_checks(each), each.truth, _COST) for each in checks]
        loss = torch.stack(losses).mean() + _PENALTY * combiner.distance()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return combiner


def labelled_texts(models: Models, data: Path, own: Path, claims: Sequence[Case]) -> list[Texts]:
    """Return labelled rows: public, our retellings, our news and facts, and plain ones.

    The public ones are development rows, all sets as one. Of the retellings it is the development half. The plain ones
    are claims with themselves and with made contrasts as evidence, so that easy cases stay right.
    """
    licensed = {Path(entry.path).name for entry in MIXTURE}
    public = [
        (pair.claim, pair.evidence, STANCE_OF[pair.label])
        for name, pairs in held_out(data, DEV, _ROWS_PER_SET).items()
        if name in licensed
        for pair in pairs
    ]
    ours = [(row["claim"], row["passage"], row["stance"]) for row in read_retellings(DEV, own / "retellings.jsonl")]
    sentences = plain_sentences(read_split_sentences(data))
    made = [
        (p.claim, p.evidence, STANCE_OF[p.label])
        for p in make_contrasts(sentences, _CLAIMS, _MADE_SEED)
        if p.label in STANCE_OF
    ]
    plain = [*((case.claim, f"{case.claim}.", "SUPPORTS") for case in claims), *made]
    news, facts = (
        [(p.claim, p.evidence, STANCE_OF[p.label]) for p in _held_out(pairs())] for pairs in (news_pairs, fact_pairs)
    )
    sets = {"public": public, "retellings": ours, "news": news, "facts": facts, "plain": plain}
    return [_texts(name, rows, models) for name, rows in sets.items()]


def _texts(name: str, rows: Sequence[tuple[str, str, str]], models: Models) -> Texts:
    read = []
    for start in tqdm(range(0, len(rows), _AT_ONCE), desc=name):
        part = rows[start : start + _AT_ONCE]
        models.stance.prefetch(
            [
                pair
                for claim, text, _ in part
                for pair in reading.pairs_to_read(parse_statement(claim), text, models.reranker)
            ]
        )
        read += [
            reading.read(parse_statement(claim), text, models.stance, models.reranker).features()
            for claim, text, _ in part
        ]
    return Texts(name, torch.tensor(read), torch.tensor([reading.LABELS.index(label) for _, _, label in rows]))


def invented_news() -> list[Case]:
    """Return the held-out claims of our invented news, each to be judged by its passage."""
    return [
        Case(str(number), pair.claim, VERDICT_OF[pair.label], given=(NewEvidence(pair.evidence),))
        for number, pair in enumerate(_held_out(news_pairs()))
    ]


def _held_out(pairs: Sequence[Pair]) -> list[Pair]:
    rows = [pair for pair in pairs if pair.split == DEV]
    return random.Random(0).sample(rows, min(_PASSAGES, len(rows)))


def gathered(name: str, cases: Sequence[Case], models: Models, store: Store, settings: Settings) -> Checks:
    """The claims that state one thing and are true, false or open, with their evidence."""
    features: list[tuple[float, ...]] = []
    weights: list[float] = []
    sources: list[list[list[int]]] = []
    truth = []
    for case, plan, evidence in with_evidence(name, cases, models, store, settings):
        now = datetime.now(UTC)
        numbers = {piece.text: len(features) + i for i, piece in enumerate(evidence)}
        features += [
            reading.read(plan.claim.whole, piece.text, models.stance, models.reranker).features() for piece in evidence
        ]
        weights += weights_of(evidence, plan.time_bound, now)
        votes = votes_of(evidence, plan.time_bound, now)
        sources.append([[numbers[piece.text] for piece in vote.pieces] for vote in votes])
        truth.append(ANSWERS.index(case.expected))
    return Checks(name, torch.tensor(features), torch.tensor(weights), padded(sources), torch.tensor(truth))


def padded(sources: Sequence[Sequence[Sequence[int]]]) -> Tensor:
    """Put the piece numbers of each source of each claim into one tensor.

    Its shape is (claims, sources, pieces), padded with -1.
    """
    width = max([2, *(len(of_claim) for of_claim in sources)])
    depth = max([1, *(len(pieces) for of_claim in sources for pieces in of_claim)])
    found = torch.full((len(sources), width, depth), -1)
    for i, of_claim in enumerate(sources):
        for j, pieces in enumerate(of_claim):
            found[i, j, : len(pieces)] = torch.tensor(pieces)
    return found


def as_json(combiner: Combiner) -> str:
    """Both regressions as in the file that `judgement.coefficients` reads."""
    first = part(_STANCES, reading.FEATURES, combiner.stance, combiner.stance_bias)
    second = part([str(v) for v in ANSWERS], verdict.FEATURES, combiner.verdict, combiner.verdict_bias)
    return formatted({"stance": first, "verdict": second})


def part(classes: Sequence[str], names: Sequence[str], weights: Tensor, bias: Tensor) -> dict[str, Any]:
    """One regression: `weights` of shape (classes, features), `bias` of shape (classes,)."""
    table = {name: [round(float(v), 3) for v in weights.detach()[:, i]] for i, name in enumerate(names)}
    return {"classes": list(classes), "weights": table, "bias": [round(float(value), 3) for value in bias.detach()]}


def formatted(parts: Mapping[str, Mapping[str, Any]]) -> str:
    """The JSON of all regressions, a line per feature."""
    blocks = []
    for name, each in parts.items():
        rows = ",\n".join(f'   "{feature}": {numbers}' for feature, numbers in each["weights"].items())
        weights = f'  "weights": {{\n{rows}\n  }}'
        blocks.append(
            f' "{name}": {{\n  "classes": {json.dumps(each["classes"])},\n{weights},\n  "bias": {each["bias"]}\n }}'
        )
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def write(parts: Mapping[str, Mapping[str, Any]], path: Path = OUT) -> None:
    """Write regressions into the file; its others stay."""
    path.write_text(formatted(json.loads(path.read_text(encoding="utf-8")) | dict(parts)), encoding="utf-8")


def main() -> None:
    """Fit and write, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--own", type=Path, default=Path("tests/data"))
    args = parser.parse_args()
    settings = replace(Settings(), web=False)
    models = load_models(settings, load_embedder(settings))
    claims = read_cases(args.own / "claims.jsonl", DEV)[:_CLAIMS]
    texts = labelled_texts(models, args.data, args.own, claims)
    by_topic = {
        f"{name} claims": with_texts_of_topic(
            read_cases(args.own / f"{name}_claims.jsonl", DEV), args.own / f"{name}_passages.jsonl"
        )
        for name in ("news", "guarantee")
    }
    with filled_store(settings, models.embedder, None) as store:
        sets = {"claims": claims, **by_topic, "news": invented_news()}
        checks = [gathered(name, cases, models, store, settings) for name, cases in sets.items()]
    write(json.loads(as_json(fit(texts, checks))))


if __name__ == "__main__":
    main()
