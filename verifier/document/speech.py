"""Separate what a sentence reports of others from what its author states.

"X said that Y" gives Y, and that X said it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifier.claim.clauses import starts_with_verb, subject_of
from verifier.text.names import names_of

_SAYING = (
    r"(?:said|says|say|stated|states|claimed|claims|claim|argued|argues|argue|reported|reports|report|announced|announces|added|adds|wrote|writes|"
    r"insisted|insists|noted|notes|warned|warns|declared|declares|explained|explains|tweeted|posted|asserted|asserts|alleged|alleges|"
    r"maintained|maintains|testified|recalled|(?:told|tells) (?:reporters|journalists|reuters|parliament|congress|them|him|her|us|me)"
    r"|(?:has|have|had) (?:said|stated|claimed|argued|reported|announced|written))"
)
_SAID = rf"(?:{_SAYING}|(?:told|tells|has told|had told) (?!that\b)(?:[\w'\u2019.-]+ ){{0,4}}?[\w'\u2019.-]+)"
_WHO = r"(?P<who>(?!(?:it|i|there|this|that|which|who|what)\b)[^\s,;:\"\u201c\u201d][^;:\"\u201c\u201d]{0,99}?)"
_WHEN = r"(?:,? (?:on|in|at|during|to|late|early|last|this|yesterday|today|again|earlier|later)\b[^,;\"\u201c\u201d]{0,60}?)?"
_OPEN, _SHUT = '["\u201c]', '["\u201d]'
_QUOTED = rf"{_OPEN}(?P<said>[^\"\u201c\u201d]{{3,}}?)[,.!]?{_SHUT}"
_END = r"[.!]?[\"\u201d]?$"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"^according to (?P<who>[^,\"]{{2,100}}), (?P<said>[^\"]+?){_END}",
        rf"^(?P<said>[^\"]+?),? according to (?P<who>[^,\"]{{2,100}}?){_END}",
        rf"^{_QUOTED},? {_SAID} {_WHO}{_WHEN}[.!]?$",
        rf"^{_QUOTED},? {_WHO} {_SAID}{_WHEN}[.!]?$",
        rf"^{_WHO} {_SAID}{_WHEN}[,:]? {_QUOTED}[.!]?$",
        rf"^{_WHO},? {_SAID}{_WHEN},? that (?P<said>[^\"]+?){_END}",
        rf"^(?P<said>[^\"\u201c]+), {_SAID} {_WHO}{_WHEN}{_END}",
        rf"^(?P<said>[^\"\u201c]+), {_WHO} {_SAID}{_WHEN}{_END}",
        rf"^{_QUOTED}[.!]?$",
    )
)
_BARE = re.compile(rf"^{_WHO} {_SAYING}{_WHEN} (?P<said>(?!that\b)[^\"\u201c]+?){_END}", re.IGNORECASE | re.DOTALL)
"""Without "that", the rest must be a sentence: "reported a loss" reports no words."""
_TOLD = re.compile(
    rf"\b(?:{_SAYING}|told|tells|according to|denied|denies|expect(?:s|ed)|promised|promises|admitted|admits|confirmed|confirms|called|calls|quoted|"
    r"replied|answered|in (?:his|her|its|their|a|the) (?:speech|statement|interview|letter|report))\b",
    re.IGNORECASE,
)
"""What shows that a text reports what someone said."""
_ASIDE = re.compile(r", (?:who|which|whose)\b.*$", re.DOTALL)
_MOST_WORDS = 14
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Speech:
    """What someone is reported to have said, and who.

    The speaker is "" if the text does not say who.
    """

    said: str
    speaker: str


def speech_in(sentence: str) -> Speech | None:
    """Return what a sentence reports of others; None if it speaks for its author.

    "According to Olsen, the bridge is red." -> Speech("The bridge is red.", "Olsen"). What someone denies is not what
    is said.
    """
    if len(sentence) > _LONGEST:
        return None
    for pattern in _PATTERNS:
        found = pattern.match(sentence)
        if found and (speech := _speech(found)):
            return speech
    found = _BARE.match(sentence)
    return _speech(found) if found and subject_of(found["said"])[0] else None


def saying(speech: Speech, speaker: str, said: str) -> str:
    """Write that someone said something as a separate statement.

    It is "" if the speaker has no name. "Maria Olsen" and "The bridge is red." -> "Maria Olsen said that the bridge is
    red."
    """
    if not speech.speaker or not names_of(f"x {speaker}"):
        return ""
    named = any(name.startswith(said.split()[0]) for name in names_of(said))
    return f"{speaker[:1].upper()}{speaker[1:]} said that {said if named else said[:1].lower() + said[1:]}"


def tells_of(speaker: str, text: str) -> bool:
    """Return whether a text says what a speaker said.

    It must contain the last word of one of the speaker's names, and a verb of saying.
    """
    names = "|".join(re.escape(name.split()[-1]) for name in names_of(f"x {speaker}"))
    return bool(names and re.search(rf"\b(?:{names})\b", text) and _TOLD.search(text))


def _speech(found: re.Match[str]) -> Speech | None:
    """Return what a pattern found, if it can be a speaker and a whole statement."""
    groups = found.groupdict()
    who = _ASIDE.sub("", groups.get("who") or "").strip(" ,")
    said = groups["said"].strip(" ,")
    if len(who.split()) > _MOST_WORDS or len(said.split()) < 2 or starts_with_verb(said):
        return None
    if "who" in groups and _no_speaker(who):
        return None
    return Speech(said[:1].upper() + said[1:] + ("" if said[-1:] in ".!?" else "."), who)


def _no_speaker(who: str) -> bool:
    """Return whether the words before the verb are a clause, not a speaker.

    Example: "The bridge that opened in 1932 was, he said".
    """
    return not who or bool(re.search(r"\b(?:is|was|were|are|not|never|has|have|had)$", who)) or bool(subject_of(who)[0])
