"""Ask an instruct model what a text says about a claim, by its answers' likelihood.

Nothing is written. The answers are lettered, and the model's probability of each letter as the first token is read from
its logits. A small model prefers some letters and some places in a list, so it is asked with the list in two orders.
The mean logarithm of the two is calibrated: divided by a temperature, and shifted by a bias for each stance (Guo et
al., 2017; Zhao et al., 2021). Both were fitted on development rows for the models in `calibration.json`; any other
model gets a neutral calibration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.llm.chat import Message, Speaker
from verifier.interfaces import Generator
from verifier.schema import Stance

if TYPE_CHECKING:
    from verifier.llm.assistant import Limits, Prompt

LETTERS = ("A", "B", "C")
ANSWERS = ("true", "false", "neither")
"""What the text says about the claim, in the order of a stance: supports, refutes, neutral."""
ORDERS = ((0, 1, 2), (1, 2, 0))
"""The answers' places in the list, for each time it is asked: none has the same place twice."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text, a claim, the right answer's index, and that of the answers' order."""

    text: str
    claim: str
    answer: int
    order: int


_BRIDGE = "The Lindgate bridge was opened by the mayor in 1931."
EXAMPLES = (
    Example(_BRIDGE, "The mayor opened the Lindgate bridge.", 0, 0),
    Example(_BRIDGE, "The Lindgate bridge was opened in 1953.", 1, 1),
    Example(_BRIDGE, "The Lindgate bridge is painted green.", 2, 0),
    Example("Orla Venn beat Tam Ruiz in the final.", "Tam Ruiz won the final against Orla Venn.", 1, 0),
    Example("A leaflet says that the council has sold the pool.", "The council has sold the pool.", 2, 1),
    Example("Port Harl has 40,000 inhabitants, Mell 25,000.", "More people live in Port Harl than in Mell.", 0, 1),
)
"""Shown before the question; the model reads them once and continues from there for every text."""
_LEAST = 1e-9
_PATH = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Turns a model's likelihoods into probabilities.

    `temperature` is above 0, `bias` is per stance, in nats.
    """

    temperature: float = 2.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def stance(self, readings: NDArray[np.float64]) -> Stance:
        """Compute the stance from likelihoods of shape (orders, stances)."""
        logits = np.log(np.maximum(readings, _LEAST)).mean(axis=0) / self.temperature + self.bias
        odds = np.exp(logits - logits.max())
        return Stance(*(odds / odds.sum()).tolist())


@cache
def calibrations() -> dict[str, Calibration]:
    """Load the calibrations, by the name in a model's file."""
    found = json.loads(_PATH.read_text(encoding="utf-8"))
    return {name: Calibration(row["temperature"], tuple(row["bias"])) for name, row in found.items()}


def calibration_of(model: str) -> Calibration:
    """Return a model's calibration; without a fitted one, one less sure than the model."""
    return calibrations().get(model, Calibration())


def keep(model: str, calibration: Calibration, fitted_on: str) -> None:
    """Save a fitted calibration to the file that ships."""
    found = json.loads(_PATH.read_text(encoding="utf-8"))
    found[model] = {"temperature": calibration.temperature, "bias": list(calibration.bias), "fitted_on": fitted_on}
    _PATH.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_text(generator: Generator, prompt: Prompt, claim: str, text: str, limits: Limits) -> NDArray[np.float64]:
    """Compute how likely `text` supports, refutes or leaves open `claim`; shape (orders, stances).

    Args:
        generator: the model.
        prompt: the task, and the question template.
        claim: a statement.
        text: a text for models to read (`text.sanitise`).
        limits: for this text.

    Raises:
        ModelError: no answer in time, or the claim and the text are too long for the model.
    """
    found = generator.likelihoods(
        [*_begun(prompt), Message(Speaker.USER, "")],
        _asked(prompt, claim, text),
        [_listed(order) for order in ORDERS],
        LETTERS,
        deadline=limits.seconds,
        cancel=limits.cancel,
    )
    by_stance = np.zeros((len(ORDERS), len(ANSWERS)))
    for row, (order, chances) in enumerate(zip(ORDERS, found, strict=True)):
        by_stance[row, list(order)] = chances
    return by_stance


def _begun(prompt: Prompt) -> Iterator[Message]:
    """Yield the task and the examples, each with its answer."""
    yield Message(Speaker.SYSTEM, prompt.task)
    for example in EXAMPLES:
        order = ORDERS[example.order]
        yield Message(Speaker.USER, _asked(prompt, example.claim, example.text) + _listed(order))
        yield Message(Speaker.ASSISTANT, LETTERS[order.index(example.answer)])


def _asked(prompt: Prompt, claim: str, text: str) -> str:
    as_json = [json.dumps(each, ensure_ascii=False) for each in (claim, text)]
    return prompt.question.format(claim=as_json[0], text=as_json[1]) + "\n"


def _listed(order: Sequence[int]) -> str:
    return " ".join(f"{letter}) {ANSWERS[answer]}" for letter, answer in zip(LETTERS, order, strict=True))
