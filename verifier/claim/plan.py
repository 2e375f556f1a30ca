"""C3: what a claim is about, and the 2 to 4 queries that may find what settles it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from verifier.claim.names import first_word_name, names_of
from verifier.judgement.quantities import figures

MAX_QUERIES = 4
_LONG = 18
_QUOTED = re.compile(r"[\u201c\"\u00ab]([^\u201d\"\u00bb]{3,120})[\u201d\"\u00bb]")
_DECORATION = re.compile(r"(?<!\w)[@#](\w+)|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")
_SMALL_WORDS = frozenset(
    "the a an this that these those it its he she they we i you his her their our my in on at by for from to of with as and or but so if than "
    "then there here is are was were be been being has have had do does did not no can could may might must shall should will would very much "
    "more most also just only about over under after before when while which who whom whose what where how why because into onto out up down".split()
)
_TIME_BOUND = re.compile(
    r"\b(?:currently|current|now|nowadays|today|tonight|still|latest|newest|recent(?:ly)?|so far|to date|as of|at present|this (?:week|month|year)|"
    r"no longer|yet|is (?:the|a|an)? ?(?:president|prime minister|chancellor|mayor|governor|king|queen|pope|ceo|leader|minister|champion|"
    r"chairman|chairwoman|head|director|richest|population)|population|unemployment|inflation)\b",
    re.IGNORECASE,
)


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
    if first and not any(first in name.split() for name in names):
        names = (first, *names) if first.endswith("s'") or f"{first}'s" in plain else names
    numbers = tuple(dict.fromkeys(figure.shown for figure in figures(plain)))
    keywords = _keywords(plain)
    exact = _QUOTED.findall(plain) or [name for name in names if " " in name][:1]
    quoted = " ".join([*(f'"{phrase}"' for phrase in exact), *(w for w in keywords if w not in " ".join(exact))])
    frame = " ".join(keywords[:10])
    queries = dict.fromkeys([plain, quoted, f"fact check {frame}", f"{frame} false or true"])
    return Plan(
        entities=names,
        figures=numbers,
        queries=tuple(query for query in queries if query.strip())[:MAX_QUERIES],
        complexity=Complexity.HIGH if len(plain.split()) > _LONG or len(names) + len(numbers) > 4 else Complexity.LOW,
        time_bound=bool(_TIME_BOUND.search(plain)),
    )


def _keywords(text: str) -> list[str]:
    """The words of a text that carry meaning, names and numbers among them, in its order."""
    words = re.findall(r"[\w'\u2019.,%$\u20ac\u00a3-]*\w%?", text)
    return list(dict.fromkeys(word for word in words if word.lower() not in _SMALL_WORDS))
