"""Name what would settle an open claim: a missing name, figure or kind of source.

Only what the check really looked for is named: the claim's names and figures, and what the rules of the verdict require
of sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from kb.publishers.credibility import SourceType
from verifier.claim.parsed import Statement
from verifier.claim.plan import Plan
from verifier.evidence.corroborate import entities_of
from verifier.evidence.sufficiency import AUTHORITY
from verifier.judgement.compare import compare
from verifier.judgement.votes import OLD, is_given
from verifier.schema import Evidence, Judgement, StanceLabel
from verifier.text.names import words_in_names

MOST = 4
"""Maximum number of things named, those closest to the claim first."""


def lacking(
    plan: Plan, judgement: Judgement, evidence: Sequence[Evidence], now: datetime, figure: str = ""
) -> tuple[str, ...]:
    """Name what was looked for and not found, the most important first.

    Args:
        plan: the claim that was left open, and how it was searched for.
        judgement: what its evidence allows.
        evidence: everything kept as relevant, with stances.
        now: the time from which the age of evidence is measured.
        figure: the figures that a comparison of two things lacked, in words.
    """
    statement = plan.claim.statement
    if not evidence:
        about = (*statement.names, *dict.fromkeys(measured.figure.shown for measured in statement.figures))
        return (figure or f"a relevant text{f' on {_quoted(about[:MOST])}' if about else ''}",)
    found = [figure] if figure else []
    names = tuple(name for name in statement.names if not any(_names(piece, name) for piece in evidence))
    if names:
        found.append(f"a relevant text that names {_quoted(names[:MOST])}")
    if not figure:
        found += (f"a figure to hold against {_quoted((shown,))}" for shown in _figures(statement, evidence))
    if not names:
        found += _sources(plan, judgement, evidence, now)
    return tuple(found[:MOST])


def _names(piece: Evidence, name: str) -> bool:
    """Return whether a piece or its title holds a name's words, or an alias."""
    there = f"{piece.title} {piece.text}".lower()
    words = words_in_names((name,))
    return all(word in there for word in words) or bool(entities_of(name).keys() & entities_of(piece.text).keys())


def _figures(statement: Statement, evidence: Sequence[Evidence]) -> Iterator[str]:
    """Yield the claim's figures that no piece gives or contradicts."""
    agreements = [compare(statement, piece.text, piece.text) for piece in evidence]
    met = {shown for found in agreements for shown in (*found.same, *(asked for asked, _ in found.other))}
    yield from dict.fromkeys(
        measured.figure.shown for measured in statement.figures if measured.figure.shown not in met
    )


def _sources(plan: Plan, judgement: Judgement, evidence: Sequence[Evidence], now: datetime) -> Iterator[str]:
    """Yield the kind of source or text that the rules of the verdict require."""
    sided = [piece for piece in evidence if piece.stance and piece.stance.label is not StanceLabel.NEUTRAL]
    dates = [piece.published_at for piece in evidence if piece.published_at]
    if not sided:
        yield "a text that says whether it is so"
    elif len({piece.stance.label for piece in sided if piece.stance}) > 1:
        yield "a source that decides between those that contradict each other"
    elif all(piece.source_type is SourceType.SOCIAL and not is_given(piece) for piece in sided):
        yield f"a source other than social media: two independent ones, or one of credibility {AUTHORITY} or more"
    elif judgement.held_back:
        yield f"a second independent source, or one of credibility {AUTHORITY} or more"
    else:
        yield "a source that says more clearly whether it is so"
    if plan.time_bound and dates and now - max(dates) > OLD:
        yield f"a recent source: the newest found is of {max(dates):%Y-%m-%d}"


def _quoted(names: Sequence[str]) -> str:
    *first, last = [f"\u201c{name}\u201d" for name in names]
    return f"{', '.join(first)} and {last}" if first else last
