"""Write results as JSON, the stable form for the command line, API and log."""

from __future__ import annotations

from typing import cast

from verifier.report.answers import (
    CitationAnswer,
    EvidenceAnswer,
    GradeAnswer,
    MissingAnswer,
    PartAnswer,
    ResultAnswer,
    TypeAnswer,
    UnaskedAnswer,
)
from verifier.report.languages import phrases_of
from verifier.schema import Citation, ClaimType, Classification, Evidence, PartResult, VerificationResult
from verifier.schema.grade import Grade
from verifier.schema.missing import Missing
from verifier.text.phrases import Phrases


def result_to_dict(result: VerificationResult) -> ResultAnswer:
    """Write the result as plain values.

    `timings` are milliseconds per stage; a stage that ran twice is summed.
    """
    timings: dict[str, float] = {}
    phrases = phrases_of(result.language)
    for step in result.steps:
        timings[str(step.stage)] = timings.get(str(step.stage), 0.0) + step.seconds * 1000
    answer = {
        "session_id": result.session_id,
        "status": str(result.status),
        "checked_at": result.checked_at.isoformat(),
        "original_claim": result.original_claim,
        "claim": result.claim,
        "claim_type": str(result.claim_type),
        "type_reason": result.type_reason,
        "verdict": str(result.verdict),
        "verdict_three_way": result.verdict.three_way,
        "verdict_mixed_scale": result.verdict.with_mixed,
        "confidence": result.confidence,
        "tier": str(result.tier),
        "reasoning": result.reasoning,
        "citations": [_citation(citation) for citation in result.citations],
        "evidence": [_evidence(number, piece) for number, piece in enumerate(result.evidence, start=1)],
        "steps": [f"{step.stage}: {step.message}" for step in result.steps],
        "step_milliseconds": [round(step.seconds * 1000, 1) for step in result.steps],
        "timings": {stage: round(value, 1) for stage, value in timings.items()}
        | {"total": round(sum(timings.values()), 1)},
        "sub_results": [_part(part) for part in result.parts],
        "unchecked": list(result.unchecked),
        "held_back": result.held_back,
        "added": list(result.added),
        "missing": _missing(result.missing, phrases) if result.missing else None,
        "grade": _grade(result.grade) if result.grade else None,
        "tool_calls": result.tool_calls,
        "store_version": result.store_version,
        "warnings": list(result.warnings),
        "language": result.language,
        "translation": result.translation,
        "verdict_told": phrases.say(result.verdict) if result.language else "",
    }
    return cast(ResultAnswer, answer)  # its enums are written as the shape's strings


def classification_to_dict(claim: str, found: Classification) -> TypeAnswer:
    """Write the kind of the text `claim` as plain values."""
    checked = found.claim_type in {ClaimType.FACTUAL, ClaimType.MIXED}
    answer = {
        "claim": claim,
        "claim_type": str(found.claim_type),
        "extracted_claim": found.claim if checked else "",
        "reason": found.reason,
        "probabilities": {label: round(value, 4) for label, value in found.probabilities.items()},
    }
    return cast(TypeAnswer, answer)


def _part(part: PartResult) -> PartAnswer:
    answer = {
        "claim": part.claim,
        "verdict": str(part.verdict),
        "confidence": part.confidence,
        "tier": str(part.tier),
        "citations": list(part.citations),
        "evidence": [
            {"number": piece.number, "stance": str(piece.stance) if piece.stance else None} for piece in part.evidence
        ],
    }
    return cast(PartAnswer, answer)  # its stances are written as the shape's strings


def _missing(missing: Missing, phrases: Phrases) -> MissingAnswer:
    sources: list[UnaskedAnswer] = [{"source": source.source, "why": str(source.why)} for source in missing.unasked]
    return {"told": missing.told_in(phrases), "sought": list(missing.sought), "not_asked": sources}


def _grade(grade: Grade) -> GradeAnswer:
    return {"level": grade.level, "n": grade.n, "errors": grade.errors, "bound": grade.bound}


def _citation(citation: Citation) -> CitationAnswer:
    return {
        "number": citation.number,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "source": citation.source,
        "title": citation.title,
    }


def _evidence(number: int, piece: Evidence) -> EvidenceAnswer:
    stance = piece.stance
    answer = {
        "number": number,
        "id": piece.record_id,
        "text": piece.text,
        "source": piece.source,
        "title": piece.title,
        "domain": piece.domain,
        "origin": str(piece.origin),
        "source_type": str(piece.source_type),
        "source_credibility": round(piece.credibility, 3),
        "published_at": piece.published_at.isoformat() if piece.published_at else None,
        "retrieved_at": piece.retrieved_at.isoformat() if piece.retrieved_at else None,
        "standing": str(piece.standing),
        "looked_at": piece.looked_at.isoformat() if piece.looked_at else None,
        "similarity": round(piece.similarity, 4),
        "relevance": round(piece.relevance, 4),
        "score": round(piece.score, 4),
        "rating": piece.rating,
        "note": piece.note,
        "also_reported_by": list(piece.also),
        "stance": str(stance.label) if stance else None,
        "stance_probabilities": {
            "supports": round(stance.supports, 4),
            "refutes": round(stance.refutes, 4),
            "neutral": round(stance.neutral, 4),
        }
        if stance
        else None,
    }
    return cast(EvidenceAnswer, answer)
