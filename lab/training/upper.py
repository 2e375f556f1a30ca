"""Teach a trained reader more on two cores: what a text says in other words, what it rules out, and what it leaves open.

python -m lab.training.upper --start models/weights/reader --data DIR --encoder DIR --out DIR

Claims were written for the starter facts (`written`), others are made of them: another fact of the claim's subject neither supports nor
refutes it (`beside`), and a text on its subject does not support what it does not say (`moved`).

The lower layers stay as they are, so that what they make of a row is computed once and kept; a change of low rank of the upper layers
trains on it. Of rows that taught it before, the reader is held to what it says already (distillation; Hinton, Vinyals and
Dean 2015), and of what it learned a share is kept, so that little else moves. Writes the next adapter of START.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from errors import VerifierError
from kb.record import content_hash
from kb.starter.seed import stored_vectors
from lab.training.beside import beside_pairs, contrasted_pairs, starter_passages, stated_pairs
from lab.training.export_reader import export_adapter, export_onnx
from lab.training.import_onnx import load_start
from lab.training.low_rank import add_low_rank, heads_of, keep_share, merged_state
from lab.training.moved import moved_pairs
from lab.training.network import Job, batches, encode, load_tokenizer
from lab.training.reader import CODES, Row, cached_rows, row_of, unrelated
from lab.training.reader_network import (
    ReaderNetwork,
    ReaderRecipe,
    in_batches,
    optimiser_of,
    rate_at,
    set_rates,
    update,
)
from lab.training.written import written_pairs
from models.adapter import adapters_of
from models.catalogue import WEIGHTS, Role
from models.reader import NETWORK
from verifier.build import load_embedder
from verifier.settings import Settings

_ALREADY_SUPPORTED = 0.6
"""A claim and another sentence of its passage that the reader takes for support from here on say much the same."""
_HELD, _SMOOTHING, _RELEVANCE = 0.7, 0.1, 0.5


@dataclass(frozen=True, slots=True)
class Lesson:
    """How much of what is taught, and how.

    Of the rows of START's training at most `replayed` of up to `tokens` word pieces are held to what the reader says of them. Layers from `first` on change,
    and `share` of the change is kept (docs/models.md has other shares).
    """

    written: int = 24_000
    beside: int = 3_000
    stated: int = 800
    contrasted: int = 1_200
    moved: int = 2_300
    replayed: int = 4_000
    tokens: int = 80
    first: int = 8
    rank: int = 16
    rate: float = 5e-4
    batch: int = 32
    passes: float = 1.0
    share: float = 0.6


class Upper(nn.Module):
    """A reader whose layers below `first` are computed once."""

    def __init__(self, reader: ReaderNetwork, first: int) -> None:
        super().__init__()
        self.reader = reader
        self._layers: nn.ModuleList = reader.encoder.encoder.layer
        self._first = first

    def lowered(self, ids: Sequence[list[int]], size: int = 32) -> list[Tensor]:
        """What the lower layers make of rows of token ids: one tensor of shape (tokens, hidden) in half precision for each."""
        found = [torch.empty(0)] * len(ids)
        with torch.inference_mode(), tqdm(total=len(ids), desc="lower layers", mininterval=10) as bar:
            for rows in batches([len(row) for row in ids], size, None):
                padded, mask = self.reader.padded([ids[i] for i in rows])
                tokens = self._through(self.reader.encoder.embeddings(padded), mask, self._layers[: self._first])
                for i, row in zip(rows, tokens, strict=True):
                    found[i] = row[: len(ids[i])].half().clone()
                bar.update(len(rows))
        return found

    def forward(self, lowered: Sequence[Tensor]) -> Tensor:
        """Logits of shape (rows, 4)."""
        tokens = nn.utils.rnn.pad_sequence([row.float() for row in lowered], batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(row)) for row in lowered], batch_first=True)
        return self.reader.judged(self._through(tokens, mask, self._layers[self._first :]), mask)

    def _through(self, tokens: Tensor, mask: Tensor, layers: nn.ModuleList) -> Tensor:
        hidden = torch.where(mask.bool(), 0.0, torch.finfo(torch.float32).min)[:, None, None, :]
        position = self.reader.encoder.encoder.compute_position_bias(tokens)
        for layer in layers:
            tokens = layer(tokens, hidden, position)[0]
        return tokens


def lesson_rows(lesson: Lesson, job: Job) -> tuple[list[Row], list[Row]]:
    """Rows that teach, and rows of what was learned before."""
    rng, passages = random.Random(job.seed), starter_passages()
    beside = beside_pairs(passages, rng)
    taught = [unrelated(pair) for pair in rng.sample(beside, min(lesson.beside, len(beside)))]
    pairs = [
        *stated_pairs(passages, lesson.stated, rng),
        *contrasted_pairs(passages, lesson.contrasted, job.seed),
    ]
    written = written_pairs(passages)
    pairs += rng.sample(written, min(lesson.written, len(written)))
    taught += [row_of(pair) for pair in pairs if pair.label in CODES]
    embedder = load_embedder(Settings(web=False))
    known = stored_vectors(WEIGHTS[Role.EMBEDDER].checksum)
    vectors = np.array([known[content_hash(text)] for text in passages])
    taught += [row_of(pair) for pair in moved_pairs(passages, vectors, embedder.embed, lesson.moved, rng)]
    before = cached_rows(job)
    return taught, rng.sample(before, min(lesson.replayed, len(before)))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows ready to train on, and whether they teach; `said` is what the reader says of them before, `known` whether their relevance is."""

    lowered: list[Tensor]
    said: Tensor
    allowed: Tensor
    relevant: Tensor
    known: Tensor
    taught: Tensor

    @property
    def used(self) -> list[int]:
        """The places of rows to train on: without those that would deny what their text says in other words."""
        supported = self.said[:, :3].softmax(1)[:, 0] >= _ALREADY_SUPPORTED
        open_alone = self.allowed[:, 2] & ~self.allowed[:, :2].any(1)
        dropped = self.taught & supported & open_alone
        places: list[int] = (~dropped).nonzero()[:, 0].tolist()
        return places


def prepare(upper: Upper, job: Job, lesson: Lesson) -> Prepared:
    """Compute the lower layers of all rows, and what the reader says of them."""
    taught, before = lesson_rows(lesson, job)
    rows = [*taught, *before]
    ids = encode(load_tokenizer(job.encoder), [(row.claim, row.text) for row in rows], lesson.tokens)
    lowered = upper.lowered(ids)
    return Prepared(
        lowered,
        torch.from_numpy(in_batches(upper, lowered)),
        torch.tensor([[code in row.stances for code in CODES] for row in rows]),
        torch.tensor([float(bool(row.relevant)) for row in rows]),
        torch.tensor([row.relevant is not None for row in rows]),
        torch.arange(len(rows)) < len(taught),
    )


def teach(job: Job, lesson: Lesson) -> ReaderNetwork:
    """The reader in `job.start` with its adapters, and with a change of its upper layers that was taught.

    Raises:
        ModelError: there is no reader in START.
    """
    torch.manual_seed(job.seed)
    reader = ReaderNetwork(job.encoder, dropout=0.1)
    load_start(reader, job.start or job.out)
    upper = Upper(reader.eval(), lesson.first)
    rows = prepare(upper, job, lesson)
    add_low_rank(reader.encoder, lesson.rank, lesson.first)
    heads = heads_of(reader)
    used, rng, plan = rows.used, random.Random(job.seed), list[list[int]]()
    recipe = ReaderRecipe(1.0, lesson.rate, lesson.rate / 5, warmup=0.06, decay=0.5)
    optimiser = optimiser_of(reader, recipe)
    steps = max(1, int(len(used) * lesson.passes / lesson.batch))
    reader.train()
    for step in tqdm(range(steps), desc="upper layers", mininterval=10):
        plan = plan or list(batches([len(rows.lowered[i]) for i in used], lesson.batch, rng))
        batch = [used[i] for i in plan.pop()]
        set_rates(optimiser, (recipe.rate, recipe.head_rate), rate_at(step / steps, recipe))
        update(optimiser, _loss(upper([rows.lowered[i] for i in batch]), rows, batch), recipe.clip)
    keep_share(reader, lesson.share, heads)
    return reader.eval()


def _loss(found: Tensor, rows: Prepared, batch: list[int]) -> Tensor:
    """Of rows that teach, what their label says; of the others, what the reader said of them, and a little their label."""
    allowed, said, taught = rows.allowed[batch], rows.said[batch], rows.taught[batch]
    logs = found[:, :3].log_softmax(1)
    told = -torch.logsumexp(logs.masked_fill(~allowed & allowed.any(1, keepdim=True), -1e4), 1)
    before = -(said[:, :3].softmax(1) * logs).sum(1)
    smoothed = torch.where(allowed.sum(1) == 1, told * (1 - _SMOOTHING) - logs.mean(1) * _SMOOTHING, told)
    stance = torch.where(taught, smoothed, _HELD * before + (1 - _HELD) * told)
    target = torch.where(taught & rows.known[batch], rows.relevant[batch], said[:, 3].sigmoid())
    loss: Tensor = stance.mean() + _RELEVANCE * functional.binary_cross_entropy_with_logits(found[:, 3], target)
    return loss


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Returns 0, or 2 after an error, of which one line is printed."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.upper", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--start", type=Path, required=True, help="folder of the reader that is taught")
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder for the reader and its next adapter")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    job = Job(args.data, args.encoder, args.out, args.seed, start=args.start)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        reader = teach(job, Lesson())
        torch.save(merged_state(reader), args.out / "model.pt")
        export_onnx(args.encoder, args.out / "model.pt", args.out / "merged")
        export_adapter(
            reader, args.out / "merged", args.start / NETWORK, args.out / "reader", adapters_of(args.start / NETWORK)
        )
    except (VerifierError, OSError) as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
    print(f"the reader lies in {args.out / 'reader'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
