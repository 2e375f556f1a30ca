"""Check a claim's "most" or "more than two thirds" against a share in a sentence.

For "the air is mostly nitrogen", the sentence may say "about 78% nitrogen". A small model does not see that 78% is most
and 2.5% is not, or that 71% is more than two thirds. Code judges only a share of what the claim is about, stated
plainly: "N% of the whole is the part", "N% part", "the part makes up N% of the whole".
"""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.text.forms import are_forms_of_one, words_of

_NOUN = r"[\w'\u2019-]+(?: [\w'\u2019-]+){0,4}"
_MAKES_UP = "makes up|make up|made up|forms|form|constitutes|constitute|accounts for|account for"
_ASKED = (
    re.compile(rf"^most of (?P<whole>{_NOUN}) (?:is|are) (?:made of |made up of )?(?P<part>{_NOUN})$", re.IGNORECASE),
    re.compile(rf"^(?P<part>{_NOUN}) (?:{_MAKES_UP}|covers?) most of (?P<whole>{_NOUN})$", re.IGNORECASE),
    re.compile(
        rf"^(?P<whole>{_NOUN}) (?:is|are|consists?) (?:made )?(?:up )?(?:mostly|mainly|largely) (?:made )?(?:up )?(?:of )?(?P<part>{_NOUN})$",
        re.IGNORECASE,
    ),
)
_LIMITED = re.compile(
    rf"^(?:more|less|fewer) than [\w%. -]{{2,20}} of (?P<whole>{_NOUN}) (?:is|are) (?P<part>{_NOUN})$", re.IGNORECASE
)
"""A claim with its own limit: "more than two thirds of the Earth's surface is covered by water"."""
_SHARE = re.compile(r"(?<![\d.,])(?P<share>\d{1,3}(?:\.\d+)?) ?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more than|over|at least|above) $", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less than|under|at most|below|up to) $", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:not|never|by|from|to|rose|fell|grew) $|[-\u2013]$", re.IGNORECASE)
_BEFORE = re.compile(
    rf"(?P<part>{_NOUN}) (?:is|are|{_MAKES_UP})(?: only| just| about| around| roughly| nearly| almost| some| over| more than| less than| at least){{0,3}} $"
)
_OF_THE_WHOLE = re.compile(rf"^ of (?P<whole>{_NOUN}?) (?:is|are) (?P<rest>[^.;]+)")
_HALF = 50.0
_SAME = {"air": "atmosphere"}
_SMALL = frozenset("the a an of its all our this total".split())


def has_most(claim: Statement, sentence: str) -> bool | None:
    """Return whether a sentence's share is as large as the claim says; None without one."""
    asked, limit, bound = _asked(claim)
    if asked is None:
        return None
    whole, part = _content(asked["whole"]), _content(asked["part"])
    if not whole or not part or not _all_in(whole, _content(sentence)):
        return None
    for share in _SHARE.finditer(sentence):
        if _is_of(part, sentence[: share.start()], sentence[share.end() :]):
            return _is_beyond(float(share["share"]), sentence[: share.start()], limit, bound)
    return None


def _asked(claim: Statement) -> tuple[re.Match[str] | None, float, int]:
    """Parse the claim's share (or None), its limit in percent, and the bound.

    The bound is 1 for more than the limit, -1 for less.
    """
    text = claim.text.rstrip(" .!")
    most = next((found for pattern in _ASKED if (found := pattern.match(text))), None)
    shares = [each.figure for each in claim.figures if each.figure.kind == "share"]
    if most or len(shares) != 1 or not shares[0].bound:
        return most, _HALF, 1
    return _LIMITED.match(text), shares[0].value, shares[0].bound


def _is_of(part: list[str], before: str, after: str) -> bool:
    """Return whether a share is the part's: the part follows it directly, or has it."""
    rest = _OF_THE_WHOLE.match(after)
    told = _content(rest["rest"] if rest else re.sub(r"^ (?:of it )?(?:is|are) ", " ", after))
    if _begins_with(part, told):
        return True
    found = _BEFORE.search(before[-120:])
    return bool(found) and _content(found["part"])[-len(part) :] == part if found else False


def _is_beyond(share: float, before: str, limit: float, bound: int) -> bool | None:
    """Return whether a share is above the limit (with the bound -1, below).

    None where the share's own limit leaves both open.
    """
    if share > 100 or _OPEN.search(before):
        return None
    is_more: bool | None
    if _MORE.search(before):
        is_more = True if share >= limit else None
    elif _LESS.search(before):
        is_more = False if share <= limit else None
    else:
        is_more = None if share == limit else share > limit
    return None if is_more is None else is_more is (bound > 0)


def _content(text: str) -> list[str]:
    words = (word.removesuffix("'s").removesuffix("\u2019s") for word in words_of(text))
    words = (_SAME.get(word, word) for word in words)
    return [word for word in words if word not in _SMALL]


def _all_in(words: list[str], among: list[str]) -> bool:
    return all(any(are_forms_of_one(word, other) for other in among) for word in words)


def _begins_with(wanted: list[str], said: list[str]) -> bool:
    return len(said) >= len(wanted) and all(map(are_forms_of_one, wanted, said))
