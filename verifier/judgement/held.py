"""Hold a stance to what code knows better than a model: which stances a text cannot have."""

from __future__ import annotations

from verifier.judgement.compare import Agreement
from verifier.schema import Stance

OPEN = 0.9
"""P(neutral) at least, of a text that gives the claim's figure for another quantity or event."""
STATED = 0.95
"""P(supports) at least, of a text that states the claim in its own words, and P(refutes) of one that says outright what rules it out."""


def held_by_figures(stance: Stance, figures: Agreement, denies: bool) -> Stance:
    """The stance as far as the figures allow it.

    A text with another figure in place of the claim's does not support it. One that gives the claim's figure for another
    quantity or event (a loss for a profit) says nothing of it, unless it denies something in so many words.
    """
    if figures.unlike:
        held = held_open(stance)
        return Stance(held.supports, stance.refutes, 1 - held.supports - stance.refutes) if denies else held
    return held_by_denial(stance) if figures.other else stance


def held_open(stance: Stance) -> Stance:
    """The stance of a text that says nothing for or against the claim, as one that denies another value than the claim's."""
    supports, refutes = (min(side, (1 - OPEN) / 2) for side in (stance.supports, stance.refutes))
    return Stance(supports, refutes, 1 - supports - refutes)


def held_by_denial(stance: Stance) -> Stance:
    """The stance of a text that cannot support the claim, as one that states it with a denial more or less.

    "X never failed" is no support of "X failed", nor is what a sentence calls a myth.
    """
    return Stance(0.0, stance.refutes, 1 - stance.refutes)


def held_against(stance: Stance) -> Stance:
    """The stance of a text that tells the claim's deed the other way round, or gives its rank to another: whatever the model took for support is against it."""
    return Stance(0.0, stance.supports + stance.refutes, stance.neutral)


def held_for(stance: Stance) -> Stance:
    """The stance of a text that states the claim outright: whatever the model took against it is for it."""
    supports = max(STATED, stance.supports + stance.refutes)
    return Stance(supports, 0.0, 1 - supports)
