"""Take from a sentence what it says of the claim's subject: without what it sets aside, and without its clauses on others.

"A spider has eight legs, while an insect has six" says two things, and a small model takes the one for the other.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import subject_of
from verifier.claim.parsed import Statement
from verifier.text.forms import words_of
from verifier.text.stems import stems_and_figures

_CONTRAST = re.compile(r",? (?:while|whereas) |, (?:and|but) |; ")
"""Where a sentence goes on to another subject."""
_SET_ASIDE = re.compile(r"(?:,| and|, and) not (?P<what>[^,;:.]{1,60})(?:,(?= )|(?=[;:.]|$))")
"""What a sentence sets aside: "is named after Monty Python, not after the snake", "Mosquitoes, not flies, spread malaria"."""
_RELATES = frozenset("after from with into befor about under over".split())
"""Words of four letters and more, shortened to stems, that tell nothing by themselves."""
_FILLED_IN = re.compile(
    r"^(?P<one>[^;,]{1,80}?) (?P<does>is|are|was|were|has|have|had|can|could|does|do|did) not (?P<what>[^;]{1,120}); "
    r"(?P<other>[^;,]{1,80}?) (?P=does)\.?$"
)
"""What is denied of one and said of another: "Vesuvius is not on Sicily; Etna is"."""
_NAME = r"(?:the )?[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*){0,3}"
_PREPOSITION = r"(?:of|in|on|by|at|for|from|to|with)"
_GAP = re.compile(rf"(?:,? and|,) (?={_NAME} {_PREPOSITION} )")
_GAPPED = re.compile(rf"(?P<name>{_NAME}) (?P<how>{_PREPOSITION}) (?P<what>[^,;]{{1,80}})")
"""A clause that shares the verb of the first: "Baku is the capital of Azerbaijan, Tbilisi of Georgia and Yerevan of Armenia"."""
_PRONOUN = re.compile(r"(?:it|he|she|they|this|that|these|those)\b", re.IGNORECASE)
_LONGEST = 400
"""Characters of a sentence that is looked through for such clauses."""


def own_clause(claim: Statement, sentence: str) -> str:
    """The one clause of a sentence that has the claim's subject, where the others have subjects of their own; else the sentence.

    What it sets aside is left out where the claim says nothing of it.
    """
    sentence = _without_set_aside(claim, sentence)
    subject = set(stems_and_figures(claim.subject))
    clauses = _filled_in(sentence) or _gapped(sentence) or _CONTRAST.split(sentence)
    if len(clauses) < 2 or not subject:
        return sentence
    subjects = [set(stems_and_figures(subject_of(clause)[0])) for clause in clauses]
    own = [clause for clause, about in zip(clauses, subjects, strict=True) if subject <= about]
    return own[0] if len(own) == 1 and all(subjects) else sentence


def is_of_own_subject(claim: Statement, sentence: str) -> bool:
    """Whether a sentence may be about the claim's subject: it begins with it or with a pronoun, or either has none that can be told."""
    subject, told = set(stems_and_figures(claim.subject)), subject_of(sentence)[0]
    return not subject or not told or subject <= set(stems_and_figures(told)) or bool(_PRONOUN.match(told))


def _without_set_aside(claim: Statement, sentence: str) -> str:
    """The sentence without what it sets aside, unless the claim tells of that: of a name, of its last word, or of most of its words."""
    words = set(stems_and_figures(claim.text)) - _RELATES

    def kept(found: re.Match[str]) -> str:
        aside, named = stems_and_figures(found["what"]), claim.name_words & set(words_of(found["what"]))
        told = sum(word in words for word in aside)
        return found[0] if named or (told and (aside[-1] in words or 2 * told > len(aside))) else ""

    return _SET_ASIDE.sub(kept, sentence)


def _filled_in(sentence: str) -> list[str]:
    """Both statements of a sentence that denies of one what it says of another; none of any other sentence."""
    found = _FILLED_IN.match(sentence)
    if not found:
        return []
    one, does, what, other = found.group("one", "does", "what", "other")
    return [f"{one} {does} not {what}.", f"{other} {does} {what}."]


def _gapped(sentence: str) -> list[str]:
    """The statements of a list that gives its verb once, each with the verb; none of any other sentence."""
    first, *rest = _GAP.split(sentence) if len(sentence) <= _LONGEST and " and " in sentence else [sentence]
    subject, found = subject_of(first)[0], [_GAPPED.match(part) for part in rest]
    if not rest or not subject or not first.startswith(subject) or any(subject_of(part)[0] for part in rest):
        return []
    at = first.find(f" {found[0]['how']} ", len(subject)) if found[0] else -1
    if at < 0 or not all(part and found[0] and part["how"] == found[0]["how"] for part in found):
        return []
    does = first[len(subject) : at]
    others = [f"{part['name']}{does} {part['how']} {part['what'].rstrip('.')}." for part in found if part]
    return [f"{first}.", *others]
