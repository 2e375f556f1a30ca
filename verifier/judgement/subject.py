"""Tell whom a sentence is about: the claim's subject, another one, or a thing that is only named after it."""

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
"""What is named after people and places without being them."""


def is_other_subject(claim: Statement, sentence: str) -> bool:
    """Whether the first name in a sentence is one that the claim does not know: what is said there is said of another."""
    first = next(iter(names_of(sentence)), "")
    if not first:
        return False
    if named_after(claim, sentence):
        return True
    about = names_of(subject_of(sentence)[0]) or (first,)  # "Byatt's novel Possession won" is about both
    known = claim.text.lower()
    return not any(name.lower() in known or claim.weights.keys() & stems_and_figures(name) for name in (first, *about))


def named_after(claim: Statement, sentence: str) -> bool:
    """Whether a sentence is about a thing that bears a name of the claim: "the Einstein Museum" is not Einstein."""
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
