"""Tell what a sentence is about: the claim's subject, another, or something named after it."""

from __future__ import annotations

import re

from verifier.claim.clauses import subject_of
from verifier.claim.parsed import Statement
from verifier.text.names import names_of
from verifier.text.stems import stems_and_figures

_NAMED_AFTER = re.compile(
    r"^\W*(?:museum|institute|university|college|school|academy|prize|award|medal|foundation|society|street|avenue|road|square|park|garden|"
    r"bridge|airport|station|hospital|library|theatre|theater|stadium|arena|cent(?:re|er)|house|hall|hotel|monument|memorial|statue|crater|"
    r"telescope|observatory|island|lake|river|mountain|museums?|county|district|company|group|bank|festival|biography|biopic|film|musical)\b",
    re.IGNORECASE,
)
"""Things named after people and places, which are not those people or places."""

_WORLD_WARS = (
    (re.compile(r"\bFirst World War\b"), "World War I"),
    (re.compile(r"\bSecond World War\b"), "World War II"),
)
_DIRECTED = re.compile(
    r"^(?:The )?(?:North|South|East|West|Northern|Southern|Eastern|Western|New|Upper|Lower|Equatorial) (?=[A-Z])"
)
"""What makes a name that of another place: South Sudan is not Sudan."""
_NUMBERED = re.compile(r"\b([A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+){0,4}) ([IVX]+|\d{1,3})\b(?![.,]\d)")
_ALONE = re.compile(r"\b(?:most|least|only|first|last|[a-z]{3,}est)\b")
_MONTHS = frozenset("January February March April May June July August September October November December".split())


def is_namesake(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence is about another bearer of the name of the claim's subject.

    Examples: World War I or South Sudan, not World War II or Sudan. For a divided country, a sentence whose subject is
    one part of it counts too. A claim that only one thing can meet ("Type 1 is the most common") has no namesake, since
    a sentence that says it of another refutes it.
    """
    if _ALONE.search(claim.text):
        return False
    subject = subject_of(sentence)[0]
    directed = _DIRECTED.match(subject)
    if directed and subject[directed.end() :] == claim.subject.removeprefix("The "):
        return True
    asked, told = _numbered(claim.text), _numbered(sentence)
    return any(name in told and not told[name] & asked.get(name, set()) for name in _numbered(claim.subject))


def _numbered(text: str) -> dict[str, set[str]]:
    """Find names with a number, except days: "World War" -> {"I", "II"}."""
    for written, numbered in _WORLD_WARS:
        text = written.sub(numbered, text)
    found: dict[str, set[str]] = {}
    for name, number in _NUMBERED.findall(text):
        if name.split()[-1] not in _MONTHS:
            found.setdefault(name.removeprefix("The "), set()).add(number)
    return found


def is_other_subject(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence's first name is unknown to the claim, so another subject."""
    first = next(iter(names_of(sentence)), "")
    if not first:
        return False
    if named_after(claim, sentence):
        return True
    told = subject_of(sentence)[0]
    names, said = names_of(told), set(stems_and_figures(told))
    if said and not names and said.issuperset(stems_and_figures(claim.subject)):
        return False  # "Pure water freezes at 0 degrees Celsius": the first name is not its subject
    about = names or (first,)  # "Byatt's novel Possession won" is about both
    known = claim.text.lower()
    return not any(name.lower() in known or claim.weights.keys() & stems_and_figures(name) for name in (first, *about))


def named_after(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence is about something named after a name in the claim.

    "The Einstein Museum" is not Einstein.
    """
    first = next(iter(names_of(sentence)), "")
    for name in claim.names:
        at = first.find(name)
        if at < 0:
            continue
        rest = first[at + len(name) :] or sentence[sentence.find(first) + len(first) :]
        thing = _NAMED_AFTER.match(rest)
        if thing and not rest.startswith(("'", "\u2019", ",", ".")):
            return thing[0].strip().lower() not in claim.text.lower()
    return False
