"""Check a request's body: JSON within bounds, in Gradio's shape, naming only uploaded files.

Gradio reads any object with a path and a mark as a file, anywhere in a request, and fetches it if the path is a web
address. So this walks through the whole body before Gradio sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from ui.guard.answers import Refusal

MAX_DEPTH = 32
MAX_PARTS = 50_000
"""Most values of one body, counted at every depth."""
_SESSION = re.compile(r"[\w-]{1,64}")
_KINDS: dict[str, tuple[type, str]] = {
    "data": (list, "a list"),
    "session_hash": (str, "a text"),
    "event_id": (str, "a text"),
    "fn_index": (int, "a whole number"),
    "trigger_id": (int, "a whole number"),
    "simple_format": (bool, "true or false"),
}


def parsed(body: bytes) -> Any:  # noqa: ANN401
    """Parse the JSON of a body; None for an empty one.

    Raises:
        Refusal: it is not JSON, is nested too deep, has too many values, or holds half of a character.
    """
    if not body.strip():
        return None
    try:
        said = json.loads(body)  # as Starlette reads it, so that both see the same
    except RecursionError as exc:
        raise _too_deep() from exc
    except ValueError as exc:
        raise Refusal(400, "the body of a request must be JSON in UTF-8; this is none") from exc
    for count, (part, depth) in enumerate(_parts(said), start=1):
        if depth > MAX_DEPTH:
            raise _too_deep()
        if count > MAX_PARTS:
            raise Refusal(400, f"the body of a request may hold {MAX_PARTS:,} values at most; send less at once")
        if isinstance(part, str) and not part.isascii() and _broken(part):
            raise Refusal(400, "a text in the request holds half of a character (a lone surrogate); send whole ones")
    return said


def _too_deep() -> Refusal:
    return Refusal(400, f"the body of a request may be nested {MAX_DEPTH} levels deep; this one is deeper")


def _broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _parts(said: Any) -> Iterator[tuple[Any, int]]:  # noqa: ANN401
    """Yield every value and field name with its depth.

    No recursion: a stranger chooses the depth.
    """
    left = [(said, 1)]
    while left:
        part, depth = left.pop()
        yield part, depth
        if isinstance(part, dict):
            yield from ((name, depth) for name in part)
            left += [(value, depth + 1) for value in part.values()]
        elif isinstance(part, list):
            left += [(value, depth + 1) for value in part]


def check_shape(said: Any, known: Callable[[int], bool]) -> None:  # noqa: ANN401
    """Check the fields that Gradio reads when a body starts, continues or cancels a function.

    Args:
        said: the body.
        known: whether there is a function of this number.

    Raises:
        Refusal: it is not an object, or a field has the wrong type.
    """
    if not isinstance(said, dict):
        raise Refusal(400, "the body of a request must be a JSON object")
    for name, (kind, told) in _KINDS.items():
        value = said.get(name)
        if value is not None and type(value) is not kind:
            raise Refusal(400, f"{name} must be {told}, not {json.dumps(value)[:40]}")
    session, number = said.get("session_hash"), said.get("fn_index")
    if session is not None and not _SESSION.fullmatch(session):
        raise Refusal(400, "session_hash must be 1 to 64 letters, digits, - and _")
    if number is not None and not known(number):
        raise Refusal(400, f"fn_index must be the number of a function of this server, not {number}")
    if said.get("batched"):
        raise Refusal(400, "batched must be false: no function of this server takes batches of requests")


def uploads_in(said: Any, known: Callable[[str], bool]) -> list[str]:  # noqa: ANN401
    """List the paths of all files that a body names, at any depth.

    Args:
        said: the body.
        known: whether a path is of a file uploaded to this server.

    Raises:
        Refusal: one is not.
    """
    found = []
    for part, _ in _parts(said):
        if isinstance(part, dict) and "meta" in part and ("path" in part or _marked(part["meta"])):
            path = part.get("path")
            if not (isinstance(path, str) and _marked(part["meta"]) and known(path)):
                raise Refusal(400, "a request may name only files that were uploaded to this server; upload it first")
            found.append(path)
    return found


def _marked(meta: Any) -> bool:  # noqa: ANN401
    return isinstance(meta, dict) and meta.get("_type") == "gradio.FileData"
