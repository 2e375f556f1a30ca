"""C3: what a claim is about, and the 2 to 4 queries that may find what settles it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from verifier.claim.names import first_word_name, names_of, without_possessive
from verifier.judgement.quantities import figures

MAX_QUERIES = 4
_LONG = 18
_QUOTED = re.compile(r"[\u201c\"\u00ab]([^\u201d\"\u00bb]{3,120})[\u201d\"\u00bb]")
_DECORATION = re.compile(
    r"(?<!\w)(?:@|#(?!\d+\b))(\w+)|(?:[\U0001f000-\U0001faff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff][\U000e0020-\U000e007f\u200d]*)|[\ufe0f\u20e3]"
)
_KEYWORD = re.compile(r"[$\u20ac\u00a3]?\w(?:[\w'\u2019.,%-]*\w)?%?")
_OPENING = "'\"\u2018\u201c\u00ab("
_SMALL_WORDS = frozenset(
    "the a an this that these those it its he she they we i you his her their our my in on at by for from to of with as and or but so if than "
    "then there here is are was were be been being has have had do does did not no can could may might must shall should will would very much "
    "more most also just only about over under after before when while which who whom whose what where how why because into onto out up down".split()
)
_OFFICE = "president|prime minister|chancellor|mayor|governor|king|queen|pope|ceo|leader|minister|champion|chairman|chairwoman|head|director|richest"
_ITS_HOLDER = r"(?:the|an?|[\w.-]{1,30}['\u2019]s?)"
_TIME_BOUND = re.compile(
    r"\b(?:currently|current|(?<!what is )now|nowadays|today|tonight|still|latest|newest|recent(?:ly)?|so far|to date|as of|at present|this (?:week|month|year)|"
    r"no longer|(?:not|never)(?: \w+)? yet|yet to|"
    rf"(?:is|isn['\u2019]t|remains) (?:not )?(?:{_ITS_HOLDER} )?(?:[\w.-]+ )?(?:{_OFFICE})|{_ITS_HOLDER} (?:{_OFFICE})(?: of [^,;.]{{2,30}})? is)\b|"
    r"n['\u2019]t(?: \w+){0,2} yet\b|\byet\W*$",
    re.IGNORECASE,
)
_CHANGING = re.compile(r"\b(?:population|unemployment|inflation)\b", re.IGNORECASE)
"""What changes from year to year: bound to its time unless the claim names a year."""


class Complexity(StrEnum):
    """How much there is to check in a claim."""

    HIGH = "High"
    LOW = "Low"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is looked for: names and figures of the claim, queries from the claim itself to the widest, and how it stands in time.

    `time_bound`: old evidence says little about it ("is the president", "currently").
    """

    entities: tuple[str, ...]
    figures: tuple[str, ...]
    queries: tuple[str, ...]
    complexity: Complexity
    time_bound: bool


def make_plan(claim: str) -> Plan:
    """The plan for a claim. Its first query is the claim itself, without emojis, mentions and hash signs.

    The others: its keywords with the names in quotation marks, the frame of a fact-check, and that of a debunking.
    """
    plain = " ".join(_DECORATION.sub(lambda match: match[1] or " ", claim).split())
    names = names_of(plain)
    first = first_word_name(plain)
    possessive = re.match(re.escape(first) + "['\u2019]", plain.lstrip(_OPENING))
    if first and possessive and not any(first in name.split() for name in names):
        names = (first, *names)
    numbers = list(figures(plain))
    shown = tuple(dict.fromkeys(figure.shown for figure in numbers))
    keywords = _keywords(plain)
    exact = _QUOTED.findall(plain) or [name for name in names if " " in name][:1]
    told = {without_possessive(word) for word in _keywords(" ".join(exact))}
    more = (word for word in keywords if without_possessive(word) not in told)
    quoted = " ".join([*(f'"{phrase}"' for phrase in exact), *more])
    frame = " ".join(keywords[:10]) or plain
    queries = dict.fromkeys([plain, quoted, f"fact check {frame}", f"{frame} false or true"])
    return Plan(
        entities=names,
        figures=shown,
        queries=tuple(query for query in queries if query.strip())[:MAX_QUERIES],
        complexity=Complexity.HIGH if len(plain.split()) > _LONG or len(names) + len(shown) > 4 else Complexity.LOW,
        time_bound=_is_time_bound(plain, any(figure.kind == "year" for figure in numbers)),
    )


def _is_time_bound(text: str, dated: bool) -> bool:
    """Whether the text speaks of the present; `dated`: it names a year."""
    return bool(_TIME_BOUND.search(text)) or (not dated and bool(_CHANGING.search(text)))


def _keywords(text: str) -> list[str]:
    """The words of a text that carry meaning, names and numbers among them, in its order."""
    return list(dict.fromkeys(word for word in _KEYWORD.findall(text) if word.lower() not in _SMALL_WORDS))
