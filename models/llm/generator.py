"""Run a local instruct model: messages in, text or JSON out, within a deadline.

It writes token by token. The same messages always give the same answer: the seed is fixed, and a prompt is always read
in the same batches, whether or not its beginning was kept from an earlier call.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator as PieceGenerator
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import GenerationCut, ModelError, PromptTooLong
from models.llm.chat import Message, Prompt, encode
from models.llm.cores import free_threads
from models.llm.gguf_header import Header, read_header
from models.llm.grammar import Schema, schema_grammar
from models.llm.language_model import LanguageModel
from models.llm.limits import Limits
from models.llm.memory import fitting_context, free_memory
from models.llm.prefixes import Prefixes
from models.llm.sampling import Sampler

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

CONTEXT_TOKENS = 4096
SEED = 1


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a model is, for people.

    `file_bytes` is its size on disk; `context` is how many tokens it holds at once.
    """

    name: str
    architecture: str
    parameters: int
    quantisation: str
    file_bytes: int
    context: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call took: prompt tokens, how many of them were kept, tokens written, seconds."""

    prompt: int
    kept: int
    written: int
    reading_seconds: float
    writing_seconds: float


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
        adapt: bool = True,
    ) -> None:
        """Load the GGUF file at `path`.

        A call uses at most `threads` of the CPU; with `adapt`, only as many as cores are free. The context has at most
        `context` tokens, fewer if the model was trained for fewer or memory is short: as many as fit into `free_bytes`,
        by default what the system reports as free.

        Raises:
            ModelError: the file is not a whole GGUF of an instruct model that llama.cpp runs, or memory is too short.
        """
        self._header = read_header(path)
        _check_kind(self._header, path)
        free = free_memory() if free_bytes is None else free_bytes
        self.context = fitting_context(self._header, context, free, path.name)
        self._path = path
        self._model = LanguageModel(path, self._header, threads, self.context)
        self._seed, self._threads, self._adapt = seed, threads, adapt
        self._lock = threading.Lock()
        self._prefixes = Prefixes(self._model)
        self.usage: Usage | None = None
        """What the last finished call took; None before the first."""

    @property
    def name(self) -> str:
        """The model's name in the file, or else the file's own name."""
        return self._header.text("general.name") or self._path.stem

    def describe(self) -> ModelInfo:
        """Return what the file says about the model."""
        header = self._header
        return ModelInfo(
            name=self.name,
            architecture=header.architecture,
            parameters=header.parameters,
            quantisation=header.quantisation,
            file_bytes=header.file_bytes,
            context=self.context,
        )

    def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` as part of a message."""
        return len(self._model.tokenize_text(text))

    def encode(self, messages: Sequence[Message]) -> Prompt:
        """Encode `messages` as the tokens that the model reads.

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
        """Answer with a JSON value of `schema`; otherwise like `generate`.

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

    def likelihoods(
        self,
        messages: Sequence[Message],
        text: str,
        endings: Sequence[str],
        labels: Sequence[str],
        *,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float64]:
        """Return how likely an answer begins with each of `labels` rather than another.

        Shape (endings, labels); rows sum to 1. The last message continues with `text` and then with one of `endings`.
        What comes before `text` is read once for all texts, and `text` once for all endings. Nothing is written. Limits
        as in `generate`.

        Raises:
            PromptTooLong: the context is too short.
            GenerationTimeout: the deadline passed.
            GenerationCancelled: `cancel` was set.
            ModelError: a label is not one token of the model, the messages cannot be used, or llama.cpp failed.
        """
        limits = Limits(deadline, cancel)
        starts = [self._model.tokens_of_label(label) for label in labels]
        frame = self.encode([*messages[:-1], Message(messages[-1].speaker, "")])
        parts = [frame.tokens[: frame.shared], *map(self._model.tokenize_text, (messages[-1].text, text))]
        begin, end = tuple(chain(*parts)), frame.tokens[frame.shared :]
        prompts = [(*begin, *self._model.tokenize_text(ending), *end) for ending in endings]
        longest = max(map(len, prompts))
        if longest > self.context:
            raise PromptTooLong(f"the prompt has {longest} tokens and the context {self.context}; shorten the messages")
        marks = list(accumulate(map(len, parts)))
        with self._turn(limits):
            start, spared, rows = time.monotonic(), 0, []
            for prompt in prompts:
                spared += self._prefixes.read(prompt, marks, limits.check)
                logits = self._model.logits().astype(np.float64)
                rows.append([np.logaddexp.reduce(logits[tokens]) for tokens in starts])
            self._prefixes.drop(begin)  # no longer needed
            self.usage = Usage(sum(map(len, prompts)), spared, 0, time.monotonic() - start, 0.0)
        odds = np.array(rows)
        shares: NDArray[np.float64] = np.exp(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))
        return shares

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
        """Yield the answer in pieces; with a `schema`, they join to its JSON.

        The model is held from the first piece to the last, so read to the end or close the iterator. `temperature` 0
        takes the likeliest token each time. `deadline` is in seconds from this call on, including the wait for a turn.
        It and `cancel` are checked before every token, and during every batch of a prompt.

        Raises:
            PromptTooLong: the messages leave no room for an answer in the context.
            GenerationCut: after the pieces so far, if `max_tokens` or the context ended the answer.
            GenerationTimeout: the deadline passed.
            GenerationCancelled: `cancel` was set.
            ModelError: the schema or the messages cannot be used, or llama.cpp failed.
        """
        if max_tokens < 1 or temperature < 0:
            raise ModelError(
                f"max_tokens must be >= 1 and temperature >= 0, got max_tokens {max_tokens} and "
                f"temperature {temperature}"
            )
        limits = Limits(deadline, cancel)
        grammar = self._model.grammar(schema_grammar(schema)) if schema is not None else None
        prompt = self.encode(messages)
        budget = min(max_tokens, self.context - len(prompt.tokens))
        if budget < 1:
            raise PromptTooLong(
                f"the prompt has {len(prompt.tokens)} tokens and the context {self.context}; shorten the messages"
            )
        sampler = Sampler(temperature, self._seed, grammar, self._model.piece)
        return _without_empty_thought(self._write(prompt, sampler, budget, limits))

    def _write(self, prompt: Prompt, sampler: Sampler, budget: int, limits: Limits) -> PieceGenerator[str, None, None]:
        with self._turn(limits):
            start = time.monotonic()
            kept = self._prefixes.read(prompt.tokens, [prompt.shared], limits.check)
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
                seconds = time.monotonic() - read
                self.usage = Usage(len(prompt.tokens), kept, written, read - start, seconds)

    @contextmanager
    def _turn(self, limits: Limits) -> Iterator[None]:
        """Hold the model with as many threads as free cores; stop computing at the limits."""
        limits.take(self._lock)
        try:
            self._model.get_ready(free_threads(self._threads) if self._adapt else self._threads)
            with limits.watched(self._model.stop):
                yield
        finally:
            self._lock.release()


def _check_kind(header: Header, path: Path) -> None:
    mend = "choose the GGUF of an instruct model"
    architecture = header.architecture
    if "bert" in architecture or architecture.endswith("encoder"):
        raise ModelError(f"{path} is an encoder (architecture {architecture}), which writes no text; {mend}")
    if not header.text("tokenizer.chat_template"):
        raise ModelError(f"{path} has no chat template, so it is no model that answers; {mend}")


def _without_empty_thought(pieces: PieceGenerator[str, None, None]) -> Iterator[str]:
    """Drop an empty `<think></think>` before the pieces.

    Models whose reasoning is turned off write one.
    """
    empty = "<think></think>"
    held = ""
    with closing(pieces):
        for piece in pieces:
            held += piece
            squeezed = "".join(held.split())
            if empty.startswith(squeezed):
                continue  # may still become an empty thought
            yield held.partition("</think>")[2].lstrip() if squeezed.startswith(empty) else held
            yield from pieces
            return
        if "".join(held.split()) != empty:
            yield held
