"""Explain why a verdict changed: evidence that two checks do not share, or judge differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from errors import InputError
from kb.record import EvidenceRecord
from verifier.schema import Evidence, StanceLabel, Verdict, VerificationResult

if TYPE_CHECKING:
    from kb.store.evidence_store import EvidenceStore
    from kb.store.versions import StoreAsOf
    from verifier.check.pipeline import Verifier
    from verifier.serve.checker import Checker

_SAME = 0.005
"""Credibilities that differ by less are shown as the same."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence in one check: its number, from 1, and whether quoted."""

    number: int
    evidence: Evidence
    cited: bool

    @property
    def key(self) -> str:
        """Identifies a piece across checks: its record, or the text without one."""
        return self.evidence.record_id or self.evidence.text

    @property
    def stance(self) -> StanceLabel | None:
        """What it says about the claim; None if it was not judged."""
        return self.evidence.stance.label if self.evidence.stance else None


class Gain(StrEnum):
    """Why a piece is only in the later check's evidence."""

    ADDED = "added"
    THERE_BEFORE = "there before"
    UNKNOWN = "unknown"


class Loss(StrEnum):
    """Why a piece is only in the earlier check's evidence."""

    DELETED = "deleted"
    EXPIRED = "expired"
    NOT_KEPT = "not kept"


class Cause(StrEnum):
    """What changed a verdict, as far as is known."""

    STORE = "store"
    JUDGEMENT = "judgement"
    BOTH = "both"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Gained:
    """A piece only in the later check; `since`: when its record was stored."""

    piece: Piece
    how: Gain
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Lost:
    """A piece only in the earlier check."""

    piece: Piece
    how: Loss


@dataclass(frozen=True, slots=True)
class Shift:
    """A piece in both checks that they judge differently."""

    then: Piece
    now: Piece


@dataclass(frozen=True, slots=True)
class Records:
    """The pieces' stored records, by id: at the earlier check (None: not kept), and today."""

    then: Mapping[str, EvidenceRecord] | None
    now: Mapping[str, EvidenceRecord]


@dataclass(frozen=True, slots=True)
class Change:
    """Two checks of one claim, compared.

    `replayed`: today's verdict with the earlier check's store, if computed.
    """

    old: VerificationResult
    new: VerificationResult
    gained: tuple[Gained, ...]
    lost: tuple[Lost, ...]
    shifted: tuple[Shift, ...]
    replayed: Verdict | None = None

    @property
    def turned(self) -> bool:
        """Whether the verdicts differ."""
        return self.old.verdict is not self.new.verdict

    @property
    def cause(self) -> Cause | None:
        """What changed the verdict; None if it is the same."""
        if not self.turned:
            return None
        if self.replayed is not None:
            known = {self.old.verdict: Cause.STORE, self.new.verdict: Cause.JUDGEMENT}
            return known.get(self.replayed, Cause.BOTH)
        return Cause.UNKNOWN if self.gained or self.lost or self.shifted else Cause.JUDGEMENT


def pieces_of(check: VerificationResult) -> list[Piece]:
    """List a check's evidence, in its order."""
    cited = {citation.number for citation in check.citations}
    return [Piece(number, found, number in cited) for number, found in enumerate(check.evidence, start=1)]


def compare(old: VerificationResult, new: VerificationResult, records: Records) -> Change:
    """Compare two checks of one claim, the earlier one first.

    Raises:
        InputError: they are checks of two claims.
    """
    if old.original_claim != new.original_claim:
        raise InputError(
            f"the two checks are of different claims, {old.original_claim[:60]!r} and {new.original_claim[:60]!r}; give two of one claim"
        )
    before = {piece.key: piece for piece in pieces_of(old)}
    after = {piece.key: piece for piece in pieces_of(new)}
    gained = tuple(_gained(piece, old, records) for key, piece in after.items() if key not in before)
    lost = tuple(_lost(piece, new, records) for key, piece in before.items() if key not in after)
    both = (Shift(before[key], piece) for key, piece in after.items() if key in before)
    return Change(old, new, gained, lost, tuple(shift for shift in both if _differ(shift.then, shift.now)))


def _gained(piece: Piece, old: VerificationResult, records: Records) -> Gained:
    key = piece.evidence.record_id
    record = records.now.get(key)
    since = record.timestamp if record else None
    if records.then is not None and key:
        how = Gain.THERE_BEFORE if key in records.then else Gain.ADDED
    elif since is not None:
        how = Gain.ADDED if since > old.checked_at else Gain.THERE_BEFORE
    else:
        how = Gain.UNKNOWN
    return Gained(piece, how, since)


def _lost(piece: Piece, new: VerificationResult, records: Records) -> Lost:
    key = piece.evidence.record_id
    record = records.now.get(key)
    known = record or (records.then or {}).get(key)
    if known is not None and known.expires_at is not None and known.expires_at <= new.checked_at:
        return Lost(piece, Loss.EXPIRED)
    return Lost(piece, Loss.NOT_KEPT if record or not key else Loss.DELETED)


def _differ(then: Piece, now: Piece) -> bool:
    if abs(then.evidence.credibility - now.evidence.credibility) >= _SAME:
        return True
    return (then.stance, then.number, then.cited) != (now.stance, now.number, now.cited)


def look_up(
    store: EvidenceStore, old: VerificationResult, evidence: Sequence[Evidence]
) -> tuple[Records, StoreAsOf | None]:
    """Look up the evidence's records, then and now, and the earlier check's store.

    The store is None if that version is no longer kept.

    Raises:
        StoreError: the store cannot be read.
    """
    ids = sorted({piece.record_id for piece in evidence if piece.record_id})
    now = {record.id: record for record in store.get(ids)}
    try:
        past = store.as_of(str(old.store_version))
    except InputError:
        return Records(None, now), None
    if past.kept.at > old.checked_at:  # a recreated store counts its versions from one
        return Records(None, now), None
    return Records({record.id: record for record in past.get(ids)}, now), past


def why(old: VerificationResult, checker: Checker) -> Change:
    """Check an earlier check's claim again, and compare.

    If the verdict changed, also judge it with the earlier store.

    Raises:
        InputError: that check used no store, or there is none now.
        ModelError, StoreError: as for any check.
    """
    _store_of(old, checker)
    return why_now(old, checker.verify(old.original_claim), checker)


def why_now(
    old: VerificationResult, new: VerificationResult, checker: Checker, verifier: Verifier | None = None
) -> Change:
    """Compare an earlier check with one made just now.

    If the verdict changed, also judge it with the earlier store. `verifier` then replaces the checker's own.

    Raises:
        InputError: they are of different claims, the earlier one used no store, or there is none now.
        ModelError, StoreError: as for any check.
    """
    records, past = look_up(_store_of(old, checker), old, (*old.evidence, *new.evidence))
    change = compare(old, new, records)
    if not change.turned or past is None:
        return change
    return replace(change, replayed=checker.replay(old.original_claim, str(past.version), verifier).verdict)


def why_between(earlier: VerificationResult, later: VerificationResult, store: EvidenceStore) -> Change:
    """Compare two earlier checks, in either order; nothing is checked again.

    Raises:
        InputError: they are of different claims, or one used no store.
        StoreError: the store cannot be read.
    """
    old, new = sorted((earlier, later), key=lambda check: check.checked_at)
    _check_store_asked(old)
    _check_store_asked(new)
    return compare(old, new, look_up(store, old, (*old.evidence, *new.evidence))[0])


def _store_of(old: VerificationResult, checker: Checker) -> EvidenceStore:
    """Return the store with which an earlier check can be repeated."""
    _check_store_asked(old)
    if checker.store is None:
        raise InputError("the check cannot be repeated without a store")
    return checker.store


def _check_store_asked(check: VerificationResult) -> None:
    if check.store_version is None:
        raise InputError(
            f"the check {check.session_id[:40]} was judged by given texts alone, so no store has changed it"
        )
