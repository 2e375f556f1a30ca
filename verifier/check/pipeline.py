"""Run the stages of a check in order, with an event each and one result.

claim -> intake -> classify -> decompose -> for each part: plan -> gather (retrieve, rerank, stance, verdict, in
rounds); then aggregate -> explain -> check the citations. Checks share nothing except the contents of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

from kb.publishers.credibility import PublisherOf, publisher_of
from kb.record import NewEvidence
from verifier.check.compared import compared
from verifier.check.consult import consult
from verifier.check.gather import Gatherer, Models
from verifier.check.result import Answer, joined, result_of, unanswerable
from verifier.check.trace import Steps, Trace, run_to_end
from verifier.check.understand import Understood, better_plan, classified, parts_of, rewriting
from verifier.check.web import Sources
from verifier.claim.comparison import comparison_of
from verifier.claim.intake import clean_claim
from verifier.claim.plan import Plan, make_plan
from verifier.claim.split import MAX_PARTS
from verifier.evidence.corroborate import corroborated
from verifier.interfaces import Classifier, Store
from verifier.judgement.aggregate import MAX_EVIDENCE, unanswered
from verifier.judgement.cascade import excerpts, fused, of_claim, unsure
from verifier.judgement.citations import problems
from verifier.judgement.explain import Finding, explain, explain_by
from verifier.judgement.grades import Grades
from verifier.judgement.votes import decisive_first
from verifier.llm.assistant import Assistant
from verifier.report.markup import judged_in_words
from verifier.schema import (
    Citation,
    ClaimType,
    Evidence,
    Judgement,
    Stage,
    Step,
    Verdict,
    VerificationResult,
)
from verifier.schema.missing import Why
from verifier.search.staged import StagedSearch
from verifier.settings import Settings
from verifier.text.phrases import ENGLISH


class Verifier:
    """Checks claims. Safe to share between threads: it keeps no state of a check."""

    def __init__(
        self,
        models: Models,
        store: Store | None,
        search: StagedSearch | None,
        settings: Settings,
        assistant: Assistant | None = None,
        publisher_of: PublisherOf = publisher_of,
        grades: Grades | None = None,
    ) -> None:
        """Without a `store`, only given texts are judged; without `search`, the web is not asked.

        Without `assistant`, an instruct model, the bundled models and the rules do everything. `publisher_of` is the
        user's view of publishers; the store and the search should use the same. `grades` are test results of checks
        without an assistant: with one, they promise nothing.
        """
        self._models, self._store, self._search, self._settings = models, store, search, settings
        self.assistant, self._publisher_of, self._grades = assistant, publisher_of, grades
        self._only: Callable[[str], bool] | None = None

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
        """The model that decides what can be checked."""
        return self._models.claim_type

    def with_settings(self, settings: Settings) -> Verifier:
        """Make a verifier like this one with other settings; it loads nothing."""
        made = copy(self)
        made._settings = settings
        return made

    def by_texts(self, only: Callable[[str], bool]) -> Verifier:
        """Make a verifier like this one that counts only some texts as evidence.

        It loads nothing.
        """
        made = copy(self)
        made._only = only
        return made

    def over(self, models: Models, store: Store | None) -> Verifier:
        """Make a verifier like this one with other `models` and `store`.

        They wrap the same ones and remember what they read.
        """
        made = copy(self)
        made._models, made._store = models, store
        return made

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
            web: whether the web may be asked if the store is not enough.
            given: judge by these texts only; neither the store nor the web is asked.
            as_of: ask this earlier state of the store instead of the store, and not the web.

        Raises:
            InputError: the text is not a claim.
            ModelError: a model failed; there is no verdict then.
            StoreError: the store failed; likewise.
        """
        if as_of is not None:
            sources = Sources(None, as_of, None, self._publisher_of, Why.EARLIER)
        elif given is not None or self._store is None:
            sources = Sources(given or (), publisher_of=self._publisher_of, web_off=Why.GIVEN)
        else:
            off = Why.OFF_HERE if self._search else Why.OFF
            sources = Sources(None, self._store, self._search if web else None, self._publisher_of, off)
        sources = replace(sources, only=self._only)
        return _Check(self._models, sources, self._settings, self.assistant, self._grades).run(claim)


class _Check:
    """One check, with its session and its trace."""

    def __init__(
        self,
        models: Models,
        sources: Sources,
        settings: Settings,
        assistant: Assistant | None,
        grades: Grades | None,
    ) -> None:
        self._models, self._sources, self._settings, self._assistant = models, sources, settings, assistant
        self._rewriter = rewriting(assistant)
        self._grades = None if assistant else grades
        self._trace, self._phrases = Trace(settings.deadline), ENGLISH
        self._gatherer = Gatherer(
            models,
            sources,
            settings,
            self._trace,
            better_plan(self._rewriter, self._trace) if self._rewriter else None,
        )

    def run(self, raw: str) -> Steps[VerificationResult]:
        trace, judgement = self._trace, self._settings.judgement
        original = clean_claim(raw)
        yield trace.step(Stage.INTAKE, f"Read a claim of {len(original)} characters")
        understood = yield from classified(original, self._models.claim_type, self._assistant, trace)
        kind, self._phrases = understood.kind, understood.phrases
        if kind.claim_type in {ClaimType.OPINION, ClaimType.AMBIGUOUS}:
            return self._finished(original, understood, unanswerable(kind, self._phrases))
        whole = make_plan(understood.claim)
        parts = (yield from parts_of(whole, self._rewriter, trace)) if judgement.decompose else [whole]
        if len(parts) == 1 and not kind.unclear:
            finding = yield from self._judge(whole, MAX_EVIDENCE)
            reasoning, citations = yield from self._explained(finding)
            answer = Answer(finding.judgement, reasoning, citations, tuple(finding.evidence), sought=finding.sought)
        else:
            answer = yield from self._answer_in_parts(whole, parts, kind.unclear)
        told = f"Cited {len(answer.citations)} of {len(answer.evidence)} pieces of evidence"
        yield trace.step(Stage.EXPLAIN, told)
        return self._finished(original, understood, answer)

    def _finished(self, original: str, understood: Understood, answer: Answer) -> VerificationResult:
        return result_of(original, understood, answer, self._trace, self._gatherer.reached, self._grades)

    def _judge(self, plan: Plan, limit: int) -> Steps[Finding]:
        """Judge a claim that states one thing, by at most `limit` pieces of evidence."""
        about = ", ".join([*plan.entities, *plan.figures]) or "no names or figures"
        yield self._trace.step(Stage.PLAN, f"{plan.complexity} complexity, {len(plan.queries)} queries; about: {about}")
        asked = None if self._sources.only else comparison_of(plan.claim.statement.text)
        figure = ""
        if asked:
            settled = yield from compared(plan.claim, asked, self._gatherer.find, self._models.reranker, self._trace)
            if isinstance(settled, Finding):
                return settled
            figure = settled
        gathered = yield from self._gatherer.gather(plan)
        found, evidence = gathered.judgement, gathered.evidence
        if len(evidence) > limit:
            evidence = evidence[:limit]
            found = self._gatherer.judge(plan, evidence)
        evidence = corroborated(evidence, self._models.embedder)
        yield self._trace.step(Stage.VERDICT, judged_in_words(found.verdict, found.confidence, found.tier))
        if evidence and unsure(found, self._settings.judgement.cascade):
            evidence, found = yield from self._read_twice(plan, evidence, found)
        evidence, found = decisive_first(evidence, found)
        sought = self._gatherer.lacking(plan, found, evidence, figure)
        return Finding(plan.claim, found, evidence, range(1, len(evidence) + 1), sought)

    def _read_twice(
        self, plan: Plan, evidence: list[Evidence], found: Judgement
    ) -> Steps[tuple[list[Evidence], Judgement]]:
        """Let the assistant read the evidence too and judge by both readings.

        Without its advice, change nothing.
        """
        advice = yield from consult(
            self._assistant,
            self._trace,
            Stage.VERDICT,
            "a verdict",
            lambda a, limits: a.advice(plan.claim.statement.text, excerpts(plan.claim, evidence), limits),
        )
        if not advice:
            return evidence, found
        advice = of_claim(plan.claim, advice)
        cut = f"; {advice.left_out} more could not be read in time" if advice.left_out else ""
        read = ", ".join(f"[{number}] {stance.label}" for number, stance in enumerate(advice.stances, start=1))
        yield self._trace.step(Stage.VERDICT, f"The language model read the evidence too: {read}{cut}")
        both = fused(evidence, advice, self._settings.judgement.trust)
        found = self._gatherer.judge(plan, both)
        yield self._trace.step(Stage.VERDICT, judged_in_words(found.verdict, found.confidence, found.tier))
        return both, found

    def _explained(self, finding: Finding) -> Steps[tuple[str, tuple[Citation, ...]]]:
        """Write the reasoning and its citations: the assistant's sentences if they hold, else composed ones."""
        verdict, by_rule = (
            finding.judgement.verdict,
            finding.judgement.rated_by is not None or finding.judgement.compared,
        )
        told_by_table = self._phrases is not ENGLISH  # the model writes English
        if self._assistant and verdict is not Verdict.NOT_ENOUGH_EVIDENCE and not by_rule and not told_by_table:
            yield Step(Stage.EXPLAIN, "The reasons are being written", 0.0, passing=True, settled=finding.judgement)
            reasons = yield from consult(
                self._assistant,
                self._trace,
                Stage.EXPLAIN,
                "reasons that hold",
                lambda a, limits: a.reasons(finding.claim.text, verdict, finding.evidence, limits),
            )
            if reasons:
                reasoning, citations = explain_by(finding, reasons)
                if not problems(reasoning, citations, finding.evidence):
                    return reasoning, citations
        return explain(finding, self._phrases)

    def _answer_in_parts(self, whole: Plan, parts: Sequence[Plan], unclear: Sequence[str]) -> Steps[Answer]:
        """Check each part, at most five, and join the results."""
        asked = parts[:MAX_PARTS]
        unchecked = (*(part.claim.text for part in parts[MAX_PARTS:]), *unclear)
        beyond = f"; {len(unchecked)} more are not checked" if unchecked else ""
        count = "1 part" if len(asked) == 1 else f"{len(asked)} parts"
        told = f"{count}: {'; '.join(part.claim.text for part in asked)}{beyond}"
        yield self._trace.step(Stage.DECOMPOSE, told)
        findings = []
        for part in asked:
            findings.append((yield from self._judge(part, MAX_EVIDENCE // len(asked))))
        one_sentence = not unchecked and len(whole.claim.sentences) == 1  # what one text may settle as a whole
        if one_sentence and unanswered([finding.judgement for finding in findings]):
            undivided = yield from self._judge(whole, MAX_EVIDENCE)
            if undivided.judgement.verdict in {Verdict.TRUE, Verdict.FALSE}:
                yield self._trace.step(Stage.DECOMPOSE, "Not all parts could be settled, the claim as a whole could")
                return Answer(undivided.judgement, *explain(undivided, self._phrases), tuple(undivided.evidence))
        return joined(findings, unchecked, self._trace, self._phrases)
