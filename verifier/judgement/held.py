"""Limit stances by what code knows better: which ones a text cannot have."""

from __future__ import annotations

from verifier.judgement.compare import Agreement
from verifier.schema import Stance

OPEN = 0.9
"""Least P(neutral) of a text that gives the claim's figure for another quantity or event."""
STATED = 0.95
"""Least P(supports) of a text that states the claim in its own words, and least P(refutes) of one that rules it out
outright."""


def held_by_figures(stance: Stance, figures: Agreement, denies: bool) -> Stance:
    """Limit a stance to what the figures allow.

    A text with another figure in place of the claim's does not support it. One that gives the claim's figure for
    another quantity or event (a loss for a profit) says nothing about it, unless it explicitly denies something.
    """
    if figures.unlike:
        held = held_open(stance)
        return Stance(held.supports, stance.refutes, 1 - held.supports - stance.refutes) if denies else held
    return held_by_denial(stance) if figures.other else stance


def held_open(stance: Stance) -> Stance:
    """Return the stance of a text that takes no side, such as denying another value."""
    supports, refutes = (min(side, (1 - OPEN) / 2) for side in (stance.supports, stance.refutes))
    return Stance(supports, refutes, 1 - supports - refutes)


def held_by_denial(stance: Stance) -> Stance:
    """Return the stance of a text that cannot support the claim.

    For example, it has one denial more or less: "X never failed" does not support "X failed". Nor does what a sentence
    calls a myth.
    """
    return Stance(0.0, stance.refutes, 1 - stance.refutes)


def held_against(stance: Stance) -> Stance:
    """Turn a stance against the claim: what the model took for support refutes it.

    This is for a text that reverses the claim's deed or gives its rank to another.
    """
    return Stance(0.0, stance.supports + stance.refutes, stance.neutral)


def held_for(stance: Stance) -> Stance:
    """Turn a stance for the claim: what the model took against it supports it.

    This is for a text that states the claim outright.
    """
    supports = max(STATED, stance.supports + stance.refutes)
    return Stance(supports, 0.0, 1 - supports)
