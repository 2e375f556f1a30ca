"""Choose the next token from a step's logits, among the likeliest that a grammar allows.

llama.cpp's own chain tries the grammar on every token of the vocabulary. For 248,000 tokens this takes 200 ms per step,
longer than the model itself. Here the likeliest few are tried first, and all only if none of them fits.
"""

from __future__ import annotations

import codecs
import ctypes
import weakref
from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from errors import ModelError

CANDIDATES = 40
"""How many of the likeliest tokens to choose from, if the grammar allows any of them."""
TOP_SHARE = 0.95
"""Of these, the likeliest that together have this probability."""
_WIDER = 4000

_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Grammar:
    """The position in a grammar after the text written so far."""

    def __init__(self, vocabulary: object, text: str) -> None:
        """Start at the rule `root` of `text`; `vocabulary` is llama.cpp's.

        Raises:
            ModelError: llama.cpp refuses the grammar.
        """
        import llama_cpp

        self._sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
        if not self._sampler:
            raise ModelError("llama.cpp refuses the grammar of this schema; use smaller maxLength and maxItems")
        weakref.finalize(self, llama_cpp.llama_sampler_free, self._sampler).atexit = False

    def allows(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of `tokens` may come next; shape (tokens,)."""
        import llama_cpp

        data = np.zeros(len(tokens), _TOKEN_DATA)
        data["id"] = tokens
        pointer = ctypes.cast(data.ctypes.data, llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(data=pointer, size=len(tokens), selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return np.asarray(data["logit"] == 0)

    def accept(self, token: int) -> None:
        """Advance past `token`, which must be allowed."""
        import llama_cpp

        llama_cpp.llama_sampler_accept(self._sampler, token)


class Sampler:
    """Chooses one token after another for one answer."""

    def __init__(self, temperature: float, seed: int, grammar: Grammar | None, piece: Callable[[int], bytes]) -> None:
        """Sample with this `temperature`: 0 always takes the likeliest token; above, equal seeds choose equally.

        `piece` says what a token writes. Tokens that are parts of characters are only joined into whole ones.
        """
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        self._grammar = grammar
        self._piece = piece
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def choose(self, logits: NDArray[np.float32]) -> tuple[int, str]:
        """Choose the next token by `logits`, shape (vocabulary,).

        Returns it with the characters that it completes.

        Raises:
            ModelError: no token of the vocabulary is allowed.
        """
        tokens = self._candidates(logits)
        token = int(tokens[0] if self._temperature == 0 else self._drawn(tokens, logits[tokens]))
        if self._grammar:
            self._grammar.accept(token)
        return token, self._decoder.decode(self._piece(token))

    def _candidates(self, logits: NDArray[np.float32]) -> NDArray[np.int32]:
        """Return the likeliest tokens that may come next, likeliest first; at least one."""
        for count in (CANDIDATES, _WIDER, len(logits)):
            count = min(count, len(logits))
            tokens = np.argpartition(-logits, count - 1)[:count].astype(np.int32)
            if self._grammar:
                tokens = tokens[self._grammar.allows(tokens)]
            tokens = tokens[np.lexsort((tokens, -logits[tokens]))]  # in a tie, the lower number first
            found = list(islice(filter(self._decodes, tokens), CANDIDATES))
            if found:
                return np.array(found, np.int32)
        raise ModelError("no token of the model's vocabulary fits the schema; choose another model")

    def _decodes(self, token: int) -> bool:
        """Whether the text stays UTF-8 with `token`; llama.cpp's grammar lets some other bytes pass."""
        state = self._decoder.getstate()
        try:
            self._decoder.decode(self._piece(int(token)))
        except UnicodeDecodeError:
            return False
        finally:
            self._decoder.setstate(state)
        return True

    def _drawn(self, tokens: NDArray[np.int32], logits: NDArray[np.float32]) -> int:
        shares = np.exp((logits - logits[0]).astype(np.float64) / self._temperature)
        shares /= shares.sum()
        before = np.cumsum(shares) - shares
        kept = shares[before < TOP_SHARE]
        place = np.searchsorted(np.cumsum(kept), self._random.random() * kept.sum(), side="right")
        return int(tokens[min(int(place), len(kept) - 1)])
