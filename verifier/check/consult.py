"""Ask the instruct model during a check, within its share of the time left.

Note and survive every failure.
"""

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
"""Share of the time left that one question may take.

Later stages and questions need the rest. Three slow questions before the web is asked leave it four tenths of the
check's time, 25 of 60 seconds.
"""
_AFTER_WEB = {Stage.VERDICT, Stage.EXPLAIN}
_BEAT = 1.0
"""Seconds between notices that the model is still working."""
_GRACE = 0.5
"""Extra seconds in which a model that keeps its deadline can report that itself."""


def consult(
    assistant: Assistant | None, trace: Trace, stage: Stage, what: str, question: Callable[[Assistant, Limits], T]
) -> Steps[T | None]:
    """Return the assistant's answer.

    It is None if there is no assistant, no time, or no usable answer. The assistant is asked in its own thread, so that closing
    the check need not wait: the model stops at its next token.

    Args:
        assistant: the assistant to ask.
        trace: records the question and its failure.
        stage: the stage that asks.
        what: what is asked for, in words ("the parts of the claim").
        question: asks the assistant, within limits.
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
    """Yield a thread that is not waited for at the end.

    A model that is still loading cannot be cancelled.
    """
    pool = ThreadPoolExecutor(1, "language model")
    try:
        yield pool
    finally:
        pool.shutdown(wait=False)


def _beats(answer: Future[T], stage: Stage, what: str, most: float) -> Steps[None]:
    """Yield a passing step every second until the answer is there.

    Stop after `most` seconds and `_GRACE`.
    """
    start = time.monotonic()
    end = start + most + _GRACE
    while not wait_for([answer], timeout=max(0.0, min(_BEAT, end - time.monotonic()))).done:
        seconds = time.monotonic() - start
        if start + seconds >= end:
            return
        yield Step(stage, f"The language model works on {what} ({seconds:.0f} s)", seconds, passing=True)
