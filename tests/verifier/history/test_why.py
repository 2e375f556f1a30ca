"""Why a verdict changed: the comparison by itself, and over a real store that grows and shrinks between two checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from errors import InputError, StoreError
from kb.record import EvidenceRecord, NewEvidence, make_record
from kb.store.evidence_store import TABLE, EvidenceStore
from tests.verifier.report.report_cases import evidence, result
from verifier.__main__ import main
from verifier.history.change import change_to_dict, change_to_text
from verifier.history.kept import find_check
from verifier.history.log import VerificationLog
from verifier.history.why import Cause, Gain, Loss, Records, compare, look_up, pieces_of, why, why_between
from verifier.schema import Citation, Evidence, Stance, Verdict, VerificationResult
from verifier.serve.checker import Checker
from verifier.settings import Settings

CLAIM = "The Tarnwick Bridge opened in 1932."
TEXTS = [
    NewEvidence("The Tarnwick Bridge opened to traffic in May 1932.", "https://www.reuters.com/tarnwick", "Tarnwick"),
    NewEvidence("Tarnwick Bridge was opened in 1932 by the mayor.", "https://apnews.com/bridge", "A bridge"),
]
THEN = datetime(2026, 11, 1, 12, tzinfo=UTC)
NOW = THEN + timedelta(days=3)
SUPPORTS, REFUTES = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
RECORD = make_record(TEXTS[0])
PIECE = replace(evidence(RECORD.text, RECORD.source, "Tarnwick"), record_id=RECORD.id, stance=SUPPORTS, credibility=0.9)
OTHER = evidence("A third text.", "https://a.example/", "")


def check(at: datetime, verdict: Verdict, *found: Evidence, cited: tuple[int, ...] = (1,)) -> VerificationResult:
    """A check of the claim by this evidence."""
    quoted = tuple(Citation(number, "", 0, 0, "", "") for number in cited if number <= len(found))
    return result(
        checked_at=at, original_claim=CLAIM, verdict=verdict, evidence=found, citations=quoted, store_version=17
    )


OLD = check(THEN, Verdict.NOT_ENOUGH_EVIDENCE)
NEW = check(NOW, Verdict.TRUE, PIECE)


def stored(at: datetime, expires: datetime | None = None) -> dict[str, EvidenceRecord]:
    return {RECORD.id: replace(RECORD, timestamp=at, expires_at=expires)}


def test_a_new_piece_is_told_by_when_it_was_stored() -> None:
    for then, now, how in (
        ({}, stored(NOW), Gain.ADDED),
        ({}, stored(THEN - timedelta(days=9)), Gain.ADDED),  # a backup that was restored
        (stored(THEN), stored(THEN), Gain.THERE_BEFORE),
        (None, stored(NOW), Gain.ADDED),
        (None, stored(THEN - timedelta(days=1)), Gain.THERE_BEFORE),
        (None, {}, Gain.UNKNOWN),
    ):
        change = compare(OLD, NEW, Records(then, now))
        assert [(gained.piece.evidence, gained.how) for gained in change.gained] == [(PIECE, how)], (then, now)
        assert change.turned and not change.lost and not change.shifted


def test_a_lost_piece_is_told_by_what_became_of_its_record() -> None:
    later = NOW + timedelta(hours=1)
    for then, now, how in (
        (stored(THEN), {}, Loss.DELETED),
        (None, {}, Loss.DELETED),
        (stored(THEN, NOW - timedelta(hours=1)), {}, Loss.EXPIRED),
        (None, stored(THEN, NOW - timedelta(hours=1)), Loss.EXPIRED),
        (stored(THEN, later), stored(THEN, later), Loss.NOT_KEPT),
        (stored(THEN), stored(THEN), Loss.NOT_KEPT),
    ):
        change = compare(replace(NEW, checked_at=THEN), replace(OLD, checked_at=NOW), Records(then, now))
        assert [(lost.piece.evidence, lost.how) for lost in change.lost] == [(PIECE, how)], (then, now)


def test_what_is_seen_differently_is_named() -> None:
    old, records = check(THEN, Verdict.TRUE, PIECE), Records(stored(THEN), stored(THEN))
    for new, told in (
        (check(NOW, Verdict.TRUE, replace(PIECE, stance=REFUTES)), "stance: supports then, refutes now"),
        (check(NOW, Verdict.TRUE, replace(PIECE, stance=None)), "stance: supports then, not judged now"),
        (check(NOW, Verdict.TRUE, replace(PIECE, credibility=0.5)), "credibility: 0.90 then, 0.50 now"),
        (check(NOW, Verdict.TRUE, OTHER, PIECE, cited=(2,)), "place: [1] then, [2] now"),
        (check(NOW, Verdict.TRUE, PIECE, cited=()), "cited: yes then, no now"),
    ):
        change = compare(old, new, records)
        after = pieces_of(new)[-1]
        assert [(shift.then, shift.now) for shift in change.shifted] == [(pieces_of(old)[0], after)], told
        text = change_to_text(change)
        assert f"Seen differently:\n[{after.number}]" in text and f"\n    {told}" in text


def test_the_same_evidence_and_verdict_make_no_difference() -> None:
    piece = replace(PIECE, record_id="")
    old = check(THEN, Verdict.TRUE, piece)
    change = compare(old, check(NOW, Verdict.TRUE, replace(piece, credibility=0.902, relevance=4.1)), Records({}, {}))
    assert (change.gained, change.lost, change.shifted, change.cause) == ((), (), (), None)
    assert "The verdict is the same.\nThe evidence is the same." in change_to_text(change)


def test_the_cause_is_told_by_the_verdict_of_today_by_the_store_of_then() -> None:
    for replayed, cause, told in (
        (Verdict.NOT_ENOUGH_EVIDENCE, Cause.STORE, "the verdict is still Not Enough Evidence"),
        (Verdict.TRUE, Cause.JUDGEMENT, "the evidence of then would be judged true today: what changed is not"),
        (Verdict.FALSE, Cause.BOTH, "the verdict is False: both the evidence"),
        (None, Cause.UNKNOWN, "it is not certain"),
    ):
        change = replace(compare(OLD, NEW, Records({}, stored(NOW))), replayed=replayed)
        assert change.cause is cause and change_to_dict(change)["cause"] == cause.value
        assert told.lower() in " ".join(change_to_text(change).split()).lower()


def test_a_turn_without_a_difference_in_the_evidence_is_one_of_judgement() -> None:
    assert compare(check(THEN, Verdict.FALSE, PIECE), NEW, Records(None, {})).cause is Cause.JUDGEMENT


def test_checks_of_two_claims_are_refused() -> None:
    with pytest.raises(InputError, match="of different claims, 'The Tarnwick .* and 'It rains.'"):
        compare(OLD, replace(NEW, original_claim="It rains."), Records({}, {}))


@pytest.fixture
def checker(settings: Settings) -> Iterator[Checker]:
    yield (made := Checker(settings))
    made.close()


def logged(settings: Settings) -> list[str]:
    """The session ids in the log."""
    return [entry["session_id"] for entry in VerificationLog(settings.log_path, 90).entries()]


def test_a_verdict_turns_when_records_come_and_turns_back_when_they_go(
    checker: Checker, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = checker.store
    assert store is not None
    first = checker.verify(CLAIM)
    assert first.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    ids = store.add(TEXTS).ids
    change = why(find_check(settings, first.session_id), checker)
    assert (change.old.verdict, change.new.verdict) == (Verdict.NOT_ENOUGH_EVIDENCE, Verdict.TRUE)
    assert change.cause is Cause.STORE and change.replayed is Verdict.NOT_ENOUGH_EVIDENCE
    added = {gained.piece.evidence.record_id: gained for gained in change.gained}
    assert set(ids) <= added.keys() and {added[key].how for key in ids} == {Gain.ADDED}
    assert added[ids[0]].since == store.get(ids[:1])[0].timestamp
    text = change_to_text(change)
    assert "The verdict turned.\nJudged again by the store as it was then" in text
    assert "    The Tarnwick Bridge opened to traffic in May 1932.\n    https://www.reuters.com/tarnwick\n" in text
    _replays(checker, settings, str(first.store_version))
    _tells_what_is_lost(checker, change.new, ids)
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


def _tells_what_is_lost(checker: Checker, second: VerificationResult, ids: tuple[str, ...]) -> None:
    import lancedb

    lancedb.connect(checker.settings.kb_uri).open_table(TABLE).delete(f"id = '{ids[0]}'")
    change = why(second, checker)
    assert {lost.piece.evidence.record_id: lost.how for lost in change.lost}[ids[0]] is Loss.DELETED
    assert "No longer among the evidence:\n" in change_to_text(change)
    assert "    no longer in the store" in change_to_text(change)


def _compares_two_by_the_command_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIFIER_LOG_PATH", str(settings.log_path))
    first, second = logged(settings)[:2]
    assert main(["why", second[:13], first, "--json", "--kb", settings.kb_uri]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["then"]["verdict"], told["now"]["verdict"]) == ("Not Enough Evidence", "True")
    assert told["turned"] and told["cause"] == "unknown" and {piece["how"] for piece in told["came"]} >= {"added"}
    assert main(["log", "show"]) == 0 and first[:8] in capsys.readouterr().out


def test_a_check_of_given_texts_has_no_store_to_blame(checker: Checker, settings: Settings) -> None:
    found = checker.verify(CLAIM, TEXTS)
    assert checker.store is not None and logged(settings) == [found.session_id]
    with pytest.raises(InputError, match="judged by given texts alone"):
        why(found, checker)
    with pytest.raises(InputError, match="judged by given texts alone"):
        why_between(found, found, checker.store)


def test_a_version_that_is_gone_or_of_another_store_is_not_compared_with(store: EvidenceStore) -> None:
    (key,) = store.add(TEXTS[:1]).ids
    piece = replace(PIECE, record_id=key)
    now = replace(OLD, checked_at=datetime.now(UTC), store_version=store.version)
    records, past = look_up(store, now, [piece, replace(piece, record_id="")])
    assert past is not None and past.version == now.store_version
    assert records.then is not None and records.then.keys() == records.now.keys() == {key}
    for foreign in (replace(now, store_version=10**6), replace(now, checked_at=THEN - timedelta(days=9_999))):
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
