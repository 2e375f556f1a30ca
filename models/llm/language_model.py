"""Run a GGUF instruct model in llama.cpp: tokens in, logits out.

Threads may share it only under the caller's lock.
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import ModelError
from models.llm.gguf_header import Header
from models.llm.sampling import Grammar

if TYPE_CHECKING:
    import llama_cpp

BATCH_TOKENS = 128
"""Tokens of a prompt read at once. Half as many take 6% longer, a sixth as many 80%."""

_TEMPLATE = "tokenizer.chat_template"


def _load(path: Path, threads: int, context: int) -> llama_cpp.Llama:
    import llama_cpp

    class PlainLlama(llama_cpp.Llama):  # type: ignore[misc]
        """Loads weights without repacking: virtual machines announce AMX, then fault on weights repacked for it."""

        @property
        def model_params(self) -> llama_cpp.llama_model_params:
            return self._model_params

        @model_params.setter
        def model_params(self, options: llama_cpp.llama_model_params) -> None:
            # the constructor has no such option; it sets this attribute before it loads
            options.use_extra_bufts = False
            self._model_params = options

    return PlainLlama(
        str(path),
        n_ctx=context,
        n_batch=BATCH_TOKENS,
        n_ubatch=BATCH_TOKENS,
        n_threads=threads,
        n_threads_batch=threads,
        verbose=False,
    )


def _text_length() -> object:
    """Return C's strlen, by which llama.cpp asks between two operations whether to stop.

    An empty text gives 0, go on; one character gives 1, stop. It is a C function because it is called a thousand times
    a batch; a Python one would wait for the interpreter each time.
    """
    import llama_cpp

    library = ctypes.CDLL("msvcrt" if os.name == "nt" else None)
    return ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)


class LanguageModel:
    """A loaded instruct model and what it has read so far."""

    def __init__(self, path: Path, header: Header, threads: int, context: int) -> None:
        """Load the GGUF file at `path` for `context` tokens on `threads` threads.

        `header` is the file's header, already read.

        Raises:
            ModelError: llama.cpp is not installed, or cannot load or run the file, or its template is broken.
        """
        try:
            import llama_cpp
            from jinja2 import TemplateError
            from llama_cpp.llama_chat_format import Jinja2ChatFormatter
        except ImportError as exc:
            raise ModelError("llama-cpp-python is not installed; run: pip install -r requirements.txt") from exc
        try:
            self._llama = _load(path, threads, context)  # loading reads the template too
        except TemplateError as exc:
            raise ModelError(f"the chat template of {path} is broken ({_one_line(exc)}); choose another model") from exc
        except ValueError as exc:
            raise ModelError(
                f"llama.cpp cannot load {path} (architecture {header.architecture}): it does not know this kind of "
                "model, or memory is short; choose another model"
            ) from exc
        logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)  # failures are raised as exceptions
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._llama.model)
        self._memory = llama_cpp.llama_get_memory(self._llama.ctx)
        self._size = int(self._llama.n_vocab())
        self._start = int(self._llama.token_bos())
        self._starts = bool(llama_cpp.llama_vocab_get_add_bos(self._vocabulary))
        self._formatter = Jinja2ChatFormatter(
            header.text(_TEMPLATE), eos_token=self._name(self._llama.token_eos()), bos_token=self._name(self._start)
        )
        self._marks = self._find_marks()
        self._stopping = ctypes.create_string_buffer(2)  # empty while computing may go on
        self._asks_whether = _text_length()
        llama_cpp.llama_set_abort_callback(
            self._llama.ctx, self._asks_whether, ctypes.cast(self._stopping, ctypes.c_void_p)
        )

    def get_ready(self, threads: int) -> None:
        """Let llama.cpp compute on `threads` threads until `stop`."""
        import llama_cpp

        self._stopping.value = b""
        llama_cpp.llama_set_n_threads(self._llama.ctx, threads, threads)

    def stop(self) -> None:
        """Stop llama.cpp's computation, from any thread; `read` fails until `get_ready`."""
        self._stopping.value = b"x"

    def tokens_of_label(self, label: str) -> list[int]:
        """Return the tokens for this label: the label itself, and with a space before it.

        Raises:
            ModelError: the label is more than one token.
        """
        found = [tokens[0] for tokens in map(self.tokenize_text, (label, f" {label}")) if len(tokens) == 1]
        if not found:
            raise ModelError(f"the label {label!r} is not one token of this model; choose another model")
        return found

    def _name(self, token: int) -> str:
        import llama_cpp

        return llama_cpp.llama_vocab_get_text(self._vocabulary, token).decode() if token >= 0 else ""

    def _find_marks(self) -> re.Pattern[str]:
        """Match the tags, such as `<think>`, that llama.cpp makes single tokens even in plain text."""
        import llama_cpp

        own = llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        names = [
            self._name(token)
            for token in range(self._size)
            if llama_cpp.llama_vocab_get_attr(self._vocabulary, token) & own
        ]
        tags = sorted((name for name in names if re.fullmatch(r"<.+>|\[.+\]", name)), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, tags)) or "(?!)")

    def render(self, messages: list[dict[str, str]]) -> str:
        """Render the conversation with the model's own chat template, reasoning off where possible.

        Raises:
            ModelError: the template refuses these messages.
        """
        from jinja2 import TemplateError

        try:
            # a template without this option ignores it
            return str(self._formatter(messages=messages, enable_thinking=False).prompt)
        except (TemplateError, ValueError, TypeError) as exc:
            raise ModelError(f"the model's chat template refuses the conversation: {_one_line(exc)}") from exc

    def tokenize_markup(self, text: str) -> list[int]:
        """Tokenize what a template wrote: names of control tokens become control tokens."""
        return list(self._llama.tokenize(text.encode(), add_bos=False, special=True)) if text else []

    def tokenize_text(self, text: str) -> list[int]:
        """Tokenize `text` as ordinary tokens, whatever it names."""
        cuts = [0, *(found.start() + 1 for found in self._marks.finditer(text)), len(text)]
        pieces = (text[start:end] for start, end in zip(cuts, cuts[1:], strict=False))
        return [
            token
            for piece in pieces
            if piece
            for token in self._llama.tokenize(piece.encode("utf-8", "replace"), add_bos=False, special=False)
        ]

    def with_start(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """Prepend the start token, if the model wants one and the template wrote none."""
        return (self._start, *tokens) if self._starts and tokens[:1] != (self._start,) else tokens

    def is_end(self, token: int) -> bool:
        """Whether `token` ends an answer."""
        import llama_cpp

        return bool(llama_cpp.llama_vocab_is_eog(self._vocabulary, token))

    def piece(self, token: int) -> bytes:
        """Return what `token` writes: part of a character at times, nothing for a control token."""
        import llama_cpp

        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = llama_cpp.llama_token_to_piece(self._vocabulary, token, buffer, room, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            room = -length

    def grammar(self, text: str) -> Grammar:
        """Build a grammar over this model's vocabulary.

        Raises:
            ModelError: llama.cpp refuses it.
        """
        return Grammar(self._vocabulary, text)

    def forget(self) -> None:
        """Drop everything that was read."""
        import llama_cpp

        self._llama.reset()
        llama_cpp.llama_memory_clear(self._memory, False)

    def read(self, tokens: Sequence[int], check: Callable[[], None] = lambda: None) -> None:
        """Read on, in batches that are always cut the same way.

        `check` is called before each batch, and after `stop`; it may raise.

        Raises:
            ModelError: llama.cpp failed.
        """
        for start in range(0, len(tokens), BATCH_TOKENS):
            check()
            try:
                self._llama.eval(tokens[start : start + BATCH_TOKENS])
            except RuntimeError as exc:
                check()  # raises if it was stopped
                raise ModelError(f"llama.cpp failed on a prompt of {len(tokens)} tokens: {_one_line(exc)}") from exc

    def logits(self) -> NDArray[np.float32]:
        """Score every token as the next one, shape (vocabulary,); valid until the next `read`."""
        import llama_cpp

        pointer = llama_cpp.llama_get_logits_ith(self._llama.ctx, -1)
        return np.ctypeslib.as_array(pointer, (self._size,))

    def save(self) -> NDArray[np.uint8]:
        """Return everything the model remembers of what it has read."""
        import llama_cpp

        size = llama_cpp.llama_state_seq_get_size(self._llama.ctx, 0)
        state = np.empty(size, np.uint8)
        pointer = ctypes.cast(state.ctypes.data, ctypes.POINTER(ctypes.c_uint8))
        return state[: llama_cpp.llama_state_seq_get_data(self._llama.ctx, pointer, size, 0)]

    def restore(self, state: NDArray[np.uint8], count: int) -> bool:
        """Restore what was saved after `count` tokens; return whether llama.cpp could."""
        import llama_cpp

        self.forget()
        pointer = ctypes.cast(state.ctypes.data, ctypes.POINTER(ctypes.c_uint8))
        if not llama_cpp.llama_state_seq_set_data(self._llama.ctx, pointer, len(state), 0):
            self.forget()
            return False
        self._llama.n_tokens = count
        return True


def _one_line(exc: Exception) -> str:
    return " ".join(str(exc).split())
