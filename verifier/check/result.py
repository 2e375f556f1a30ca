"""Build a check's result: join the parts, check the citations, count what was used."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from errors import StoreError
from kb.store.usage import Usage
from verifier.check.trace import Trace, merged
from verifier.check.understand import Understood
from verifier.check.web import Reached
from verifier.interfaces import Store
from verifier.judgement.aggregate import aggregate, merge
from verifier.judgement.citations import problems
from verifier.judgement.explain import Finding, explain_parts
from verifier.judgement.grades import Grades, kind_of
from verifier.judgement.verdict import HIGH_TIER
from verifier.schema import (
    Citation,
    ClaimType,
    Classification,
    Evidence,
    Judgement,
    PartEvidence,
    PartResult,
    Status,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.schema.missing import Missing
from verifier.text.phrases import ENGLISH, Phrases

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the evidence says about a claim.

    `sought` is what was not found, for a claim left open.
    """

    judgement: Judgement
    reasoning: str
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[PartResult, ...] = ()
    unchecked: tuple[str, ...] = ()
    sought: tuple[str, ...] = ()
    status: Status = Status.OK


def unanswerable(kind: Classification, phrases: Phrases = ENGLISH) -> Answer:
    """Answer an opinion, which cannot be verified, or an ambiguous text.

    An ambiguous text can be verified once its author says what it is about.
    """
    sure = round(min(0.99, kind.probabilities.get(kind.claim_type, 0.0)), 4)
    if kind.claim_type is ClaimType.OPINION:
        verdict = Verdict.NOT_VERIFIABLE
        advice = "State a fact behind it, with names, numbers or dates, to have that checked."
    else:
        verdict = Verdict.NOT_ENOUGH_EVIDENCE
        advice = "Please say who or what is meant, and when or where, and ask again."
    judgement = Judgement(verdict, sure, Tier.MEDIUM if sure >= HIGH_TIER else Tier.LOW)
    told = "This text cannot be checked: {reason}. {advice}"
    return Answer(judgement, phrases.say(told, reason=phrases.retell(kind.reason), advice=phrases.retell(advice)))


def joined(findings: Sequence[Finding], unchecked: tuple[str, ...], trace: Trace, phrases: Phrases = ENGLISH) -> Answer:
    """Join the results of a compound claim's parts.

    `unchecked` parts lower the tier and add a warning.
    """
    evidence, positions = merge([finding.evidence for finding in findings])
    numbered = [
        replace(finding, numbers=[at + 1 for at in places]) for finding, places in zip(findings, positions, strict=True)
    ]
    whole = aggregate([finding.judgement for finding in findings], len(unchecked))
    if unchecked:
        whole = replace(whole, tier=Tier.LOW)
        told = "1 part was" if len(unchecked) == 1 else f"{len(unchecked)} parts were"
        trace.warn(f"{told} not checked: {'; '.join(unchecked)}")
    reasoning, citations, cited = explain_parts(whole, numbered, phrases)
    results = tuple(_part_result(finding, numbers) for finding, numbers in zip(numbered, cited, strict=True))
    open_ = whole.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    sought = tuple(dict.fromkeys(line for finding in findings for line in finding.sought)) if open_ else ()
    return Answer(whole, reasoning, citations, tuple(evidence), results, unchecked, sought)


def _part_result(part: Finding, cited: tuple[int, ...]) -> PartResult:
    """Describe a part with all its pieces, each with its stance on this part."""
    found = tuple(
        PartEvidence(number, piece.stance.label if piece.stance else None)
        for number, piece in zip(part.numbers, part.evidence, strict=True)
    )
    judgement = part.judgement
    return PartResult(part.claim.text, judgement.verdict, judgement.confidence, judgement.tier, cited, found)


def upheld(answer: Answer, trace: Trace, phrases: Phrases = ENGLISH) -> Answer:
    """Check the citations.

    If one does not hold, the answer loses its verdict, reasons and parts.
    """
    wrong = problems(answer.reasoning, answer.citations, answer.evidence)
    if not wrong:
        return answer
    trace.warn(f"the verdict {answer.judgement.verdict} was withdrawn: {'; '.join(wrong)}")
    judgement = Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.0, Tier.LOW)
    withdrawn = phrases.say("The citations of this verdict did not hold, so it was withdrawn.")
    return Answer(judgement, withdrawn, evidence=answer.evidence, unchecked=answer.unchecked, status=Status.DEGRADED)


def result_of(
    original: str, understood: Understood, answer: Answer, trace: Trace, reached: Reached, grades: Grades | None
) -> VerificationResult:
    """Check the citations, count what was used, and build the result.

    Args:
        original: the claim as it was typed.
        understood: its type, what of it was checked, and in which translation.
        answer: what the evidence says.
        trace: the record of the check.
        reached: what was asked.
        grades: test results of such checks, if any.
    """
    kind, phrases = understood.kind, understood.phrases
    answer = upheld(answer, trace, phrases)
    judgement, version = answer.judgement, _noted(answer, reached.store, trace)
    rests_on = kind_of(answer.evidence)
    grade = grades.of(judgement.verdict, judgement.confidence, rests_on) if grades else None
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
        status=answer.status,
        reasoning=answer.reasoning,
        evidence=answer.evidence,
        citations=answer.citations,
        steps=tuple(trace.steps),
        tool_calls=trace.tool_calls,
        store_version=version,
        warnings=tuple(merged((*trace.warnings, *map(phrases.retell, judgement.notes)))),
        parts=answer.parts,
        unchecked=answer.unchecked,
        held_back=judgement.held_back,
        added=reached.added,
        missing=Missing(answer.sought, reached.unasked) if answer.sought else None,
        grade=grade,
        language=understood.language,
        translation=understood.translation,
        plain=judgement.plain,
    )


def _noted(answer: Answer, store: Store | None, trace: Trace) -> int | None:
    """Note which records were used.

    Return the store version that holds them, kept for a while for a replay. A verdict is not lost because this fails: a
    full or read-only disk only causes a warning.
    """
    if store is None:
        return None
    version = None
    try:
        version = store.version
        store.protect(version)
        cited = {citation.number for citation in answer.citations}
        usages = [
            Usage(piece.record_id, piece.relevance, number in cited)
            for number, piece in enumerate(answer.evidence, start=1)
            if piece.record_id
        ]
        if usages:
            store.record_usage(usages)
    except StoreError as exc:
        trace.warn(f"the verdict stands; which records it used was not noted: {exc}")
        _LOG.warning("which records a check used was not noted: %s", exc)
    return version
