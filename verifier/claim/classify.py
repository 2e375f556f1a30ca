"""C2: can this text be checked, and if only a part of it can, which part?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errors import ModelError
from verifier.claim.extract import factual_part
from verifier.claim.framing import unframed
from verifier.interfaces import Classifier
from verifier.schema import ClaimType, Classification

_REASONS = {
    ClaimType.FACTUAL: "it states something that can be checked",
    ClaimType.OPINION: "it is a preference, a judgement of value or a guess, which no evidence can settle",
    ClaimType.AMBIGUOUS: "it does not say who or what it is about clearly enough to be looked up",
}


def classify(claim: str, classifier: Classifier) -> Classification:
    """The claim's type with its reason; a MIXED claim comes back as its factual part, any other as it is, errors included.

    A claim that denies a statement is of the statement's type, and goes on as a denial. A failing classifier is no reason
    to refuse: the claim then counts as FACTUAL, and `fell_back` says so.
    """
    statement, denied = unframed(claim)
    if denied:
        kind = classify(statement, classifier)
        return replace(kind, claim=claim if kind.claim == statement else f"It is not true that {kind.claim}")
    try:
        probabilities = classifier.probabilities(claim)
        claim_type = ClaimType(max(probabilities, key=lambda label: probabilities[label]))
        if claim_type is ClaimType.MIXED:
            return _mixed(claim, probabilities, lambda text: classifier.probabilities(text)[ClaimType.FACTUAL])
    except ModelError as exc:
        return Classification(
            ClaimType.FACTUAL,
            f"the classifier failed ({exc}), so the text is checked as it stands",
            claim,
            fell_back=True,
        )
    return Classification(claim_type, _REASONS[claim_type], claim, probabilities)


def _mixed(claim: str, probabilities: dict[str, float], is_factual: Callable[[str], float]) -> Classification:
    part = factual_part(claim, is_factual)
    if part == claim:
        reason = "it contains a judgement beside the fact, but the two could not be separated"
    else:
        reason = f"it contains a judgement beside a fact; only the fact is checked: {part}"
    return Classification(ClaimType.MIXED, reason, part, probabilities)
