"""Cut a compound sentence into self-contained clauses; a sentence that states one thing stays whole.

A cut is possible at a conjunction, a semicolon or a relative clause with a verb on both sides. What follows the cut
either has its own subject, or takes the subject (and, before a participle, the auxiliary) of what comes before. The
verbs are in verbs.txt: mined from the training rows of the splitting corpus, and common ones from claims.
"""

from __future__ import annotations

import re
from pathlib import Path

_AUXILIARY = "is|are|was|were|has|have|had|does|do|did|will|would|can|cannot|could|may|might|must|shall|should"
AUXILIARIES = frozenset(_AUXILIARY.split("|"))
_CONTRACTED = re.compile(r"(?:is|are|was|were|has|have|had|does|do|did|wo|would|ca|could|might|must|should)n['\u2019]t")
_VERBS = AUXILIARIES.union((Path(__file__).parent / "verbs.txt").read_text(encoding="utf-8").split())
_ADVERB = r"(?:(?:also|never|now|still|then|later|only|once|soon|always|often|not|even|[a-z]+ly)\s+)*"
_FIRST_VERB = re.compile(rf"^{_ADVERB}([a-z]+)\b(?!-)")
_CUT = re.compile(
    r"\s*;\s*(?:and\s+|but\s+)?|,?\s+(?:and|but|yet|while|whereas|although|(?:even )?though)\s+|,\s+(?=\w)(?!who|which|where|whose|of|two|one|\d)"
)
_CLAUSE = r"(?:[^,;]|,(?=\d))+"
"""A stretch without a comma, except inside numbers."""
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
_NO_VERB_AFTER = frozenset("the a an its his her their our my this that these those no some any every each".split())
"""A word after one of these is not a verb, whatever its form.

Examples: "the plans", "his attacks".
"""
_PREPOSITION = frozenset(
    "in on at by to from for with after before as into onto under over during between among against since until through without near of".split()
)
_NO_PAST_AFTER = _NO_VERB_AFTER | _PREPOSITION | frozenset("and or but".split())
_PARTICIPLES = frozenset(
    "beaten begun broken chosen drawn driven eaten fallen flown forgotten frozen given grown hidden known seen shown spoken stolen sunk sworn "
    "taken thrown torn withdrawn worn written".split()
)
"""Participles that follow an auxiliary and take no object.

Example: "was approved in March and withdrawn in June".
"""
_SUBORDINATE = re.compile(
    r"^(?:once|after|when|while|as|since|because|although|though|if|unless|before|until|whereas)\b", re.IGNORECASE
)
_SAYING = frozenset(
    "said says say told tells claimed claims reported reports announced announces wrote writes added".split()
)
"""Verbs of an attribution, which states nothing by itself.

Example: the end of "the rate fell, Reuters reported on Monday".
"""
_REPORTED = re.compile(r" that (?:he|she|it|they|the|an?|[A-Z]\w*)\b")
"""In a subject, this shows that the verb before it is not a known one.

Example: "Tarrant disputes that he".
"""
_IT = re.compile(r"its?\b", re.IGNORECASE)
_IT_IS_THEIR = re.compile(r"it\s+\w+\s+their\b", re.IGNORECASE)
_PLURAL = re.compile(r"[a-z]+[^ius\W]s")
"""A noun that looks plural; not a name, which may end in any letter."""
_POSSESSIVE = re.compile(r"^(?:his|her|its|their)\s+(?=\w)", re.IGNORECASE)
_SHORT_SUBJECT = 4
"""Most words in a subject that can be made a possessive: "Iceland's capital"."""
_CLAUSE_OF_A_LIST = re.compile(r",\s+(?:and\s+)?|\s+and\s+")
_RELATIVE = re.compile(r"\b(?:who|which|that|whose|if|because|when|where|to|between)$")


def clauses_of(statement: str) -> list[str]:
    """Cut a sentence into self-contained clauses in its own words.

    It is `[statement]` if there is nothing to cut.
    """
    parts = _clauses(statement.strip().rstrip(".!"), "", "")
    return [statement] if len(parts) < 2 else [part[:1].upper() + part[1:] for part in parts]


def subject_of(text: str) -> tuple[str, str]:
    """Return what precedes the first verb of `text`, and a passive verb's auxiliary.

    Both are "" without a verb.
    """
    fronted = _FRONTED.match(text)
    words = text[fronted.end() if fronted else 0 :].split()
    for i, word in enumerate(words):
        if i and _is_verb(words, i) and not _RELATIVE.search(words[i - 1]):
            follows = words[i + 1] if i + 1 < len(words) else ""
            passive = word in {"is", "are", "was", "were"} and (follows.endswith("ed") or follows in _PARTICIPLES)
            return _without_adverb(" ".join(words[:i])), word if passive else ""
    past = next((i for i in range(1, len(words)) if _may_be_past(words, i)), 0)
    return _without_adverb(" ".join(words[:past])), ""


def _without_adverb(subject: str) -> str:
    return re.sub(rf"(?:\s|^){_ADVERB}$", "", subject + " ").strip(" ,")


def _may_be_past(words: list[str], i: int) -> bool:
    """Return whether word `i` is a regular past form, in a text without known verbs.

    Example: "cars accounted for half of it".
    """
    before = words[i - 1]
    if before.lower() in _NO_PAST_AFTER or before.endswith(",") or i + 1 == len(words):
        return False
    return bool(_REGULAR_PAST.fullmatch(words[i])) and not words[i].endswith("eed")


def _is_verb(words: list[str], i: int) -> bool:
    """Return whether word `i` is a verb.

    That is a known verb, or a regular past form with an object ("injured four people"). A form in -s before a verb is a
    noun: "gun bans reduce crime".
    """
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
    before = next((words[k] for k in range(i - 1, -1, -1) if not words[k].endswith("ly")), "")
    if before.lower() in _NO_VERB_AFTER or before.endswith(("'s", "\u2019s")):
        return False
    if before.endswith(",") and word not in AUXILIARIES and _shares(" ".join(words[i:])):
        return False  # "The tower, opened in 1950, is closed"
    if _CONTRACTED.fullmatch(word):
        return True
    if word in _VERBS:
        return not (word.endswith("s") and word not in AUXILIARIES and after in _VERBS and not after.endswith("ed"))
    return bool(after and _DETERMINER.match(after) and _REGULAR_PAST.fullmatch(word))


def starts_with_verb(text: str, auxiliary: str = "") -> bool:
    """Return whether `text` has no subject; a participle may share `auxiliary`, from the clause before."""
    match = _FIRST_VERB.match(text)
    return bool(match and (match[1] in _VERBS or (auxiliary and _shares(text))))


def _shares(text: str) -> bool:
    """Return whether `text` begins with a participle without object, which needs an auxiliary."""
    match = _FIRST_VERB.match(text)
    if not match or not (match[1].endswith("ed") or match[1] in _PARTICIPLES):
        return False
    rest = text[match.end() :].split()
    return not rest or rest[0] in _PREPOSITION


def self_contained(text: str, subject: str, auxiliary: str) -> str:
    """Put `subject` before `text` if it has none, or replace a pronoun at its start."""
    if starts_with_verb(text, auxiliary):
        return f"{subject} {auxiliary} {text}" if auxiliary and _shares(text) else f"{subject} {text}"
    if not subject:
        return text
    if len(subject.split()) > _SHORT_SUBJECT:
        return _PRONOUN.sub(lambda _: f"{subject} ", text, count=1)
    owner = f"{subject}' " if subject.endswith("s") else f"{subject}'s "
    return _POSSESSIVE.sub(lambda _: owner, _PRONOUN.sub(lambda _: f"{subject} ", text, count=1), count=1)


def _clauses(text: str, subject: str, auxiliary: str) -> list[str]:
    """Cut `text`, which follows a clause with `subject`, into self-contained clauses."""
    aside = _ASIDE.match(text)
    if aside and starts_with_verb(aside["rest"]) and starts_with_verb(aside["main"]):
        who = aside["subject"]
        return [f"{who} {aside['rest']}", *_clauses(f"{who} {aside['main']}", "", "")]
    tail = _TAIL.match(text)
    if tail and starts_with_verb(tail["rest"]) and subject_of(tail["main"])[0]:
        who = _last_phrase(tail["main"]) or subject_of(tail["main"])[0]
        return [*_clauses(tail["main"], subject, auxiliary), f"{who} {tail['rest']}"]
    whose = _WHOSE.match(text)
    if whose and subject_of(whose["main"])[0] and subject_of(whose["rest"])[0]:
        phrase = _last_phrase(whose["main"])
        if phrase:
            return [*_clauses(whose["main"], subject, auxiliary), f"{phrase}'s {whose['rest']}"]
    text = self_contained(text, subject, auxiliary)
    for match in _CUT.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        who, helper = subject_of(before)
        if (
            not who
            or _REPORTED.search(who)
            or len(before.split()) < 3
            or _is_open(before)
            or _is_of_another(after, who)
        ):
            continue
        if not _may_follow(before, after, match[0], helper):
            continue
        if len(self_contained(after, who, helper)) < len(text):
            return [before, *_clauses(after, who, helper)]
    return [text]


def _last_phrase(clause: str) -> str:
    """Return what a relative clause after `clause` is about, or "".

    That is its last phrase with an article, its last name, or a plain plural object.
    """
    phrase = _LAST_PHRASE.search(clause)
    if phrase:
        return phrase[0]
    rest = clause[len(subject_of(clause)[0]) :].split()[1:]
    plain = 0 < len(rest) <= _SHORT_SUBJECT and rest[-1] not in _VERBS and _PLURAL.fullmatch(rest[-1])
    return " ".join(rest) if plain and _PREPOSITION.isdisjoint(rest) else ""


def _is_of_another(clause: str, subject: str) -> bool:
    """Return whether the "it" at a clause's start cannot mean the subject before it.

    Example: "the strikers demanded it, but it never came".
    """
    if not _IT.match(clause):
        return False
    head = re.split(r" (?:of|in|at|for|from|with) ", subject, maxsplit=1)[0].split()[-1]
    return bool(_PLURAL.fullmatch(head) or _IT_IS_THEIR.match(clause))


def _is_open(text: str) -> bool:
    """Return whether a bracket, a quotation or "between" is still open at the end."""
    pairs = text.count("(") > text.count(")") or text.count("\u201c") > text.count("\u201d") or text.count('"') % 2
    return bool(pairs or _OPEN_BETWEEN.search(text))


def _may_follow(before: str, after: str, joint: str, auxiliary: str) -> bool:
    """Return whether `after` states something.

    It has a verb with an object, or is a clause with its own subject.
    """
    if starts_with_verb(after, auxiliary):
        begun = before.split()
        shared = begun[-1] in _VERBS and not subject_of(" ".join(begun[:-1]))[0]  # "the firm bought and sold ships"
        return len(after.split()) > 1 and (not shared or after.split()[0] in AUXILIARIES)
    if joint.strip() == ",":
        return not _SUBORDINATE.match(before) and _is_listed(after)
    return bool(subject_of(after)[0])


def _is_listed(text: str) -> bool:
    """Return whether this clause may follow a comma without a conjunction.

    It may if it is about a name, or if the next clause continues a list. What ends with a verb of saying ("the minister
    said on Monday") is an attribution.
    """
    first = _CLAUSE_OF_A_LIST.split(text, maxsplit=1)
    subject, _ = subject_of(first[0])
    if not subject:
        return False
    rest = first[0][len(subject) :].split()
    if len(rest) < 2 or rest[0] in _SAYING:
        return False
    return subject[:1].isupper() or (len(first) > 1 and bool(subject_of(first[1])[0]))
