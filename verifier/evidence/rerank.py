"""Order evidence by its bearing on the claim, then by its publisher's reliability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.claim.parsed import Statement
from verifier.evidence.dedupe import at_most_per_voice, distinct
from verifier.interfaces import Embedder, Reranker
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings
from verifier.text.sanitise import readable

_NEUTRAL_CREDIBILITY = 0.5
BLOCKED = 0.0
"""A publisher whose credibility is set to this in kb/publishers/domains.csv is never used."""


def score(claim: Statement, evidence: Sequence[Evidence], reranker: Reranker) -> list[Evidence]:
    """Add to each piece the relevance that the reranker gives it.

    Raises:
        ModelError: the model failed.
    """
    relevance = reranker.scores(claim.text, [readable(piece.text) for piece in evidence]).tolist()
    return [replace(piece, relevance=value) for piece, value in zip(evidence, relevance, strict=True)]


def best(evidence: Sequence[Evidence], embedder: Embedder, settings: RetrievalSettings, limit: int) -> list[Evidence]:
    """Choose the `limit` best of the scored pieces, best first.

    score = relevance + (credibility - 0.5) x 0.3. A piece is dropped for low relevance only, never for low credibility;
    repeated statements and third pieces of one organisation are dropped too.

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
