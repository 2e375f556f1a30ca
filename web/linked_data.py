"""Read a page's JSON-LD: a flat list of objects, bounded in size, number and depth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_SCRIPTS = 50
MAX_CHARACTERS = 500_000
"""Of all JSON-LD of a page together."""
MAX_OBJECTS = 1_000
MAX_DEPTH = 12
_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$"
)
_INTO = ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item", "review", "hasPart", "subjectOf")
"""Properties that are searched for further objects."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of schema.org. `types` are bare names, such as NewsArticle."""

    types: frozenset[str]
    values: Mapping[str, object]

    def text(self, name: str, limit: int = 1_000) -> str:
        """Return a property as text.

        It may be a string, a number, or the `name` of an object; "" for all else.
        """
        return plain(self.values.get(name))[:limit]

    def child(self, name: str) -> Thing | None:
        """Return the object, or the first of the objects, that a property holds."""
        value = self.values.get(name)
        if isinstance(value, list):
            value = next((item for item in value if isinstance(item, dict)), None)
        return _thing(value) if isinstance(value, dict) else None


def plain(value: object) -> str:
    """Return a value of JSON-LD as text."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("name", value.get("@value", ""))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def linked_data(tree: HtmlElement) -> tuple[Thing, ...]:
    """Return all objects of a page, in order. Non-JSON is skipped: many scripts are broken."""
    found: list[Thing] = []
    left = MAX_CHARACTERS
    for count, script in enumerate(tree.iter("script")):
        if count >= MAX_SCRIPTS * 10 or len(found) >= MAX_OBJECTS:
            break
        if (script.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        text = script.text or ""
        left -= len(text)
        if left < 0:
            break
        found.extend(_things(_parse(text)))
    return tuple(found[:MAX_OBJECTS])


def _parse(text: str) -> object:
    try:
        return json.loads(_WRAPPING.sub("", text), strict=False)
    except (ValueError, RecursionError):  # RecursionError: a bomb of brackets
        return None


def _things(root: object) -> Iterator[Thing]:
    waiting: list[tuple[object, int]] = [(root, 0)]
    for _ in range(20 * MAX_OBJECTS):
        if not waiting:
            return
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, list):
            waiting.extend((item, depth + 1) for item in reversed(value[:MAX_OBJECTS]))
        elif isinstance(value, dict):
            yield _thing(value)
            waiting.extend(
                (value[name], depth + 1) for name in reversed(_INTO) if isinstance(value.get(name), dict | list)
            )


def _thing(value: Mapping[str, object]) -> Thing:
    stated = value.get("@type")
    names = stated[:10] if isinstance(stated, list) else [stated]
    return Thing(frozenset(re.split(r"[/#:]", name)[-1] for name in names if isinstance(name, str)), value)
