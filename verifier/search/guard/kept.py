"""Turn a record into text for the cache, and back.

Text read back is checked like input from the web.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from datetime import datetime
from enum import Enum
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
_FORMAT = 2


def key_of(*asked: object) -> str:
    """Hash a question to its answer's key, which does not reveal the words."""
    return hashlib.sha256(json.dumps([_FORMAT, *asked]).encode()).hexdigest()


def to_text(record: DataclassInstance, until: float) -> str:
    """Write `record` as ASCII text that is valid until the time `until` (seconds since 1970)."""
    return json.dumps({"until": until, **asdict(record)}, default=datetime.isoformat)


def from_text(kind: type[T], text: str | None, now: float, longest: float) -> T | None:
    """Read a record back; None if it has expired or is invalid.

    Args:
        kind: the dataclass that was written; its fields are strings, booleans, enums, times, and tuples of such dataclasses.
        text: what `to_text` made, or anything else.
        now: the time, seconds since 1970.
        longest: longest validity from now, in seconds; a longer one was written by a wrong clock.
    """
    try:
        row = json.loads(text or "null")
        record: T = _value(kind, row)
        return record if now < row["until"] <= now + longest else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _value(kind: Any, value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """Read one value of a field's type.

    Raises:
        KeyError, TypeError, ValueError: it is not of that type.
    """
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**{name: _value(hint, value[name]) for name, hint in _hints(kind)})
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], item) for item in value)
    if get_origin(kind) is UnionType:  # a type or None
        return None if value is None else _value(get_args(kind)[0], value)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if issubclass(kind, Enum):
        return kind(value)
    if type(value) is not kind:
        raise TypeError(f"not {kind}")
    return value


@cache
def _hints(kind: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401  (a dataclass)
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))
