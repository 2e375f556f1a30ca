"""Find the other sites that report the same as a piece of evidence.

They are shown as "also reported by". agreement = (likeness of meaning + overlap of names and figures) / 2; for two
texts without names or figures, the likeness alone. Two texts of different organisations agree from 0.65 on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from verifier.interfaces import Embedder
from verifier.schema import Evidence
from verifier.text.figures import figures
from verifier.text.latin import in_latin_letters
from verifier.text.names import name_words, names_of

AGREES = 0.65
_ALIASES = (
    {"us", "usa", "united states", "america", "united states of america"},
    {"uk", "united kingdom", "britain", "great britain"},
    {"un", "united nations"},
    {"eu", "european union"},
    {"who", "world health organization", "world health organisation"},
)
_ALIAS_OF = {name: sorted(group)[0] for group in _ALIASES for name in group}


def corroborated(evidence: Sequence[Evidence], embedder: Embedder) -> list[Evidence]:
    """Add to each piece the domains whose texts agree with it.

    There is one for each other organisation. A single organisation has none. Only texts whose names and figures could
    agree are compared; they are embedded if the store gave no vector.

    Raises:
        ModelError: the texts could not be embedded.
    """
    if len({piece.voice for piece in evidence if piece.domain}) < 2:
        return list(evidence)
    entities = [entities_of(piece.text) for piece in evidence]
    pairs = [
        (i, j)
        for i, piece in enumerate(evidence)
        for j, other in enumerate(evidence)
        if other.domain and other.voice != piece.voice and agreement(entities[i], entities[j], 1.0) >= AGREES
    ]
    if not pairs:
        return list(evidence)
    wanted = sorted({i for pair in pairs for i in pair})
    vectors = {i: vector for i in wanted if (vector := evidence[i].vector) is not None}
    unknown = [i for i in wanted if i not in vectors]
    vectors |= dict(zip(unknown, embedder.embed([evidence[i].text for i in unknown]), strict=True))
    others: list[dict[str, str]] = [{} for _ in evidence]
    for i, j in pairs:
        if agreement(entities[i], entities[j], float(vectors[i] @ vectors[j])) >= AGREES:
            others[i].setdefault(evidence[j].voice, evidence[j].domain)
    return [replace(piece, also=tuple(found.values())) for piece, found in zip(evidence, others, strict=True)]


def agreement(a: Mapping[str, float], b: Mapping[str, float], likeness: float) -> float:
    """Measure how far two texts report the same, from 0 to 1.

    Args:
        a: the entities of one text.
        b: those of the other.
        likeness: cosine of their vectors.
    """
    alike = max(likeness, 0.0)
    return (alike + _overlap(a, b)) / 2 if a or b else alike


def _overlap(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Divide the weight of the shared entities by that of the text with less weight."""
    shared = sum(weight for name, weight in a.items() if name in b)
    return shared / max(min(sum(a.values()), sum(b.values())), 1e-9)


def entities_of(text: str) -> dict[str, float]:
    """Give names weight 2 (in Latin letters, aliases merged) and figures weight 1."""
    found = names_of(text)
    names = {_canonical(name): 2.0 for name in found}
    words = {_canonical(word): 1.0 for name in found for word in name_words(f"x {name}")}
    numbers = {f"{figure.kind} {figure.value:g}": 1.0 for figure in figures(text)}
    return words | names | numbers


def _canonical(name: str) -> str:
    """Write a name in lower-case Latin letters; an alias becomes its group's first."""
    plain = re.sub(r"[^\w ]", "", in_latin_letters(name))
    plain = re.sub(r"(?:iy|yy|ij)\b", "y", plain)  # Zelenskiy, Zelenskyy, Zelensky
    return _ALIAS_OF.get(plain.removeprefix("the "), plain)
