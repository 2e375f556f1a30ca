"""Read subtitles (.srt, .vtt) as running text, with each cue's time code."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from errors import InputError
from verifier.document.schema import DocumentText, Place

_TIMES = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})[ \t]*-->[ \t]*\d")
_TAG = re.compile(r"</?(?:[bicuv]|font|lang|ruby|rt|\d{2}:)[^<>\n]{0,200}>|\{\\[^{}\n]{0,100}\}", re.IGNORECASE)
_NO_CUE = ("WEBVTT", "NOTE", "STYLE", "REGION")
_ENDS = (".", "!", "?", "\u2026", "\u3002", '"', "\u201d", ")")


@dataclass(frozen=True, slots=True)
class _Cue:
    seconds: int
    milliseconds: int
    text: str


def read_subtitles(source: str, name: str) -> DocumentText:
    """Join the cues in the order of their times.

    A line ends where a sentence does. A cue that repeats the one before, as in rolling captions, is left out.

    Raises:
        InputError: it has no cue.
    """
    found, unread = _cues(source)
    if not found:
        raise InputError(f"{name}: no subtitles in it; a cue begins with a line such as 00:01:02,000 --> 00:01:04,000")
    cues = sorted(found, key=lambda cue: (cue.seconds, cue.milliseconds))
    warnings = []
    if cues != found:
        warnings.append("its subtitles are not in the order of their times; they were sorted")
    if unread:
        warnings.append(f"{unread} of its blocks have no time code and were not read")
    return _joined(cues, name, tuple(warnings))


def _cues(source: str) -> tuple[list[_Cue], int]:
    """Return the cues in file order, and the number of blocks that are not cues."""
    found, unread = [], 0
    for block in re.split(r"\n[ \t]*\n", source):
        lines = block.strip("\n").split("\n")
        times = next((n for n, line in enumerate(lines[:2]) if _TIMES.match(line.strip())), None)
        if times is None:
            unread += bool(block.strip()) and not block.lstrip().startswith(_NO_CUE)
            continue
        text = " ".join(html.unescape(_TAG.sub("", " ".join(lines[times + 1 :]))).split())
        if text:
            found.append(_cue(lines[times], text))
    return found, unread


def _cue(times: str, text: str) -> _Cue:
    match = _TIMES.match(times.strip())
    assert match is not None  # the caller has found it
    hours, minutes, seconds, fraction = (int(part or 0) for part in match.groups())
    return _Cue(hours * 3_600 + minutes * 60 + seconds, int(match[4].ljust(3, "0")) if fraction else 0, text)


def _joined(cues: list[_Cue], name: str, warnings: tuple[str, ...]) -> DocumentText:
    parts, places, length = list[str](), list[Place](), 0
    for cue in _without_repeats(cues):
        if parts:
            gap = "\n" if parts[-1].endswith(_ENDS) else " "
            parts.append(gap)
            length += 1
        places.append(Place(length, _label(cue.seconds)))
        parts.append(cue.text)
        length += len(cue.text)
    return DocumentText("".join(parts), name, places=tuple(places), warnings=warnings)


def _without_repeats(cues: list[_Cue]) -> Iterator[_Cue]:
    last = ""
    for cue in cues:
        if cue.text != last:
            yield cue
        last = cue.text


def _label(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
