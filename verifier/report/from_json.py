"""Read a result back from its JSON form, as kept in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain, repeat
from typing import Any

from errors import InputError
from kb.publishers.credibility import SourceType, publisher_of
from kb.record import Origin, Standing
from verifier.schema import (
    Citation,
    ClaimType,
    Evidence,
    PartEvidence,
    PartResult,
    Stage,
    Stance,
    StanceLabel,
    Status,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.schema.grade import Grade
from verifier.schema.missing import Missing, Unasked, Why


def result_from_dict(entry: Mapping[str, Any]) -> VerificationResult:
    """Read the result that `result_to_dict` wrote.

    A piece's publisher, which that form leaves out, is looked up in the table.

    Raises:
        InputError: these are not the fields of a result.
    """
    try:
        return _result(entry)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise InputError(
            f"this entry of the log is not a whole result ({type(exc).__name__}: {exc}); delete it with: python -m verifier log delete --session ID"
        ) from exc


def _result(entry: Mapping[str, Any]) -> VerificationResult:
    version = entry["store_version"]
    return VerificationResult(
        session_id=str(entry["session_id"]),
        checked_at=datetime.fromisoformat(entry["checked_at"]),
        original_claim=str(entry["original_claim"]),
        claim=str(entry["claim"]),
        claim_type=ClaimType(entry["claim_type"]),
        type_reason=str(entry["type_reason"]),
        verdict=Verdict(entry["verdict"]),
        confidence=float(entry["confidence"]),
        tier=Tier(entry["tier"]),
        status=Status(entry["status"]),
        reasoning=str(entry["reasoning"]),
        evidence=tuple(_evidence(piece) for piece in entry["evidence"]),
        citations=tuple(_citation(citation) for citation in entry["citations"]),
        steps=_steps(entry["steps"], entry.get("step_milliseconds", ())),
        tool_calls=int(entry["tool_calls"]),
        store_version=None if version is None else int(version),
        warnings=tuple(str(warning) for warning in entry["warnings"]),
        parts=tuple(_part(part) for part in entry["sub_results"]),
        unchecked=tuple(str(part) for part in entry["unchecked"]),
        held_back=str(entry.get("held_back", "")),
        added=tuple(str(key) for key in entry.get("added", ())),
        missing=_missing(entry.get("missing")),
        grade=_grade(entry.get("grade")),
        language=str(entry.get("language", "")),
        translation=str(entry.get("translation", "")),
    )


def _missing(entry: Mapping[str, Any] | None) -> Missing | None:
    """Read what was missing; older versions wrote none."""
    if not entry:
        return None
    sources = tuple(Unasked(str(source["source"]), Why(source["why"])) for source in entry["not_asked"])
    return Missing(tuple(str(line) for line in entry["sought"]), sources)


def _grade(entry: Mapping[str, Any] | None) -> Grade | None:
    """Read the grade; older versions wrote none."""
    if not entry:
        return None
    return Grade(float(entry["level"]), int(entry["n"]), int(entry["errors"]), float(entry["bound"]))


def _steps(lines: Sequence[str], milliseconds: Sequence[float]) -> tuple[Step, ...]:
    """Read the steps; older versions wrote no time per step."""
    found = []
    for line, time in zip(lines, chain(milliseconds, repeat(0.0)), strict=False):
        stage, _, message = line.partition(": ")
        found.append(Step(Stage(stage), message, float(time) / 1000))
    return tuple(found)


def _part(part: Mapping[str, Any]) -> PartResult:
    """Read a part; older versions did not list its evidence."""
    numbers = tuple(int(number) for number in part["citations"])
    found = tuple(
        PartEvidence(int(piece["number"]), None if piece["stance"] is None else StanceLabel(piece["stance"]))
        for piece in part.get("evidence", ())
    )
    return PartResult(
        str(part["claim"]), Verdict(part["verdict"]), float(part["confidence"]), Tier(part["tier"]), numbers, found
    )


def _citation(citation: Mapping[str, Any]) -> Citation:
    return Citation(
        int(citation["number"]),
        str(citation["quote"]),
        int(citation["start"]),
        int(citation["end"]),
        str(citation["source"]),
        str(citation["title"]),
    )


def _moment(written: str | None) -> datetime | None:
    """Read a time; older versions wrote fewer."""
    return datetime.fromisoformat(written) if written else None


def _evidence(piece: Mapping[str, Any]) -> Evidence:
    shares, publisher = piece["stance_probabilities"], publisher_of(str(piece["source"]))
    return Evidence(
        text=str(piece["text"]),
        source=str(piece["source"]),
        title=str(piece["title"]),
        origin=Origin(piece["origin"]),
        source_type=SourceType(piece["source_type"]),
        credibility=float(piece["source_credibility"]),
        domain=str(piece["domain"]),
        voice=publisher.voice,
        listed=publisher.listed,
        published_at=_moment(piece["published_at"]),
        record_id=str(piece["id"]),
        similarity=float(piece["similarity"]),
        relevance=float(piece["relevance"]),
        score=float(piece["score"]),
        stance=Stance(*(float(shares[name]) for name in ("supports", "refutes", "neutral"))) if shares else None,
        rating=str(piece["rating"]),
        note=str(piece["note"]),
        also=tuple(str(domain) for domain in piece["also_reported_by"]),
        retrieved_at=_moment(piece.get("retrieved_at")),
        standing=Standing(piece.get("standing", Standing.AS_STORED)),
        looked_at=_moment(piece.get("looked_at")),
    )
