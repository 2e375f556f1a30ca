"""Whom a sentence is about: the claim's subject, another one, or a thing that is only named after it."""

from __future__ import annotations

import re

from verifier.claim.clauses import subject_of
from verifier.claim.names import names_of

_NAMED_AFTER = re.compile(
    r"^\W*(?:museum|institute|university|college|school|academy|prize|award|medal|foundation|society|street|avenue|road|square|park|garden|"
    r"bridge|airport|station|hospital|library|theatre|theater|stadium|arena|cent(?:re|er)|house|hall|hotel|monument|memorial|statue|crater|"
    r"telescope|observatory|island|lake|river|mountain|museums?|county|district|company|group|bank|festival|biography|biopic|film|musical)\b",
    re.IGNORECASE,
)
"""What is named after people and places without being them."""
_OF = re.compile(r"\bof (?:the )?(?=[^\W\d_])")
_NAME_WEIGHT, _OWN_WEIGHT = 2, 3


def is_other_subject(claim: str, sentence: str) -> bool:
    """Whether the first name in a sentence is one that the claim does not know: what is said there is said of another."""
    first = next(iter(names_of(sentence)), "")
    if not first:
        return False
    if named_after(claim, sentence):
        return True
    about = names_of(subject_of(sentence)[0]) or (first,)  # "Byatt's novel Possession won" is about both
    return not any(name.lower() in claim.lower() or stems_of(name) & stems_of(claim) for name in (first, *about))


def named_after(claim: str, sentence: str) -> bool:
    """Whether a sentence is about a thing that bears a name of the claim: "the Einstein Museum" is not Einstein."""
    first = next(iter(names_of(sentence)), "")
    for name in names_of(claim):
        at = first.find(name)
        if at < 0:
            continue
        rest = first[at + len(name) :] or sentence[sentence.find(first) + len(first) :]
        thing = _NAMED_AFTER.match(rest)
        if thing and not rest.startswith(("'", "\u2019", ",", ".")):
            return thing[0].strip().lower() not in claim.lower()
    return False


def weights_of(claim: str) -> dict[str, int]:
    """The claim's words and figures, by their first five letters, and how much each says of what a sentence is about.

    Names count twice, and what a thing is "of" three times: of "the capital of Australia", a sentence about Australia.
    """
    weights = dict.fromkeys(words_of(claim), 1)
    for name in names_of(claim):
        weights |= dict.fromkeys(stems_of(name) & weights.keys(), _NAME_WEIGHT)
        own = any(claim.startswith(name, match.end()) for match in _OF.finditer(claim))
        if own:
            weights |= dict.fromkeys(stems_of(name) & weights.keys(), _OWN_WEIGHT)
    return weights


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, each by its first five characters; words of up to three letters say little."""
    return [word[:5] for word in re.findall(r"\d+(?:[.,]\d+)*|\w{4,}", text.lower())]


def stems_of(text: str) -> set[str]:
    """The same, each once."""
    return set(words_of(text))
