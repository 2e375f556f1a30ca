"""Why a verdict changed: what came into the evidence between two checks of a claim, what went, and what is judged otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from errors import InputError
from kb.record import EvidenceRecord
from verifier.report.as_json import result_to_dict
from verifier.schema import StanceLabel, Tier, Verdict

if TYPE_CHECKING:
    from kb.store import EvidenceStore
    from kb.versions import StoreAsOf
    from verifier.service import Checker

_SAME = 0.005
"""Credibilities nearer to each other than this are shown as the same."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence as a check showed it; `number` is its place, from 1. `record_id` is empty outside of the store."""

    number: int
    record_id: str
    text: str
    source: str
    title: str
    domain: str
    stance: StanceLabel | None
    credibility: float
    relevance: float
    cited: bool

    @property
    def key(self) -> str:
        """What makes two pieces of two checks the same."""
        return self.record_id or self.text


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is left of a check in the log, as far as it is compared. `store_version` is None where no store was asked."""

    session_id: str
    checked_at: datetime
    claim: str
    verdict: Verdict
    confidence: float
    tier: Tier
    store_version: int | None
    pieces: tuple[Piece, ...]


class Came(StrEnum):
    """How a piece came to be among the evidence that is kept."""

    ADDED = "added"
    THERE_BEFORE = "there before"
    UNKNOWN = "unknown"


class Went(StrEnum):
    """Why a piece is no longer among the evidence that is kept."""

    DELETED = "deleted"
    EXPIRED = "expired"
    NOT_KEPT = "not kept"


class Cause(StrEnum):
    """What changed a verdict, as far as it can be told."""

    STORE = "store"
    JUDGEMENT = "judgement"
    BOTH = "both"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A piece that only the later check keeps; `since`: when its record was stored."""

    piece: Piece
    how: Came
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Departure:
    """A piece that only the earlier check kept."""

    piece: Piece
    how: Went


@dataclass(frozen=True, slots=True)
class Shift:
    """A piece that both checks keep, and see differently."""

    then: Piece
    now: Piece


@dataclass(frozen=True, slots=True)
class Records:
    """What the store knows of the pieces: by id, as it was at the earlier check (None: no longer kept), and as it is."""

    then: Mapping[str, EvidenceRecord] | None
    now: Mapping[str, EvidenceRecord]


@dataclass(frozen=True, slots=True)
class Change:
    """Two checks of one claim, compared. `replayed`: the verdict of today by the store of then, where that was asked."""

    old: Snapshot
    new: Snapshot
    came: tuple[Arrival, ...]
    went: tuple[Departure, ...]
    shifted: tuple[Shift, ...]
    replayed: Verdict | None = None

    @property
    def turned(self) -> bool:
        """Whether the verdict is another one."""
        return self.old.verdict is not self.new.verdict

    @property
    def cause(self) -> Cause | None:
        """What turned the verdict; None where it is the same."""
        if not self.turned:
            return None
        if self.replayed is not None:
            known = {self.old.verdict: Cause.STORE, self.new.verdict: Cause.JUDGEMENT}
            return known.get(self.replayed, Cause.BOTH)
        return Cause.UNKNOWN if self.came or self.went or self.shifted else Cause.JUDGEMENT


def snapshot(entry: Mapping[str, Any]) -> Snapshot:
    """A check from its entry in the log, or from its result as JSON.

    Raises:
        InputError: a field is missing or holds something else.
    """
    try:
        cited = {citation["number"] for citation in entry["citations"]}
        version = entry["store_version"]
        return Snapshot(
            session_id=str(entry["session_id"]),
            checked_at=datetime.fromisoformat(entry["checked_at"]).astimezone(UTC),
            claim=str(entry["original_claim"]),
            verdict=Verdict(entry["verdict"]),
            confidence=float(entry["confidence"]),
            tier=Tier(entry["tier"]),
            store_version=None if version is None else int(version),
            pieces=tuple(_piece(piece, piece["number"] in cited) for piece in entry["evidence"]),
        )
    except (KeyError, TypeError, ValueError) as exc:
        session = str(entry.get("session_id", ""))[:40]
        raise InputError(
            f"the log's entry of the check {session!r} cannot be used ({exc!r}); check the claim anew"
        ) from exc


def _piece(piece: Mapping[str, Any], cited: bool) -> Piece:
    words = {name: str(piece[name]) for name in ("text", "source", "title", "domain")}
    stance = piece["stance"]
    return Piece(
        number=int(piece["number"]),
        record_id=str(piece["id"]),
        stance=StanceLabel(stance) if stance else None,
        credibility=float(piece["source_credibility"]),
        relevance=float(piece["relevance"]),
        cited=cited,
        **words,
    )


def compare(old: Snapshot, new: Snapshot, records: Records) -> Change:
    """What lies between two checks of one claim, the earlier one first.

    Raises:
        InputError: they are checks of two claims.
    """
    if old.claim != new.claim:
        raise InputError(
            f"the two checks are of different claims, {old.claim[:60]!r} and {new.claim[:60]!r}; give two of one claim"
        )
    before = {piece.key: piece for piece in old.pieces}
    after = {piece.key: piece for piece in new.pieces}
    came = (_arrival(piece, old, records) for key, piece in after.items() if key not in before)
    went = (_departure(piece, new, records) for key, piece in before.items() if key not in after)
    both = (Shift(before[key], piece) for key, piece in after.items() if key in before)
    shifted = tuple(shift for shift in both if _differ(shift.then, shift.now))
    return Change(old, new, tuple(came), tuple(went), shifted)


def _arrival(piece: Piece, old: Snapshot, records: Records) -> Arrival:
    record = records.now.get(piece.record_id)
    since = record.timestamp if record else None
    if records.then is not None and piece.record_id:
        how = Came.THERE_BEFORE if piece.record_id in records.then else Came.ADDED
    elif since is not None:
        how = Came.ADDED if since > old.checked_at else Came.THERE_BEFORE
    else:
        how = Came.UNKNOWN
    return Arrival(piece, how, since)


def _departure(piece: Piece, new: Snapshot, records: Records) -> Departure:
    record = records.now.get(piece.record_id)
    known = record or (records.then or {}).get(piece.record_id)
    if known is not None and known.expires_at is not None and known.expires_at <= new.checked_at:
        return Departure(piece, Went.EXPIRED)
    return Departure(piece, Went.NOT_KEPT if record or not piece.record_id else Went.DELETED)


def _differ(then: Piece, now: Piece) -> bool:
    if abs(then.credibility - now.credibility) >= _SAME:
        return True
    return (then.stance, then.number, then.cited) != (now.stance, now.number, now.cited)


def look_up(store: EvidenceStore, old: Snapshot, pieces: Sequence[Piece]) -> tuple[Records, StoreAsOf | None]:
    """The records behind the pieces, then and now, and the store of then, where that version is still kept.

    Raises:
        StoreError: the store cannot be read.
    """
    ids = sorted({piece.record_id for piece in pieces if piece.record_id})
    now = {record.id: record for record in store.get(ids)}
    try:
        past = store.as_of(str(old.store_version))
    except InputError:
        return Records(None, now), None
    if past.kept.at > old.checked_at:  # a store that was made anew began its numbers anew
        return Records(None, now), None
    return Records({record.id: record for record in past.get(ids)}, now), past


def why(entry: Mapping[str, Any], checker: Checker) -> Change:
    """Check the claim of an entry of the log again, and compare; where the verdict turned, judge it by the store of then too.

    Raises:
        InputError: the entry cannot be used, or no store was asked in that check.
        ModelError, StoreError: as for any check.
    """
    old = _by_store(snapshot(entry))
    if checker.store is None:
        raise InputError("the check cannot be repeated without a store")
    new = snapshot(result_to_dict(checker.verify(old.claim)))
    records, past = look_up(checker.store, old, (*old.pieces, *new.pieces))
    change = compare(old, new, records)
    if not change.turned or past is None:
        return change
    return replace(change, replayed=checker.replay(old.claim, str(past.version)).verdict)


def why_between(earlier: Mapping[str, Any], later: Mapping[str, Any], store: EvidenceStore) -> Change:
    """Compare two entries of the log, in whichever order they are given; nothing is checked.

    Raises:
        InputError: an entry cannot be used, they are of different claims, or no store was asked.
        StoreError: the store cannot be read.
    """
    old, new = sorted((_by_store(snapshot(earlier)), _by_store(snapshot(later))), key=lambda check: check.checked_at)
    return compare(old, new, look_up(store, old, (*old.pieces, *new.pieces))[0])


def _by_store(check: Snapshot) -> Snapshot:
    if check.store_version is None:
        raise InputError(
            f"the check {check.session_id[:40]} was judged by given texts alone, so no store has changed it"
        )
    return check
