"""Read what a fact-checker has already said of the claim: its rating, from ClaimReview markup or its own words."""

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
"""How the markup of a fact-check, or the answer of a search of fact-checks, stands in the store: who, what, and the rating."""
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
"""Share of a rated claim's words that ours must hold: a rated claim is often told at length."""
_NOTHING = Stance(0.0, 0.0, 1.0)
OTHER_CLAIM = "it rates another claim"
DECIDES_NOTHING = "the work was retracted, so it is shown and decides nothing"
QUOTED_SHARE, _STATEMENT = 0.5, 4
"""Share of the claim's words above which a statement that a fact-check quotes is the claim, and the words that make a statement."""
SAME_CLAIM = 0.6
"""Share of the claim's words that a fact-check must hold to be about this claim; chosen on the development half of tests/data/news."""


def rating_of(claim: ParsedClaim, evidence: Sequence[Evidence]) -> tuple[Verdict, int] | None:
    """Misleading or Partially True where a fact-check of this very claim rates it so, and the position of that piece.

    A fact-check is of this claim where it holds enough of the claim's words, and no other figure in place of the claim's. Only a
    listed fact-checker rates, and what the user handed over.
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
    """Whether a fact-check quotes what it rates, and the claim is neither mostly in it nor holds all of it.

    Of 44 ratings that were read for development claims without this, 20 were of the claim; with it, 17 of 19.
    """
    quoted = [one or other for one, other in _QUOTED.findall(text)]
    statements = [statement for statement in quoted if len(statement.split()) >= _STATEMENT]
    ours = (
        words_shared(claim, said) > QUOTED_SHARE or words_shared(parse_statement(said), claim.text) == 1
        for said in statements
    )
    return bool(statements) and not any(ours)


def judge_rated(claim: ParsedClaim, evidence: Sequence[Evidence], classifier: StanceModel) -> list[Evidence]:
    """The pieces, those that hold a fact-checker's rating with their stance: the rated claim's towards ours, turned if it is rated false.

    A small model that reads "rated the claim ...: Pants on Fire" sees the claim and takes the rest for an ornament. A
    rating that is neither clearly true nor clearly false leaves the claim open here, and so does "false" of another claim:
    that one thing is false does not make another true. A retracted work says nothing.

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
    """Whether a claim that was rated says or denies what ours does: most of the words, and no other figure or subject."""
    other = parse_statement(rated)
    shared = words_shared(claim, rated) >= SAME_CLAIM and words_shared(other, claim.text) >= MOSTLY_OURS
    ours, theirs = claim.name_words, other.name_words
    lead, their_lead = first_word_name(claim.text).lower(), first_word_name(rated).lower()
    if lead and their_lead and lead not in rated.lower() and their_lead not in claim.text.lower():
        return False
    return shared and not (ours - theirs and theirs - ours) and not compare(claim, rated, rated).other


def _in_same_sense(claim: ParsedClaim, rated: str) -> bool:
    """Whether our claim and a rated one both say that something is so, or both that it is not."""
    return _is_denied(claim.statement.text, claim.denied) is _is_denied(*unframed(rated))


def _is_denied(statement: str, framed: bool) -> bool:
    """Whether a statement says that something is not so; `framed`: a frame around it turns its sense."""
    return framed ^ (len(NEGATION.findall(statement)) % 2 == 1)


def _turned(stance: Stance, same_sense: bool) -> Stance:
    """The stance of a text that calls false what has this stance; of our claim itself, "false" is never support."""
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
    """Whether its rating counts: of a listed fact-checker, or of a listed publisher's desk that a search of fact-checks named.

    Anybody can write "we rate this claim misleading", or put such words into a page's markup.
    """
    checker = piece.source_type is SourceType.FACT_CHECKER or piece.origin is Origin.FACT_CHECK
    return is_given(piece) or (piece.listed and checker)
