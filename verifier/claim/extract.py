"""Find the factual part of a MIXED claim.

That is the claim without its judgement, in its own words, errors included. Rules propose shorter readings of the claim:
without a clause, an evaluating word, or a frame such as "it is a shame that". The claim-type model says how factual
each reading is. Of those it calls factual, the one that keeps most words wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

FACTUAL_ENOUGH = 0.5
PER_WORD = 0.03
"""How much surer a reading must be for each word that it drops."""
REWORDED = 0.3
"""How much surer a reading with changed words must be than one without the clause."""
_MAX_READINGS = 120
_MIN_WORDS = 3

_JUDGING = (Path(__file__).parent / "judging_words.txt").read_text(encoding="utf-8").split()
_DEGREE = r"(?:(?:so|very|really|truly|utterly|simply|absolutely|plain|deeply|too|quite|otherwise|most|least) )*"
_ONE_JUDGING = rf"{_DEGREE}(?:{'|'.join(_JUDGING)})"
_JUDGING_WORDS = re.compile(
    rf"(?P<article>\b(?:a|an)\s+)?\b{_ONE_JUDGING}(?:(?:,| and|, and) {_ONE_JUDGING})*\b,?\s*(?P<next>[\w-]*)",
    re.IGNORECASE,
)
_SUPERLATIVE_WORDS = "|".join(word for word in _JUDGING if word.endswith("st") or word in {"favourite", "favorite"})
_DETERMINER = r"\b(?:the|a|an|my|our|their)\s+(?:(?:single|very|absolute|all-time|world's)\s+)?"
_JUDGING_SUPERLATIVE = re.compile(
    rf"{_DETERMINER}(?:(?:most|least)\s+(?:{'|'.join(_JUDGING)})|{_SUPERLATIVE_WORDS})(?:(?:,| and|, and) [\w-]+(?= [a-z0-9]))?\s+(?P<next>[\w-]+)",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    rf"{_DETERMINER}(?:(?:most|least)\s+[a-z-]+|[a-z]{{3,}}(?:iest|est)|best|worst)\s+(?P<next>[\w-]+)", re.IGNORECASE
)
_MEASURED = frozenset(
    "large big small high tall long short old young new early late warm hot cold cool wet dry deep light heavy fast slow quick rich expensive cheap "
    "costly close near far wide broad narrow thick thin dense bright low few full empty loud common rare frequent recent populous popular profitable "
    "successful productive visited watched viewed read sold used cited spoken decorated abundant distant northern southern eastern western hard soft "
    "steep rainy sunny windy dear strong mighty important".split()
)
"""Qualities that are measured or counted: their superlatives are not judgements."""
_MEASURED_MOST = frozenset(
    form
    for word in _MEASURED
    for form in (f"{word}est", f"{word}st", f"{word[:-1]}iest", f"{word}{word[-1]}est")  # large, dry, big
)
_MOST = re.compile(r"\b(?:most|least)\s+(\S+)")
_NO_NOUN = (
    r"(?!(?:of|for|with|by|to|in|on|at|from|before|after|that|which|who|whom|whose|and|or|but|than|as|is|are|was|were|has|have|had|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d)\b)"
)
"""What follows a noun rather than a modifier of a noun.

Examples: "the trouble with", "a goal by".
"""
_MODIFIER = re.compile(
    r"(?P<before>\b(?i:the|an?|his|her|its|their|our|my|[\w.]+['\u2019]s?)\s+)(?:[a-z]+ly\s+)?[a-z][a-z-]+\s+"
    rf"{_NO_NOUN}(?P<next>[\w-]+)"
)
_ADVERB = re.compile(
    r"\b(?!(?i:only|early|daily|weekly|monthly|yearly|nearly|partly|mostly|mainly|hardly|barely|family|july|italy|supply|reply|fly|rely|apply|assembly|"
    r"monopoly|anomaly|directly|officially|jointly|legally|publicly|exactly|roughly|approximately|annually|formerly|originally|initially|"
    r"previously|recently|currently|entirely|fully|solely|newly|likely|elderly)\b)(?:[a-z]{3,}|(?:^|(?<=[.!?] ))[A-Z][a-z]{2,})ly\b,?\s+"
)
_SIGN = re.compile(
    r"!|\b(?:should|ought|deserve[sd]?|better|worse|i|me|my|mine|we|our|alas|hooray|yikes|wow|lol|smh|bravo|kudos|good riddance|about time|(?:long )?overdue|"
    r"no (?:right|excuse|wonder|surprise)|all the better|more power to|got it (?:all )?(?:wrong|right)|can['\u2019]?(?:t|not) wait|"
    r"joke|dump|disgrace|scandal|shame|travesty|fiasco|farce|embarrassment|nonsense|garbage|trash|eyesore|rip-off|masterpiece|"
    r"(?:idiot|fool|clown|coward|crook|cheapskate|hero(?:e)?|villain|monster|tyrant|thug|vulture|liar|loser|genius(?:e)?)s?)\b",
    re.IGNORECASE,
)
"""Words by which a claim judges, besides the evaluating ones."""
_FRAME = re.compile(
    r"^(?:(?:i|we)\s+(?:really\s+|honestly\s+|firmly\s+)?(?:think|believe|feel|love|hate|adore|find it \w+|guess|am \w+|'m \w+)\s+(?:that\s+|how\s+)?|"
    r"(?:in my (?:humble )?(?:opinion|view)|to my mind|if you ask me|for all (?:its|his|her|their) \w+|at last|finally|honestly|frankly)\s*[,:!]+\s*|"
    r"(?:it is|it's|it was|how|what)\s+(?:\w+\s+){1,4}?that\s+|"
    r"[\w' ]{3,40}? should be (?:proud|ashamed|embarrassed|glad|grateful|happy) that\s+|"
    r"(?:\w+ )?(?:to see|to hear|to learn|to know) that\s+|"
    r"[\w' ]{3,40}[:!]+\s+)",
    re.IGNORECASE,
)
_WHO = re.compile(r"^(?P<subject>[^,;]{2,80}), (?:who|which) (?P<rest>[^,;]{3,160}), .+$")
_APPOSITION = re.compile(r"^(?P<subject>[^,;]{2,80}), (?P<rest>(?:the|a|an) [^,;]{3,160}), .+$", re.IGNORECASE)
_BREAK = re.compile(
    r"(?<=[.!?])\s+|\s*[;]\s*|\s+[-\u2013\u2014]+\s+|,\s+|\s+(?=(?:and|but|so|because|which|who|though|although|yet|making|proving)\b)"
)
_JOINT = re.compile(r"^(?:and|but|so|yet|though|although)\s+(?:(?:is|are|was|were|has|have|had)\b)?", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|the|a|an|and|but|or|of|to|by|in|on|at|for|with|from|that|which|who|than|as|"
    r"because|so)$|^[^,]+, (?:who|which) [^,]+$|^(?:who|whom|whose|which)\b",
    re.IGNORECASE,
)
_VOWEL = re.compile(
    r"^(?!one\b|once\b|eu|ew|ub|uf|uk|uni(?![nmd])|ur[ao]|us[aeiu]|ut[aeio])[aeiou]|^(?:hour|honest|honou?r|heir)|^(?:8|11|18)\D?",
    re.IGNORECASE,
)
"""Words that take "an", by sound rather than by letter."""


def judges(claim: str) -> bool:
    """Return whether a claim judges.

    It has an evaluating word, a superlative that cannot be measured, or the frame of an opinion.
    """
    judging = _SIGN.search(claim) or _JUDGING_WORDS.search(claim) or _FRAME.match(claim)
    return bool(judging) or any(not _is_measured(match[0]) for match in _SUPERLATIVE.finditer(claim))


def _is_measured(superlative: str) -> bool:
    """Return whether a superlative is of a measured or counted quality.

    Examples: "the warmest", "the most visited".
    """
    most = _MOST.search(superlative.lower())
    return most[1] in _MEASURED if most else not _MEASURED_MOST.isdisjoint(superlative.lower().split())


def factual_part(claim: str, is_factual: Callable[[str], float]) -> str:
    """Choose the surely factual reading that keeps most of `claim`.

    It is the claim itself if no reading is factual.

    Args:
        claim: a claim that mixes fact and judgement.
        is_factual: gives the probability that a text states a fact and nothing else.
    """
    best, best_score = claim, 0.0
    for reading, reworded in readings(claim).items():
        sure = is_factual(reading)
        score = sure + PER_WORD * len(reading.split()) - (REWORDED if reworded else 0.0)
        if sure >= FACTUAL_ENOUGH and score > best_score:
            best, best_score = reading, score
    return best


def readings(claim: str) -> dict[str, bool]:
    """Map shorter readings of a claim to whether words inside a clause were changed.

    They have at least three words each; there are at most 120.
    """
    found: dict[str, bool] = {}
    base = _FRAME.sub("", claim, count=1)
    for text in islice(chain((base,), _without_clauses(base)), _MAX_READINGS):
        for reading in _without_words(text):
            sentence = _as_sentence(reading)
            whole = len(sentence.split()) >= _MIN_WORDS and not _FRAGMENT.search(sentence)
            if whole and sentence.rstrip(".!") != claim.rstrip(".!"):
                found[sentence] = found.get(sentence, True) and reading != text
                if len(found) == _MAX_READINGS:  # forty clauses have thousands of readings, which take a minute
                    return found
    return found


def _without_clauses(text: str) -> Iterator[str]:
    """Yield the text without one or more clauses, or an aside as a statement.

    Example: "Mozart, who wrote 41 symphonies, ...".
    """
    for pattern, verb in ((_WHO, ""), (_APPOSITION, "is ")):
        match = pattern.match(text)
        if match:
            yield f"{match['subject']} {verb}{match['rest']}"
    breaks = [(match.start(), match.end()) for match in _BREAK.finditer(text)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    last = len(ends) - 1
    for first in range(last + 1):
        for final in range(last, first - 1, -1):
            if (first, final) != (0, last):
                yield _JOINT.sub("", text[starts[first] : ends[final]])
    for left_out in range(1, last):  # a clause in the middle
        yield f"{text[: ends[left_out - 1]]} {text[starts[left_out + 1] :]}"


def _without_words(text: str) -> Iterator[str]:
    """Yield the text, then versions of it without judging words.

    Superlatives are made plain ("the best 2D game" -> "a 2D game"); adjectives and adverbs are dropped.
    """
    plain = _JUDGING_SUPERLATIVE.sub(_article, text)
    every = _SUPERLATIVE.sub(lambda match: match[0] if _is_measured(match[0]) else _article(match), plain)
    for version in dict.fromkeys((plain, every)):
        yield version
        yield _JUDGING_WORDS.sub(_article, version)
    for pattern in (_MODIFIER, _ADVERB):
        for match in pattern.finditer(plain):
            before = match["before"] if pattern is _MODIFIER else ""
            rest = match["next"] if pattern is _MODIFIER else ""
            if before.strip().lower() in {"a", "an"}:
                before = f"{_indefinite(rest)} "
            yield plain[: match.start()] + before + rest + plain[match.end() :]


def _article(match: re.Match[str]) -> str:
    """Return the word after a judgement, with "a" or "an" if it had an article."""
    article = match["article"] if "article" in match.re.groupindex else "a"
    return f"{_indefinite(match['next'])} {match['next']}" if article else match["next"]


def _indefinite(word: str) -> str:
    return "an" if _VOWEL.match(word) else "a"


def _as_sentence(text: str) -> str:
    """Trim loose marks and capitalise the first letter.

    Close it like a sentence only if the claim was.
    """
    bare = text.strip(" ,;:-\u2013\u2014").rstrip("!")
    return bare[:1].upper() + bare[1:]
