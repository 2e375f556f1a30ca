"""Read a fact-checker's rating of the claim, from ClaimReview markup or its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.publishers.credibility import SourceType
from kb.record import Origin
from verifier.claim.parsed import ParsedClaim, Statement, parse_statement
from verifier.interfaces import StanceModel
from verifier.judgement.closest import closest_sentence, words_shared
from verifier.judgement.compare import compare
from verifier.judgement.signals import NEGATION
from verifier.judgement.stance import stance_of
from verifier.judgement.votes import is_given
from verifier.schema import Evidence, Stance, Verdict
from verifier.text.framing import unframed
from verifier.text.names import first_word_name

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
_RATED = re.compile(
    r"^.{0,80} rated the claim \u201c(?P<claim>.+)\u201d:\s+(?P<rating>[^\u201c\u201d]{1,100}?)\.?\s*$", re.DOTALL
)
"""How a fact-check's markup, or the answer of a fact-check search, is stored: who, what, and the rating."""
_FALSE = re.compile(
    r"^\W*(?:false|fake|incorrect|inaccurate|wrong|not true|untrue|pants on fire|fabricated|hoax|debunked|baseless|unfounded|invented|altered|"
    r"falso|falsa|faux|falsch|onwaar|fals)\b",
    re.IGNORECASE,
)
_TRUE = re.compile(r"^\W*(?:true|correct|accurate|confirmed|verdadero|verdadeiro|vero|vrai|wahr|waar)\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"[\u201c\"]([^\u201c\u201d\"]{15,300})[\u201d\"]"
    r"|(?<!\w)['\u2018]([^'\u2018\u2019]{15,300}(?:['\u2019]\w[^'\u2018\u2019]{0,200}){0,5})['\u2019](?!\w)"
)
_OPEN = Stance(0.1, 0.1, 0.8)
MOSTLY_OURS = 0.4
"""Share of a rated claim's words that ours must hold: a rated claim is often worded at length."""
_NOTHING = Stance(0.0, 0.0, 1.0)
OTHER_CLAIM = "it rates another claim"
DECIDES_NOTHING = "the work was retracted, so it is shown and decides nothing"
QUOTED_SHARE, _STATEMENT = 0.5, 4
"""Share of the claim's words above which a statement quoted by a fact-check is the claim, and the words that make a
statement."""
SAME_CLAIM = 0.6
"""Share of the claim's words that a fact-check must hold to be about this claim; chosen on the development half of
tests/data/news."""


def rating_of(claim: ParsedClaim, evidence: Sequence[Evidence]) -> tuple[Verdict, int] | None:
    """Find a fact-check that rates this very claim Misleading or Partially True.

    Returns the rating and the position of that piece. A fact-check is about this claim if it holds enough of the
    claim's words and no other figure in place of the claim's. Only ratings by a listed fact-checker, or in texts that
    the user gave, count.
    """
    for position, piece in enumerate(evidence):
        verdict, rated = _rated(piece), _RATED.match(piece.text)
        if verdict is None or words_shared(claim.whole, piece.text) < SAME_CLAIM:
            continue
        if not rated and _quotes_another(claim.whole, piece.text):
            continue
        if rated and not (is_same_claim(claim.whole, rated["claim"]) and _in_same_sense(claim, rated["claim"])):
            continue
        start, end = closest_sentence(claim.whole, piece.text)
        if not compare(claim.whole, piece.text, piece.text[start:end]).other:
            return verdict, position
    return None


def _quotes_another(claim: Statement, text: str) -> bool:
    """Return whether a fact-check rates a quotation that is not the claim.

    The claim must not be mostly in it, nor contain all of it. Of 44 ratings read for development claims without this,
    20 were of the claim; with it, 17 of 19.
    """
    quoted = [one or other for one, other in _QUOTED.findall(text)]
    statements = [statement for statement in quoted if len(statement.split()) >= _STATEMENT]
    ours = (
        words_shared(claim, said) > QUOTED_SHARE or words_shared(parse_statement(said), claim.text) == 1
        for said in statements
    )
    return bool(statements) and not any(ours)


def judge_rated(claim: ParsedClaim, evidence: Sequence[Evidence], classifier: StanceModel) -> list[Evidence]:
    """Give each piece with a fact-checker's rating its stance; return all pieces.

    It is the rated claim's stance towards ours, turned if the rating is false. A small model that reads "rated the
    claim ...: Pants on Fire" sees the claim and ignores the rest. A rating that is neither clearly true nor clearly
    false leaves the claim open here. So does "false" for another claim: that one thing is false does not make another
    true. A retracted work says nothing.

    Raises:
        ModelError: the model failed.
    """
    judged = []
    for piece in evidence:
        if piece.retracted:
            judged.append(replace(piece, stance=_NOTHING, note=DECIDES_NOTHING))
            continue
        found = _RATED.match(piece.text)
        if piece.stance is None and found:
            rated, rating = found["claim"], piece.rating or found["rating"]
            if _TRUE.match(rating):
                stance, note = stance_of(claim, rated, classifier)
            elif not _FALSE.match(rating):
                stance, note = _OPEN, ""
            elif is_same_claim(claim.whole, rated):
                stance, note = stance_of(claim, rated, classifier)
                stance = _turned(stance, _in_same_sense(claim, rated))
            else:
                stance, note = _OPEN, OTHER_CLAIM
            piece = replace(piece, stance=stance, note=note)
        judged.append(piece)
    return judged


def is_same_claim(claim: Statement, rated: str) -> bool:
    """Return whether a rated claim says or denies what ours does.

    It must share most words, and have no other figure or subject.
    """
    other = parse_statement(rated)
    shared = words_shared(claim, rated) >= SAME_CLAIM and words_shared(other, claim.text) >= MOSTLY_OURS
    ours, theirs = claim.name_words, other.name_words
    lead, their_lead = first_word_name(claim.text).lower(), first_word_name(rated).lower()
    if lead and their_lead and lead not in rated.lower() and their_lead not in claim.text.lower():
        return False
    return shared and not (ours - theirs and theirs - ours) and not compare(claim, rated, rated).other


def _in_same_sense(claim: ParsedClaim, rated: str) -> bool:
    """Return whether our claim and a rated one are both affirmed, or both denied."""
    return _is_denied(claim.statement.text, claim.denied) is _is_denied(*unframed(rated))


def _is_denied(statement: str, framed: bool) -> bool:
    """Return whether a statement denies something; `framed`: a frame around it turns its sense."""
    return framed ^ (len(NEGATION.findall(statement)) % 2 == 1)


def _turned(stance: Stance, same_sense: bool) -> Stance:
    """Turn the stance of a rated claim for a text that calls it false.

    For our claim itself, "false" never supports.
    """
    supports, refutes = stance.refutes, stance.supports
    if same_sense:
        return Stance(0.0, refutes, 1 - refutes)
    return Stance(supports, 0.0, 1 - supports)


def _rated(piece: Evidence) -> Verdict | None:
    if not _may_rate(piece):
        return None
    found = _IN_WORDS.search(piece.text)
    words = piece.rating or (next(group for group in found.groups() if group) if found else "")
    return next((verdict for pattern, verdict in _SCALE if pattern.search(words)), None)


def _may_rate(piece: Evidence) -> bool:
    """Return whether a piece's rating counts.

    It counts from a listed fact-checker, or from a listed publisher's desk found by a fact-check search. Anybody can
    write "we rate this claim misleading", or put such words into a page's markup.
    """
    checker = piece.source_type is SourceType.FACT_CHECKER or piece.origin is Origin.FACT_CHECK
    return is_given(piece) or (piece.listed and checker)
