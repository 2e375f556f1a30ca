"""The stages of a check, in order, an event for each, one result at the end.

claim -> intake -> classify -> retrieve -> rerank -> stance -> sufficiency -> (search -> store -> rerank -> stance) ->
verdict -> explain. Nothing is carried from one check to the next but what the store holds.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from kb.record import NewEvidence
from kb.usage import Usage
from verifier.claim.classify import classify
from verifier.claim.intake import clean_claim
from verifier.evidence.rerank import rerank
from verifier.evidence.retrieve import from_texts, retrieve
from verifier.evidence.sufficiency import judge_sufficiency
from verifier.interfaces import Classifier, Embedder, Reranker, Store
from verifier.judgement.citations import problems
from verifier.judgement.explain import explain
from verifier.judgement.stance import closest_sentence, judge_stances
from verifier.judgement.verdict import HIGH_TIER, judge
from verifier.schema import (
    Citation,
    ClaimType,
    Classification,
    Evidence,
    Judgement,
    Stage,
    Status,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.search.base import Outcome
from verifier.search.staged import SearchReport, StagedSearch
from verifier.settings import Settings

T = TypeVar("T")
Steps = Generator[Step, None, T]
"""Yields the steps of a check as they are done, and returns what was made."""


@dataclass(frozen=True, slots=True)
class Models:
    """The four models of a check."""

    embedder: Embedder
    reranker: Reranker
    stance: Classifier
    claim_type: Classifier


class Verifier:
    """Checks claims. Safe to share between threads: it keeps nothing of a check."""

    def __init__(self, models: Models, store: Store | None, search: StagedSearch | None, settings: Settings) -> None:
        """`store` is None where only given texts are judged, `search` where the web is not to be asked."""
        self._models, self._store, self._search, self._settings = models, store, search, settings

    def verify(self, claim: str, web: bool = True, given: Sequence[NewEvidence] | None = None) -> VerificationResult:
        """Check `claim`; see `stream`."""
        steps = self.stream(claim, web, given)
        try:
            while True:
                next(steps)
        except StopIteration as end:
            result: VerificationResult = end.value
            return result

    def stream(
        self, claim: str, web: bool = True, given: Sequence[NewEvidence] | None = None
    ) -> Steps[VerificationResult]:
        """Check `claim`, yielding each step when it is done; closing the generator stops the check.

        Args:
            claim: what a person typed.
            web: whether the web may be asked when the store is not enough.
            given: judge by these texts only; neither the store nor the web is asked.

        Raises:
            InputError: the text is not a claim.
            ModelError: a model failed; there is no verdict then.
            StoreError: the store failed; likewise.
        """
        alone = given is not None or self._store is None
        check = _Check(
            self._models, None if alone else self._store, None if alone or not web else self._search, self._settings
        )
        return check.run(claim, given or () if alone else None)


class _Check:
    """One check: its session, its clock, its steps."""

    def __init__(self, models: Models, store: Store | None, search: StagedSearch | None, settings: Settings) -> None:
        self._models, self._store, self._search, self._settings = models, store, search, settings
        self._session, self._started, self._mark = str(uuid.uuid4()), time.monotonic(), time.monotonic()
        self._steps: list[Step] = []
        self._warnings: list[str] = []
        self._tool_calls = 0

    def _step(self, stage: Stage, message: str) -> Step:
        now = time.monotonic()
        step = Step(stage, message, round(now - self._mark, 4))
        self._mark = now
        self._steps.append(step)
        return step

    def run(self, raw: str, given: Sequence[NewEvidence] | None) -> Steps[VerificationResult]:
        original = clean_claim(raw)
        yield self._step(Stage.INTAKE, f"Read a claim of {len(original)} characters")
        kind = classify(original, self._models.claim_type)
        self._tool_calls += 1
        yield self._step(Stage.CLASSIFY, f"Type {kind.claim_type}: {kind.reason}")
        if kind.fell_back:
            self._warnings.append(f"claim type unknown: {kind.reason}")
        if kind.claim_type in {ClaimType.OPINION, ClaimType.AMBIGUOUS}:
            return self._unanswerable(original, kind)
        evidence = yield from self._gather(kind.claim, given)
        judgement = judge(evidence)
        yield self._step(
            Stage.VERDICT, f"{judgement.verdict} with confidence {judgement.confidence:.2f} ({judgement.tier})"
        )
        reasoning, citations = explain(judgement, evidence, lambda piece: closest_sentence(kind.claim, piece.text))
        yield self._step(Stage.EXPLAIN, f"Cited {len(citations)} of {len(evidence)} pieces of evidence")
        return self._finish(original, kind, judgement, reasoning, citations, evidence)

    def _unanswerable(self, original: str, kind: Classification) -> VerificationResult:
        """An opinion cannot be verified; an ambiguous text can, once its author says what it is about."""
        sure = round(min(0.99, kind.probabilities.get(kind.claim_type, 0.0)), 4)
        if kind.claim_type is ClaimType.OPINION:
            verdict, advice = (
                Verdict.NOT_VERIFIABLE,
                "State a fact behind it, with names, numbers or dates, to have that checked.",
            )
        else:
            verdict, advice = (
                Verdict.NOT_ENOUGH_EVIDENCE,
                "Please say who or what is meant, and when or where, and ask again.",
            )
        judgement = Judgement(verdict, sure, Tier.MEDIUM if sure >= HIGH_TIER else Tier.LOW)
        return self._finish(original, kind, judgement, f"This text cannot be checked: {kind.reason}. {advice}", (), [])

    def _gather(self, claim: str, given: Sequence[NewEvidence] | None) -> Steps[list[Evidence]]:
        """The ranked evidence with stances, from the given texts, the store, and the web if it must be asked."""
        if given is not None:
            candidates = from_texts(given)
            yield self._step(
                Stage.RETRIEVE,
                f"Took the {len(candidates)} texts that were given; neither the store nor the web is asked",
            )
            return (yield from self._weigh(claim, candidates))
        assert self._store is not None
        candidates = retrieve(claim, self._store, self._models.embedder, self._settings.retrieval)
        self._tool_calls += 1
        yield self._step(Stage.RETRIEVE, f"Found {len(candidates)} candidates in the store")
        evidence = yield from self._weigh(claim, candidates)
        gate = judge_sufficiency(evidence, self._settings.retrieval)
        yield self._step(Stage.SUFFICIENCY, f"{'Enough' if gate.enough else 'Not enough'}: {gate.reason}")
        if gate.enough:
            return evidence
        if self._search is None:
            yield self._step(Stage.SEARCH, "Web search is switched off for this check")
            return evidence
        found = yield from self._ask_web(claim, self._search)
        return (yield from self._weigh(claim, [*candidates, *found])) if found else evidence

    def _weigh(self, claim: str, candidates: Sequence[Evidence]) -> Steps[list[Evidence]]:
        """Rerank, then judge the stance of what is left. Without candidates no model is asked."""
        if not candidates:
            return []
        best = rerank(claim, candidates, self._models.reranker, self._models.embedder, self._settings.retrieval)
        self._tool_calls += 1
        yield self._step(Stage.RERANK, f"Kept {len(best)} of {len(candidates)} as relevant")
        judged = judge_stances(claim, best, self._models.stance)
        self._tool_calls += bool(judged)
        labels = [piece.stance.label for piece in judged if piece.stance]
        counts = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
        yield self._step(Stage.STANCE, f"Stances: {counts or 'none'}")
        return judged

    def _ask_web(self, claim: str, search: StagedSearch) -> Steps[list[Evidence]]:
        """Search the web and store every result. An unreachable web is a warning, never an absence of evidence."""

        def relevant(items: Sequence[NewEvidence]) -> int:
            scores = self._models.reranker.scores(claim, [item.text for item in items])
            return int((scores >= self._settings.retrieval.min_relevance).sum())

        left = self._settings.deadline - (time.monotonic() - self._started)
        report = search.run(claim, relevant, left)
        self._tool_calls += len(report.attempts)
        yield self._step(Stage.SEARCH, _told(report))
        if not report.answered:
            self._warnings.append("web search unavailable: the verdict rests on the store alone")
        if not report.items:
            return []
        assert self._store is not None
        stored = self._store.add(report.items)
        self._tool_calls += 1
        yield self._step(Stage.STORE, f"Stored {stored.added} new pieces of evidence, {stored.merged} were known")
        return from_texts(report.items, stored.ids)

    def _finish(
        self,
        original: str,
        kind: Classification,
        judgement: Judgement,
        reasoning: str,
        citations: tuple[Citation, ...],
        evidence: list[Evidence],
    ) -> VerificationResult:
        """Check the citations, count what was used, and put the result together."""
        wrong = problems(reasoning, citations, evidence)
        status = Status.DEGRADED if wrong else Status.OK
        if wrong:
            self._warnings.append(f"the verdict {judgement.verdict} was withdrawn: {'; '.join(wrong)}")
            judgement = Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.0, Tier.LOW)
            reasoning, citations = "The citations of this verdict did not hold, so it was withdrawn.", ()
        cited = {citation.number for citation in citations}
        usages = [
            Usage(p.record_id, p.relevance, number in cited)
            for number, p in enumerate(evidence, start=1)
            if p.record_id
        ]
        if self._store is not None and usages:
            self._store.record_usage(usages)
        return VerificationResult(
            session_id=self._session,
            checked_at=datetime.now(UTC),
            original_claim=original,
            claim=kind.claim,
            claim_type=kind.claim_type,
            type_reason=kind.reason,
            verdict=judgement.verdict,
            confidence=judgement.confidence,
            tier=judgement.tier,
            status=status,
            reasoning=reasoning,
            evidence=tuple(evidence),
            citations=citations,
            steps=tuple(self._steps),
            tool_calls=self._tool_calls,
            store_version=self._store.version if self._store is not None else None,
            warnings=(*self._warnings, *judgement.notes),
        )


def _told(report: SearchReport) -> str:
    """The search in a sentence: what was asked of whom, and how each query ended."""
    if not report.answered and all(attempt.outcome is Outcome.UNREACHABLE for attempt in report.attempts):
        details = "; ".join(dict.fromkeys(f"{a.provider}: {a.detail or a.outcome}" for a in report.attempts))
        return f"Web search unavailable ({details})"
    told = "; ".join(f"{a.stage} on {a.provider}: {a.outcome}, {a.found} results" for a in report.attempts)
    return f"{'Searched the web' if report.answered else 'Web search unavailable'} ({told})"
