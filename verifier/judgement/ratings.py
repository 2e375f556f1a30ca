"""What a fact-checker has already said of the claim: its rating, from ClaimReview markup or from its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.credibility import SourceType
from kb.record import Origin
from verifier.interfaces import Classifier
from verifier.judgement.quantities import compare
from verifier.judgement.stance import closest_sentence, stance_of, words_shared
from verifier.judgement.votes import is_given
from verifier.schema import Evidence, Stance, Verdict

_MISLEADING = r"misleading|missing context|lack(?:s|ing)? (?:\w+ )?context|out of context|needs context|cherry[- ]pick\w*|distort\w*|exaggerat\w*|spin"
_PARTLY = r"half[- ]true|partly (?:true|false)|partially (?:true|false)|mostly (?:true|false)|mixture|mixed"
_SCALE = (
    (re.compile(_MISLEADING, re.IGNORECASE), Verdict.MISLEADING),
    (re.compile(_PARTLY, re.IGNORECASE), Verdict.PARTIALLY_TRUE),
)
_RATING = rf"({_MISLEADING}|{_PARTLY})\b(?!\s+(?!(?:and|but|because|since|as|for|in|by|rather|claim)\b)\w)"  # not "misleading adverts"
_GAP = r"(?:(?!\b(?:not|no|never|nothing)\b)[^.;:!?]){0,60}?\b"
_NOUN = r"(?:rating|verdict|ruling|conclusion|assessment)\b"
_IN_WORDS = re.compile(
    rf"\bwe(?: (?:have|therefore|thus|also))? (?:rated?|call(?:ed)?|label(?:led)?|judged?|mark(?:ed)?|find|found)\b(?! on\b){_GAP}{_RATING}"
    rf"|(?<!not )(?<!n['\u2019]t )\brate[sd]? (?:this|that|these|it|the|his|her|its|their|as)\b{_GAP}{_RATING}|\brated {_RATING}"
    rf"|\bour (?:\w+ )?{_NOUN}(?:{_GAP}|[^.;:!?]{{0,40}}[:\u2013\u2014]{_GAP}){_RATING}"
    rf"|(?:^|[.!?\u201d\"]\s+)(?:(?:the|final|overall) ){{0,2}}{_NOUN}[^.;:!?]{{0,40}}[:\u2013\u2014]{_GAP}{_RATING}"
    rf"|\brating (?:is|was|of) \W?{_RATING}|^\W*{_RATING}[.:!]|\bclaim (?:is|was)\b{_GAP}(misleading)\b(?!\s+\w)"
    rf"|\b({_MISLEADING}|{_PARTLY}),? (?:we (?:find|found|say|judge|conclude)|is our)\b",
    re.IGNORECASE,
)
_RATED = re.compile(r"^.{0,80} rated the claim \u201c(.+)\u201d: ", re.DOTALL)
"""How the markup of a fact-check, or the answer of a search of fact-checks, stands in the store: who, what, and the rating."""
_FALSE = re.compile(
    r"^\W*(?:false|fake|incorrect|inaccurate|wrong|not true|untrue|pants on fire|fabricated|hoax|debunked|baseless|unfounded|invented|altered|"
    r"falso|falsa|faux|falsch|onwaar|fals)\b",
    re.IGNORECASE,
)
_TRUE = re.compile(r"^\W*(?:true|correct|accurate|confirmed|verdadero|verdadeiro|vero|vrai|wahr|waar)\b", re.IGNORECASE)
_OPEN = Stance(0.1, 0.1, 0.8)
SAME_CLAIM = 0.6
"""Share of the claim's words that a fact-check must hold to be about this claim; chosen on the development half of tests/data/news."""


def rating_of(claim: str, evidence: Sequence[Evidence]) -> tuple[Verdict, int] | None:
    """Misleading or Partially True where a fact-check of this very claim rates it so, and the position of that piece.

    A fact-check is of this claim where it holds enough of the claim's words, and no other figure in place of the claim's. Only a
    listed fact-checker rates, and what the user handed over.
    """
    for position, piece in enumerate(evidence):
        verdict = _rated(piece)
        if verdict is None or words_shared(claim, piece.text) < SAME_CLAIM:
            continue
        start, end = closest_sentence(claim, piece.text)
        if not compare(claim, piece.text, piece.text[start:end]).other:
            return verdict, position
    return None


def judge_rated(claim: str, evidence: Sequence[Evidence], classifier: Classifier) -> list[Evidence]:
    """The pieces, those that hold a fact-checker's rating with their stance: the rated claim's towards ours, turned if it is rated false.

    A small model that reads "rated the claim ...: Pants on Fire" sees the claim and takes the rest for an ornament. A
    rating that is neither clearly true nor clearly false leaves the claim open here.

    Raises:
        ModelError: the model failed.
    """
    judged = []
    for piece in evidence:
        rated = _RATED.match(piece.text)
        if piece.stance is None and piece.rating and rated:
            stance, note = stance_of(claim, rated[1], classifier)
            if _FALSE.match(piece.rating):
                stance = Stance(stance.refutes, stance.supports, stance.neutral)
            elif not _TRUE.match(piece.rating):
                stance = _OPEN
            piece = replace(piece, stance=stance, note=note)
        judged.append(piece)
    return judged


def _rated(piece: Evidence) -> Verdict | None:
    if not _may_rate(piece):
        return None
    found = _IN_WORDS.search(piece.text)
    words = piece.rating or (next(group for group in found.groups() if group) if found else "")
    return next((verdict for pattern, verdict in _SCALE if pattern.search(words)), None)


def _may_rate(piece: Evidence) -> bool:
    """Whether its rating counts: of a listed fact-checker, or of a listed publisher's desk that a search of fact-checks named.

    Anybody can write "we rate this claim misleading", or put such words into a page's markup.
    """
    checker = piece.source_type is SourceType.FACT_CHECKER or piece.origin is Origin.FACT_CHECK
    return is_given(piece) or (piece.listed and checker)
