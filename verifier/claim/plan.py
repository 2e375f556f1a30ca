"""Plan a search: what a claim is about, and 2 to 4 queries for it.

They may find what settles the claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from verifier.claim.parsed import ParsedClaim, parse_statement
from verifier.claim.queries import cleaned, queries_for
from verifier.text.framing import unframed
from verifier.text.names import first_word_name

_LONG = 18
_OPENING = "'\"\u2018\u201c\u00ab("
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
"""What changes from year to year: time-bound unless the claim names a year."""


class Complexity(StrEnum):
    """How much there is to check in a claim."""

    HIGH = "High"
    LOW = "Low"


@dataclass(frozen=True, slots=True)
class Plan:
    """A claim and its search: names, figures, and queries, from the claim to the widest.

    `time_bound`: old evidence says little about it ("is the president", "currently"). `lasting`: an encyclopaedia may
    settle it, because its words do not speak of the present. What changes from year to year counts as lasting, since
    its figures name their year.
    """

    claim: ParsedClaim
    entities: tuple[str, ...]
    figures: tuple[str, ...]
    queries: tuple[str, ...]
    complexity: Complexity
    time_bound: bool
    lasting: bool = True


def make_plan(claim: ParsedClaim) -> Plan:
    """Make the plan for a claim.

    Its first query is the claim itself, without emojis, mentions, hash signs and search operators. The others are its
    keywords with the names in quotation marks, a query framed as a fact-check, and one framed as a debunking. A claim
    that is not, or perhaps not, in English also gets its names and figures in English.
    """
    plain = cleaned(claim.text) or " ".join(claim.text.split())
    clean = plain == claim.text
    asked = claim.whole if clean else parse_statement(plain)
    said = claim.statement.text if clean else unframed(plain)[0]
    names = asked.names
    first = first_word_name(plain)
    possessive = re.match(re.escape(first) + "['\u2019]", plain.lstrip(_OPENING))
    if first and possessive and not any(first in name.split() for name in names):
        names = (first, *names)
    numbers = [found.figure for found in asked.figures]
    shown = tuple(dict.fromkeys(figure.shown for figure in numbers))
    return Plan(
        claim=claim,
        entities=names,
        figures=shown,
        queries=queries_for(plain, said, names, shown, claim.english),
        complexity=Complexity.HIGH if len(plain.split()) > _LONG or len(names) + len(shown) > 4 else Complexity.LOW,
        time_bound=_is_time_bound(plain, any(figure.kind == "year" for figure in numbers)),
        lasting=not _TIME_BOUND.search(plain),
    )


def _is_time_bound(text: str, dated: bool) -> bool:
    """Return whether the text speaks of the present; `dated`: it names a year."""
    return bool(_TIME_BOUND.search(text)) or (not dated and bool(_CHANGING.search(text)))
