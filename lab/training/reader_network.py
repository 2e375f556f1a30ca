"""Train the torch reader by the clock: encoder, mean token vector, tanh layer, two heads.

MPNet reads `<s> claim </s></s> text </s>`. The three stance logits and the relevance logit are one linear layer on the same
vector, so one pass over a pair gives both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from lab.training.network import batches, pretrained

_Row = TypeVar("_Row", bound=Sized)
OUTPUTS = 4
"""SUPPORTS, REFUTES, NOT ENOUGH INFO, relevance."""
CHECKPOINT = "reader-checkpoint.pt"
CHECKPOINT_SECONDS = 300.0
"""The most that a stopped run loses, besides the time to write (1 GB)."""
_CPU_FLAGS = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class ReaderRecipe:
    """What decides the weights, apart from the rows and the seed.

    The rate warms up, stays, and falls to nothing over the last part of `hours`. A run that continues from a checkpoint
    for more hours starts again at the full rate.
    """

    hours: float
    rate: float = 4e-5
    head_rate: float = 2e-4
    batch: int = 32
    max_tokens: int = 192
    warmup: float = 0.04
    decay: float = 0.4
    frozen_layers: int = 4
    weight_decay: float = 0.01
    clip: float = 1.0
    relevance_weight: float = 0.5
    smoothing: float = 0.05
    rank: int = 0
    dropout: float = 0.0


class ReaderNetwork(nn.Module):
    """Token ids -> logits. Attributes `encoder`, `dense` (hidden, hidden), `output` (4, hidden)."""

    def __init__(self, encoder_path: Path, frozen_layers: int = 0, dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = pretrained(encoder_path, dropout)
        self._freeze(frozen_layers)
        hidden = self.encoder.config.hidden_size
        self.padding = int(self.encoder.config.pad_token_id)
        self.dense = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, OUTPUTS)
        self.dropout = nn.Dropout(0.1)
        nn.init.eye_(self.dense.weight)  # start from what the encoder knows: the head begins as tanh(mean)
        nn.init.zeros_(self.dense.bias)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.half_precision = self.device.type == "cuda"

    def _freeze(self, layers: int) -> None:
        """Freeze the word vectors and the lower layers.

        A step is a quarter faster, and little is lost.
        """
        self.encoder.embeddings.requires_grad_(False)
        for layer in self.encoder.encoder.layer[:layers]:
            layer.requires_grad_(False)
        bias = getattr(self.encoder.encoder, "relative_attention_bias", None)
        if layers and bias is not None:  # the lower layers use it too
            bias.requires_grad_(False)

    def choose_precision(self) -> None:
        """Use 16-bit numbers if the CPU multiplies them natively and a short timing favours them.

        On other CPUs they take four times as long. On a virtual machine that only announces them they can kill the
        process, so they are not tried where the processor's flags rule them out.
        """
        if self.device.type == "cuda" or not half_precision_pays(_CPU_FLAGS):
            return
        took = {}
        for half in (False, True, False, True):  # the first of each warms up
            self.half_precision = half
            started = time.perf_counter()
            with torch.no_grad():
                self([[5] * 64] * 8)
            took[half] = time.perf_counter() - started
        self.half_precision = took[True] < took[False]

    def forward(self, ids: Sequence[list[int]]) -> Tensor:
        """Logits of shape (rows, 4)."""
        padded, mask = self.padded(ids)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half_precision):
            tokens = self.encoder(input_ids=padded, attention_mask=mask).last_hidden_state
        return self.judged(tokens.float(), mask)

    def padded(self, ids: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """Pad rows of token ids to one width; the mask is 1 for tokens.

        Both have shape (rows, width).
        """
        width = max(map(len, ids))
        padded = torch.tensor([row + [self.padding] * (width - len(row)) for row in ids], device=self.device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids], device=self.device)
        return padded, mask

    def judged(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return logits of shape (rows, 4) from the last layer's token vectors.

        These have shape (rows, width, hidden).
        """
        weights = mask.unsqueeze(-1).float()
        mean = (tokens * weights).sum(1) / weights.sum(1)
        logits: Tensor = self.output(self.dropout(torch.tanh(self.dense(self.dropout(mean)))))
        return logits


def half_precision_pays(flags: Path) -> bool:
    """Whether this processor multiplies 16-bit numbers natively; elsewhere that is slower than 32 bits.

    Processors with AMX are left out: some virtual machines announce it and kill the process at its first instruction.

    Args:
        flags: the file in which the system lists what its processors can do; without it, the answer is no.
    """
    try:
        known = flags.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "avx512_bf16" in known and "amx_bf16" not in known


def rate_at(progress: float, recipe: ReaderRecipe) -> float:
    """The share of the full learning rate after `progress` (0 to 1) of the hours."""
    rising = progress / recipe.warmup if recipe.warmup else 1.0
    return max(0.0, min(1.0, rising, (1 - progress) / recipe.decay))


@dataclass(slots=True)
class _Run:
    """Hold the progress of a run: seconds trained and steps done."""

    seconds: float = 0.0
    step: int = 0


def fit_by_the_clock(
    model: ReaderNetwork,
    lengths: Sequence[int],
    loss_of: Callable[[list[int]], Tensor],
    recipe: ReaderRecipe,
    out: Path,
    seed: int,
) -> int:
    """Train for `recipe.hours` of training time, repeating the rows; return the steps.

    The state is saved every five minutes. Before the rate falls, it is also saved as `steady.pt`, from which a longer
    run may continue. A run that finds a checkpoint in `out` continues from it.
    """
    model.to(model.device).train()
    model.choose_precision()
    optimiser = optimiser_of(model, recipe)
    full = [group["lr"] for group in optimiser.param_groups]
    run = _resumed(out / CHECKPOINT, model, optimiser)
    rng, total = random.Random(seed + run.step), recipe.hours * 3600
    saved, steady, plan = time.monotonic(), False, list[list[int]]()
    with tqdm(total=round(total), initial=round(run.seconds), desc="reader", unit="s", mininterval=10) as bar:
        while run.seconds < total:
            started = time.monotonic()
            plan = plan or list(batches(lengths, recipe.batch, rng))
            set_rates(optimiser, full, rate_at(run.seconds / total, recipe))
            loss = loss_of(plan.pop())
            update(optimiser, loss, recipe.clip)
            run.step += 1
            run.seconds += time.monotonic() - started
            bar.update(round(run.seconds) - bar.n)
            bar.set_postfix(step=run.step, loss=f"{float(loss.detach()):.2f}", refresh=False)
            if not steady and run.seconds / total > 1 - recipe.decay:
                steady = True
                torch.save(model.state_dict(), out / "steady.pt")
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                _save(out / CHECKPOINT, model, optimiser, run)
                saved = time.monotonic()
    _save(out / CHECKPOINT, model, optimiser, run)
    model.eval()
    return run.step


def optimiser_of(model: ReaderNetwork, recipe: ReaderRecipe) -> torch.optim.Optimizer:
    """Optimise the trainable part of the encoder at the recipe's rate, the heads at theirs."""
    heads = [*model.dense.parameters(), *model.output.parameters()]
    body = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    groups = [{"params": body, "lr": recipe.rate}, {"params": heads, "lr": recipe.head_rate}]
    return torch.optim.AdamW(groups, weight_decay=recipe.weight_decay, fused=True)


def set_rates(optimiser: torch.optim.Optimizer, full: Sequence[float], share: float) -> None:
    """Give each group a share of its full rate."""
    for group, rate in zip(optimiser.param_groups, full, strict=True):
        group["lr"] = rate * share


def update(optimiser: torch.optim.Optimizer, loss: Tensor, clip: float) -> None:
    """Step against the gradient of `loss`, clipped to a norm of `clip`."""
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_([weight for group in optimiser.param_groups for weight in group["params"]], clip)
    optimiser.step()


def _save(path: Path, model: nn.Module, optimiser: torch.optim.Optimizer, run: _Run) -> None:
    """Write a temporary file and swap, so that an interrupted write leaves the old one."""
    state: dict[str, Any] = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
    fresh = path.with_suffix(".new")
    torch.save(state | {"seconds": run.seconds, "step": run.step}, fresh)
    fresh.replace(path)


def _resumed(path: Path, model: nn.Module, optimiser: torch.optim.Optimizer) -> _Run:
    if not path.exists():
        return _Run()
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    return _Run(state["seconds"], state["step"])


def read_pairs(model: ReaderNetwork, ids: Sequence[list[int]], size: int = 32) -> NDArray[np.float32]:
    """Return logits of shape (rows, 4) for rows of token ids."""
    return in_batches(model.to(model.device).eval(), ids, size)


def in_batches(model: Callable[[Sequence[_Row]], Tensor], rows: Sequence[_Row], size: int = 32) -> NDArray[np.float32]:
    """Return logits of shape (rows, 4) for any rows that `model` reads.

    Rows of similar length share a batch.
    """
    out = np.zeros((len(rows), OUTPUTS), dtype=np.float32)
    with torch.inference_mode():
        for places in tqdm(list(batches([len(row) for row in rows], size, None)), desc="reading", mininterval=5):
            out[places] = model([rows[i] for i in places]).float().cpu().numpy()
    return out
