"""Clean text to what a reader sees.

No markup, no control character, nothing that turns the reading direction or cannot be seen.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # soft hyphen, direction marks, zero width
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # halves of pairs; tags and selectors that can spell hidden text
)

_REFERENCE = re.compile(r"&#([xX][0-9A-Fa-f]{1,8}|[0-9]{1,8});?")


def visible(text: str) -> str:
    """Return `text` without the characters that a reader cannot see.

    Joiners stay: Persian and Hindi are spelled with them.
    """
    return _UNSEEN.sub("", text.replace("\u2028", "\n").replace("\u2029", "\n"))


def visible_markup(html: str) -> str:
    """Return HTML without invisible characters, written out or as a reference (&#8238;).

    The parser would pass on both.
    """
    return _REFERENCE.sub(_kept, visible(html))


def _kept(found: re.Match[str]) -> str:
    digits = found.group(1)
    number = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    return "" if not 0 < number <= 0x10FFFF or _UNSEEN.match(chr(number)) else found.group()


def one_line(text: str, limit: int) -> str:
    """Return `text` in one line of at most `limit` characters."""
    return " ".join(visible(text[: 4 * limit]).split())[:limit].rstrip()


def paragraphs(text: str, limit: int) -> str:
    """Return `text` with one paragraph a line, no empty lines, at most `limit` characters."""
    lines = (" ".join(line.split()) for line in visible(text[: 2 * limit]).splitlines())
    return "\n".join(line for line in lines if line)[:limit].rstrip()
