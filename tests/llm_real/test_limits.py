"""Deadlines, Stop, memory and what is kept, with a real instruct model."""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

import pytest

from errors import GenerationCancelled, GenerationTimeout, ModelError
from models.llm.bench import TASKS, cost, resident_megabytes
from models.llm.chat import Message, Speaker
from models.llm.generator import Generator
from models.llm.grammar import Schema
from verifier.check.gather import Models

SILENCE = 0.3
"""Seconds from Stop until the model is still."""
LONG = " ".join(f"The bridge number {number} over the river was opened in May 1931." for number in range(60))
ENDLESS: Schema = {"type": "string", "minLength": 900, "maxLength": 1000}
ANSWERS, SECONDS = 100, 120.0


def ask(real: Generator, text: str, schema: Schema, cancel: threading.Event | None = None, **limits: float) -> object:
    seconds = limits.get("deadline", 120.0)
    return real.answer(
        [Message(Speaker.USER, text)], schema, max_tokens=200, temperature=0.0, deadline=seconds, cancel=cancel
    )


def silent_after(real: Generator, text: str, seconds: float) -> float:
    """Seconds from Stop, so long after the question, until the call has ended; the process then rests."""
    cancel, stopped = threading.Event(), list[float]()

    def stop() -> None:
        stopped.append(time.monotonic())
        cancel.set()

    timer = threading.Timer(seconds, stop)
    timer.start()
    with pytest.raises(GenerationCancelled):
        ask(real, text, ENDLESS, cancel)
    late = time.monotonic() - stopped[0]
    used = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - used < 0.1
    return late


def test_stop_is_silence_while_it_reads_and_while_it_writes(real: Generator) -> None:
    ask(real, "Say yes.", {"const": "yes"})
    reading = [silent_after(real, f"{number}. {LONG}", 0.3) for number in range(5)]
    writing = [silent_after(real, "Tell of a bridge.", 4.0) for _ in range(3)]
    assert real.usage and real.usage.written > 0
    assert statistics.median(reading) < SILENCE and statistics.median(writing) < SILENCE, (reading, writing)
    assert ask(real, "Say yes.", {"const": "yes"}) == "yes"


@pytest.mark.parametrize("deadline", [0.5, 2.0])
def test_a_deadline_is_kept(real: Generator, deadline: float) -> None:
    start = time.monotonic()
    with pytest.raises(GenerationTimeout):
        ask(real, LONG, ENDLESS, deadline=deadline)
    assert time.monotonic() - start < deadline + SILENCE


def test_the_second_question_of_a_task_reads_only_what_is_new(real: Generator) -> None:
    task = TASKS[0]
    first, second = cost(real, task)
    assert second.kept > task.instructions and second.prompt - second.kept < first.prompt - task.instructions


def test_memory_does_not_grow_over_a_hundred_answers_and_all_are_of_the_schema(real: Generator) -> None:
    end, start = time.monotonic() + SECONDS, 0
    for number in range(ANSWERS):
        answer = ask(real, f"Is {number} an even number?", {"enum": ["yes", "no"]})
        assert answer in {"yes", "no"}
        if number == ANSWERS // 10:
            start = resident_megabytes()
        if number > ANSWERS // 2 and time.monotonic() > end:
            break
    assert resident_megabytes() - start < 16


def test_app_and_model_fit_into_three_gigabytes(real: Generator, models: Models) -> None:
    models.stance.probabilities("The tower is 90 metres tall", "The tower is 40 metres tall.")
    ask(real, "Say yes.", {"const": "yes"})
    assert 0 < resident_megabytes() < 3_000


def test_a_model_that_does_not_fit_is_refused_before_it_is_loaded(path: Path) -> None:
    before = resident_megabytes()
    with pytest.raises(ModelError, match=r"needs [\d,]+ MB of memory and 500 MB are free"):
        Generator(path, 1, free_bytes=500 * 2**20)
    assert resident_megabytes() - before < 200
