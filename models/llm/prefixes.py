"""Read prompts, each from where an earlier one that began alike was kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.llm.language_model import LanguageModel
from models.llm.memory import KEPT_BYTES

_WORTH_KEEPING = 32
"""Least tokens of a state that is kept; fewer are read again in less time."""

Tokens = tuple[int, ...]


class Prefixes:
    """The kept states of one model: whole ones, since a model with recurrent layers cannot go back amid what it has read.

    A prompt is always read in the same batches, whether or not its beginning was kept. To be used by one thread at a time.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Nothing is kept yet."""
        self._model = model
        self.kept: OrderedDict[Tokens, NDArray[np.uint8]] = OrderedDict()

    def read(self, tokens: Tokens, marks: Sequence[int], check: Callable[[], None]) -> int:
        """Have the model read `tokens`, from the last of `marks` at which a state is kept; a state is kept at each mark.

        Returns:
            How many tokens that spared.

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
        """Keep the state after these tokens no longer."""
        self.kept.pop(tokens, None)

    def _resume(self, tokens: Tokens) -> bool:
        """Go back to where just these tokens were read, if that is kept and llama.cpp can."""
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
