"""J2: look for evidence in up to three rounds, each wider and with another query, until it is enough and of one mind.

Round 1 asks the store with the claim itself. Round 2 asks for twice as much with the claim's keywords, and then the web where it
may be asked and what the store has gives no verdict, stage by stage, until it is enough; round 3 for four times as much in the frame of a fact-check, and the web with
the queries that are left. A round that finds nothing new ends the search, as does one by the store alone of which nothing is kept.
The cross-encoder reads the nearest of what round 1 finds, and of what a later round finds those that share most words with the claim.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from errors import StoreError
from kb.credibility import PublisherOf, publisher_of
from kb.record import NewEvidence
from verifier.claim.framing import unframed
from verifier.claim.plan import Plan
from verifier.evidence.rerank import best, score
from verifier.evidence.retrieve import from_given, from_texts, retrieve, shortlist
from verifier.evidence.sufficiency import judge_sufficiency
from verifier.interfaces import Classifier, Embedder, Reranker, StanceModel, Store
from verifier.judgement.ratings import judge_rated
from verifier.judgement.stance import judge_stances
from verifier.judgement.verdict import Circumstances, judge
from verifier.judgement.votes import chance_relevant
from verifier.schema import Evidence, Stage, StanceLabel, Tier, Verdict
from verifier.search.reports import StageReport, WebAccount
from verifier.search.staged import StagedSearch
from verifier.settings import Settings
from verifier.trace import Steps, Trace

_SIDED = 0.5
"""Probability of a stance, times that of relevance, from which a piece takes a side when a conflict is looked for."""
_MORE_PER_ROUND = 2
_READ_FIRST = 10
"""So many of the pieces that the first round finds are read, nearest first; the rest may be in later rounds. Of 277 development
claims, the piece that bears on the claim most is among them for 272."""
_READ_AGAIN = 8
"""So many of the new pieces that a later round finds in the store are read: those that share most words with the claim."""
READ_FROM_WEB = 12
"""So many passages of one stage of the web search are read: those that share most words with the claim."""
_LOG = logging.getLogger(__name__)

Replan = Callable[[str, Plan], Steps[Plan]]


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a check. Relevance and stance may come from one reader."""

    embedder: Embedder
    reranker: Reranker
    stance: StanceModel
    claim_type: Classifier


@dataclass(frozen=True, slots=True)
class Sources:
    """Where evidence comes from: given texts alone, or a store, and the web behind it where that may be asked.

    `publisher_of` says who stands behind an address, and who of them is not heard.
    """

    given: Sequence[NewEvidence] | None = None
    store: Store | None = None
    search: StagedSearch | None = None
    publisher_of: PublisherOf = publisher_of


@dataclass(slots=True)
class _Found:
    """What is known of a claim: whether age counts, if the web was asked, all pieces by text, and the best, judged."""

    time_bound: bool
    of_web: bool = False
    pool: dict[str, Evidence] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)


class Gatherer:
    """Finds and weighs the evidence for one check, of whose claims it may be asked for several."""

    def __init__(
        self, models: Models, sources: Sources, settings: Settings, trace: Trace, replan: Replan | None = None
    ) -> None:
        """`replan` makes a better plan of a claim's, and is asked before the web is."""
        self._models, self._sources, self._settings, self._trace = models, sources, settings, trace
        self._replan = replan
        self.added: tuple[str, ...] = ()
        self._web_failed = False
        self._search_left = settings.search.deadline
        self._web = WebAccount(settings.search.deadline)

    @property
    def _may_search(self) -> bool:
        """Whether the web may still be asked, can be reached, and has time left."""
        return self._sources.search is not None and not self._web_failed and self._search_left > 0

    def gather(self, claim: str, plan: Plan) -> Steps[list[Evidence]]:
        """The pieces that bear on the claim, best first, with relevance and stance.

        Raises:
            ModelError: a model failed.
            StoreError: the store failed.
        """
        if self._sources.given is not None:
            pieces = from_given(self._sources.given, self._sources.publisher_of)
            kept = shortlist(claim, pieces, self._settings.retrieval.max_candidates)
            told = f"Took the {len(self._sources.given)} texts that were given; neither the store nor the web is asked"
            more = (
                f" ({len(pieces)} passages, {len(kept)} share words with the claim)" if len(kept) < len(pieces) else ""
            )
            yield self._trace.step(Stage.RETRIEVE, told + more)
            return (yield from self._weigh(claim, {}, kept, 1))
        return (yield from self._rounds(claim, plan))

    def _rounds(self, claim: str, plan: Plan) -> Steps[list[Evidence]]:
        found = _Found(plan.time_bound)
        for number in range(1, self._settings.retrieval.rounds + 1):
            if number == 2 and self._replan and self._may_search:
                plan = yield from self._replan(claim, plan)
            query = unframed(claim)[0] if number == 1 else plan.queries[min(number, len(plan.queries)) - 1]
            fresh = _unknown((yield from self._ask_store(query, number)), found.pool)
            fresh = fresh[:_READ_FIRST] if number == 1 else shortlist(claim, fresh, _READ_AGAIN)
            before, known = found.evidence, len(found.pool)
            more = bool(fresh) or (self._sources.search is not None and len(found.pool) > len(found.evidence))
            enough = more and (yield from self._judged(claim, found, fresh, number))  # a later round keeps more
            if not enough and number > 1 and self._may_search and self._store_decides(claim, found):
                yield self._trace.step(Stage.SUFFICIENCY, "The stored evidence decides, so that the web is not asked")
                break
            if not enough and number > 1:
                enough = yield from self._from_web(claim, plan, number, found)
                if len(found.pool) == known:
                    yield self._trace.step(Stage.SUFFICIENCY, f"Round {number} found nothing new")
                    break
            if enough or self._out_of_time() or self._in_vain(number, before, found.evidence):
                break
        return found.evidence

    def _judged(self, claim: str, found: _Found, fresh: Sequence[Evidence], number: int) -> Steps[bool]:
        """Weigh new pieces together with those known; whether they are enough."""
        found.evidence = yield from self._weigh(claim, found.pool, fresh, number)
        enough, reason = self._enough(claim, found)
        yield self._trace.step(Stage.SUFFICIENCY, f"Round {number}: {'enough' if enough else 'not enough'}: {reason}")
        return enough

    def _in_vain(self, number: int, before: Sequence[Evidence], now: Sequence[Evidence]) -> bool:
        """Whether a round by the store alone kept nothing new: a wider one would find what lies further off still."""
        return number > 1 and not self._may_search and {piece.text for piece in now} <= {piece.text for piece in before}

    def _enough(self, claim: str, found: _Found) -> tuple[bool, str]:
        """Whether the gate is passed, and a verdict could rest on these pieces."""
        evidence = found.evidence
        gate = judge_sufficiency(evidence, self._settings.retrieval)
        if gate.enough and _divided(evidence):
            return False, "the sources contradict each other"
        if gate.enough:
            likely = judge(claim, evidence, Circumstances(found.time_bound, datetime.now(UTC)))
            if likely.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
                return False, likely.notes[0] if likely.notes else "the pieces leave the claim open"
        return gate.enough, gate.reason

    def _store_decides(self, claim: str, found: _Found) -> bool:
        """Whether what the store has, though less than the gate asks for, gives a verdict that nothing in it speaks against.

        Of what changes with time the store may be behind, and the web is asked.
        """
        if found.time_bound or found.of_web or _divided(found.evidence):
            return False
        likely = judge(claim, found.evidence, Circumstances(found.time_bound, datetime.now(UTC)))
        return likely.verdict in {Verdict.TRUE, Verdict.FALSE} and likely.tier is not Tier.LOW

    def _out_of_time(self) -> bool:
        if self._trace.left > 0:
            return False
        self._trace.warn(f"the time for one check ({self._settings.deadline:g} s) was over: judged by what was found")
        return True

    def _ask_store(self, query: str, number: int) -> Steps[list[Evidence]]:
        assert self._sources.store is not None
        limit = self._settings.retrieval.top_k * 2 ** (number - 1)
        found = retrieve(
            query,
            self._sources.store,
            self._models.embedder,
            self._settings.retrieval,
            limit,
            self._sources.publisher_of,
        )
        self._trace.tool_calls += 1
        asked = "" if number == 1 else f" for {query!r}"
        yield self._trace.step(Stage.RETRIEVE, f"Round {number}: found {len(found)} candidates in the store{asked}")
        return found

    def _weigh(
        self, claim: str, pool: dict[str, Evidence], fresh: Sequence[Evidence], number: int
    ) -> Steps[list[Evidence]]:
        """Score the new pieces, put them into the pool (text -> piece), and judge the stance of the best of all in it."""
        if not fresh and not pool:
            return []
        retrieval, models, trace = self._settings.retrieval, self._models, self._trace
        statement, _ = unframed(claim)  # what the claim affirms or denies is what a text may bear on
        scored = (
            score(statement, fresh, models.reranker)
            if retrieval.rerank
            else _by_likeness(statement, fresh, models.embedder)
        )
        trace.tool_calls += bool(fresh)
        pool |= {piece.text: piece for piece in scored}
        kept = best(
            list(pool.values()), models.embedder, retrieval, retrieval.rerank_top_k + _MORE_PER_ROUND * (number - 1)
        )
        yield trace.step(Stage.RERANK, f"Kept {len(kept)} of {len(pool)} as relevant")
        rated = judge_rated(claim, kept, models.stance)
        judged = judge_stances(claim, rated, models.stance, self._settings.judgement.signals)
        trace.tool_calls += any(piece.stance is None for piece in kept)
        pool |= {piece.text: piece for piece in judged}
        labels = [piece.stance.label for piece in judged if piece.stance]
        counts = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
        yield trace.step(Stage.STANCE, f"Stances: {counts or 'none'}")
        return judged

    def _from_web(self, claim: str, plan: Plan, number: int, found: _Found) -> Steps[bool]:
        """Ask the web stage by stage, and weigh what each brings; whether it is enough then.

        Every passage is stored. A web that cannot be reached is a warning, never an absence of evidence.
        """
        search = self._sources.search
        if search is None and number == 2:
            yield self._trace.step(Stage.SEARCH, "Web search is switched off for this check")
        if search is None or self._web_failed:
            return False
        queries = plan.queries[:2] if number == 2 else plan.queries[2:] or plan.queries[1:]
        brought: set[str] = set()
        found.of_web = True
        asked = answered = False

        def relevant() -> int:
            pieces = (found.pool[text] for text in brought & found.pool.keys())
            return sum(piece.relevance >= self._settings.retrieval.min_relevance for piece in pieces)

        def left() -> float:
            return min(self._trace.left, self._search_left)

        for report in search.by_stages(claim, queries, left, relevant):
            self._search_left -= report.seconds
            asked, answered = asked or bool(report.attempts), answered or report.answered
            yield from self._tell(claim, report)
            fresh = yield from self._stored(claim, report, found.pool)
            if fresh and (yield from self._judged(claim, found, fresh, number)):
                return True
            brought |= {item.text for item in report.items}
        self._web_failed = asked and not answered
        return False

    def _tell(self, claim: str, report: StageReport) -> Steps[None]:
        """The stage as a step; what failed of all stages so far, or was cut off, as one warning."""
        self._trace.tool_calls += len(report.attempts)
        yield self._trace.step(Stage.SEARCH, report.told)
        self._web.note(claim, report)
        if warning := self._web.told():
            self._trace.warn(warning, "web")

    def _stored(self, claim: str, report: StageReport, pool: Mapping[str, Evidence]) -> Steps[list[Evidence]]:
        """The passages of a stage, stored where the store can be written, and those of them that the cross-encoder is to read."""
        if not report.items:
            return []
        assert self._sources.store is not None
        ids: Sequence[str] = ()
        self._trace.tool_calls += 1
        try:
            stored = self._sources.store.add(report.items)
            self.added += stored.new
            ids, told = stored.ids, f"Stored {stored.added} new pieces of evidence, {stored.merged} were known"
        except StoreError as exc:  # what was read can be judged all the same
            told = "What the web brought could not be stored, and is judged all the same"
            self._trace.warn(f"{told[0].lower()}{told[1:]}: {exc}")
            _LOG.warning("what the web brought to a check could not be stored: %s", exc)
        yield self._trace.step(Stage.STORE, told)
        return shortlist(
            claim, _unknown(from_texts(report.items, ids, self._sources.publisher_of), pool), READ_FROM_WEB
        )


def _unknown(found: Sequence[Evidence], pool: Mapping[str, Evidence]) -> list[Evidence]:
    """The pieces whose text is not in the pool."""
    return [piece for piece in found if piece.text not in pool]


def _divided(evidence: Sequence[Evidence]) -> bool:
    """Whether one piece surely supports the claim and another surely refutes it."""
    sides = {
        piece.stance.label
        for piece in evidence
        if piece.stance and max(piece.stance.supports, piece.stance.refutes) * chance_relevant(piece) >= _SIDED
    }
    return {StanceLabel.SUPPORTS, StanceLabel.REFUTES} <= sides


def _by_likeness(claim: str, fresh: Sequence[Evidence], embedder: Embedder) -> list[Evidence]:
    """In place of the cross-encoder, to measure what that is worth: cosine, stretched to about the same scale."""
    if not fresh:
        return []
    vectors = embedder.embed([claim, *(piece.text for piece in fresh)])
    return [
        replace(piece, relevance=float(10 * cosine - 4))
        for piece, cosine in zip(fresh, vectors[1:] @ vectors[0], strict=True)
    ]
