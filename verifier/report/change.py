"""Why a verdict changed, as JSON and as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from verifier.why import Arrival, Came, Cause, Change, Departure, Piece, Shift, Snapshot, Went

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
_CAME = {
    Came.ADDED: "added to the store since then",
    Came.THERE_BEFORE: "in the store before, but not kept by the earlier check",
    Came.UNKNOWN: "not in the store today, so it is not known since when it was there",
}
_WENT = {
    Went.DELETED: "no longer in the store",
    Went.EXPIRED: "expired",
    Went.NOT_KEPT: "not kept by the later check",
}


def change_to_dict(change: Change) -> dict[str, Any]:
    """The change as plain values."""
    return {
        "claim": change.new.claim,
        "turned": change.turned,
        "cause": str(change.cause) if change.cause else None,
        "replayed_verdict": str(change.replayed) if change.replayed else None,
        "then": _check(change.old),
        "now": _check(change.new),
        "came": [_piece(arrival.piece) | _how(arrival) for arrival in change.came],
        "went": [_piece(departure.piece) | {"how": str(departure.how)} for departure in change.went],
        "shifted": [{"then": _piece(shift.then), "now": _piece(shift.now)} for shift in change.shifted],
    }


def _check(check: Snapshot) -> dict[str, Any]:
    return {
        "session_id": check.session_id,
        "checked_at": check.checked_at.isoformat(),
        "store_version": check.store_version,
        "verdict": str(check.verdict),
        "confidence": check.confidence,
        "tier": str(check.tier),
    }


def _piece(piece: Piece) -> dict[str, Any]:
    return {
        "number": piece.number,
        "id": piece.record_id,
        "text": piece.text,
        "source": piece.source,
        "title": piece.title,
        "domain": piece.domain,
        "stance": str(piece.stance) if piece.stance else None,
        "source_credibility": piece.credibility,
        "relevance": piece.relevance,
        "cited": piece.cited,
    }


def _how(arrival: Arrival) -> dict[str, Any]:
    return {"how": str(arrival.how), "since": arrival.since.isoformat() if arrival.since else None}


def change_to_text(change: Change) -> str:
    """Verdict then and now, what made the difference, and each piece that came, went or is seen differently."""
    old, new = change.old, change.new
    lines = [
        f"Claim: {new.claim}",
        f"Then:  {_told(old)}",
        f"Now:   {_told(new)}",
        "",
        "The verdict turned." if change.turned else "The verdict is the same.",
    ]
    if change.cause:
        words = _CAUSES[change.cause].format(old=old.verdict, new=new.verdict, replayed=change.replayed)
        lines += textwrap.wrap(words, _WIDTH)
    for title, parts in (
        ("New among the evidence:", [_arrived(arrival) for arrival in change.came]),
        ("No longer among the evidence:", [_departed(departure) for departure in change.went]),
        ("Seen differently:", [_shifted(shift) for shift in change.shifted]),
    ):
        lines += ["", title, *(line for part in parts for line in part)] if parts else []
    if not (change.came or change.went or change.shifted):
        lines += ["The evidence is the same."]
    return "\n".join(lines)


def _told(check: Snapshot) -> str:
    by = f"version {check.store_version} of the store, {check.checked_at:%Y-%m-%d %H:%M} UTC"
    return f"{check.verdict}, confidence {check.confidence:.2f} ({check.tier}), by {by}"


def _arrived(arrival: Arrival) -> list[str]:
    day = f" ({arrival.since:%Y-%m-%d %H:%M} UTC)" if arrival.since and arrival.how is Came.ADDED else ""
    return [*_shown(arrival.piece), f"    {_CAME[arrival.how]}{day}"]


def _departed(departure: Departure) -> list[str]:
    return [*_shown(departure.piece), f"    {_WENT[departure.how]}"]


def _shifted(shift: Shift) -> list[str]:
    return [*_shown(shift.now), *(f"    {difference}" for difference in _differences(shift.then, shift.now))]


def _shown(piece: Piece) -> list[str]:
    cited = ", cited" if piece.cited else ""
    head = f"[{piece.number}] {piece.stance or 'not judged'}{cited}: {piece.title or piece.domain or 'no source'}"
    words = textwrap.shorten(piece.text, _WORDS, placeholder=" …")
    text = textwrap.wrap(words, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return [head, *text, *([f"    {piece.source}"] if piece.source else [])]


def _differences(then: Piece, now: Piece) -> Iterator[str]:
    if then.stance is not now.stance:
        yield f"stance: {then.stance or 'not judged'} then, {now.stance or 'not judged'} now"
    if f"{then.credibility:.2f}" != f"{now.credibility:.2f}":
        yield f"credibility: {then.credibility:.2f} then, {now.credibility:.2f} now"
    if then.number != now.number:
        yield f"place: [{then.number}] then, [{now.number}] now"
    if then.cited is not now.cited:
        yield f"cited: {'yes' if then.cited else 'no'} then, {'yes' if now.cited else 'no'} now"
