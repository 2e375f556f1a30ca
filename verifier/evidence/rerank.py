"""Order evidence by how far it bears on the claim, then by how far its publisher can be relied on."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from kb.chunk import sentences
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
_HOPELESS, _PLAIN = -3.0, 1.0
"""Between these a text's sentence is read alone too. What else a text says hides what one sentence settles: the reader gave "X-rays
were discovered by Wilhelm Röntgen" 3.6 for a claim that they were by another, and 0.4 with two sentences more on X-rays."""
_POINTS_BACK = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|That|These|Those)\b")
BLOCKED = 0.0
"""A publisher whose credibility is set to this in kb/publishers/domains.csv is never used."""


def score(claim: Statement, evidence: Sequence[Evidence], reranker: Reranker) -> list[Evidence]:
    """The pieces with the relevance that the reader sees in them or in a sentence of theirs; more where one plainly settles the claim.

    Raises:
        ModelError: the model failed.
    """
    texts = [readable(piece.text) for piece in evidence]
    relevance = _relevance(claim, texts, reranker)
    least = (BEARS if tells_the_maker(claim, text) or states_outright(claim, text) else -math.inf for text in texts)
    return [
        replace(piece, relevance=max(value, floor))
        for piece, value, floor in zip(evidence, relevance, least, strict=True)
    ]


def _relevance(claim: Statement, texts: Sequence[str], reranker: Reranker) -> list[float]:
    """The relevance of each text, or of the sentence in it that says most of the claim's words, where that is higher."""
    if not texts:
        return []
    found: list[float] = reranker.scores(claim.text, texts).tolist()
    doubtful = (at for at, value in enumerate(found) if _HOPELESS < value < _PLAIN)
    alone = {at: sentence for at in doubtful if (sentence := _own_sentence(claim, texts[at]))}
    if alone:
        for at, value in zip(alone, reranker.scores(claim.text, list(alone.values())).tolist(), strict=True):
            found[at] = max(found[at], value)
    return found


def _own_sentence(claim: Statement, text: str) -> str:
    """The sentence of a text that says most of the claim's words and names what it is about; "" where the text is one sentence."""
    parts = sentences(text)
    named = [part for part in parts if not _POINTS_BACK.match(part)] if len(parts) > 1 else []
    return max(named, key=claim.closeness, default="")


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
