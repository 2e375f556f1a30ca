"""Find what a request would start: Gradio's function, its kind, and how many claims."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from errors import InputError
from ui.guard.answers import Refusal
from ui.guard.payloads import check_shape
from ui.guard.places import Kind, kind_of
from verifier.api.endpoints import MAX_TEXT_CLAIMS
from verifier.serve.batch import count_rows

MOST_STATEMENTS = 200
"""Most statements of a text that the page checks at once, if that many are asked for."""
_STARTS = re.compile(r"/gradio_api/(?:(?P<join>queue/join)|(?:(?P<v2>call/v2)|call|run|api)/(?P<name>[^/]+))/?")
_TEXT_QUEUE, _TEXT_TOOL = "checks-batch-text", "check_text"
"""What checks whole texts, where every statement counts."""
_BODIED = re.compile(r"/gradio_api/(?:cancel|reset)/?")


@dataclass(frozen=True, slots=True)
class Start:
    """What is started; `queued`: whether it takes a place in Gradio's queue itself.

    `whole`: a text is checked, with at most `claims` claims, however many lines its file has.
    """

    kind: Kind
    claims: int = 0
    queued: bool = True
    whole: bool = False


def start_of(path: str, said: Any, demo: gr.Blocks) -> Start | None:  # noqa: ANN401
    """Find what a request to one of Gradio's entry points starts; None if nothing.

    Args:
        path: the request's path.
        said: its body.
        demo: whose functions they are.

    Raises:
        Refusal: there is no such function, or the body does not have the shape that it needs.
    """
    door = _STARTS.fullmatch(path)
    if door is None:
        if _BODIED.fullmatch(path) and said is not None:
            check_shape(said, demo.fns.__contains__)
        return None
    if door["v2"]:
        if not isinstance(said, dict):
            raise Refusal(400, "the body of a request must be a JSON object")
        values = said
    else:
        check_shape(said, demo.fns.__contains__)
        values = said.get("data")
    number = None if door["v2"] else said.get("fn_index")
    function = demo.fns[number] if number is not None else _named(door["name"], demo)  # Gradio prefers the number
    if not door["v2"]:
        _check_values(values, function)
    queued = bool(door["join"]) or path.startswith("/gradio_api/call")
    kind = kind_of(function)
    if str(function.concurrency_id).startswith(_TEXT_QUEUE):
        return Start(kind, _most_claims(values), queued, whole=True)
    return Start(kind, 0 if kind is Kind.LIGHT else _longest(values), queued)


def tool_calls(said: Any) -> list[Start]:  # noqa: ANN401
    """Find what calls of MCP tools start.

    Gradio turns each into a request to itself, which then takes the place in the queue.

    Raises:
        Refusal: the parameters of a call are not an object.
    """
    calls = [call for call in (said if isinstance(said, list) else [said]) if isinstance(call, dict)]
    if not all(isinstance(call.get("params"), dict | None) for call in calls):
        raise Refusal(400, "params must be a JSON object")
    called = [call["params"] for call in calls if call.get("method") == "tools/call" and call.get("params")]
    return [Start(Kind.CHECK, _claims_of(given), queued=False) for given in called]


def _claims_of(called: dict[str, Any]) -> int:
    """Count the claims that a tool call would check.

    A Space puts its own name before those of its tools.
    """
    if str(called.get("name", "")).endswith(_TEXT_TOOL):
        return MAX_TEXT_CLAIMS
    return _longest(called.get("arguments"))


async def rows_in(uploads: Iterable[str], most: int) -> int:
    """Count the rows of uploaded files, to just over `most`.

    An unreadable file has none, and the app will say so.
    """
    total = 0
    for path in uploads:
        try:
            total += await asyncio.to_thread(count_rows, Path(path), most)
        except InputError:
            continue
    return total


def _named(name: str | None, demo: gr.Blocks) -> Any:  # noqa: ANN401
    found = next((function for function in demo.fns.values() if name and str(function.api_name) == name), None)
    if found is None:
        raise Refusal(400, f"there is no function {str(name)[:60]!r} here; /gradio_api/info lists them")
    return found


def _check_values(values: Any, function: Any) -> None:  # noqa: ANN401
    """Check the number of values: Gradio reads them by position, and fails without one."""
    if not isinstance(values, list):
        raise Refusal(400, "data must be a list with the values of the function")
    most = len(function.inputs)
    least = sum(not block.skip_api for block in function.inputs)
    if not function.cancels and not least <= len(values) <= most:
        raise Refusal(400, f"data must be a list of {least} values for this function, not of {len(values)}")


def _most_claims(values: Any) -> int:  # noqa: ANN401
    """Return how many claims of a text are requested: the greatest number, or the default."""
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, list) else ()
    given = [part for part in parts if type(part) in {int, float} and 1 <= part <= MOST_STATEMENTS]
    return int(max(given, default=MAX_TEXT_CLAIMS))


def _longest(values: Any) -> int:  # noqa: ANN401
    """Count the claims that values hold: the longest list's length, at least 1."""
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, list) else ()
    return max((len(part) for part in parts if isinstance(part, list)), default=1) or 1
