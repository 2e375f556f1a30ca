"""Ask the instruct model within a check: in the time that is left, and with every failure told and survived."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TypeVar

from errors import AnswerUnusable, ModelError
from verifier.assistant import Assistant, Limits
from verifier.schema import Stage, Step
from verifier.trace import Steps, Trace

T = TypeVar("T")
_BEAT = 1.0
"""Seconds after which a reader hears that the model is still at work."""


def consult(
    assistant: Assistant | None, trace: Trace, stage: Stage, what: str, question: Callable[[Assistant, Limits], T]
) -> Steps[T | None]:
    """The assistant's answer, or None where there is no assistant, no time, or no answer that can be used.

    It is asked in a thread of its own, so that whoever closes the check need not wait: the model stops at its next token.

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
    limits = Limits(trace.left, threading.Event())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(question, assistant, limits)
        try:
            yield from _beats(answer, stage, what)
            return answer.result()
        except ModelError as exc:
            if not isinstance(exc, AnswerUnusable):
                trace.warn(f"the language model could not be used: {exc}", "language model")
            yield trace.step(stage, f"The language model did not give {what} ({exc}); going on without it")
            return None
        finally:
            limits.cancel.set()


def _beats(answer: Future[T], stage: Stage, what: str) -> Steps[None]:
    """A passing step a second until the answer is there."""
    start = time.monotonic()
    while not wait_for([answer], timeout=_BEAT).done:
        seconds = time.monotonic() - start
        yield Step(stage, f"The language model works on {what} ({seconds:.0f} s)", seconds, passing=True)
