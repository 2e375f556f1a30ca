"""Stand-ins for what a test of something else needs."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from errors import GenerationCancelled, ModelError
from models.llm.chat import Message, Speaker
from models.llm.generator import Json, ModelInfo
from models.llm.grammar import Schema, schema_grammar


class ScriptedGenerator:
    """Answers from a list, in turn, and notes what it was asked. An error in the list is raised in its place.

    With a schema, an answer is a JSON value; without one, a text.
    """

    def __init__(self, answers: Sequence[Json | ModelError], *, context: int = 4096, seconds: float = 0.0) -> None:
        """`seconds` is how long each answer takes; a deadline is not kept, `cancel` is."""
        self.context = context
        self.prompts: list[tuple[Message, ...]] = []
        self.schemas: list[Schema | None] = []
        self._answers = list(answers)
        self._seconds = seconds
        self._lock = threading.Lock()

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
        """The next answer of the list."""
        return self._next(messages, schema, cancel)

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
        """The next answer of the list, word by word."""
        answer = self._next(messages, schema, cancel)
        text = answer if isinstance(answer, str) and schema is None else json.dumps(answer, ensure_ascii=False)
        return iter(re.findall(r"\S+\s*|^\s+", text))

    @property
    def name(self) -> str:
        """A name that nothing was fitted for."""
        return "Scripted"

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
        """The next answer of the list, which is one of the words that the endings give to the labels: it is nearly sure."""
        answer = str(self._next([*messages, Message(Speaker.USER, text)], None, cancel))
        rows = []
        for ending in endings:
            sure = [f"{label}) {answer}" in ending for label in labels]
            assert sum(sure) == 1, f"{answer!r} is no answer of {ending!r}"
            rows.append([0.98 if each else 0.01 for each in sure])
        return np.array(rows)

    def count_tokens(self, text: str) -> int:
        """One token for every four characters."""
        return -(-len(text) // 4)

    def describe(self) -> ModelInfo:
        """A model of no size."""
        return ModelInfo("Scripted", "none", 0, "none", 0, self.context)

    def _next(self, messages: Sequence[Message], schema: Schema | None, cancel: threading.Event | None) -> Json:
        with self._lock:
            self.prompts.append(tuple(messages))
            self.schemas.append(schema)
            if schema is not None:
                schema_grammar(schema)  # a schema that the real one refuses is refused here too
            time.sleep(self._seconds)
            if cancel is not None and cancel.is_set():
                raise GenerationCancelled("the generation was cancelled")
            if not self._answers:
                raise AssertionError(f"no answer is left for prompt {len(self.prompts)}: {messages[-1].text[:200]!r}")
            answer = self._answers.pop(0)
            if isinstance(answer, ModelError):
                raise answer
            return answer


class Says:
    """A stance model that gives every pair the same label."""

    def __init__(self, label: str) -> None:
        self.label = label

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        pass

    def probabilities(self, *texts: str) -> dict[str, float]:
        return {label: 0.98 if label == self.label else 0.01 for label in ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")}
