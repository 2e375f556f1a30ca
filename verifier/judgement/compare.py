"""Compare a claim's figures with a text's in code, since small models do it poorly.

Two figures are compared only if they have the same kind and unit and, as far as the words around them show, measure the
same thing. "12 crew" says nothing about "14 ships", and a loss of five million nothing about a profit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from verifier.claim.parsed import Statement
from verifier.judgement.denial import is_denied
from verifier.judgement.rounding import is_rounded
from verifier.text.disowned import is_disowned
from verifier.text.figures import Figure
from verifier.text.measures import measured_figures
from verifier.text.stems import stems_and_figures
from verifier.text.units import in_unit_of, is_time

_ROUGHLY = 0.08
"""How far apart two figures may be if one of them is rounded."""

_WHOLE_OF = re.compile(r"\s*of (?:the |their |its |our |all |his |her |an? )?((?:[\w'\u2019-]+ ?){1,3})", re.IGNORECASE)
"""What a share is a share of, in up to three words."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The claim's figures that the text gives, or contradicts: ("12 crew", "14 crew").

    `unlike` are those that it gives only for another quantity or event: a loss of the same size, a closing in that
    year.
    """

    same: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()
    unlike: tuple[str, ...] = ()


def compare(claim: Statement, text: str, closest: str) -> Agreement:
    """Compare the figures of `claim` with those of `text`.

    Args:
        claim: what is checked.
        text: the whole piece of evidence; a figure anywhere in it agrees, unless the text sets it aside.
        closest: its sentence nearest to the claim; only there does another figure of the same kind contradict.
    """
    there = measured_figures(text)
    near = there if closest == text else measured_figures(closest)
    same, other, unlike = [], [], []
    everything, nearest = [found.figure for found in there], [found.figure for found in near]
    for asked in claim.figures:
        shown = asked.figure.shown
        equal = [found for found in there if _equal(asked.figure, in_unit_of(asked.figure, found.figure, everything))]
        owned = is_disowned(claim.text, asked.figure)  # the claim itself is about what was expected or reported
        if any(asked.fits(found) and (owned or not is_disowned(text, found.figure)) for found in equal):
            same.append(shown)
            continue
        rivals = [
            found
            for found in near
            if asked.fits(found)
            and not _equal(asked.figure, found.figure)
            and not is_denied(closest, found.figure)
            and not _of_another_whole((claim.text, asked.figure), (closest, found.figure))
            and _contradicts(asked.figure, _rival(asked.figure, found.figure, nearest))
        ]
        if rivals:
            other.append((shown, rivals[0].figure.shown))
        elif any(_equal(asked.figure, found.figure) for found in near):
            unlike.append(shown)
    return Agreement(tuple(same), tuple(other), tuple(unlike))


def _of_another_whole(asked: tuple[str, Figure], found: tuple[str, Figure]) -> bool:
    """Return whether two shares have different wholes.

    Example: 20 percent of the body's energy, ten percent of the brain.
    """
    if asked[1].kind != "share":
        return False
    wholes = [_WHOLE_OF.match(text[figure.span[1] :]) for text, figure in (asked, found)]
    stems = [set(stems_and_figures(whole[1])) if whole else set[str]() for whole in wholes]
    return bool(stems[0] and stems[1]) and not stems[0] & stems[1]


def _rival(asked: Figure, found: Figure, others: Sequence[Figure]) -> Figure:
    """Convert a figure to the claim's unit, except time spans, which likely mean something else."""
    return found if is_time(found) else in_unit_of(asked, found, others)


def _contradicts(asked: Figure, found: Figure) -> bool:
    """Return whether a figure of the same kind (and noun, if counted) contradicts the claim's.

    "More than 100" and "up to 100" leave room for what lies beyond them.
    """
    if (asked.kind, asked.difference) != (found.kind, found.difference):
        return False
    if asked.kind in {"count", "rank"} and not asked.nouns & found.nouns:
        return False
    if asked.kind == "money" and asked.nouns and found.nouns and not asked.nouns & found.nouns:
        return False
    if found.bound and found.bound != asked.bound:
        return (found.value - asked.value) * found.bound > 0
    return True


def _equal(asked: Figure, found: Figure) -> bool:
    """Return whether a figure says what the claim's does.

    That is the same number, one within its bound, a day in its month, or a year in its decade.
    """
    if (asked.kind, found.kind) == ("month", "day"):
        return asked.value == found.value // 100
    if (asked.kind, found.kind) == ("decade", "year"):
        return asked.value == found.value // 10 * 10
    if asked.kind != found.kind or (asked.nouns and found.nouns and not asked.nouns & found.nouns):
        return False
    if asked.bound and (not found.bound or found.bound == asked.bound > 0):
        return (found.value - asked.value) * asked.bound >= 0
    if asked.bound * found.bound < 0:
        return False
    tolerance = _ROUGHLY if asked.rough or found.rough else 0.0
    close = math.isclose(asked.value, found.value, rel_tol=max(tolerance, 1e-6))
    return close or is_rounded(asked.value, found.value) or is_rounded(found.value, asked.value)
