"""E2 and E9: order evidence by how far it bears on the claim, then by how far its publisher can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.evidence.dedupe import at_most_per_voice, distinct
from verifier.interfaces import Embedder, Reranker
from verifier.schema import Evidence
from verifier.settings import RetrievalSettings

_NEUTRAL_CREDIBILITY = 0.5
DENIED = 0.0
"""A publisher whose credibility is set to this in kb/domains.csv is never heard."""


def rerank(
    claim: str, evidence: Sequence[Evidence], reranker: Reranker, embedder: Embedder, settings: RetrievalSettings
) -> list[Evidence]:
    """The `settings.rerank_top_k` best pieces, best first.

    score = relevance + (credibility - 0.5) x 0.3. A piece is dropped for low relevance alone, never for low
    credibility; repeated statements and third pieces of one organisation are dropped too.

    Raises:
        ModelError: a model failed.
    """
    relevance = reranker.scores(claim, [piece.text for piece in evidence])
    scored = [
        replace(
            piece,
            relevance=float(value),
            score=float(value) + (piece.credibility - _NEUTRAL_CREDIBILITY) * settings.credibility_weight,
        )
        for piece, value in zip(evidence, relevance, strict=True)
        if value >= settings.min_relevance and piece.credibility > DENIED
    ]
    ranked = distinct(sorted(scored, key=lambda piece: -piece.score), embedder)
    return at_most_per_voice(ranked, settings.max_per_domain)[: settings.rerank_top_k]
