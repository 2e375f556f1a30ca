"""Turn the votes of independent sources into one verdict and a confidence.

A logistic regression with fitted coefficients turns the two strongest votes on each side into probabilities: the claim
is true, it is false, or the evidence does not settle it. Rules then withhold what rests on too little:

1. A fact-check of this very claim that rates it misleading, or true in part, decides.
2. The sources contradict each other if neither side has three fifths of the probability that is not "unsettled", and
   both have a vote; or if both have a vote of 0.7 and neither has twice the other's sources. The verdict is then
   Partially True, or Misleading if a fact-checker contradicts the claim and none supports it. One source among unknown
   sites makes no conflict with a listed source.
3. True and False need two independent sources, or one of credibility 0.9, or text that the user gave.
4. A verdict that is far likelier wrong than right is withheld, above all when sources contradict each other on one
   statement.
5. What is only on social media is context: it is shown, but counts as no source in these rules, on neither side. A
   retracted work is shown too, and takes no side.

Confidence is the probability that the verdict is right, given how hard its evidence was to read (`sureness`). It is
calibrated as far as the claims it was fitted on resemble the user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from kb.publishers.credibility import SourceType
from verifier.claim.parsed import ParsedClaim
from verifier.evidence.sufficiency import AUTHORITY
from verifier.judgement.coefficients import coefficients
from verifier.judgement.ratings import rating_of
from verifier.judgement.sureness import chance_decided, chance_open, decided_features, open_features
from verifier.judgement.votes import Vote, is_given, votes_of
from verifier.schema import Evidence, Judgement, StanceLabel, Tier, Verdict

FEATURES = ("supports_1", "supports_2", "refutes_1", "refutes_2", "both")
"""The strongest and second vote on each side, and the weaker side's strongest: 0 to 1."""
WINNING_SHARE, STRONG = 0.6, 0.7
HEARD, OPPOSED = 0.25, 0.4
"""Votes from which a source counts as taking a side, and from which it makes a reader doubt the other side."""
RATED = 0.75
"""Confidence when a fact-checker's rating decides. Such ratings are trusted; that they are about this very claim, less
so."""
LEAST = 0.5
"""A verdict that is likelier wrong than right is withheld. Of 612 development claims judged by the starter facts, as
many come out as expected as without this rule (0.881), and 0.956 of the decided are right, up from 0.926. By given
texts (530 claims), 0.491 come out as expected, down from 0.560; 0.736 of the decided are right, up from 0.596; and
0.064 are the very opposite, down from 0.138."""
CONFLICT = "the sources contradict each other"
TOO_WEAK = "the evidence leans to one side, but too weakly for a verdict"
MAX_CONFIDENCE = 0.99
HIGH_TIER, MEDIUM_TIER = 0.8, 0.55


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What else a verdict depends on: whether age counts, and the time to measure from."""

    time_bound: bool = False
    now: datetime = datetime.max.replace(tzinfo=UTC)


def judge(claim: ParsedClaim, evidence: Sequence[Evidence], around: Circumstances) -> Judgement:
    """Compute the verdict that the evidence allows.

    Args:
        claim: what is checked.
        evidence: pieces with relevance, credibility and stance.
        around: how the claim relates to time.
    """
    rated = rating_of(claim, evidence)
    if rated:
        return Judgement(rated[0], RATED, Tier.MEDIUM, (), "a fact-checker rates it so", rated[1])
    votes = votes_of(evidence, around.time_bound, around.now)
    features = features_of(votes)
    chances = chances_of(features)
    yes, no, open_ = chances[Verdict.TRUE], chances[Verdict.FALSE], chances[Verdict.NOT_ENOUGH_EVIDENCE]
    sides = {label: heard(votes, label) for label in (StanceLabel.SUPPORTS, StanceLabel.REFUTES)}
    told = tally(votes, around)
    if open_ >= max(yes, no):
        sure = chance_open(open_features(open_, False, evidence))
        return Judgement(Verdict.NOT_ENOUGH_EVIDENCE, _bounded(sure), Tier.LOW, (), told, plain=_bounded(open_))
    winner = StanceLabel.SUPPORTS if yes >= no else StanceLabel.REFUTES
    loser = StanceLabel.REFUTES if yes >= no else StanceLabel.SUPPORTS
    strong_both = features[FEATURES.index("both")] >= STRONG and not _outnumbered(sides, winner, loser)
    divided = strong_both or max(yes, no) / (yes + no) < WINNING_SHARE
    known = {label: _known(side) for label, side in sides.items()}
    if divided and known[winner] == known[loser] and _reported(sides[winner]) and _reported(sides[loser]):
        found = replace(_conflict(sides, min(yes, no) * 2), told=told)
    elif not _may_decide(sides[winner], winner):
        return replace(held_back(sides[winner], open_, evidence), told=told)
    else:
        verdict = Verdict.TRUE if winner is StanceLabel.SUPPORTS else Verdict.FALSE
        found = Judgement(verdict, 0.0, Tier.LOW, (), told, plain=_bounded(max(yes, no)))
    supports, refutes = features[FEATURES.index("supports_1")], features[FEATURES.index("refutes_1")]
    confidence = _bounded(chance_decided(decided_features(found, supports, refutes, evidence)))
    if confidence < LEAST:
        return replace(_withheld(found.notes[0] if found.notes else TOO_WEAK, open_, evidence), told=told)
    if found.verdict not in {Verdict.TRUE, Verdict.FALSE}:
        return replace(found, confidence=confidence)
    tier, notes = _tier(confidence, sides[winner], sides[loser])
    return replace(found, confidence=confidence, tier=tier, notes=notes)


def features_of(votes: Sequence[Vote]) -> tuple[float, ...]:
    """Return the values of `FEATURES`."""
    supports = sorted((vote.supports for vote in votes), reverse=True)
    refutes = sorted((vote.refutes for vote in votes), reverse=True)
    s1, s2 = (*supports, 0.0, 0.0)[:2]
    r1, r2 = (*refutes, 0.0, 0.0)[:2]
    return s1, s2, r1, r2, min(s1, r1)


def chances_of(features: Sequence[float]) -> dict[Verdict, float]:
    """Map True, False and Not Enough Evidence to fitted probabilities, from the values of `FEATURES`."""
    found = coefficients().verdict.probabilities(features)
    return {Verdict(name): chance for name, chance in found.items()}


def heard(votes: Sequence[Vote], label: StanceLabel) -> list[Vote]:
    """List the sources that take this side, strongest first."""
    side = [vote for vote in votes if _weight(vote, label) >= HEARD]
    return sorted(side, key=lambda vote: -_weight(vote, label))


def _weight(vote: Vote, label: StanceLabel) -> float:
    """Return the vote for a side, unless it is for the other."""
    mine, other = (vote.supports, vote.refutes) if label is StanceLabel.SUPPORTS else (vote.refutes, vote.supports)
    return mine if mine > other else 0.0


def _may_decide(side: Sequence[Vote], label: StanceLabel) -> bool:
    """Return whether a side may decide: enough sources and something to quote, not social media.

    Enough are two independent ones, one of high credibility, or text that the user gave.
    """
    reported = _reported(side)
    pieces = [piece for vote in reported for piece in vote.pieces if piece.stance and piece.stance.label is label]
    alone = any(is_given(piece) or piece.credibility >= AUTHORITY for piece in pieces)
    return alone or (len(reported) >= 2 and bool(pieces))


def _outnumbered(sides: dict[StanceLabel, list[Vote]], winner: StanceLabel, loser: StanceLabel) -> bool:
    """Return whether a side's strong sources are at least twice the other's sources.

    One misread text makes no conflict then.
    """
    strong = sum(_weight(vote, winner) >= STRONG for vote in _reported(sides[winner]))
    return strong >= 2 * max(1, len(_reported(sides[loser])))


def _known(side: Sequence[Vote]) -> bool:
    """Return whether a side is more than one source among unknown sites.

    That means two sources, or one that a list or the user vouches for.
    """
    reported = _reported(side)
    return len(reported) >= 2 or any(piece.listed or is_given(piece) for vote in reported for piece in vote.pieces)


def _reported(side: Sequence[Vote]) -> list[Vote]:
    """Return the votes that do not rest on social media alone."""
    return [vote for vote in side if not vote.social]


def held_back(side: Sequence[Vote], open_: float, evidence: Sequence[Evidence] = ()) -> Judgement:
    """Judge evidence that leans to a side with too few sources; say what is missing."""
    reported = _reported(side)
    says = "only social media take a side" if side else "no source takes a side clearly"
    says = f"a single source takes a side ({reported[0].source})" if reported else says
    note = f"{says}; a verdict needs two independent sources, or one of credibility {AUTHORITY} or more"
    return _withheld(note, open_, evidence)


def _withheld(note: str, open_: float, evidence: Sequence[Evidence]) -> Judgement:
    """Build the judgement of a verdict withheld by a rule, with the reason."""
    plain = _bounded(max(open_, 0.5))
    sure = _bounded(chance_open(open_features(plain, True, evidence)))
    return Judgement(Verdict.NOT_ENOUGH_EVIDENCE, sure, Tier.LOW, (note,), held_back=note, plain=plain)


def _conflict(sides: dict[StanceLabel, list[Vote]], plain: float) -> Judgement:
    """Judge strong evidence on both sides.

    It is misleading if a fact-checker is against the claim and none for it.
    """
    checked = {
        label: any(piece.source_type is SourceType.FACT_CHECKER for vote in side for piece in vote.pieces)
        for label, side in sides.items()
    }
    against_only = checked[StanceLabel.REFUTES] and not checked[StanceLabel.SUPPORTS]
    verdict = Verdict.MISLEADING if against_only else Verdict.PARTIALLY_TRUE
    return Judgement(verdict, 0.0, Tier.LOW, (CONFLICT,), plain=_bounded(plain))


def _tier(confidence: float, winner: Sequence[Vote], loser: Sequence[Vote]) -> tuple[Tier, tuple[str, ...]]:
    """Return the tier of a confidence, with the reason where a rule lowers it."""
    if any(max(vote.supports, vote.refutes) >= OPPOSED for vote in loser):
        return Tier.LOW, ("at least one source says the opposite",)
    tier = tier_of(confidence)
    if all(piece.source_type is SourceType.SOCIAL for vote in winner for piece in vote.pieces):
        return Tier.LOW, ("only social media say so",)
    if len(_reported(winner)) < 2 and tier is Tier.HIGH:
        return Tier.MEDIUM, ("one source decides alone",)
    return tier, ()


def tier_of(confidence: float) -> Tier:
    """Return the tier of a confidence that no rule lowers."""
    return Tier.HIGH if confidence >= HIGH_TIER else Tier.MEDIUM if confidence >= MEDIUM_TIER else Tier.LOW


def tally(votes: Sequence[Vote], around: Circumstances) -> str:
    """Summarise the votes: "2 independent sources support it, 1 contradicts it; the contradicting one is older"."""
    sides = heard(votes, StanceLabel.SUPPORTS), heard(votes, StanceLabel.REFUTES)
    supports, refutes = _reported(sides[0]), _reported(sides[1])
    if not supports and not refutes and any(sides):
        return "only social media take a side"
    counted = [
        f"{len(side)} independent source{'s' if len(side) > 1 else ''} {verb if len(side) > 1 else verb + 's'} it"
        for side, verb in ((supports, "support"), (refutes, "contradict"))
        if side
    ]
    older = _older(supports, refutes) if around.time_bound else ""
    said = [", ".join(counted) or "no source takes a side", f"the {older} evidence is older" if older else ""]
    return "; ".join(filter(None, (*said, *_uncounted(votes, (*supports, *refutes)))))


def _uncounted(votes: Sequence[Vote], counted: Sequence[Vote]) -> Iterator[str]:
    """Describe the pieces shown on a side whose sources are not counted there."""
    pieces = [piece for vote in votes if vote not in counted for piece in vote.pieces]
    for label, verb in ((StanceLabel.SUPPORTS, "support"), (StanceLabel.REFUTES, "contradict")):
        count = sum(piece.stance is not None and piece.stance.label is label for piece in pieces)
        if count:
            one = count == 1
            yield f"{count} piece{'' if one else 's'} that {verb}{'s' * one} it count{'s' * one} for too little"
    retracted = len({piece.source for vote in votes for piece in vote.pieces if piece.retracted})
    if retracted:
        yield f"{retracted} retracted work{'s count' if retracted > 1 else ' counts'} for nothing"


def _older(supports: Sequence[Vote], refutes: Sequence[Vote]) -> str:
    """Return the side whose newest evidence is older.

    "" if a date is unknown or there is only one side.
    """
    dates = [max((vote.newest for vote in side if vote.newest), default=None) for side in (supports, refutes)]
    if dates[0] is None or dates[1] is None or dates[0] == dates[1]:
        return ""
    return "supporting" if dates[0] < dates[1] else "contradicting"


def _bounded(confidence: float) -> float:
    return round(max(0.0, min(MAX_CONFIDENCE, confidence)), 4)
