"""Train encoders: BERT, its mean token vector, and for classifiers a head on top.

They use mean pooling because the encoder was pretrained with it. `token_type_ids` are all zero because llama.cpp knows
no second segment.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

_CHECKPOINT = "checkpoint.pt"
CHECKPOINT_STEPS = 500


@dataclass(frozen=True, slots=True)
class Job:
    """The folders of a training run: public data, pretrained encoder, output.

    The rest is the reader's alone. `hours` is how long it trains, `start` a folder with weights to continue from.
    `rate`, `batch` (rows per step), `frozen` (layers) and `shares` (source -> most rows) override its recipe. With a
    `rank` above 0, the weights of `start` stay fixed, a change of that rank trains for each, and the share `keep` of it
    is kept.
    """

    data: Path
    encoder: Path
    out: Path
    seed: int = 0
    hours: float = 8.0
    start: Path | None = None
    rate: float | None = None
    batch: int | None = None
    frozen: int | None = None
    rank: int = 0
    shares: Mapping[str, int] = field(default_factory=dict)
    keep: float = 1.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides the weights, apart from the data and the seed."""

    epochs: float = 1.0
    rate: float = 1.5e-4
    batch: int = 32
    max_tokens: int = 256
    warmup: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0


def pretrained(path: Path, dropout: float = 0.0) -> PreTrainedModel:
    """The encoder in the folder `path`, in single precision and without its pooler.

    Random masks (`dropout`) and fused attention make a step take half as long again on a CPU.
    """
    return AutoModel.from_pretrained(
        path,
        local_files_only=True,
        add_pooling_layer=False,
        dtype=torch.float32,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        attn_implementation="eager",
    )


class MeanPooledEncoder(nn.Module):
    """Token ids -> one vector per row, the mean of its token vectors."""

    def __init__(self, encoder_path: Path) -> None:
        super().__init__()
        self.encoder = pretrained(encoder_path)
        # this half of the weights overfits first, so it stays as pretrained
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def mean(self, ids: Sequence[list[int]]) -> Tensor:
        """Vectors of shape (rows, hidden), computed in bf16."""
        width = max(map(len, ids))
        padded = torch.tensor([row + [0] * (width - len(row)) for row in ids], device=self.device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids], device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16):
            tokens = self.encoder(input_ids=padded, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(tokens.dtype)
        vectors: Tensor = ((tokens * weights).sum(1) / weights.sum(1)).float()
        return vectors


class MeanPooledClassifier(MeanPooledEncoder):
    """Token ids -> logits. Attributes `encoder`, `dense` (hidden, hidden), `output` (labels, hidden)."""

    def __init__(self, encoder_path: Path, labels: Sequence[str]) -> None:
        super().__init__(encoder_path)
        hidden = self.encoder.config.hidden_size
        self.labels = tuple(labels)
        self.dense = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, len(labels))
        self.dropout = nn.Dropout(0.1)
        nn.init.eye_(self.dense.weight)  # start from what the encoder knows: the head begins as tanh(mean)
        nn.init.zeros_(self.dense.bias)

    def forward(self, ids: Sequence[list[int]]) -> Tensor:
        """Logits of shape (rows, labels)."""
        logits: Tensor = self.output(self.dropout(torch.tanh(self.dense(self.dropout(self.mean(ids))))))
        return logits


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """The tokenizer in the encoder's folder."""
    return AutoTokenizer.from_pretrained(path, local_files_only=True)


def encode(tokenizer: PreTrainedTokenizerBase, texts: Sequence[tuple[str, ...]], max_tokens: int) -> list[list[int]]:
    """Return token ids of `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`.

    The longer text is cut first.
    """
    columns = [list(column) for column in zip(*texts, strict=True)]
    found = tokenizer(*columns, truncation="longest_first", max_length=max_tokens, return_token_type_ids=False)
    ids: list[list[int]] = [list(row) for row in found["input_ids"]]
    return ids


def batches(lengths: Sequence[int], size: int, rng: random.Random | None) -> Iterator[list[int]]:
    """Yield row numbers in batches of similar length, to limit padding; shuffled with an `rng`."""
    order = list(range(len(lengths)))
    if rng:
        rng.shuffle(order)
    chunk = size * 50 if rng else len(order)
    cut = []
    for start in range(0, len(order), chunk):
        by_length = sorted(order[start : start + chunk], key=lambda i: lengths[i])
        cut += [by_length[i : i + size] for i in range(0, len(by_length), size)]
    if rng:
        rng.shuffle(cut)
    yield from cut


def label_loss(logits: Tensor, allowed: Tensor, smoothing: float = 0.05) -> Tensor:
    """Return the mean of -log P(any allowed label), smoothed towards all labels.

    The inputs have shape (rows, labels); `allowed` is boolean. With one allowed label per row this is cross-entropy
    with label smoothing. A row allows several if its set distinguishes fewer labels than the model does.
    """
    log_p = functional.log_softmax(logits, dim=-1)
    right = log_p.masked_fill(~allowed, float("-inf")).logsumexp(-1)
    return -((1 - smoothing) * right + smoothing * log_p.mean(-1)).mean()


def fit(
    model: MeanPooledEncoder,
    lengths: Sequence[int],
    loss_of: Callable[[list[int]], Tensor],
    recipe: Recipe,
    job: Job,
    name: str,
) -> None:
    """One AdamW run with linear warm-up and decay, on a GPU where there is one.

    A checkpoint is written every 500 steps; a run that finds one resumes from it, with the same batches.

    Args:
        model: trained in place.
        lengths: tokens of each row.
        loss_of: row numbers -> the loss of that batch.
        recipe: how long and how fast.
        job: its seed orders the rows; its output folder takes the checkpoint.
        name: what the progress bar says.
    """
    steps = int(-(-len(lengths) // recipe.batch) * recipe.epochs)
    plan = _plan(lengths, steps, recipe, random.Random(job.seed))
    model.to(model.device).train()
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=recipe.rate, weight_decay=recipe.weight_decay, fused=True)
    schedule = _warm_up_and_decay(optimiser, steps, recipe)
    parts: dict[str, Any] = {"model": model, "optimiser": optimiser, "schedule": schedule}
    checkpoint = job.out / _CHECKPOINT
    first = _resume(parts, checkpoint) if checkpoint.exists() else 0
    for step in tqdm(range(first, steps), initial=first, total=steps, desc=name, mininterval=10):
        loss = loss_of(plan[step])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, recipe.clip)
        optimiser.step()
        schedule.step()
        if (step + 1) % CHECKPOINT_STEPS == 0:
            done = {"step": step + 1, "random": torch.get_rng_state()}
            torch.save({key: part.state_dict() for key, part in parts.items()} | done, checkpoint)
    model.eval()


def _plan(lengths: Sequence[int], steps: int, recipe: Recipe, rng: random.Random) -> list[list[int]]:
    """The rows of every step, at least `steps` of them: whole passes, each shuffled."""
    plan: list[list[int]] = []
    while len(plan) < steps:
        plan += list(batches(lengths, recipe.batch, rng))
    return plan


def _warm_up_and_decay(
    optimiser: torch.optim.Optimizer, steps: int, recipe: Recipe
) -> torch.optim.lr_scheduler.LambdaLR:
    warm = max(1, int(steps * recipe.warmup))
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )


def _resume(parts: dict[str, Any], checkpoint: Path) -> int:
    """Set everything to where the checkpoint was written; returns the step to go on with."""
    state = torch.load(checkpoint, weights_only=True)
    torch.set_rng_state(state["random"])
    for key, part in parts.items():
        part.load_state_dict(state[key])
    return int(state["step"])


def classify(
    model: MeanPooledClassifier, ids: Sequence[list[int]], allowed: Tensor, recipe: Recipe, job: Job, name: str
) -> None:
    """Fit a classifier; `allowed` of shape (rows, labels) says which labels each row may have."""

    def loss_of(rows: list[int]) -> Tensor:
        logits: Tensor = model([ids[i] for i in rows])
        return label_loss(logits, allowed[rows].to(model.device))

    fit(model, [len(row) for row in ids], loss_of, recipe, job, name)


def save(model: nn.Module, out: Path) -> None:
    """Write the weights to `out`/model.pt, and drop the checkpoint: the run is over."""
    torch.save({name: tensor.cpu() for name, tensor in model.state_dict().items()}, out / "model.pt")
    (out / _CHECKPOINT).unlink(missing_ok=True)


def predict(model: MeanPooledClassifier, ids: Sequence[list[int]], size: int = 64) -> NDArray[np.float32]:
    """Logits of shape (rows, labels)."""
    model.eval()
    out = np.zeros((len(ids), len(model.labels)), dtype=np.float32)
    with torch.inference_mode():
        for rows in batches([len(row) for row in ids], size, None):
            out[rows] = model([ids[i] for i in rows]).float().cpu().numpy()
    return out
