"""Measure a generator's speed on this machine: `python -m models bench FILE.gguf`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from errors import GenerationCut, ModelError
from models.llm.chat import Message, Speaker
from models.llm.cores import usable_cores
from models.llm.generator import Generator, Usage
from models.llm.grammar import Schema

PROMPT_WORDS, ANSWER_TOKENS = 300, 48
_CONTEXT = 2048
_DEADLINE = 600.0
_SCHEMA: Schema = {"type": "string", "minLength": 900, "maxLength": 1000}
"""Long enough that no answer ends by itself, so every row writes as many tokens."""
_WORDS = "the bridge over the river was opened in May 1931 after four years of work and is 412 metres long".split()


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of a model.

    Seconds to load and to the first token, megabytes of the process, tokens per second read and written.
    """

    threads: int
    load_seconds: float
    megabytes: int
    first_token_seconds: float
    read_per_second: float
    written_per_second: float


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a check, in sizes.

    Words of instructions (kept for the next claim), words of the question, tokens of the answer.
    """

    name: str
    instructions: int
    question: int
    answer: int


TASKS = (
    Task("translation", 60, 20, 30),
    Task("parts of a claim", 110, 30, 50),
    Task("verdict on five texts", 170, 350, 20),
)
"""A check's most frequent tasks, sized as on the development claims."""


def thread_counts() -> list[int]:
    """List the thread counts to measure: one, two, and all usable cores."""
    cores = usable_cores()
    return sorted({1, min(2, cores), cores})


def resident_megabytes() -> int:
    """Return the megabytes this process holds now; 0 if /proc does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS:")), 0)


def measure(path: Path, threads: int) -> Row:
    """Load the model at `path`, have it read a prompt and write an answer.

    Raises:
        ModelError: the model cannot be loaded or run.
    """
    start = time.monotonic()
    generator = Generator(path, threads, _CONTEXT, adapt=False)
    loaded = time.monotonic() - start
    usage = _asked(
        generator, [Message(Speaker.USER, f"Tell this at length in other words: {_text(PROMPT_WORDS)}")], ANSWER_TOKENS
    )
    return Row(
        threads,
        loaded,
        resident_megabytes(),
        usage.reading_seconds,
        usage.prompt / max(usage.reading_seconds, 1e-9),
        usage.written / max(usage.writing_seconds, 1e-9),
    )


def cost(generator: Generator, task: Task) -> tuple[Usage, Usage]:
    """Measure a task asked first, and for another claim with its instructions kept."""
    instructions = Message(Speaker.SYSTEM, f"{task.name}: {_text(task.instructions)}")
    first, second = (
        _asked(generator, [instructions, Message(Speaker.USER, f"{name}: {_text(task.question)}")], task.answer)
        for name in ("First", "Second")
    )
    return first, second


def report(path: Path) -> Iterator[str]:
    """Yield the lines of both tables, each as soon as it is measured.

    Raises:
        ModelError: the model cannot be loaded or run.
    """
    info = Generator(path, 1, _CONTEXT).describe()
    yield (
        f"{info.name}: {info.architecture}, {info.parameters / 1e6:,.0f} million parameters, {info.quantisation}, "
        f"{info.file_bytes / 2**20:,.0f} MB on disk"
    )
    yield (
        f"{'threads':>8}{'load s':>9}{'memory MB':>11}{'first token s':>15}"
        f"{'prompt tokens/s':>17}{'written tokens/s':>18}"
    )
    for threads in thread_counts():
        row = measure(path, threads)
        yield (
            f"{row.threads:>8}{row.load_seconds:>9.2f}{row.megabytes:>11,}{row.first_token_seconds:>15.2f}"
            f"{row.read_per_second:>17.1f}{row.written_per_second:>18.1f}"
        )
    yield f"{'task, on ' + str(_usual_threads()) + ' threads':<26}{'first s':>9}{'then s':>9}{'read':>7}{'kept':>7}{'written':>9}"
    generator = Generator(path, _usual_threads(), _CONTEXT)
    for task in TASKS:
        first, then = cost(generator, task)
        yield (
            f"{task.name:<26}{_seconds(first):>9.2f}{_seconds(then):>9.2f}"
            f"{then.prompt - then.kept:>7}{then.kept:>7}{then.written:>9}"
        )


def _usual_threads() -> int:
    return min(2, thread_counts()[-1])


def _text(words: int) -> str:
    return " ".join(_WORDS[number % len(_WORDS)] for number in range(words))


def _asked(generator: Generator, messages: list[Message], tokens: int) -> Usage:
    try:
        generator.answer(messages, _SCHEMA, max_tokens=tokens, temperature=0.0, deadline=_DEADLINE)
    except GenerationCut:
        pass  # expected
    if generator.usage is None:
        raise ModelError("the model was not measured: it wrote nothing")
    return generator.usage


def _seconds(usage: Usage) -> float:
    return usage.reading_seconds + usage.writing_seconds
