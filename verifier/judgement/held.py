"""What code knows better than a model that reads: which stances a text cannot have, whatever the model says of it."""

from __future__ import annotations

from verifier.judgement.compare import Agreement
from verifier.schema import Stance

OPEN = 0.9
"""P(neutral) at least, of a text that gives the claim's figure for another quantity or event."""


def held_by_figures(stance: Stance, figures: Agreement, denies: bool) -> Stance:
    """The stance as far as the figures allow it.

    A text with another figure in place of the claim's does not support it. One that gives the claim's figure for another
    quantity or event (a loss for a profit) says nothing of it, unless it denies something in so many words.
    """
    if figures.unlike:
        kept = stance.refutes if denies else min(stance.refutes, (1 - OPEN) / 2)
        supports = min(stance.supports, (1 - OPEN) / 2)
        return Stance(supports, kept, 1 - supports - kept)
    if figures.other:
        return Stance(0.0, stance.refutes, 1 - stance.refutes)
    return stance


def held_by_denial(stance: Stance) -> Stance:
    """The stance of a text that states the claim in its own words with a denial more or less: "X never failed" is no support of "X failed"."""
    return Stance(0.0, stance.refutes, 1 - stance.refutes)
