"""Ask the instruct model within a check, in its share of the time that is left; every failure is noted and survived."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from typing import TypeVar

from errors import AnswerUnusable, ModelError
from verifier.check.trace import Steps, Trace
from verifier.llm.assistant import Assistant, Limits
from verifier.schema import Stage, Step

T = TypeVar("T")
_SHARE, _SHARE_BEFORE_WEB = 0.5, 0.25
"""The share of the time left that one question may take: the stages after it, and the questions after it, need theirs.

Three slow questions before the web is asked leave it four tenths of the time of a check, 25 of 60 seconds.
"""
_AFTER_WEB = {Stage.VERDICT, Stage.EXPLAIN}
_BEAT = 1.0
"""Seconds after which a reader hears that the model is still at work."""
_GRACE = 0.5
"""Seconds in which a model that keeps to its deadline says so itself."""


def consult(
    assistant: Assistant | None, trace: Trace, stage: Stage, what: str, question: Callable[[Assistant, Limits], T]
) -> Steps[T | None]:
    """Return the assistant's answer; None where there is no assistant, no time, or no usable answer.

    It is asked in a thread of its own, so that closing the check need not wait: the model stops at its next token.

    Args:
        assistant: who is asked.
        trace: where the question and its failure are written.
        stage: the stage that asks.
        what: what is asked for, in words ("the parts of the claim").
        question: asks it, within limits.
    """
    if assistant is None or trace.left <= 0:
        return None
    trace.tool_calls += 1
    share = _SHARE if stage in _AFTER_WEB else _SHARE_BEFORE_WEB
    limits = Limits(share * trace.left, threading.Event())
    with _thread() as pool:
        answer = pool.submit(question, assistant, limits)
        try:
            yield from _beats(answer, stage, what, limits.seconds)
            return answer.result(0)
        except NotInTime:
            told = f"no answer within {limits.seconds:.0f} s, its share of the time"
            yield trace.step(stage, f"The language model did not give {what} ({told}); going on without it")
            return None
        except ModelError as exc:
            if not isinstance(exc, AnswerUnusable):
                trace.warn(f"the language model could not be used: {exc}", "language model")
            yield trace.step(stage, f"The language model did not give {what} ({exc}); going on without it")
            return None
        finally:
            limits.cancel.set()


@contextmanager
def _thread() -> Iterator[ThreadPoolExecutor]:
    """A thread that is left to itself at the end: a model that is being loaded hears of no cancellation."""
    pool = ThreadPoolExecutor(1, "language model")
    try:
        yield pool
    finally:
        pool.shutdown(wait=False)


def _beats(answer: Future[T], stage: Stage, what: str, most: float) -> Steps[None]:
    """A passing step a second until the answer is there, or so many seconds and a moment more have passed."""
    start = time.monotonic()
    end = start + most + _GRACE
    while not wait_for([answer], timeout=max(0.0, min(_BEAT, end - time.monotonic()))).done:
        seconds = time.monotonic() - start
        if start + seconds >= end:
            return
        yield Step(stage, f"The language model works on {what} ({seconds:.0f} s)", seconds, passing=True)
