"""Tell whether a sentence says that it was the other way round: "Russia invaded Ukraine" of the claim that Ukraine invaded Russia.

Small models read both alike, since every word is the same. Code judges only what is plain: two names, the claim's verb between
them, active or passive.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import AUXILIARIES
from verifier.claim.parsed import Statement
from verifier.text.names import names_of

_STEM = 4
"""Letters that two forms of a verb share, and the noun made of it: invaded, invasion."""
_NO_DEED = frozenset(
    "be been "  # nobody does anything
    "met meets marry married marries borders bordered resembles equals equalled fought fights played plays drew draws tied ties "
    "shares shared joined joins".split()  # both do it to each other, or it matters little who is named first
).union(AUXILIARIES)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_AROUND = re.compile(r"\b(?:a)?round\b")
_BY = re.compile(r"\bby\b")


def are_roles_swapped(claim: Statement, sentence: str) -> bool:
    """Whether a sentence tells the claim's deed with doer and object exchanged.

    The claim's subject must be a name, followed by a verb of doing and, later, another name. "Around" counts as the verb of
    what goes round something, in whatever words.
    """
    doer, rest = _ARTICLE.sub("", claim.subject), claim.text[len(claim.subject) :].split(maxsplit=1)
    if doer not in claim.names or len(rest) < 2 or rest[0].lower() in _NO_DEED:
        return False
    verb, after = rest[0].lower(), rest[1]
    other = next((name for name in names_of(f"in {after}") if name != doer and name in claim.names), "")
    spans = [
        re.search(rf"\b{re.escape(name)}n?s?\b", sentence) for name in (doer, other)
    ]  # Russian troops are Russia's
    if not other or not spans[0] or not spans[1] or len(verb) < _STEM:
        return False
    first, second = sorted((spans[0].span(), spans[1].span()))
    between, claimed = sentence[first[1] : second[0]], f"{verb} {after[: after.find(other)]}"
    if not _tells_the_deed(verb, claimed, between):
        return False
    passives = bool(_BY.search(between)), bool(_BY.search(claimed))
    return (spans[0].start() > spans[1].start()) != (passives[0] != passives[1])


def _tells_the_deed(verb: str, claimed: str, between: str) -> bool:
    """Whether the words between two names hold the claim's verb, or like the claim's go round something."""
    words = re.findall(r"[a-z]+", between.lower())
    return any(word.startswith(verb[:_STEM]) for word in words) or bool(
        _AROUND.search(claimed) and _AROUND.search(between)
    )
