"""Write a check in its claim's language, from a table of the code's sentence frames.

Quotations stay as they are.
"""

from __future__ import annotations

import json
import re
from functools import cache, reduce
from pathlib import Path

from verifier.text.phrases import ENGLISH, Phrases

TRANSLATION, CONFIDENCE = "Checked in English: {translation}", "Confidence {percent} ({tier})"
MISSING, OPEN = "What would settle this.", "Left open: this says nothing about whether the claim is true."
_TABLE = Path(__file__).parent / "languages.json"
_PLACE = re.compile(r"\{(\w+)\}")
_NUMBERS = dict(zip("one two three four five six seven eight nine ten".split(), map(str, range(1, 11)), strict=True))
_STATES = ("true in part", "true", "misleading", "false", "not settled")
_QUANTITIES = (
    "area population length coastline height depth weight speed temperature distance diameter beginning".split()
)
_HOLDS = {
    "n": r"\d+",
    "m": r"\d+",
    "authority": r"[\d.]+",
    "date": r"[\d-]+",
    "names": "\u201c.+\u201d",
    "count": rf"{'|'.join(_NUMBERS)}|\d+",
    "state": "|".join(_STATES),
    "quantity": "|".join(_QUANTITIES),
}
"""What a placeholder of a frame may hold; the others hold anything."""
_RETOLD = frozenset({"state", "quantity", "reason", "advice"})
"""Placeholders whose value is itself made of frames."""
_FILLED_BY_THE_TELLER = ("{opening}", "(", "{speaker}", "{first} ")
_BETWEEN, _WITHIN = "; ", ", "
"""Separators between frames, and between frames of one kind."""


class Language(Phrases):
    """One language of the table."""

    def __init__(self, frames: dict[str, str]) -> None:
        """`frames` maps English frames to this language's."""
        self._frames = frames
        told = (frame for frame in frames if _PLACE.search(frame) and not frame.startswith(_FILLED_BY_THE_TELLER))
        ranked = sorted(told, key=lambda frame: -len(_PLACE.sub("", frame)))  # the most specific frame first
        self._patterns = [(_pattern(frame), frame) for frame in ranked]

    def say(self, frame: str, /, **values: str) -> str:
        """Fill the frame in this language, or in English if the table lacks it."""
        return self._frames.get(frame, frame).format(**values)

    def retell(self, told: str) -> str:
        """Translate text made of frames; anything else stays as it is."""
        if told in self._frames:
            return self._frames[told]
        if _BETWEEN in told:
            return _BETWEEN.join(self.retell(part) for part in told.split(_BETWEEN))
        for pattern, frame in self._patterns:
            match = pattern.fullmatch(told)
            if match:
                return self.say(
                    frame, **{place: self._value(place, value) for place, value in match.groupdict().items()}
                )
        parts = told.split(_WITHIN)
        return _WITHIN.join(map(self.retell, parts)) if len(parts) > 1 else told

    def _value(self, place: str, value: str) -> str:
        if place == "names":
            return value.replace("\u201d and \u201c", self.say("{first} and {second}", first="\u201d", second="\u201c"))
        if place == "figures":
            first, *rest = map(self.retell, value.split(" or "))
            return reduce(lambda a, b: self.say("{first} or {second}", first=a, second=b), rest, first)
        if place == "count":
            return _NUMBERS.get(value, value)
        return self.retell(value) if place in _RETOLD else value


@cache
def languages() -> dict[str, Language]:
    """Load every language of the table by its code (ISO 639-1)."""
    table = json.loads(_TABLE.read_text(encoding="utf-8"))
    return {code: Language(frames) for code, frames in table.items()}


def phrases_of(code: str) -> Phrases:
    """Return the phrases for a language code; English if the table lacks it."""
    return languages().get(code, ENGLISH) if code else ENGLISH


def _pattern(frame: str) -> re.Pattern[str]:
    """Match the English sentence that a frame makes, with its values in groups."""
    parts, end = [], 0
    for place in _PLACE.finditer(frame):
        parts += [re.escape(frame[end : place.start()]), f"(?P<{place[1]}>{_HOLDS.get(place[1], '.+?')})"]
        end = place.end()
    return re.compile("".join([*parts, re.escape(frame[end:])]), re.DOTALL)
