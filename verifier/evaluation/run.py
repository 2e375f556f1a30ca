"""Run cases through the whole pipeline; record results, times and broken rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from errors import InputError, ModelError
from kb.publishers.credibility import SourceType
from kb.record import NewEvidence
from kb.store.evidence_store import AddReport
from verifier.check.pipeline import Verifier
from verifier.evaluation.cases import Case
from verifier.evaluation.measures import Row
from verifier.evidence.sufficiency import AUTHORITY
from verifier.evidence.uncounted import Uncounted
from verifier.judgement.aggregate import MAX_EVIDENCE
from verifier.judgement.citations import problems
from verifier.judgement.verdict import MAX_CONFIDENCE
from verifier.judgement.votes import is_given
from verifier.schema import Tier, Verdict, VerificationResult


class ReadOnly(Uncounted):
    """A store that counts no use.

    So the order of the cases changes nothing, and a user's store stays as it is.
    """

    def add(self, items: Sequence[NewEvidence]) -> AddReport:
        """Never called: an evaluation searches no web, so there is nothing to add."""
        raise AssertionError("an evaluation does not write")

    def protect(self, version: int) -> None:
        """Do nothing: no version is kept for an evaluation."""


def run_cases(
    cases: Sequence[Case], verifier: Verifier, tick: Callable[[], None] = lambda: None
) -> list[tuple[Row, VerificationResult | None]]:
    """Judge every case without the web, in order.

    A failed check has no result, and its row says why.

    Args:
        cases: each is judged by its own evidence where it has some, else by the verifier's store.
        verifier: the whole pipeline.
        tick: called after every case.

    Raises:
        StoreError: the store failed.
    """
    known = {case.expected for case in cases}
    rows = []
    for case in cases:
        rows.append(_judged(case, verifier, known))
        tick()
    return rows


def _judged(case: Case, verifier: Verifier, known: set[Verdict]) -> tuple[Row, VerificationResult | None]:
    start = time.perf_counter()
    try:
        result = verifier.verify(case.claim, web=False, given=case.given)
    except (InputError, ModelError) as exc:
        failed = Row(case.id, case.claim, case.difficulty, case.kind, case.expected, None, 0.0, 0.0, 0, (), str(exc))
        return failed, None
    seconds = time.perf_counter() - start
    row = Row(
        case_id=case.id,
        claim=case.claim,
        difficulty=case.difficulty,
        kind=case.kind,
        expected=case.expected,
        predicted=_on_scale(result.verdict, known),
        confidence=result.confidence,
        latency=seconds,
        tool_calls=result.tool_calls,
        violations=tuple(violations_of(result)),
        reason=result.reasoning,
        plain=result.confidence if result.plain is None else result.plain,
    )
    return row, result


def _on_scale(verdict: Verdict, known: set[Verdict]) -> Verdict:
    """Return the verdict; Misleading becomes Partially True in sets that know only the latter."""
    misleading = verdict is Verdict.MISLEADING and Verdict.MISLEADING not in known
    return Verdict.PARTIALLY_TRUE if misleading and Verdict.PARTIALLY_TRUE in known else verdict


def violations_of(result: VerificationResult) -> list[str]:
    """List the rules of a check that a result breaks; there should be none.

    Every citation is correct word for word. True and False cite something, and rest on two independent sources, one of
    high credibility, or given text. High confidence needs a source that is not social media. At most 25 pieces of
    evidence.
    """
    found = problems(result.reasoning, result.citations, result.evidence)
    if not 0 <= result.confidence <= MAX_CONFIDENCE:
        found.append(f"confidence {result.confidence} is not between 0 and {MAX_CONFIDENCE}")
    if len(result.evidence) > MAX_EVIDENCE:
        found.append(f"{len(result.evidence)} pieces of evidence, {MAX_EVIDENCE} are allowed")
    if result.verdict in {Verdict.TRUE, Verdict.FALSE}:
        voices = {piece.voice for piece in result.evidence}
        alone = any(piece.credibility >= AUTHORITY or is_given(piece) for piece in result.evidence)
        if not result.citations:
            found.append(f"{result.verdict} without a citation")
        if len(voices) < 2 and not alone:
            found.append(f"{result.verdict} on one ordinary source")
    if result.tier is Tier.HIGH and all(piece.source_type is SourceType.SOCIAL for piece in result.evidence):
        found.append("high confidence on social media alone")
    return found


def selection(case: Case, result: VerificationResult) -> tuple[int, int, int]:
    """Count sentence selection: cited sentences that are gold, all cited, and all gold.

    A quotation counts as the sentence that it is in.
    """
    gold = {sentence for rationale in case.evidence_spans for sentence in rationale.sentences}
    quotes = {citation.quote for citation in result.citations}
    hits = sum(any(quote in sentence or sentence in quote for sentence in gold) for quote in quotes)
    return hits, len(quotes), len(gold)
