"""Ask the instruct model within a check: in the time that is left, and with every failure told and survived."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from errors import ModelError
from verifier.assistant import Assistant
from verifier.schema import Stage
from verifier.trace import Steps, Trace

T = TypeVar("T")


def consult(
    assistant: Assistant | None, trace: Trace, stage: Stage, what: str, question: Callable[[Assistant, float], T]
) -> Steps[T | None]:
    """The assistant's answer, or None where there is no assistant, no time, or no answer that can be used.

    Args:
        assistant: who is asked.
        trace: where the question and its failure are written.
        stage: the stage that asks.
        what: what is asked for, in words ("the parts of the claim").
        question: asks it, within so many seconds.
    """
    if assistant is None or trace.left <= 0:
        return None
    trace.tool_calls += 1
    try:
        answer = question(assistant, trace.left)
    except ModelError as exc:
        yield trace.step(stage, f"The language model did not give {what} ({exc}); going on without it")
        return None
    return answer
