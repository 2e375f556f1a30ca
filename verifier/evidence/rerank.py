"""Order evidence by how far it bears on the claim, then by how far its publisher can be relied on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from verifier.claim.parsed import Statement
from verifier.evidence.dedupe import at_most_per_voice, distinct
from verifier.evidence.maker import tells_the_maker
from verifier.evidence.restated import states_outright
from verifier.interfaces import Embedder, Reranker
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings
from verifier.text.sanitise import readable

_NEUTRAL_CREDIBILITY = 0.5
BEARS = 3.0
"""Relevance at least, as log-odds, of a text that plainly settles the claim: 95% that it bears on it. The reader gave "Venice is in
Italy. Venice is built on islands." less than 0.3 for "Venice is in Italy"."""
BLOCKED = 0.0
"""A publisher whose credibility is set to this in kb/publishers/domains.csv is never used."""


def score(claim: Statement, evidence: Sequence[Evidence], reranker: Reranker) -> list[Evidence]:
    """The pieces with the relevance that the reader sees in them, on the common scale; more where one plainly settles the claim.

    Raises:
        ModelError: the model failed.
    """
    texts = [readable(piece.text) for piece in evidence]
    relevance = reranker.scores(claim.text, texts) if texts else ()
    least = (BEARS if tells_the_maker(claim, text) or states_outright(claim, text) else -math.inf for text in texts)
    return [
        replace(piece, relevance=max(float(value), floor))
        for piece, value, floor in zip(evidence, relevance, least, strict=True)
    ]


def best(evidence: Sequence[Evidence], embedder: Embedder, settings: RetrievalSettings, limit: int) -> list[Evidence]:
    """The `limit` best of the scored pieces, best first.

    score = relevance + (credibility - 0.5) x 0.3. A piece is dropped for low relevance alone, never for low
    credibility; repeated statements and third pieces of one organisation are dropped too.

    Raises:
        ModelError: a model failed.
    """
    scored = [
        replace(
            piece,
            score=piece.relevance + (piece.credibility - _NEUTRAL_CREDIBILITY) * settings.credibility_weight,
        )
        for piece in evidence
        if piece.relevance >= settings.min_relevance and piece.credibility > BLOCKED
    ]
    ranked = distinct(sorted(scored, key=lambda piece: -piece.score), embedder)
    return at_most_per_voice(ranked, settings.max_per_domain)[:limit]
