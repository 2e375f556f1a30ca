"""The stages of a check, in order, an event for each, one result at the end.

claim -> intake -> classify -> decompose -> for each part: plan -> gather (retrieve, rerank, stance, in rounds) -> verdict;
then aggregate -> explain -> check the citations. Nothing is carried from one check to the next but what the store holds.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from errors import StoreError
from kb.credibility import PublisherOf, publisher_of
from kb.record import NewEvidence
from kb.usage import Usage
from verifier.assistant import Assistant, load_prompt
from verifier.claim.intake import clean_claim
from verifier.claim.language import in_english
from verifier.claim.plan import Plan, make_plan
from verifier.claim.split import MAX_PARTS, statements_of
from verifier.consult import consult
from verifier.evidence.corroborate import corroborated
from verifier.gather import Gatherer, Models, Sources
from verifier.interfaces import Classifier, Store
from verifier.judgement.aggregate import MAX_EVIDENCE, aggregate, merge, unanswered
from verifier.judgement.cascade import fused, unsure
from verifier.judgement.citations import problems
from verifier.judgement.explain import Finding, explain, explain_by, explain_parts
from verifier.judgement.verdict import HIGH_TIER, Circumstances, judge
from verifier.judgement.votes import decisive_first
from verifier.report.markup import judged_in_words
from verifier.schema import (
    Citation,
    ClaimType,
    Classification,
    Evidence,
    Judgement,
    PartEvidence,
    PartResult,
    Stage,
    Status,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.search.staged import StagedSearch
from verifier.settings import Settings
from verifier.trace import Steps, Trace, merged, run_to_end
from verifier.understand import better_plan, classified, parts_of

_LOG = logging.getLogger(__name__)


class Verifier:
    """Checks claims. Safe to share between threads: it keeps nothing of a check."""

    def __init__(
        self,
        models: Models,
        store: Store | None,
        search: StagedSearch | None,
        settings: Settings,
        assistant: Assistant | None = None,
        publisher_of: PublisherOf = publisher_of,
    ) -> None:
        """`store` is None where only given texts are judged, `search` where the web is not to be asked.

        Without `assistant`, an instruct model, the bundled models and the rules do it all. `publisher_of` is the user's
        view of publishers; the store and the search should have the same.
        """
        self._models, self._store, self._search, self._settings = models, store, search, settings
        self.assistant, self._publisher_of = assistant, publisher_of

    @property
    def models(self) -> Models:
        """The bundled models."""
        return self._models

    @property
    def search(self) -> StagedSearch | None:
        """The web search, where the settings allow one."""
        return self._search

    @property
    def claim_type(self) -> Classifier:
        """The model that tells what can be checked."""
        return self._models.claim_type

    def verify(
        self,
        claim: str,
        web: bool = True,
        given: Sequence[NewEvidence] | None = None,
        as_of: Store | None = None,
    ) -> VerificationResult:
        """Check `claim`; see `stream`."""
        return run_to_end(self.stream(claim, web, given, as_of))

    def stream(
        self,
        claim: str,
        web: bool = True,
        given: Sequence[NewEvidence] | None = None,
        as_of: Store | None = None,
    ) -> Steps[VerificationResult]:
        """Check `claim`, yielding each step when it is done; closing the generator stops the check.

        Args:
            claim: what a person typed.
            web: whether the web may be asked when the store is not enough.
            given: judge by these texts only; neither the store nor the web is asked.
            as_of: ask this earlier state of the store in place of the store, and not the web.

        Raises:
            InputError: the text is not a claim.
            ModelError: a model failed; there is no verdict then.
            StoreError: the store failed; likewise.
        """
        if as_of is not None:
            sources = Sources(None, as_of, None, self._publisher_of)
        elif given is not None or self._store is None:
            sources = Sources(given or (), publisher_of=self._publisher_of)
        else:
            sources = Sources(None, self._store, self._search if web else None, self._publisher_of)
        return _Check(self._models, sources, self._settings, self.assistant).run(claim)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the evidence says of a claim, before its citations are checked."""

    judgement: Judgement
    reasoning: str
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[PartResult, ...] = ()
    unchecked: tuple[str, ...] = ()


class _Check:
    """One check: its session, its trace."""

    def __init__(self, models: Models, sources: Sources, settings: Settings, assistant: Assistant | None) -> None:
        self._models, self._sources, self._settings, self._assistant = models, sources, settings, assistant
        self._trace = Trace(settings.deadline)
        self._gatherer = Gatherer(
            models, sources, settings, self._trace, better_plan(assistant, self._trace) if assistant else None
        )
        self._now = datetime.now(UTC)

    def run(self, raw: str) -> Steps[VerificationResult]:
        trace = self._trace
        original = clean_claim(raw)
        yield trace.step(Stage.INTAKE, f"Read a claim of {len(original)} characters")
        kind = yield from classified(original, self._models.claim_type, self._assistant, trace)
        if kind.claim_type in {ClaimType.OPINION, ClaimType.AMBIGUOUS}:
            return self._finish(original, kind, _unanswerable(kind))
        parts = [kind.claim]
        if self._settings.judgement.decompose:
            parts = yield from parts_of(kind.claim, self._assistant, trace)
        if len(parts) == 1 and not kind.unclear:
            finding = yield from self._judge(kind.claim, MAX_EVIDENCE)
            reasoning, citations = yield from self._explained(finding)
            answer = _Answer(finding.judgement, reasoning, citations, tuple(finding.evidence))
        else:
            answer = yield from self._answer_in_parts(kind, parts)
        told = f"Cited {len(answer.citations)} of {len(answer.evidence)} pieces of evidence"
        yield trace.step(Stage.EXPLAIN, told)
        return self._finish(original, kind, answer)

    def _judge(self, claim: str, limit: int) -> Steps[Finding]:
        """A claim that states one thing: its evidence, at most `limit` pieces, and its judgement."""
        plan = make_plan(claim, in_english(claim))
        about = ", ".join([*plan.entities, *plan.figures]) or "no names or figures"
        yield self._trace.step(Stage.PLAN, f"{plan.complexity} complexity, {len(plan.queries)} queries; about: {about}")
        evidence = yield from self._gatherer.gather(claim, plan)
        evidence = corroborated(evidence[:limit], self._models.embedder)
        found = yield from self._verdict(claim, evidence, plan)
        if evidence and unsure(found, self._settings.judgement.cascade):
            advice = yield from consult(
                self._assistant,
                self._trace,
                Stage.VERDICT,
                "a verdict",
                lambda a, limits: a.advice(claim, evidence, limits),
            )
            if advice:
                by = ", ".join(f"[{position + 1}]" for position in advice.decisive)
                cut = f"; {advice.left_out} pieces did not fit into its prompt" if advice.left_out else ""
                said = f"The language model reads it as {advice.verdict}{' by ' + by if by else ''}{cut} (prompt {load_prompt('verdict').version})"
                yield self._trace.step(Stage.VERDICT, said)
                evidence = fused(evidence, advice, self._settings.judgement.trust)
                found = yield from self._verdict(claim, evidence, plan)
        evidence, found = decisive_first(evidence, found)
        return Finding(claim, found, evidence, range(1, len(evidence) + 1))

    def _verdict(self, claim: str, evidence: Sequence[Evidence], plan: Plan) -> Steps[Judgement]:
        settings = self._settings.judgement
        pieces = evidence if settings.credibility else [replace(piece, credibility=1.0) for piece in evidence]
        found = judge(claim, pieces, Circumstances(plan.time_bound, self._now, not settings.all_evidence))
        yield self._trace.step(Stage.VERDICT, judged_in_words(found.verdict, found.confidence, found.tier))
        return found

    def _explained(self, finding: Finding) -> Steps[tuple[str, tuple[Citation, ...]]]:
        """The reasoning and its citations: in the assistant's sentences where they hold, else composed."""
        verdict = finding.judgement.verdict
        if self._assistant and verdict is not Verdict.NOT_ENOUGH_EVIDENCE and finding.judgement.rated_by is None:
            yield Step(Stage.EXPLAIN, "The reasons are being written", 0.0, passing=True, settled=finding.judgement)
            reasons = yield from consult(
                self._assistant,
                self._trace,
                Stage.EXPLAIN,
                "reasons that hold",
                lambda a, limits: a.reasons(finding.claim, verdict, finding.evidence, limits),
            )
            if reasons:
                reasoning, citations = explain_by(finding, reasons)
                if not problems(reasoning, citations, finding.evidence):
                    return reasoning, citations
        return explain(finding)

    def _answer_in_parts(self, kind: Classification, parts: Sequence[str]) -> Steps[_Answer]:
        """Check each part, at most five, and join what comes out."""
        asked, unchecked = parts[:MAX_PARTS], (*parts[MAX_PARTS:], *kind.unclear)
        beyond = f"; {len(unchecked)} more are not checked" if unchecked else ""
        count = "1 part" if len(asked) == 1 else f"{len(asked)} parts"
        yield self._trace.step(Stage.DECOMPOSE, f"{count}: {'; '.join(asked)}{beyond}")
        findings = []
        for part in asked:
            findings.append((yield from self._judge(part, MAX_EVIDENCE // len(asked))))
        one_sentence = not unchecked and len(statements_of(kind.claim)) == 1  # what one text may settle as a whole
        if one_sentence and unanswered([finding.judgement for finding in findings]):
            undivided = yield from self._judge(kind.claim, MAX_EVIDENCE)
            if undivided.judgement.verdict in {Verdict.TRUE, Verdict.FALSE}:
                yield self._trace.step(Stage.DECOMPOSE, "Not all parts could be settled, the claim as a whole could")
                return _Answer(undivided.judgement, *explain(undivided), tuple(undivided.evidence))
        return self._joined(findings, unchecked)

    def _joined(self, findings: Sequence[Finding], unchecked: tuple[str, ...]) -> _Answer:
        evidence, positions = merge([finding.evidence for finding in findings])
        numbered = [
            replace(finding, numbers=[at + 1 for at in places])
            for finding, places in zip(findings, positions, strict=True)
        ]
        whole = aggregate([finding.judgement for finding in findings], len(unchecked))
        if unchecked:
            whole = replace(whole, tier=Tier.LOW)
            told = "1 part was" if len(unchecked) == 1 else f"{len(unchecked)} parts were"
            self._trace.warn(f"{told} not checked: {'; '.join(unchecked)}")
        reasoning, citations, cited = explain_parts(whole, numbered)
        results = tuple(_part_result(finding, numbers) for finding, numbers in zip(numbered, cited, strict=True))
        return _Answer(whole, reasoning, citations, tuple(evidence), results, unchecked)

    def _finish(self, original: str, kind: Classification, answer: _Answer) -> VerificationResult:
        """Check the citations, count what was used, and put the result together."""
        trace, judgement, status = self._trace, answer.judgement, Status.OK
        wrong = problems(answer.reasoning, answer.citations, answer.evidence)
        if wrong:
            trace.warn(f"the verdict {judgement.verdict} was withdrawn: {'; '.join(wrong)}")
            judgement, status = Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.0, Tier.LOW), Status.DEGRADED
            withdrawn = "The citations of this verdict did not hold, so it was withdrawn."
            answer = replace(answer, reasoning=withdrawn, citations=(), parts=())
        version = self._read_version(answer)
        return VerificationResult(
            session_id=str(uuid.uuid4()),
            checked_at=datetime.now(UTC),
            original_claim=original,
            claim=kind.claim,
            claim_type=kind.claim_type,
            type_reason=kind.reason,
            verdict=judgement.verdict,
            confidence=judgement.confidence,
            tier=judgement.tier,
            status=status,
            reasoning=answer.reasoning,
            evidence=answer.evidence,
            citations=answer.citations,
            steps=tuple(trace.steps),
            tool_calls=trace.tool_calls,
            store_version=version,
            warnings=tuple(merged((*trace.warnings, *judgement.notes))),
            parts=answer.parts,
            unchecked=answer.unchecked,
            held_back=judgement.held_back,
            added=self._gatherer.added,
        )

    def _read_version(self, answer: _Answer) -> int | None:
        """The version of the store that holds all that this check has read; it is kept for a while, for a replay.

        A verdict is not lost for what could not be noted of it: a full or read-only disk is a warning here.
        """
        store, version = self._sources.store, None
        if store is None:
            return None
        try:
            version = store.version
            store.protect(version)
            self._count_usage(answer)
        except StoreError as exc:
            self._trace.warn(f"the verdict stands; which records it used was not noted: {exc}")
            _LOG.warning("which records a check used was not noted: %s", exc)
        return version

    def _count_usage(self, answer: _Answer) -> None:
        cited = {citation.number for citation in answer.citations}
        usages = [
            Usage(piece.record_id, piece.relevance, number in cited)
            for number, piece in enumerate(answer.evidence, start=1)
            if piece.record_id
        ]
        if self._sources.store is not None and usages:
            self._sources.store.record_usage(usages)


def _part_result(part: Finding, cited: tuple[int, ...]) -> PartResult:
    """A part with all that was found for it, each piece with what it says of this part."""
    found = tuple(
        PartEvidence(number, piece.stance.label if piece.stance else None)
        for number, piece in zip(part.numbers, part.evidence, strict=True)
    )
    judgement = part.judgement
    return PartResult(part.claim, judgement.verdict, judgement.confidence, judgement.tier, cited, found)


def _unanswerable(kind: Classification) -> _Answer:
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
    return _Answer(judgement, f"This text cannot be checked: {kind.reason}. {advice}")
