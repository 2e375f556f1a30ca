"""Why a verdict changed: the comparison by itself, and over a real store that grows and shrinks between two checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from errors import InputError, StoreError
from kb.record import EvidenceRecord, NewEvidence, make_record
from kb.store import TABLE, EvidenceStore
from verifier.__main__ import main
from verifier.log import VerificationLog
from verifier.report.change import change_to_dict, change_to_text
from verifier.schema import StanceLabel, Tier, Verdict
from verifier.service import Checker
from verifier.settings import Settings
from verifier.why import Came, Cause, Piece, Records, Snapshot, Went, compare, look_up, snapshot, why, why_between

CLAIM = "The Tarnwick Bridge opened in 1932."
TEXTS = [
    NewEvidence("The Tarnwick Bridge opened to traffic in May 1932.", "https://www.reuters.com/tarnwick", "Tarnwick"),
    NewEvidence("Tarnwick Bridge was opened in 1932 by the mayor.", "https://apnews.com/bridge", "A bridge"),
]
THEN = datetime(2026, 11, 1, 12, tzinfo=UTC)
NOW = THEN + timedelta(days=3)
RECORD = make_record(TEXTS[0])
PIECE = Piece(1, RECORD.id, RECORD.text, RECORD.source, "Tarnwick", "reuters.com", StanceLabel.SUPPORTS, 0.9, 4.0, True)
OLD = Snapshot("a", THEN, CLAIM, Verdict.NOT_ENOUGH_EVIDENCE, 0.0, Tier.LOW, 17, ())
NEW = Snapshot("b", NOW, CLAIM, Verdict.TRUE, 0.93, Tier.MEDIUM, 23, (PIECE,))


def stored(at: datetime, expires: datetime | None = None) -> dict[str, EvidenceRecord]:
    return {RECORD.id: replace(RECORD, timestamp=at, expires_at=expires)}


@pytest.mark.parametrize(
    ("then", "now", "how"),
    [
        ({}, stored(NOW), Came.ADDED),
        ({}, stored(THEN - timedelta(days=9)), Came.ADDED),  # a backup that was restored
        (stored(THEN), stored(THEN), Came.THERE_BEFORE),
        (None, stored(NOW), Came.ADDED),
        (None, stored(THEN - timedelta(days=1)), Came.THERE_BEFORE),
        (None, {}, Came.UNKNOWN),
    ],
)
def test_a_new_piece_is_told_by_when_it_came_into_the_store(
    then: dict[str, EvidenceRecord] | None, now: dict[str, EvidenceRecord], how: Came
) -> None:
    change = compare(OLD, NEW, Records(then, now))
    assert [(arrival.piece, arrival.how) for arrival in change.came] == [(PIECE, how)]
    assert change.turned and not change.went and not change.shifted


@pytest.mark.parametrize(
    ("then", "now", "how"),
    [
        (stored(THEN), {}, Went.DELETED),
        (None, {}, Went.DELETED),
        (stored(THEN, NOW - timedelta(hours=1)), {}, Went.EXPIRED),
        (None, stored(THEN, NOW - timedelta(hours=1)), Went.EXPIRED),
        (stored(THEN, NOW + timedelta(hours=1)), stored(THEN, NOW + timedelta(hours=1)), Went.NOT_KEPT),
        (stored(THEN), stored(THEN), Went.NOT_KEPT),
    ],
)
def test_a_piece_that_went_is_told_by_what_became_of_its_record(
    then: dict[str, EvidenceRecord] | None, now: dict[str, EvidenceRecord], how: Went
) -> None:
    change = compare(replace(OLD, pieces=(PIECE,)), replace(NEW, pieces=()), Records(then, now))
    assert [(departure.piece, departure.how) for departure in change.went] == [(PIECE, how)]


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (replace(PIECE, stance=StanceLabel.REFUTES), "stance: supports then, refutes now"),
        (replace(PIECE, stance=None), "stance: supports then, not judged now"),
        (replace(PIECE, credibility=0.5), "credibility: 0.90 then, 0.50 now"),
        (replace(PIECE, number=2), "place: [1] then, [2] now"),
        (replace(PIECE, cited=False), "cited: yes then, no now"),
    ],
)
def test_what_is_seen_differently_is_named(after: Piece, told: str) -> None:
    change = compare(replace(OLD, pieces=(PIECE,)), replace(NEW, pieces=(after,)), Records(stored(THEN), stored(THEN)))
    assert [(shift.then, shift.now) for shift in change.shifted] == [(PIECE, after)]
    assert f"Seen differently:\n[{after.number}]" in change_to_text(change) and f"\n    {told}" in change_to_text(
        change
    )


def test_the_same_evidence_and_verdict_make_no_difference() -> None:
    close = replace(PIECE, credibility=0.902, relevance=4.1)
    old = replace(OLD, verdict=Verdict.TRUE, pieces=(replace(PIECE, record_id=""),))
    change = compare(old, replace(NEW, pieces=(replace(close, record_id=""),)), Records({}, {}))
    assert (change.came, change.went, change.shifted, change.cause) == ((), (), (), None)
    assert "The verdict is the same.\nThe evidence is the same." in change_to_text(change)


@pytest.mark.parametrize(
    ("replayed", "cause", "told"),
    [
        (Verdict.NOT_ENOUGH_EVIDENCE, Cause.STORE, "the verdict is still Not Enough Evidence"),
        (Verdict.TRUE, Cause.JUDGEMENT, "the evidence of then would be judged true today: what changed is not"),
        (Verdict.FALSE, Cause.BOTH, "the verdict is False: both the evidence"),
        (None, Cause.UNKNOWN, "it is not certain"),
    ],
)
def test_the_cause_is_told_by_the_verdict_of_today_by_the_store_of_then(
    replayed: Verdict | None, cause: Cause, told: str
) -> None:
    change = replace(compare(OLD, NEW, Records({}, stored(NOW))), replayed=replayed)
    assert change.cause is cause
    assert told.lower() in " ".join(change_to_text(change).split()).lower()
    assert change_to_dict(change)["cause"] == cause.value


def test_a_turn_without_a_difference_in_the_evidence_is_one_of_judgement() -> None:
    assert compare(replace(OLD, pieces=(PIECE,)), NEW, Records(None, {})).cause is Cause.JUDGEMENT


def test_checks_of_two_claims_and_damaged_entries_are_refused() -> None:
    with pytest.raises(InputError, match="of different claims, 'The Tarnwick .* and 'It rains.'"):
        compare(OLD, replace(NEW, claim="It rains."), Records({}, {}))
    for entry in ({}, {"session_id": "x", "citations": 3}, {"session_id": "x", "citations": [], "store_version": "y"}):
        with pytest.raises(InputError, match="log's entry of the check .* cannot be used"):
            snapshot(entry)


def test_an_entry_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"session_id": name}) + "\n" for name in ("abcd", "abef", "xyz")))
    log = VerificationLog(path, 90)
    assert log.find("abc") == {"session_id": "abcd"} and log.find("xyz") == {"session_id": "xyz"}
    for session, reason in (("ab", "2 checks begin with 'ab'"), ("q", "there is no check 'q'"), ("", "no check ''")):
        with pytest.raises(InputError, match=f"{reason} in the log .*log show"):
            log.find(session)


@pytest.fixture
def checker(settings: Settings) -> Iterator[Checker]:
    yield (made := Checker(settings))
    made.close()


def logged(settings: Settings) -> list[dict[str, Any]]:
    return VerificationLog(settings.log_path, 90).entries()


def test_a_verdict_turns_when_records_come_and_turns_back_when_they_go(
    checker: Checker, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = checker.store
    assert store is not None
    first = checker.verify(CLAIM)
    assert first.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    ids = store.add(TEXTS).ids
    change = why(logged(settings)[0], checker)
    assert (change.old.verdict, change.new.verdict) == (Verdict.NOT_ENOUGH_EVIDENCE, Verdict.TRUE)
    assert change.cause is Cause.STORE and change.replayed is Verdict.NOT_ENOUGH_EVIDENCE
    added = {arrival.piece.record_id: arrival for arrival in change.came}
    assert set(ids) <= added.keys() and {added[key].how for key in ids} == {Came.ADDED}
    assert added[ids[0]].since == store.get(ids[:1])[0].timestamp
    text = change_to_text(change)
    assert "The verdict turned.\nJudged again by the store as it was then" in text
    assert "    The Tarnwick Bridge opened to traffic in May 1932.\n    https://www.reuters.com/tarnwick\n" in text
    _replays(checker, settings, str(first.store_version))
    _tells_what_went(checker, settings, ids)
    _compares_two_by_the_command_line(settings, monkeypatch, capsys)


def _replays(checker: Checker, settings: Settings, version: str) -> None:
    """The store of then gives the verdict of then; neither the store, nor its counts, nor the log know of it."""
    store = checker.store
    assert store is not None
    before, entries = store.version, len(logged(settings))
    store.close()
    settled = store.version
    result = checker.replay(CLAIM, version)
    store.close()
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE and str(result.store_version) == version
    assert any(f"by the store as it was on {datetime.now(UTC):%Y}" in warning for warning in result.warnings)
    assert result.warnings[-1].endswith(f"UTC, version {version}")
    assert settled >= before and store.version == settled and len(logged(settings)) == entries
    with pytest.raises(InputError, match="is not there yet; the oldest that is kept is version"):
        checker.replay(CLAIM, "999999")
    with pytest.raises(StoreError, match="there is no store to go back in"):
        checker.store = None
        try:
            checker.replay(CLAIM, version)
        finally:
            checker.store = store


def _tells_what_went(checker: Checker, settings: Settings, ids: tuple[str, ...]) -> None:
    import lancedb

    lancedb.connect(settings.kb_uri).open_table(TABLE).delete(f"id = '{ids[0]}'")
    change = why(logged(settings)[1], checker)
    assert {departure.piece.record_id: departure.how for departure in change.went}[ids[0]] is Went.DELETED
    assert "No longer among the evidence:\n" in change_to_text(change)
    assert "    no longer in the store" in change_to_text(change)


def _compares_two_by_the_command_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIFIER_LOG_PATH", str(settings.log_path))
    first, second = (entry["session_id"] for entry in logged(settings)[:2])
    assert main(["why", second[:13], first, "--json", "--kb", settings.kb_uri]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["then"]["verdict"], told["now"]["verdict"]) == ("Not Enough Evidence", "True")
    assert told["turned"] and told["cause"] == "unknown" and {piece["how"] for piece in told["came"]} >= {"added"}
    assert main(["log", "show"]) == 0 and first[:8] in capsys.readouterr().out


def test_a_check_of_given_texts_has_no_store_to_blame(checker: Checker, settings: Settings) -> None:
    checker.verify(CLAIM, TEXTS)
    (entry,) = logged(settings)
    assert checker.store is not None
    with pytest.raises(InputError, match="judged by given texts alone"):
        why(entry, checker)
    with pytest.raises(InputError, match="judged by given texts alone"):
        why_between(entry, entry, checker.store)


def test_a_version_that_is_gone_or_of_another_store_is_not_compared_with(store: EvidenceStore) -> None:
    (key,) = store.add(TEXTS[:1]).ids
    piece = replace(PIECE, record_id=key)
    check = replace(OLD, checked_at=datetime.now(UTC), store_version=store.version)
    records, past = look_up(store, check, [piece, replace(piece, record_id="")])
    assert past is not None and past.version == check.store_version
    assert records.then is not None and records.then.keys() == records.now.keys() == {key}
    for foreign in (replace(check, store_version=10**6), replace(check, checked_at=THEN - timedelta(days=9_999))):
        records, past = look_up(store, foreign, [piece])
        assert past is None and records.then is None and records.now.keys() == {key}


def test_as_of_on_the_command_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIFIER_LOG_PATH", str(settings.log_path))
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert main(["verify", CLAIM, "--as-of", today, "--json", "--kb", settings.kb_uri]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "judged by the store as it was on " in told["warnings"][-1] and logged(settings) == []
    assert main(["verify", CLAIM, "--as-of", "3", "--evidence", "notes.jsonl"]) == 2
    assert "--as-of asks the store and --evidence does not" in capsys.readouterr().err
