"""A local instruct model: messages in, text or JSON out, token by token, within a deadline.

The same messages always give the same answer: the seed is fixed, and a prompt is always read in the same batches,
whether or not its beginning was kept from an earlier call.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Generator as PieceGenerator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import GenerationCancelled, GenerationCut, GenerationTimeout, ModelError, PromptTooLong
from models.llm.chat import Message, Prompt, encode
from models.llm.gguf_header import Header, read_header
from models.llm.grammar import Schema, schema_grammar
from models.llm.language_model import LanguageModel
from models.llm.memory import KEPT_BYTES, fitting_context, free_memory
from models.llm.sampling import Sampler

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

CONTEXT_TOKENS = 4096
SEED = 1
_WORTH_KEEPING = 32
"""Least tokens of a state that is kept; fewer are read again in less time."""
_LOOK_SECONDS = 0.05
"""Seconds between two looks at the clock while a call waits for its turn, or is at work."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is, for people: `file_bytes` is its size on disk, `context` how many tokens it has at once."""

    name: str
    architecture: str
    parameters: int
    quantisation: str
    file_bytes: int
    context: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call took: tokens of the prompt, those of them kept from before, tokens written, and seconds."""

    prompt: int
    kept: int
    written: int
    reading_seconds: float
    writing_seconds: float


class _Limits:
    """When a call has to end, and whether its caller still wants it."""

    def __init__(self, deadline: float, cancel: threading.Event | None) -> None:
        self._deadline = deadline
        self._end = time.monotonic() + deadline
        self._cancel = cancel or threading.Event()

    def check(self) -> None:
        if self._cancel.is_set():
            raise GenerationCancelled("the generation was cancelled")
        if time.monotonic() >= self._end:
            raise GenerationTimeout(f"no answer within {self._deadline:g} s; allow more time or choose a smaller model")

    @contextmanager
    def watched(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` from another thread as soon as the call has to end."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_LOOK_SECONDS):
                if self._cancel.is_set() or time.monotonic() >= self._end:
                    return stop()

        watcher = threading.Thread(target=watch, name="limits of a generation", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def take(self, lock: threading.Lock) -> None:
        self.check()
        while not lock.acquire(timeout=_LOOK_SECONDS):
            self.check()


class Generator:
    """A loaded instruct model. Safe to share between threads: calls take turns."""

    def __init__(
        self,
        path: Path,
        threads: int,
        context: int = CONTEXT_TOKENS,
        *,
        seed: int = SEED,
        free_bytes: int | None = None,
    ) -> None:
        """Load the GGUF file at `path`; `threads` of the CPU are used per call.

        The context has at most `context` tokens, fewer where the model was trained for fewer or memory is short: as
        many as fit into `free_bytes`, by default what the system reports as free.

        Raises:
            ModelError: the file is no whole GGUF of an instruct model that llama.cpp runs, or memory is too short.
        """
        self._header = read_header(path)
        _check_kind(self._header, path)
        free = free_memory() if free_bytes is None else free_bytes
        self.context = fitting_context(self._header, context, free, path.name)
        self._path = path
        self._model = LanguageModel(path, self._header, threads, self.context)
        self._seed = seed
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, ...], NDArray[np.uint8]] = OrderedDict()
        self.usage: Usage | None = None
        """What the call that ended last took; None before the first."""

    def describe(self) -> ModelInfo:
        """What the file says about the model."""
        header = self._header
        return ModelInfo(
            name=header.text("general.name") or self._path.stem,
            architecture=header.architecture,
            parameters=header.parameters,
            quantisation=header.quantisation,
            file_bytes=header.file_bytes,
            context=self.context,
        )

    def count_tokens(self, text: str) -> int:
        """How many tokens `text` is as part of a message."""
        return len(self._model.tokenize_text(text))

    def encode(self, messages: Sequence[Message]) -> Prompt:
        """The tokens that the model reads for `messages`.

        Raises:
            ModelError: the model's chat template refuses or leaves out a message.
        """
        model = self._model
        prompt = encode(messages, model.render, model.tokenize_markup, model.tokenize_text)
        tokens = model.with_start(prompt.tokens)
        return Prompt(tokens, prompt.shared + len(tokens) - len(prompt.tokens))

    def answer(
        self,
        messages: Sequence[Message],
        schema: Schema,
        *,
        max_tokens: int,
        temperature: float,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> Json:
        """The model's answer as a JSON value of `schema`; the rest as in `generate`.

        Raises:
            ModelError: as in `generate`.
        """
        limits = {"max_tokens": max_tokens, "temperature": temperature, "deadline": deadline}
        text = "".join(self.generate(messages, schema, **limits, cancel=cancel))  # type: ignore[arg-type]
        try:
            value: Json = json.loads(text)
        except ValueError as exc:
            raise ModelError(f"the model wrote no JSON: {text[:80]!r}") from exc
        return value

    def generate(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int,
        temperature: float,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> Iterator[str]:
        """The model's answer in pieces, as they come; with a `schema` they join to JSON of it.

        The model is held from the first piece to the last, so read to the end or close the iterator. `temperature` 0
        takes the likeliest token each time. `deadline` is in seconds from this call on, waiting for a turn included.
        It and `cancel` are looked at before every token, and twenty times a second while a prompt is read.

        Raises:
            PromptTooLong: the messages leave no room for an answer in the context.
            GenerationCut: after the pieces so far, where `max_tokens` or the context ended the answer.
            GenerationTimeout: the deadline passed.
            GenerationCancelled: `cancel` was set.
            ModelError: the schema or the messages cannot be used, or llama.cpp failed.
        """
        if max_tokens < 1 or temperature < 0:
            raise ModelError(
                f"max_tokens must be >= 1 and temperature >= 0, got max_tokens {max_tokens} and "
                f"temperature {temperature}"
            )
        limits = _Limits(deadline, cancel)
        grammar = self._model.grammar(schema_grammar(schema)) if schema is not None else None
        prompt = self.encode(messages)
        budget = min(max_tokens, self.context - len(prompt.tokens))
        if budget < 1:
            raise PromptTooLong(
                f"the prompt has {len(prompt.tokens)} tokens and the context {self.context}; shorten the messages"
            )
        sampler = Sampler(temperature, self._seed, grammar, self._model.piece)
        return _without_empty_thought(self._write(prompt, sampler, budget, limits))

    def _write(self, prompt: Prompt, sampler: Sampler, budget: int, limits: _Limits) -> PieceGenerator[str, None, None]:
        limits.take(self._lock)
        try:
            yield from self._pieces(prompt, sampler, budget, limits)
        finally:
            self._lock.release()

    def _pieces(self, prompt: Prompt, sampler: Sampler, budget: int, limits: _Limits) -> Iterator[str]:
        with limits.watched(self._model.stop):
            start = time.monotonic()
            kept = self._read(prompt, limits.check)
            read = time.monotonic()
            written = 0
            try:
                while True:
                    token, piece = sampler.choose(self._model.logits())
                    if self._model.is_end(token):
                        return
                    if written == budget:
                        raise GenerationCut(
                            f"the answer did not end within {budget} tokens; allow more, or ask for less"
                        )
                    written += 1
                    if piece:
                        yield piece
                    self._model.read([token], limits.check)
            finally:
                self.usage = Usage(len(prompt.tokens), kept, written, read - start, time.monotonic() - read)

    def _read(self, prompt: Prompt, check: Callable[[], None]) -> int:
        """Read the prompt, from where a kept state ends if there is one; returns how many tokens that spared.

        States are kept whole, since a model with recurrent layers cannot go back to the middle of what it has read.
        """
        shared = prompt.tokens[: prompt.shared]
        state = self._kept.get(shared)
        spared = state is not None and self._model.restore(state, len(shared))
        if not spared:
            self._model.forget()
            self._model.read(shared, check)
            self._keep(shared)
        else:
            self._kept.move_to_end(shared)
        self._model.read(prompt.tokens[len(shared) :], check)
        return len(shared) if spared else 0

    def _keep(self, tokens: tuple[int, ...]) -> None:
        """Keep the model's state after `tokens`; drop the least used states above `KEPT_BYTES` in all."""
        if len(tokens) < _WORTH_KEEPING:
            return
        self._kept[tokens] = self._model.save()
        while sum(state.nbytes for state in self._kept.values()) > KEPT_BYTES:
            self._kept.popitem(last=False)


def _check_kind(header: Header, path: Path) -> None:
    mend = "choose the GGUF of an instruct model"
    architecture = header.architecture
    if "bert" in architecture or architecture.endswith("encoder"):
        raise ModelError(f"{path} is an encoder (architecture {architecture}), which writes no text; {mend}")
    if not header.text("tokenizer.chat_template"):
        raise ModelError(f"{path} has no chat template, so it is no model that answers; {mend}")


def _without_empty_thought(pieces: PieceGenerator[str, None, None]) -> Iterator[str]:
    """The pieces without an empty `<think></think>` before them, which models write whose reasoning is turned off."""
    empty = "<think></think>"
    held = ""
    with closing(pieces):
        for piece in pieces:
            held += piece
            squeezed = "".join(held.split())
            if empty.startswith(squeezed):
                continue  # may still become one
            yield held.partition("</think>")[2].lstrip() if squeezed.startswith(empty) else held
            yield from pieces
            return
        if "".join(held.split()) != empty:
            yield held
