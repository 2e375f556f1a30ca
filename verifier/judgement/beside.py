"""Find sentences that say something else about the claim's subject, and so take no side.

"The Danube flows into the Black Sea" leaves open whether it flows through Vienna. A sentence that only places things
"around the Sun" does not say what the Sun is. Small models read the first as a contradiction and the second as support.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import AUXILIARIES, subject_of
from verifier.claim.parsed import Statement
from verifier.judgement.signals import NEGATION
from verifier.text.names import name_words, names_of
from verifier.text.stems import stems, stems_and_figures

_ONLY_ONCE = AUXILIARIES.union(
    "lies lay stands stood sits died dies began begins started starts ended ends sank happened occurred took became become means belongs "
    "won wins lost beat defeated comes came originated originates opened opens closed arrived landed discovered invented founded gained".split()
)
"""Verbs with only one possible object or place, so that a different one refutes: "died in", "became", "won"."""
_ONLY = re.compile(r"\b(?:only|alone|solely|exclusively|just|but|instead|rather)\b", re.IGNORECASE)
_IS_A = re.compile(r"^(?P<what>.+?) (?:is|are|was|were) (?:an? )?(?P<kind>[a-z-]+(?: [a-z-]+)?)$")
_OF_IT = re.compile(r"\b(?:of|in|on|from)\b")
"""Found in the claim's subject, it shows that the name is not the thing itself: "the currency of Japan"."""
_NARROWED = re.compile(r"^(?P<what>.+?) (?:is|are|was|were) an? (?P<how>[\w-]+) (?P<kind>[a-z]+)$")
_ONE_OF_A_KIND = re.compile(
    r"^(?!There\b|It\b)(?P<what>.+?) (?:(?:is|was) an?|are|were)(?! (?:the|being)\b) [a-z-]+(?: [a-z-]+){0,2}$"
)
"""How a claim says what others may also be: "Bread is a staple food", "Wolves are social animals"."""
_IS = re.compile(r"(?:is|are|was|were) the\b")
_PRONOUN = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|That|These|Those)\b")
_SMALL = frozenset({"the", "all", "most", "some"})
_WITHIN = (
    r"(?:from|around|round|to|toward|towards|near|behind|beyond|of|in|on|at|by|with|between|orbits?|orbited|circles?)"
)


def tells_of_something_else(claim: Statement, sentence: str, text: str) -> bool:
    """Return whether a sentence of a text only says something else about the claim's subject."""
    if NEGATION.search(sentence) or NEGATION.search(claim.text):
        return False
    return (
        _does_something_else(claim, sentence, text)
        or _is_only_a_place(claim, sentence)
        or _says_less(claim, sentence, text)
        or _tells_it_of_another(claim, sentence, text)
    )


def _does_something_else(claim: Statement, sentence: str, text: str) -> bool:
    """Return whether the subject does the deed with another object: "flows into the Black Sea"."""
    rest = claim.text[len(claim.subject) :].split()
    if not rest or rest[0].lower() in _ONLY_ONCE or claim.figures or _ONLY.search(sentence):
        return False
    # A small word in front keeps the first word from being read as the start of a sentence.
    about, told = name_words(f"in {claim.subject}"), name_words(f"in {subject_of(sentence)[0]}")
    objects = claim.name_words - about
    if not about & told or not objects or objects & set(re.findall(r"\w+", text.lower())):
        return False
    does = {word.lower()[:4] for word in re.findall(r"\w+", sentence)}
    return rest[0].lower()[:4] in does and bool(name_words(f"in {sentence}") - about)


def _tells_it_of_another(claim: Statement, sentence: str, text: str) -> bool:
    """Return whether the sentence says the claim's kind of another: "Rice is the staple food".

    Only for a claim that gives its subject a kind others may share.
    """
    found = _ONE_OF_A_KIND.match(claim.text.rstrip(".!"))
    said = subject_of(sentence)[0]
    if (
        not found
        or not said
        or re.search(r"\b[A-Z]{2,}\b", found["what"])
        or not _IS.match(sentence[len(said) :].strip())
    ):
        return False
    own, told = (set(stems(part)) - _SMALL for part in (found["what"], said))
    return bool(own and told) and not own & set(stems(text)) and not _PRONOUN.match(sentence)


def _is_only_a_place(claim: Statement, sentence: str) -> bool:
    """Return whether the sentence names the claimed thing only as a place: "around the Sun".

    The claim must say what a thing is.
    """
    found = _IS_A.match(claim.text.rstrip(".!"))
    name = names_of(f"in {found['what']}") if found else ()
    if not found or len(name) != 1 or not found["what"].endswith(name[0]) or _OF_IT.search(found["what"]):
        return False
    kind = set(stems_and_figures(found["kind"]))
    if not kind or not kind <= set(stems_and_figures(sentence)):
        return False
    places = [match.start() for match in re.finditer(rf"\b{re.escape(name[0])}\b", sentence)]
    within = re.compile(rf"\b{_WITHIN} (?:the )?$", re.IGNORECASE)
    return bool(places) and all(within.search(sentence[:at]) for at in places)


def _says_less(claim: Statement, sentence: str, text: str) -> bool:
    """Return whether a sentence omits the claim's detail: "a video game", for "a 2D game"."""
    found = _NARROWED.match(claim.text.rstrip(".!"))
    if not found or found["how"][:1].isupper():
        return False
    said = subject_of(sentence)[0]
    is_it = re.match(rf"(?:is|are|was|were) an? (?:[a-z]+ )?{found['kind']}\b", sentence[len(said) :].strip())
    return bool(said and is_it) and said.lower() == found["what"].lower() and found["how"].lower() not in text.lower()
