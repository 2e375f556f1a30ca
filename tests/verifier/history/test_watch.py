"""The list of watched claims on disk, its records, and its feed. No model is asked."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errors import InputError, StoreError
from lab.benchmarks.watch import feed_problems
from tests.verifier.report.report_cases import ATTACK, result
from verifier.history import watch
from verifier.history.watch import WatchList
from verifier.history.watch_feed import atom_feed, turned_in_words
from verifier.history.watched import Every, Standing, Turn, Watched, standing_of
from verifier.schema import Tier, Verdict, VerificationResult

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLAIM = "The Tarnwick Bridge opened in 1932."
HOME = "http://127.0.0.1:7860/"


@pytest.fixture
def kept(tmp_path: Path) -> WatchList:
    return WatchList(tmp_path / "new folder" / "watched.sqlite")


def check(number: int, verdict: Verdict = Verdict.TRUE, **changes: object) -> VerificationResult:
    """A check of the claim; each number has an id of its own."""
    session = f"00000000-0000-4000-8000-{number:012}"
    return result(session_id=session, original_claim=CLAIM, verdict=verdict, checked_at=NOW, **changes)


def test_a_claim_is_due_by_its_period_after_a_refresh_and_after_a_failure() -> None:
    hour, looked = timedelta(hours=1), NOW - timedelta(days=2)
    watched = Watched(1, CLAIM, Every.WEEK, False, looked, looked)
    for changes, refreshed, due in (
        ({}, None, False),
        ({"looked_at": None}, None, True),
        ({"error": "no memory"}, None, True),
        ({"every": Every.DAY}, None, True),
        ({"every": Every.DAY, "looked_at": NOW - 23 * hour}, None, False),
        ({"looked_at": NOW - timedelta(days=7)}, None, True),
        ({"every": Every.REFRESH, "looked_at": NOW - timedelta(days=99)}, None, False),
        ({"every": Every.REFRESH}, looked + hour, True),
        ({"every": Every.REFRESH}, looked - hour, False),
    ):
        assert replace(watched, **changes).due(NOW, refreshed) is due, (changes, refreshed)


def test_what_counts_as_a_change() -> None:
    before = Standing(Verdict.TRUE, 0.9, Tier.HIGH, "5%")
    for after, differs in (
        (replace(before, confidence=0.8), False),
        (replace(before, verdict=Verdict.FALSE), True),
        (replace(before, tier=Tier.LOW), True),
        (replace(before, grade="10%"), True),
        (replace(before, grade=""), False),  # a result of a version without grades
    ):
        assert before.differs(after) is after.differs(before) is differs, after
    left_open = Standing(Verdict.NOT_ENOUGH_EVIDENCE, 0.1, Tier.LOW)
    assert not left_open.differs(replace(left_open, tier=Tier.MEDIUM))  # it is shown without confidence


def test_a_claim_is_watched_found_and_forgotten(kept: WatchList, tmp_path: Path) -> None:
    assert (kept.all(), kept.find(CLAIM), kept.remove(), kept.last_result(1)) == ([], None, 0, None)
    assert not kept._path.parent.exists()  # reading makes no file
    first = kept.add(CLAIM, Every.DAY, True)
    assert (first.number, first.claim, first.web, first.standing, first.looked_at) == (1, CLAIM, True, None, None)
    again = kept.add(CLAIM, Every.WEEK, False, check(1))
    assert (again.number, again.every, again.web, again.standing) == (1, Every.WEEK, False, standing_of(check(1)))
    assert again.session == again.logged == check(1).session_id and again == kept.find(CLAIM)
    found = kept.last_result(1)
    assert found is not None and found.verdict is Verdict.TRUE and found.evidence[0].text == check(1).evidence[0].text
    kept.add("It rains.", Every.REFRESH, False)
    assert [watched.number for watched in kept.all()] == [1, 2]
    assert (kept.remove(7), kept.remove(1), kept.remove()) == (0, 1, 1) and kept.all() == []
    assert b"Tarnwick" not in kept._path.read_bytes()
    assert kept.add("It snows.", Every.DAY, False).number == 3  # no number is given twice


def test_a_change_is_noted_once(kept: WatchList) -> None:
    before = kept.add(CLAIM, Every.DAY, False, check(1))
    assert kept.note(before, check(2, Verdict.FALSE), NOW, "Because \ud800.")
    assert not kept.note(before, check(3, Verdict.FALSE), NOW, "Another process was first.")
    assert not kept.note(replace(before, number=9), check(4), NOW, "It was removed.")
    after = kept.find(CLAIM)
    assert after is not None and after.standing is not None and after.standing.verdict is Verdict.FALSE
    assert kept.note(after, check(5, Verdict.FALSE), NOW)
    ((turn,),) = kept.turns().values()
    assert (turn.before.verdict, turn.after.verdict, turn.told) == (Verdict.TRUE, Verdict.FALSE, "Because ?.")
    now = kept.find(CLAIM)
    assert now is not None and (now.session, now.logged) == (check(5).session_id, check(2).session_id)
    kept.remove(1)
    assert kept.turns() == {}


def test_a_failure_leaves_the_verdict_and_ends_with_the_next_success(kept: WatchList) -> None:
    before = kept.add(CLAIM, Every.DAY, False, check(1))
    kept.failed(before, "the model\nfailed " + "x" * 400)
    failed = kept.find(CLAIM)
    assert failed is not None and failed.error.startswith("the model failed x") and len(failed.error) == 300
    assert (failed.standing, failed.session, kept.turns()) == (before.standing, before.session, {})
    kept.note(failed, check(2), NOW)
    fine = kept.find(CLAIM)
    assert fine is not None and fine.error == ""


def test_the_list_and_its_changes_are_bounded(kept: WatchList, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MAX_CLAIMS", 1)
    monkeypatch.setattr(watch, "MAX_CHANGES", 2)
    watched = kept.add(CLAIM, Every.DAY, False, check(1))
    kept.add(CLAIM, Every.WEEK, False)
    with pytest.raises(InputError, match="1 claims are watched, and no more can be.*--remove"):
        kept.add("It rains.", Every.DAY, False)
    for number in range(2, 6):
        kept.note(watched, check(number, Verdict.FALSE if number % 2 else Verdict.TRUE), NOW, "why")
        watched = kept.all()[0]
    assert [turn.session for turn in kept.feed(9).turns] == [check(5).session_id, check(4).session_id]


def test_a_file_that_cannot_be_used_is_an_error(kept: WatchList, tmp_path: Path) -> None:
    kept.add(CLAIM, Every.DAY, False, check(1))
    with sqlite3.connect(kept._path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(watch, "_LOCK_SECONDS", 0.05)
            with pytest.raises(StoreError, match="locked by another process; try again"):
                kept.add("It rains.", Every.DAY, False)
        other.execute("ROLLBACK")
        other.execute("UPDATE watched SET result = '{}'")
        with pytest.raises(InputError, match="damaged in the list.*--remove 1"):
            kept.last_result(1)
        other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(StoreError, match="written by a later version"):
        kept.all()
    (tmp_path / "no database").write_text("x" * 4_096)
    for use in (WatchList(tmp_path / "no database").all, WatchList(tmp_path / "no database").remove):
        with pytest.raises(StoreError, match="move the file aside"):
            use()
    with pytest.raises(StoreError, match="make its folder writable"):
        WatchList(tmp_path / "no database" / "watched.sqlite").add(CLAIM, Every.DAY, False)


def test_processes_that_add_at_once_lose_nothing(kept: WatchList) -> None:
    script = "import sys; from pathlib import Path; from verifier.history.watch import Every, WatchList\n"
    script += "for n in range(20): WatchList(Path(sys.argv[1])).add(f'{sys.argv[2]} {n}', Every.DAY, False)"
    command = [sys.executable, "-c", script, str(kept._path)]
    processes = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("a", "b")]
    assert [process.wait(120) for process in processes] == [0, 0]
    assert [watched.number for watched in kept.all()] == list(range(1, 41))


def test_the_feed_is_what_the_rfc_asks_for_whatever_the_texts_hold(kept: WatchList) -> None:
    empty = atom_feed(kept.feed(100), HOME)
    assert feed_problems(empty) == [] and b"<entry>" not in empty and b"http://www.w3.org/2005/Atom" in empty
    claim = f"{ATTACK} ]]> &amp; \ufffe\uffff"
    watched = kept.add(claim, Every.DAY, False, check(1))
    kept.note(watched, check(2, Verdict.FALSE), NOW, f"{ATTACK} \x00\ufffe <pre>")
    kept.note(kept.all()[0], check(3), NOW + timedelta(days=1), "why")
    feed = atom_feed(kept.feed(100), HOME)
    assert feed_problems(feed) == [] and feed == atom_feed(kept.feed(100), HOME)
    assert feed.count(b"<entry>") == 2 and b"<script" not in feed and b"True, 93% (high), before: False" in feed
    assert f"<id>urn:uuid:{check(3).session_id}</id>".encode() in feed
    assert atom_feed(kept.feed(1), HOME).count(b"<entry>") == 1
    twice = replace(kept.feed(100), turns=kept.feed(100).turns[:1] * 2)
    assert feed_problems(atom_feed(twice, HOME)) == ["two entries have one id"]  # the check of the feed finds faults
    assert feed_problems(feed.replace(b"author", b"writer"))[0] == "the feed has no author"


def test_a_change_names_both_verdicts() -> None:
    before, after = Standing(Verdict.NOT_ENOUGH_EVIDENCE, 0.2, Tier.LOW), Standing(Verdict.TRUE, 0.9, Tier.HIGH, "5%")
    told = turned_in_words(Turn(1, CLAIM, "x", NOW, before, after, ""))
    assert told == "True, 90% (high), grade 5%, before: Not Enough Evidence, left open"
