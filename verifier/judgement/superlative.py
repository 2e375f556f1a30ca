"""Read what a sentence says about the claim's superlative.

Examples: "the first person on the Moon", "the largest country by area". Only one thing is the largest or the first. So
a sentence that gives the rank to another refutes the claim, and one about another rank (the largest state, the nearest
star) says nothing about it. Small models confuse the two. Code judges only plain forms: "X is the RANK NOUN ...", "X,
the RANK NOUN ..." and "the RANK NOUN ... is X", without a denial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from verifier.claim.clauses import subject_of
from verifier.claim.parsed import Statement
from verifier.judgement.signals import NEGATION
from verifier.text.latin import without_accents
from verifier.text.names import name_words
from verifier.text.stems import stems

_ALIKE = (
    "largest biggest greatest,smallest tiniest,tallest highest,hottest warmest,coldest coolest,closest nearest,farthest furthest,"
    "fastest quickest,longest,shortest,deepest,oldest,youngest,heaviest,lightest,brightest,densest,driest,wettest,richest,poorest,"
    "first,last"
)
_CAPITAL = "capital"
"""A country has only one, so it is treated as a rank."""
_RANKS = {word: alike.split()[0] for alike in _ALIKE.split(",") for word in alike.split()}
"""A rank -> the word that stands for it and its synonyms."""
_RANK = re.compile(rf"\b(?:{'|'.join(_RANKS)}|(?:most|least) [a-z]+|{_CAPITAL}(?= of))\b", re.IGNORECASE)
_CALLED = _RANKS | {"most abundant": "most common", "most plentiful": "most common", "most populated": "most populous"}
"""The same, with ranks of two words."""
_AND_ANOTHER = re.compile(rf"^,? and (?:the )?(?:{'|'.join(_RANKS)}|most [a-z]+)\b", re.IGNORECASE)
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LOWERED = re.compile(
    rf"\b(?P<place>{'|'.join(_ORDINALS)}|\d+(?:nd|rd|th)|one of the|among the|former|at)[ -]$", re.IGNORECASE
)
"""What, before a rank, makes it another one: "the second largest"; "at first" and "at least" are no ranks."""
_SAME_PLACE = {
    f"{number}{'nd' if number == 2 else 'rd' if number == 3 else 'th'}": word
    for number, word in enumerate(_ORDINALS, 2)
}
_LINK = re.compile(
    r"\b(is|are|was|were|became|becomes|remains|remained)(?: in \d{4}|,? [a-z]+ly|,? still|,? also|,? thus| often)*"
    r"(?: considered| regarded as)?(?: the| (?:the world|earth)['\u2019]s)? $",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(r"\bthe ([a-z]+) $")
_AND_FIRST = re.compile(r"\bthe [^,;.]+ and the $")
"""What precedes the same holder's second rank: "Mercury is the smallest planet and the planet closest to the Sun"."""
_COPULA = re.compile(r"\b(?:is|are|was|were) (?:(?:the|an?) |(?=[A-Z\d]))")
_APPOSED = re.compile(r"([A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*), (?:who was |which is )?the $")
_FRONTED = re.compile(r"(?:In|On|At|By|After|Before|Since|During|As|For|Of|From|With|Counting|Counted)\b")
_WORD = re.compile(r"[^\W\d_][\w'-]*|[.,;:()]")
_ENDS = frozenset(
    "in on of to by at from for with above below who whom which that whose ever since until with after before while where when under over is are was "
    "were becomes became has have had among and or but . , ; : ( )".split()
)
"""What follows a rank's noun."""
_ALSO = dict.fromkeys("human man individual being people".split(), "person") | dict.fromkeys(
    "part spot point".split(), "place"
)
"""A noun -> another with the same meaning in a rank. A first woman is not the first person."""
_ON_FOOT = re.compile(r"\b(?:walk|step|stepp|land|stand|stood)\w*(?= (?:on|upon) )|\bsets? foot\b")
"""Ways of reaching a place that mean the same: "the first person to set foot on the Moon", "on the Moon"."""
_EVERYWHERE = re.compile(
    r"\b(?:in the (?:whole |entire |known )?(?:world|universe)|on (?:the )?(?:earth|planet)|in (?:recorded )?history|of all(?: time)?|ever)\b|"
    r"\b(?:the world|earth)['\u2019]s\b",
    re.IGNORECASE,
)
"""What says that a rank is among all there are."""
_WITHIN = re.compile(r"(?:in|of|on|among) (?:the |its |an? )?(?!all\b|record)[^\W\d_]", re.IGNORECASE)
"""What introduces the group that a rank is limited to: "in Nigeria", "of the crust"."""
_ONE_AT_A_TIME = frozenset({"first", "last", _CAPITAL})
"""Ranks that are always within something: "the first president of the United States", for "the first president"."""
_UNSAID = frozenset(
    "the and who that which has had have was were been ever all known official officially history time current currently any other world "
    "earth universe total there its our itself area size above sea level record recorded".split()
)
"""Words in a rank's description that narrow nothing, or that nearly every such rank implies."""
_SAME_STATE = (
    (re.compile(r"\b(?:United States(?: of America)?|U\.S\.A?\.?|USA|Americans?)(?!\w)"), "US"),
    (re.compile(r"\b(?:United Kingdom|Great Britain|Britain|British)\b"), "UK"),
)
"""The states whose names vary most between texts, and the form used to compare them."""


_STEM = 6
"""Letters that two forms of one name share: Russia and the Russian Federation, not Austria and Australia."""


class Rank(Enum):
    """What a sentence says about the claim's rank: held, held by another, or another rank."""

    HELD = auto()
    HELD_BY_ANOTHER = auto()
    OF_ANOTHER_KIND = auto()


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One rank in a sentence, with its noun, description and holder.

    `narrowed` and `described` are what narrows and describes it, `scope` the names in that. `past`: held in the past.
    `lowered`: "second" for "the second largest", "" for the largest. `everywhere`: among all there are. `within`: only
    among some, as in a place or a part.
    """

    word: str
    noun: str
    narrowed: frozenset[str]
    scope: frozenset[str]
    described: frozenset[str]
    holder: str
    past: bool
    lowered: str
    everywhere: bool
    within: bool


def rank_told(claim: Statement, sentence: str) -> Rank | None:
    """Read what a sentence says about the rank that the claim gives its subject.

    None if the claim gives no rank, or if the sentence is not plain.
    """
    if not _RANK.search(claim.text) or NEGATION.search(claim.text) or NEGATION.search(sentence):
        return None
    asked = next(iter(_ranks(claim.text)), None)
    if asked is None or not asked.holder or (asked.lowered and asked.lowered not in _ORDINALS):
        return None
    told = _ranks(sentence)
    alike = [rank for rank in told if rank.word == asked.word]
    if told and not alike and all(_same_holder(asked.holder, rank.holder)[1] for rank in told):
        return Rank.OF_ANOTHER_KIND
    found = [None if _is_part(rank.holder, asked.holder, sentence) else _compare(asked, rank) for rank in alike]
    settled = [rank for rank in found if rank and rank is not Rank.OF_ANOTHER_KIND]
    if settled:
        return settled[0]
    return Rank.OF_ANOTHER_KIND if found and all(found) else None


def _compare(asked: _Ranked, told: _Ranked) -> Rank | None:
    """Compare one rank in a sentence with the claim's."""
    same, other = _same_holder(asked.holder, told.holder)
    if asked.noun != told.noun:
        of_women = same and (asked.noun, told.noun) == ("person", "woman")
        return Rank.OF_ANOTHER_KIND if other or of_women else None
    if asked.narrowed != told.narrowed:
        return None
    lasting = asked.past == told.past or asked.word in {"first", "last"}
    if same and _says_less(asked, told):
        return Rank.OF_ANOTHER_KIND if asked.everywhere else None
    if same and asked.scope <= told.scope and asked.described <= told.described:
        if not lasting:
            return None
        return Rank.HELD if told.lowered == asked.lowered else Rank.HELD_BY_ANOTHER
    elsewhere = bool(asked.scope and told.scope) and not asked.scope & told.scope
    if elsewhere or (told.lowered != asked.lowered and not same) or (other and told.scope - asked.scope):
        return Rank.OF_ANOTHER_KIND
    if not other or asked.scope != told.scope:
        return None
    return Rank.HELD_BY_ANOTHER if lasting and asked.described == told.described else None


def _is_part(told: str, asked: str, sentence: str) -> bool:
    """Return whether the holder lies inside the claim's: "the Challenger Deep, in the Mariana Trench"."""
    whole = re.escape(re.sub(r"^the ", "", asked, flags=re.IGNORECASE))
    within = rf"{re.escape(told)},? (?:which (?:is|lies) |part )?(?:in|on|at|of|within) (?:the )?{whole}\b"
    return bool(told) and re.search(within, sentence, re.IGNORECASE) is not None


def _says_less(asked: _Ranked, told: _Ranked) -> bool:
    """Return whether the sentence's rank covers a place or part, and the claim's everything.

    Nigeria's largest city is not the world's.
    """
    if asked.word in _ONE_AT_A_TIME or told.everywhere or (asked.within and not asked.everywhere):
        return False
    return told.within or bool(told.scope - asked.scope)


def _same_holder(one: str, other: str) -> tuple[bool, bool]:
    """Return whether two holders are surely the same, and whether they are surely different."""
    plain = (without_accents(holder) for holder in (one, other))
    named = (name_words(f"in {holder}") or stems(holder, 4, _STEM) for holder in plain)
    words = [frozenset(word[:_STEM] for word in name) for name in named]
    if not all(words):
        return False, False
    alike = set(stems(one, 4, _STEM)) & set(stems(other, 4, _STEM))  # "elephants" and "African elephants"
    return words[0] <= words[1] or words[1] <= words[0], not words[0] & words[1] and not alike


def _ranks(sentence: str) -> list[_Ranked]:
    """List the ranks in a sentence, in its order."""
    for state, short in _SAME_STATE:
        sentence = state.sub(short, sentence)
    found = (_ranked(sentence, match) for match in _RANK.finditer(sentence))
    return [rank for rank in found if rank]


def _ranked(sentence: str, match: re.Match[str]) -> _Ranked | None:
    """Read one rank in a sentence; None if no noun follows."""
    before, after = sentence[: match.start()], _AND_ANOTHER.sub("", sentence[match.end() :])
    words = _WORD.findall(after)
    end = next((i for i, word in enumerate(words) if word.lower() in _ENDS), len(words))
    nouns = [_singular(word) for word in words[:end] if not word.endswith("ed")]
    if match[0].lower() == _CAPITAL:
        nouns = [_CAPITAL]
    behind = None if nouns else _NOUN_BEFORE.search(before)
    if behind:  # "the planet closest to the Sun"
        nouns, before = [_singular(behind[1])], before[: behind.start(1)]
    if not nouns:
        return None
    lowered = _LOWERED.search(before)
    holder, link = _holder(before[: lowered.start()] if lowered else before, after)
    phrase = re.split(r"[.;:(]|, (?!and )| and the ", after)[0]
    if _is_fronted(before):
        phrase = phrase.split(f" {link} ")[0]
    phrase = " ".join(_WORD.findall(phrase)[end:])
    everywhere = bool(_EVERYWHERE.search(sentence))
    scope = name_words(f"in {phrase}") | name_words(" ".join(["in", *words[:end]]))
    return _Ranked(
        word=_CALLED.get(match[0].lower(), match[0].lower()),
        noun=_ALSO.get(nouns[-1], nouns[-1]),
        narrowed=frozenset(nouns[:-1]) - {_singular(name) for name in scope},
        scope=frozenset(scope - _UNSAID),
        described=_described(phrase, scope),
        holder=holder,
        past=link in {"was", "were", "became", "remained"},
        lowered=_place(lowered["place"].lower()) if lowered else "",
        everywhere=everywhere,
        within=bool(_WITHIN.match(phrase)) and not everywhere,
    )


def _place(word: str) -> str:
    return _SAME_PLACE.get(word, word)


def _is_fronted(before: str) -> bool:
    """Return whether a sentence begins with its rank: "The first human in space was ..."."""
    return before.strip().lower() in {"the", ""}


def _holder(before: str, after: str) -> tuple[str, str]:
    """Find a rank's holder and the verb that says so; "" where that is unclear."""
    link = _LINK.search(before) or _LINK.search(_AND_FIRST.sub("the ", before))
    if link:
        clause = re.split(r"[;:]|, (?:and|but|while|whereas) ", before[: link.start()])[-1].strip()
        asides = (subject_of(f"{clause} is it")[0] or clause).split(", ")
        return asides[-1 if _FRONTED.match(clause) else 0], link[1].lower()
    apposed = _APPOSED.search(before)
    if apposed:
        return apposed[1], ""
    copula = _COPULA.search(after) if _is_fronted(before) else None
    if copula:
        return re.split(r"[,;:(.]| in \d{4}", after[copula.end() :])[0], copula[0].split()[0]
    return "", ""


def _described(phrase: str, scope: frozenset[str]) -> frozenset[str]:
    """Return the stems that describe a rank further, except names and words that narrow nothing."""
    words = re.findall(r"[a-z]{3,}", _ON_FOOT.sub("", phrase.lower()))
    return frozenset(stem for word in words if word not in _UNSAID and word not in scope for stem in stems(word))


def _singular(word: str) -> str:
    lower = word.lower()
    if lower.endswith("ies"):
        return lower[:-3] + "y"
    return lower if lower.endswith("ss") else lower.removesuffix("s")
