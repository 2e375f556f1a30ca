"""Describe the bundled models and their licences, for the About tab."""

from __future__ import annotations

from dataclasses import dataclass

from models.catalogue import WEIGHTS

_DOES = {
    "reader": "says which texts bear on the claim, and whether they support or contradict it",
    "stance": "judges with the reader whether a text supports or contradicts the claim: two err less often than one",
    "claim type": "tells facts from opinions",
    "embedder": "finds texts by their meaning",
}


@dataclass(frozen=True, slots=True)
class BundledModel:
    """A bundled model: its role, task, origin, licence and size in bytes."""

    role: str
    does: str
    origin: str
    licence: str
    bytes: int


def bundled_models() -> list[BundledModel]:
    """List the bundled models without loading any."""
    return [
        BundledModel(
            role.value, _DOES[role.value], weight.origin, weight.licence, sum(file.size for file in weight.files)
        )
        for role, weight in WEIGHTS.items()
    ]
