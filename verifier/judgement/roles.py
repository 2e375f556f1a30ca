"""Detect a sentence that swaps the roles: "Russia invaded Ukraine", for "Ukraine invaded Russia".

Small models read both alike, since all the words are the same. Code judges only the plain case: two names with the
claim's verb between them, active or passive.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import AUXILIARIES
from verifier.claim.parsed import Statement
from verifier.text.names import names_of

_STEM = 4
"""Letters shared by two forms of a verb and the noun made from it: invaded, invasion."""
_NO_DEED = frozenset(
    "be been "  # no one does anything
    "met meets marry married marries borders bordered resembles equals equalled fought fights played plays drew draws tied ties "
    "shares shared joined joins".split()  # mutual, or the order of names matters little
).union(AUXILIARIES)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_AROUND = re.compile(r"\b(?:a)?round\b")
_BY = re.compile(r"\bby\b")


def are_roles_swapped(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence swaps the doer and the object of the claim's deed.

    The claim's subject must be a name, followed by a verb of action and, later, another name. "Around" counts as the
    verb for going round something, in any words.
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
    """Return whether the words between two names hold the claim's verb, or share its "around"."""
    words = re.findall(r"[a-z]+", between.lower())
    return any(word.startswith(verb[:_STEM]) for word in words) or bool(
        _AROUND.search(claimed) and _AROUND.search(between)
    )
