"""Clean the text of a claim, and refuse what is not one."""

from __future__ import annotations

import re
import unicodedata

from errors import InputError
from kb.publishers.urls import is_web_address

MAX_CHARACTERS = 2_000
_SUPERSCRIPT = re.compile(r"(?<=\d)([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_JOINERS = "\u200c\u200d"  # needed inside words of Persian, Hindi and other scripts
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_ENDLESS = re.compile(r"\W*([A-Za-z]{61,})\W*")
"""A text of one word, longer than any in languages that put spaces between words."""
_TAG = re.compile(
    r"</?(?:script|style|iframe|object|embed|svg|img|video|audio|link|meta|html|body|head|form|input|button|table|tr|td|div|span|p|br|hr|h[1-6]|"
    r"ul|ol|li|a|b|i|u|em|strong|font|center|blockquote|pre|code)(?:\s+[\w:-]+(?:\s*=[^<>]*)?|\s*/)*\s*>",
    re.IGNORECASE,
)


def clean_claim(raw: str) -> str:
    """Clean a claim: apply NFKC, remove invisible characters, collapse white space.

    Raises:
        InputError: nothing is left, it is too long, has no letters, is one endless word or only an address, or is HTML source.
    """
    if len(raw) > 50 * MAX_CHARACTERS:
        raise _too_long(len(raw))
    text = _SUPERSCRIPT.sub(lambda match: "^" + match.group(1), raw)  # NFKC alone turns 10⁶ into 106
    text = unicodedata.normalize("NFKC", text)
    text = "".join(
        " " if c.isspace() else c
        for c in text
        if c.isspace() or c in _JOINERS or unicodedata.category(c) not in {"Cc", "Cf", "Cs"}
    )
    text = " ".join(text.split())
    if not text:
        raise InputError("the claim is empty: type a statement that can be true or false")
    if len(text) > MAX_CHARACTERS:
        raise _too_long(len(text))
    if is_web_address(text) or _ADDRESS.fullmatch(text):
        raise InputError(
            f"the claim is only a web address ({text[:80]}): paste the sentence from that page that should be checked"
        )
    tag = _TAG.search(text)
    if tag:
        raise InputError(f"the claim contains HTML ({tag.group()[:40]}): paste it as plain text")
    if not any(character.isalpha() for character in text):
        raise InputError(f"the claim has no letters ({text[:40]}): write the statement out in words")
    endless = _ENDLESS.fullmatch(text)
    if endless:
        raise InputError(
            f"the claim is one word of {len(endless[1]):,} letters ({endless[1][:20]}...): write the statement out in words"
        )
    return text


def _too_long(length: int) -> InputError:
    return InputError(
        f"the claim has {length:,} characters, at most {MAX_CHARACTERS:,} are allowed: shorten it to the statement itself"
    )
