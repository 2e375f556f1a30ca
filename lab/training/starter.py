"""Make starter-fact rows: what they say, what was written for them, what they leave open.

So the facts teach the reader that judges claims by them. Figures on claims that they settle are therefore on texts that
it has seen, though no claim of a test set is among the rows.
"""

from __future__ import annotations

import random

import numpy as np

from kb.record import content_hash
from kb.starter.seed import seed_facts, stored_vectors
from kb.store.evidence_store import Embed
from lab.training.beside import beside_pairs, contrasted_pairs, stated_pairs
from lab.training.mixes import Makings
from lab.training.moved import moved_pairs
from lab.training.written import fact_claims
from models.catalogue import WEIGHTS, Role
from models.pairs import Pair


def starter_passages() -> list[str]:
    """The texts of the starter facts."""
    return [fact.text for fact in seed_facts()]


def starter_pairs(makings: Makings, embed: Embed, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return claims with what a fact says of them, and claims with an irrelevant sentence.

    They are empty where none are asked for.
    """
    rng, passages = random.Random(seed), starter_passages()
    beside = beside_pairs(passages, rng) if makings.beside else []
    pairs = [*stated_pairs(passages, makings.stated, rng), *contrasted_pairs(passages, makings.contrasted, seed)]
    if makings.moved:
        known = stored_vectors(WEIGHTS[Role.EMBEDDER].checksum)
        vectors = np.array([known[content_hash(text)] for text in passages])
        pairs += moved_pairs(passages, vectors, embed, makings.moved, rng)
    if makings.written:
        pairs += fact_claims(passages)
    return pairs, rng.sample(beside, min(makings.beside, len(beside)))
