"""C4: a compound claim -> self-contained sub-claims; a claim that states one thing -> itself.

A conjunction, a semicolon or a relative clause is a place to cut where a verb stands on both sides of it. What follows
the cut either has a subject of its own, or it is given the subject (and, before a participle, the auxiliary) of what
stands before. Verbs are those of verbs.txt, mined from the training rows of the splitting corpus.
"""

from __future__ import annotations

import re
from pathlib import Path

from verifier.claim.framing import unframed

MAX_PARTS = 5
"""What a user can take in; what is beyond is listed as unchecked."""
MIN_CHARACTERS = 20
_AUXILIARY = "is|are|was|were|has|have|had|does|do|did|will|would|can|cannot|could|may|might|must|shall|should"
_VERBS = set((Path(__file__).parent / "verbs.txt").read_text(encoding="utf-8").split()) | set(_AUXILIARY.split("|"))
_ADVERB = r"(?:(?:also|never|now|still|then|later|only|once|soon|always|often|not|even|[a-z]+ly)\s+)*"
_FIRST_VERB = re.compile(rf"^{_ADVERB}([a-z]+)\b(?!-)")
_CUT = re.compile(
    r"\s*;\s*(?:and\s+|but\s+)?|,?\s+(?:and|but|yet|while|whereas|although|(?:even )?though)\s+|,\s+(?=[a-z])(?!who|which|where|whose|of|two|one)"
)
_CLAUSE = r"(?:[^,;]|,(?=\d))+"
"""A stretch without a comma, but for those inside numbers."""
_WHOSE = re.compile(rf"^(?P<main>{_CLAUSE}), whose (?P<rest>{_CLAUSE})$")
_ASIDE = re.compile(r"^(?P<subject>[^,;]{2,80}), (?:who|which) (?P<rest>[^,;]+), (?P<main>(?!and\b|but\b).+)$")
_TAIL = re.compile(rf"^(?P<main>{_CLAUSE}(?:,{_CLAUSE})??), (?:who|which) (?P<rest>{_CLAUSE})$")
_OPEN_BETWEEN = re.compile(r"\bbetween\b(?!.*\band\b)")
_REGULAR_PAST = re.compile(r"[a-z]{3,}ed")
_DETERMINER = re.compile(
    r"(?:the|a|an|its|his|her|their|no|all|two|three|four|five|six|seven|eight|nine|ten|more|\d.*)$"
)
_LAST_PHRASE = re.compile(
    r"(?:\b(?:the|a|an|his|her|its|their)\s+[^,;]+|[A-Z][\w'.-]*(?:\s+(?:of\s+|the\s+)?[A-Z][\w'.-]*)*)$"
)
_FRONTED = re.compile(
    r"^(?:Once|After|When|While|As|Since|Because|Although|Though|If|Before|In|On|At|During|By)\b[^,]+, "
)
_PRONOUN = re.compile(r"^(?:he|she|it|they)\s+(?=\w)", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:who|which|that|whose|if|because|when|where|to|between)$")


def split_claim(claim: str) -> list[str]:
    """The sub-claims of `claim` in its own words, however many; `[claim]` where there is nothing to cut or it is short.

    What denies a statement is not cut: who says that two things are not both true has not said that both are false.
    """
    if len(claim) < MIN_CHARACTERS or unframed(claim)[1]:
        return [claim]
    parts = _clauses(claim.strip().rstrip(".!"), "", "")
    return [claim] if len(parts) < 2 else [part[:1].upper() + part[1:] for part in parts]


def subject_of(text: str) -> tuple[str, str]:
    """What stands before the first verb of `text`, and an auxiliary where the verb is passive; "", "" without a verb."""
    words = _FRONTED.sub("", text).split()
    for i, word in enumerate(words):
        before = " ".join(words[:i])
        if i and _is_verb(words, i) and not _RELATIVE.search(before):
            passive = word in {"is", "are", "was", "were"} and i + 1 < len(words) and words[i + 1].endswith("ed")
            return re.sub(rf"(?:\s|^){_ADVERB}$", "", before + " ").strip(), word if passive else ""
    return "", ""


def _is_verb(words: list[str], i: int) -> bool:
    """Whether word `i` is a known verb, or a regular past form with an object after it ("injured four people")."""
    if words[i] in _VERBS:
        return True
    follows = i + 1 < len(words) and _DETERMINER.match(words[i + 1])
    return bool(follows and _REGULAR_PAST.fullmatch(words[i]))


def starts_with_verb(text: str) -> bool:
    """Whether `text` has no subject of its own."""
    match = _FIRST_VERB.match(text)
    return bool(match and match[1] in _VERBS)


def self_contained(text: str, subject: str, auxiliary: str) -> str:
    """`text` with `subject` before it if it has none, and in the place of a pronoun if it begins with one."""
    if starts_with_verb(text):
        first = text.split()[0]
        helped = auxiliary and first.endswith("ed")
        return f"{subject} {auxiliary} {text}" if helped else f"{subject} {text}"
    return _PRONOUN.sub(f"{subject} ", text) if subject else text


def _clauses(text: str, subject: str, auxiliary: str) -> list[str]:
    """The self-contained clauses of `text`, which follows a clause with `subject`."""
    aside = _ASIDE.match(text)
    if aside and starts_with_verb(aside["rest"]) and starts_with_verb(aside["main"]):
        who = aside["subject"]
        return [f"{who} {aside['rest']}", *_clauses(f"{who} {aside['main']}", "", "")]
    tail = _TAIL.match(text)
    if tail and starts_with_verb(tail["rest"]) and subject_of(tail["main"])[0]:
        phrase = _LAST_PHRASE.search(tail["main"])
        who = phrase[0] if phrase else subject_of(tail["main"])[0]
        return [*_clauses(tail["main"], subject, auxiliary), f"{who} {tail['rest']}"]
    whose = _WHOSE.match(text)
    if whose and subject_of(whose["main"])[0] and subject_of(whose["rest"])[0]:
        phrase = _LAST_PHRASE.search(whose["main"])
        if phrase:
            return [*_clauses(whose["main"], subject, auxiliary), f"{phrase[0]}'s {whose['rest']}"]
    text = self_contained(text, subject, auxiliary)
    who, helper = subject_of(text)
    for match in _CUT.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if len(before.split()) < 3 or not subject_of(before)[0] or not _may_follow(before, after, match[0]):
            continue
        if len(self_contained(after, who, helper)) < len(text):
            return [before, *_clauses(after, who, helper)]
    return [text]


def _may_follow(before: str, after: str, joint: str) -> bool:
    """Whether `after` states something: a verb with an object, or a clause with its own subject."""
    if _OPEN_BETWEEN.search(before):
        return False
    if starts_with_verb(after):
        return before.split()[-1] not in _VERBS and len(after.split()) > 1
    if joint.strip() == ",":
        return False
    return bool(subject_of(after)[0])
