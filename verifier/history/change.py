"""Write why a verdict changed, as JSON and as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from verifier.history.why import Cause, Change, Gain, Gained, Loss, Lost, Piece, Shift
from verifier.schema import VerificationResult

_WIDTH = 100
_WORDS = 160
_CAUSES = {
    Cause.STORE: "Judged again by the store as it was then, the verdict is still {old}: what changed it lies in the evidence.",
    Cause.JUDGEMENT: "The evidence of then would be judged {new} today: what changed is not the evidence but how it is judged "
    "(a model, a setting, or your lists of domains).",
    Cause.BOTH: "Judged again by the store as it was then, the verdict is {replayed}: both the evidence and how it is judged "
    "have changed.",
    Cause.UNKNOWN: "The state of the store that the earlier check read was not judged again, so it is not certain that the "
    "evidence alone changed the verdict.",
}
_GAINED = {
    Gain.ADDED: "added to the store since then",
    Gain.THERE_BEFORE: "in the store before, but not kept by the earlier check",
    Gain.UNKNOWN: "not in the store today, so it is not known since when it was there",
}
_LOST = {
    Loss.DELETED: "no longer in the store",
    Loss.EXPIRED: "expired",
    Loss.NOT_KEPT: "not kept by the later check",
}


def change_to_dict(change: Change) -> dict[str, Any]:
    """Write the change as plain values."""
    return {
        "claim": change.new.original_claim,
        "turned": change.turned,
        "cause": str(change.cause) if change.cause else None,
        "replayed_verdict": str(change.replayed) if change.replayed else None,
        "then": _check(change.old),
        "now": _check(change.new),
        "came": [_piece(gained.piece) | _how(gained) for gained in change.gained],
        "went": [_piece(lost.piece) | {"how": str(lost.how)} for lost in change.lost],
        "shifted": [{"then": _piece(shift.then), "now": _piece(shift.now)} for shift in change.shifted],
    }


def _check(check: VerificationResult) -> dict[str, Any]:
    return {
        "session_id": check.session_id,
        "checked_at": check.checked_at.isoformat(),
        "store_version": check.store_version,
        "verdict": str(check.verdict),
        "confidence": check.confidence,
        "tier": str(check.tier),
    }


def _piece(piece: Piece) -> dict[str, Any]:
    found = piece.evidence
    return {
        "number": piece.number,
        "id": found.record_id,
        "text": found.text,
        "source": found.source,
        "title": found.title,
        "domain": found.domain,
        "stance": str(piece.stance) if piece.stance else None,
        "source_credibility": round(found.credibility, 3),
        "relevance": round(found.relevance, 4),
        "cited": piece.cited,
    }


def _how(gained: Gained) -> dict[str, Any]:
    return {"how": str(gained.how), "since": gained.since.isoformat() if gained.since else None}


def change_to_text(change: Change) -> str:
    """Write the change for a terminal: verdicts, cause, and each piece of evidence that differs."""
    old, new = change.old, change.new
    lines = [
        f"Claim: {new.original_claim}",
        f"Then:  {_told(old)}",
        f"Now:   {_told(new)}",
        "",
        "The verdict turned." if change.turned else "The verdict is the same.",
    ]
    if change.cause:
        words = _CAUSES[change.cause].format(old=old.verdict, new=new.verdict, replayed=change.replayed)
        lines += textwrap.wrap(words, _WIDTH)
    for title, parts in (
        ("New among the evidence:", [_gained(gained) for gained in change.gained]),
        ("No longer among the evidence:", [_lost(lost) for lost in change.lost]),
        ("Seen differently:", [_shifted(shift) for shift in change.shifted]),
    ):
        lines += ["", title, *(line for part in parts for line in part)] if parts else []
    if not (change.gained or change.lost or change.shifted):
        lines += ["The evidence is the same."]
    return "\n".join(lines)


def _told(check: VerificationResult) -> str:
    by = f"version {check.store_version} of the store, {check.checked_at:%Y-%m-%d %H:%M} UTC"
    return f"{check.verdict}, confidence {check.confidence:.2f} ({check.tier}), by {by}"


def _gained(gained: Gained) -> list[str]:
    day = f" ({gained.since:%Y-%m-%d %H:%M} UTC)" if gained.since and gained.how is Gain.ADDED else ""
    return [*_shown(gained.piece), f"    {_GAINED[gained.how]}{day}"]


def _lost(lost: Lost) -> list[str]:
    return [*_shown(lost.piece), f"    {_LOST[lost.how]}"]


def _shifted(shift: Shift) -> list[str]:
    return [*_shown(shift.now), *(f"    {difference}" for difference in _differences(shift.then, shift.now))]


def _shown(piece: Piece) -> list[str]:
    found, cited = piece.evidence, ", cited" if piece.cited else ""
    head = f"[{piece.number}] {piece.stance or 'not judged'}{cited}: {found.title or found.domain or 'no source'}"
    words = textwrap.shorten(found.text, _WORDS, placeholder=" …")
    text = textwrap.wrap(words, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return [head, *text, *([f"    {found.source}"] if found.source else [])]


def _differences(then: Piece, now: Piece) -> Iterator[str]:
    if then.stance is not now.stance:
        yield f"stance: {then.stance or 'not judged'} then, {now.stance or 'not judged'} now"
    old, new = (f"{piece.evidence.credibility:.2f}" for piece in (then, now))
    if old != new:
        yield f"credibility: {old} then, {new} now"
    if then.number != now.number:
        yield f"place: [{then.number}] then, [{now.number}] now"
    if then.cited is not now.cited:
        yield f"cited: {'yes' if then.cited else 'no'} then, {'yes' if now.cited else 'no'} now"
