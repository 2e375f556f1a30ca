"""Look for evidence in up to three rounds, until it is enough without conflict.

Each round is wider and uses another query:

1. Ask the store with the claim itself.
2. Ask the store for twice as much with the claim's keywords. Then ask the web stage by stage until the evidence is
   enough, if the web is allowed and the stored evidence gives no verdict.
3. Ask the store for four times as much with a query framed as a fact-check, and the web with the remaining queries.

A round that finds nothing new ends the search. So does a round by the store alone from which nothing is kept. In round
1 the cross-encoder reads the nearest pieces; in later rounds, those that share most words with the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from verifier.check.trace import Steps, Trace
from verifier.check.web import Reached, Sources, WebSearch
from verifier.claim.plan import Plan
from verifier.evidence.rerank import best, score
from verifier.evidence.retrieve import from_given, retrieve, shortlist
from verifier.evidence.sufficiency import judge_sufficiency
from verifier.interfaces import Classifier, Embedder, Reranker, StanceModel
from verifier.judgement.lacking import lacking
from verifier.judgement.ratings import judge_rated
from verifier.judgement.stance import judge_stances
from verifier.judgement.verdict import CONFLICT, Circumstances, judge
from verifier.judgement.votes import chance_relevant, yielding
from verifier.schema import Evidence, Judgement, Stage, StanceLabel, Tier, Verdict
from verifier.settings import Settings

_SIDED = 0.5
"""Lowest product of stance and relevance probability at which a piece takes a side.

Used when a conflict is looked for.
"""
_MORE_PER_ROUND = 2
_READ_FIRST = 10
"""Pieces read of those that the first round finds, nearest first.

Later rounds may read the rest. For 272 of 277 development claims, the piece that bears most on the claim is among them.
"""
_READ_AGAIN = 8
"""New pieces read of those that a later round finds in the store.

They are those that share most words with the claim.
"""

Replan = Callable[[Plan], Steps[Plan]]


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a check. Relevance and stance may come from one reader."""

    embedder: Embedder
    reranker: Reranker
    stance: StanceModel
    claim_type: Classifier


@dataclass(frozen=True, slots=True)
class Gathered:
    """The pieces that bear on a claim, best first, and the verdict they allow.

    Each piece has its relevance and stance.
    """

    evidence: list[Evidence]
    judgement: Judgement


@dataclass(slots=True)
class _Found:
    """What is known about a claim: all pieces by text, the best, and their verdict."""

    plan: Plan
    pool: dict[str, Evidence] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    judgement: Judgement | None = None


class Gatherer:
    """Finds and weighs the evidence for one check, for one or several claims in it."""

    def __init__(
        self, models: Models, sources: Sources, settings: Settings, trace: Trace, replan: Replan | None = None
    ) -> None:
        """`replan` improves a plan; it is called before the web is asked."""
        self._models, self._sources, self._settings, self._trace = models, sources, settings, trace
        self._replan, self._now = replan, datetime.now(UTC)
        self._web = WebSearch(sources, settings, trace)

    @property
    def reached(self) -> Reached:
        """What was asked: the store, the records added from the web, the sources not asked."""
        return Reached(self._sources.store, self._web.added, self._web.unasked)

    def lacking(self, plan: Plan, found: Judgement, evidence: Sequence[Evidence], figure: str) -> tuple[str, ...]:
        """Name what was looked for and not found, for a claim left open.

        `figure` is what a comparison lacked.
        """
        if found.verdict is not Verdict.NOT_ENOUGH_EVIDENCE:
            return ()
        return lacking(plan, found, evidence, self._now, figure)

    def judge(self, plan: Plan, evidence: Sequence[Evidence]) -> Judgement:
        """Judge a claim by these pieces."""
        return judge(plan.claim, evidence, Circumstances(plan.time_bound, self._now))

    def find(self, question: str) -> list[Evidence]:
        """Look for what may answer a question.

        That is all texts of the user, or the nearest records of the store.
        """
        if self._sources.given is not None:
            return from_given(self._sources.given, self._sources.publisher_of)
        return self._retrieve(question, self._settings.retrieval.top_k)

    def _retrieve(self, query: str, limit: int) -> list[Evidence]:
        assert self._sources.store is not None
        settings, publisher_of = self._settings.retrieval, self._sources.publisher_of
        return retrieve(query, self._sources.store, self._models.embedder, settings, limit, publisher_of)

    def gather(self, plan: Plan) -> Steps[Gathered]:
        """Find and judge the pieces that bear on a claim.

        Raises:
            ModelError: a model failed.
            StoreError: the store failed.
        """
        found = _Found(plan)
        yield from self._rounds(found) if self._sources.given is None else self._from_user(found)
        return Gathered(found.evidence, found.judgement or self.judge(plan, found.evidence))

    def _from_user(self, found: _Found) -> Steps[None]:
        assert self._sources.given is not None
        pieces = from_given(self._sources.given, self._sources.publisher_of)
        kept = shortlist(found.plan.claim.text, pieces, self._settings.retrieval.max_candidates)
        told = f"Took the {len(self._sources.given)} texts that were given; neither the store nor the web is asked"
        more = f" ({len(pieces)} passages, {len(kept)} share words with the claim)" if len(kept) < len(pieces) else ""
        yield self._trace.step(Stage.RETRIEVE, told + more)
        yield from self._weigh(found, kept, 1)

    def _rounds(self, found: _Found) -> Steps[None]:
        plan, claim = found.plan, found.plan.claim
        for number in range(1, self._settings.retrieval.rounds + 1):
            if number == 2 and self._replan and self._web.open:
                plan = yield from self._replan(plan)
            query = claim.statement.text if number == 1 else plan.queries[min(number, len(plan.queries)) - 1]
            asked = yield from self._ask_store(query, number)
            fresh = [piece for piece in asked if piece.text not in found.pool]
            fresh = fresh[:_READ_FIRST] if number == 1 else shortlist(claim.text, fresh, _READ_AGAIN)
            before, known = found.evidence, len(found.pool)
            more = bool(fresh) or (self._web.allowed and len(found.pool) > len(found.evidence))
            enough = more and (yield from self._judged(found, number, fresh))  # a later round keeps more
            if not enough and number == 2 and self._web.open and self._store_decides(found):
                yield self._trace.step(Stage.SUFFICIENCY, "The stored evidence decides, so that the web is not asked")
                break
            if not enough and number > 1:
                enough = yield from self._web.ask(plan, number, found.pool, partial(self._judged, found, number))
                if len(found.pool) == known:
                    yield self._trace.step(Stage.SUFFICIENCY, f"Round {number} found nothing new")
                    break
            if enough or self._out_of_time() or self._in_vain(number, before, found.evidence):
                break

    def _judged(self, found: _Found, number: int, fresh: Sequence[Evidence]) -> Steps[bool]:
        """Weigh new pieces together with those known; return whether they are enough."""
        yield from self._weigh(found, fresh, number)
        enough, reason = self._enough(found)
        yield self._trace.step(Stage.SUFFICIENCY, f"Round {number}: {'enough' if enough else 'not enough'}: {reason}")
        return enough

    def _in_vain(self, number: int, before: Sequence[Evidence], now: Sequence[Evidence]) -> bool:
        """Return whether a store-only round kept nothing new.

        A wider one would only find pieces further off.
        """
        return number > 1 and not self._web.open and {piece.text for piece in now} <= {piece.text for piece in before}

    def _enough(self, found: _Found) -> tuple[bool, str]:
        """Return whether the gate is passed and a verdict could rest on these pieces."""
        gate = judge_sufficiency(found.evidence, self._settings.retrieval)
        if gate.enough and _divided(found.evidence):
            return False, CONFLICT
        likely = found.judgement
        if gate.enough and likely and likely.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
            return False, likely.notes[0] if likely.notes else "the pieces leave the claim open"
        return gate.enough, gate.reason

    def _store_decides(self, found: _Found) -> bool:
        """Return whether the stored evidence gives an unopposed verdict, though the gate asks for more.

        The store may be out of date on what changes with time, so the web is asked about that.
        """
        likely = found.judgement
        if likely is None or found.plan.time_bound or _divided(found.evidence):
            return False
        return likely.verdict in {Verdict.TRUE, Verdict.FALSE} and likely.tier is not Tier.LOW

    def _out_of_time(self) -> bool:
        if self._trace.left > 0:
            return False
        self._trace.warn(f"the time for one check ({self._settings.deadline:g} s) was over: judged by what was found")
        return True

    def _ask_store(self, query: str, number: int) -> Steps[list[Evidence]]:
        found = self._retrieve(query, self._settings.retrieval.top_k * 2 ** (number - 1))
        self._trace.tool_calls += 1
        asked = "" if number == 1 else f" for {query!r}"
        yield self._trace.step(Stage.RETRIEVE, f"Round {number}: found {len(found)} candidates in the store{asked}")
        return found

    def _weigh(self, found: _Found, fresh: Sequence[Evidence], number: int) -> Steps[None]:
        """Score the new pieces and add them to the pool; judge the best.

        The best get a stance each and a verdict together.
        """
        only = self._sources.only
        fresh = [piece for piece in fresh if only(piece.text)] if only else fresh
        if not fresh and not found.pool:
            return
        retrieval, models, trace = self._settings.retrieval, self._models, self._trace
        claim, pool = found.plan.claim, found.pool
        # A text bears on the statement, whether the claim affirms or denies it.
        scored = score(claim.statement, fresh, models.reranker)
        trace.tool_calls += bool(fresh)
        pool |= {piece.text: piece for piece in scored}
        most = retrieval.rerank_top_k + _MORE_PER_ROUND * (number - 1)
        kept = best(list(pool.values()), models.embedder, retrieval, most)
        yield trace.step(Stage.RERANK, f"Kept {len(kept)} of {len(pool)} as relevant")
        rated = judge_rated(claim, kept, models.stance)
        judged = judge_stances(claim, rated, models.stance, models.reranker)
        trace.tool_calls += any(piece.stance is None for piece in kept)
        pool |= {piece.text: piece for piece in judged}
        labels = [piece.stance.label for piece in judged if piece.stance]
        counts = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
        found.evidence, found.judgement = judged, self.judge(found.plan, judged)
        yield trace.step(Stage.STANCE, f"Stances: {counts or 'none'}")


def _divided(evidence: Sequence[Evidence]) -> bool:
    """Return whether one piece surely supports the claim and another surely refutes it.

    Neither may be opposed outright.
    """
    sides = {
        piece.stance.label
        for piece, yields in zip(evidence, yielding(evidence), strict=True)
        if piece.stance
        and not yields
        and max(piece.stance.supports, piece.stance.refutes) * chance_relevant(piece) >= _SIDED
    }
    return {StanceLabel.SUPPORTS, StanceLabel.REFUTES} <= sides
