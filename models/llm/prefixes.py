"""Read prompts, each from the kept state of an earlier one with the same beginning."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.llm.language_model import LanguageModel
from models.llm.memory import KEPT_BYTES

_WORTH_KEEPING = 32
"""Fewest tokens of a state that is kept; fewer are read again in less time."""

Tokens = tuple[int, ...]


class Prefixes:
    """The kept states of one model.

    Whole states are kept, since a model with recurrent layers cannot go back within what it has read. A prompt is
    always read in the same batches, whether or not its beginning was kept. Use it from one thread at a time.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Start with nothing kept."""
        self._model = model
        self.kept: OrderedDict[Tokens, NDArray[np.uint8]] = OrderedDict()

    def read(self, tokens: Tokens, marks: Sequence[int], check: Callable[[], None]) -> int:
        """Have the model read `tokens`, from the last of `marks` with a kept state.

        A state is kept at each mark.

        Returns:
            How many tokens were saved.

        Raises:
            ModelError: llama.cpp failed, or `check`, which is called between batches, raised it.
        """
        spared = next((mark for mark in reversed(marks) if self._resume(tokens[:mark])), 0)
        if not spared:
            self._model.forget()
        done = spared
        for mark in marks:
            if mark > done:
                self._model.read(tokens[done:mark], check)
                self._keep(tokens[:mark])
                done = mark
        self._model.read(tokens[done:], check)
        return spared

    def drop(self, tokens: Tokens) -> None:
        """Stop keeping the state after these tokens."""
        self.kept.pop(tokens, None)

    def _resume(self, tokens: Tokens) -> bool:
        """Go back to just after these tokens, if that is kept and llama.cpp can."""
        state = self.kept.get(tokens)
        if state is None or not self._model.restore(state, len(tokens)):
            return False
        self.kept.move_to_end(tokens)
        return True

    def _keep(self, tokens: Tokens) -> None:
        """Keep the model's state after `tokens`; drop the least used states above `KEPT_BYTES` in all."""
        if len(tokens) < _WORTH_KEEPING:
            return
        self.kept[tokens] = self._model.save()
        while sum(state.nbytes for state in self.kept.values()) > KEPT_BYTES:
            self.kept.popitem(last=False)
