"""The trainable form of every classifier here: a BERT encoder, the mean of its token vectors, a tanh layer, a linear head.

Mean pooling because the encoder was pretrained with it; `token_type_ids` all zero because llama.cpp knows no second
segment.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer, PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides the weights, apart from the data."""

    epochs: float = 1.0
    rate: float = 1.5e-4
    batch: int = 32
    max_tokens: int = 160
    warmup: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0


class MeanPooledClassifier(nn.Module):
    """Texts or text pairs -> logits. Attributes `encoder`, `dense` (hidden, hidden), `output` (labels, hidden)."""

    def __init__(self, encoder_path: Path, labels: Sequence[str]) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(
            encoder_path, local_files_only=True, add_pooling_layer=False, dtype=torch.float32
        )
        hidden = self.encoder.config.hidden_size
        self.labels = tuple(labels)
        self.dense = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, len(labels))
        self.dropout = nn.Dropout(0.1)
        nn.init.eye_(self.dense.weight)  # start from what the encoder knows: the head begins as tanh(mean)
        nn.init.zeros_(self.dense.bias)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits of shape (batch, labels)."""
        tokens = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(tokens.dtype)
        mean = (tokens * mask).sum(1) / mask.sum(1).clamp(min=1)
        logits: Tensor = self.output(self.dropout(torch.tanh(self.dense(self.dropout(mean)))))
        return logits

    def freeze_word_embeddings(self) -> None:
        """Keep the word vectors as pretrained: half of the weights, and the half that overfits first."""
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)


def load_tokenizer(path: Path) -> PreTrainedTokenizerBase:
    """The tokenizer beside the encoder's weights."""
    return AutoTokenizer.from_pretrained(path, local_files_only=True)


def encode(tokenizer: PreTrainedTokenizerBase, texts: Sequence[tuple[str, ...]], max_tokens: int) -> list[list[int]]:
    """Token ids of `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`; the longer text is cut first."""
    columns = [list(column) for column in zip(*texts, strict=True)]
    found = tokenizer(*columns, truncation="longest_first", max_length=max_tokens, return_token_type_ids=False)
    ids: list[list[int]] = [list(row) for row in found["input_ids"]]
    return ids


def batches(ids: Sequence[list[int]], size: int, rng: random.Random | None) -> Iterator[list[int]]:
    """Row numbers in batches of similar length, so that little is padding; shuffled when `rng` is given."""
    order = list(range(len(ids)))
    if rng:
        rng.shuffle(order)
    chunk = size * 50 if rng else len(order)
    cut = []
    for start in range(0, len(order), chunk):
        by_length = sorted(order[start : start + chunk], key=lambda i: len(ids[i]))
        cut += [by_length[i : i + size] for i in range(0, len(by_length), size)]
    if rng:
        rng.shuffle(cut)
    yield from cut


def pad(ids: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """Input ids and attention mask, each of shape (rows, longest)."""
    width = max(map(len, ids))
    padded = torch.tensor([row + [0] * (width - len(row)) for row in ids])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids])
    return padded, mask


Loss = Callable[[Tensor, list[int]], Tensor]
"""Logits of a batch (float32), and its row numbers -> the loss."""


def fit(
    model: MeanPooledClassifier, ids: Sequence[list[int]], loss_of: Loss, recipe: Recipe, name: str, checkpoint: Path
) -> None:
    """One AdamW run with linear warm-up and decay, in bf16 where the processor has it.

    A checkpoint is written every 500 steps; a run that finds one goes on from it, with the same batches.
    """
    rng = random.Random(recipe.seed)
    steps = int(-(-len(ids) // recipe.batch) * recipe.epochs)
    plan: list[list[int]] = []
    while len(plan) < steps:
        plan += list(batches(ids, recipe.batch, rng))
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=recipe.rate, weight_decay=recipe.weight_decay, fused=True)
    warm = max(1, int(steps * recipe.warmup))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    parts: dict[str, Any] = {"model": model, "optimiser": optimiser, "schedule": schedule}
    first = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        first = state["step"]
        for key, part in parts.items():
            part.load_state_dict(state[key])
    model.train()
    for step in tqdm(range(first, steps), initial=first, total=steps, desc=name, mininterval=10):
        rows = plan[step]
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(*pad([ids[i] for i in rows]))
        loss = loss_of(logits.float(), rows)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, recipe.clip)
        optimiser.step()
        schedule.step()
        if (step + 1) % 500 == 0:
            torch.save({key: part.state_dict() for key, part in parts.items()} | {"step": step + 1}, checkpoint)


def predict(model: MeanPooledClassifier, ids: Sequence[list[int]], size: int = 64) -> NDArray[np.float32]:
    """Logits of shape (rows, labels)."""
    model.eval()
    out = np.zeros((len(ids), len(model.labels)), dtype=np.float32)
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for rows in batches(ids, size, None):
            out[rows] = model(*pad([ids[i] for i in rows])).float().numpy()
    return out
