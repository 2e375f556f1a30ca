"""The folder that processes share: private, text alone, and never a reason for a search to fail."""

from __future__ import annotations

import pickle
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verifier.search.test_resilience import (
    DOWN,
    FOUND,
    FREE,
    LIMITED,
    QUERY,
    ROOT,
    Clock,
    Scripted,
    guard,
    questions,
)
from verifier.search.base import Outcome, SearchAnswer
from verifier.search.guard.limits import Limits
from verifier.search.guard.shared import ANSWER_CHARACTERS, Shared, reset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "cache"


def database(folder: Path, part: str) -> sqlite3.Connection:
    return sqlite3.connect(folder / part / "cache.db", isolation_level=None)


def test_only_its_owner_may_enter_the_folder(folder: Path) -> None:
    (folder / "answers").mkdir(parents=True, mode=0o777)
    Shared(folder)
    for part in ("answers", "counts"):
        assert stat.S_IMODE((folder / part).stat().st_mode) == 0o700


def test_neither_the_question_nor_a_pickle_is_written(folder: Path) -> None:
    guard(Scripted(Clock(), FOUND), Shared(folder, Clock())).search(replace(QUERY, text="My secret claim"), 5)
    written = b"".join(path.read_bytes() for path in folder.rglob("cache.db*"))
    assert b"news.example" in written and b"secret" not in written.lower()
    with database(folder, "answers") as answers:
        assert {row[0] for row in answers.execute("SELECT mode FROM Cache")} == {1}


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("open('exploded', 'w').close()",)


PLANTED: list[tuple[int, object]] = [
    (1, b"\x80\xffgarbage"),
    (1, "no JSON"),
    (1, '{"until": 1e999, "outcome": "answered", "detail": "", "results": [], "cached": false}'),
    (1, '{"until": 1779278500, "outcome": "certain", "detail": "", "results": [], "cached": false}'),
    (1, '{"until": 1779278500, "outcome": "answered", "detail": "", "results": [{"url": 5}], "cached": false}'),
    (1, "[" * 100_000),
    (1, 7),
    (1, None),
    (2, None),
    (3, None),
    (4, pickle.dumps(Bomb())),
    (4, None),
]


@pytest.mark.parametrize("part", ["answers", "counts"])
def test_what_was_planted_is_not_believed_and_never_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    clock = Clock()
    guard(Scripted(clock, FOUND), Shared(folder, clock)).search(QUERY, 5)
    for number, (mode, value) in enumerate(PLANTED):
        with database(folder, part) as planted:
            planted.execute("UPDATE Cache SET mode = ?, value = ?, filename = '../../x'", (mode, value))
            planted.commit()
        shared = Shared(folder, clock)
        asked = guard(Scripted(clock, FOUND), shared)
        if part == "answers":
            assert asked.search(QUERY, 5) == FOUND, (mode, value)
            assert asked.search(QUERY, 5).cached  # and what was planted is overwritten
        else:
            question = replace(QUERY, text=f"question {number}")
            assert asked.search(question, 5) == FOUND, (mode, value)
        assert shared.warnings == () and not (tmp_path / "exploded").exists(), (mode, value)
        shared.close()


@pytest.mark.parametrize("part", ["answers", "counts"])
@pytest.mark.parametrize("moment", ["before", "while open"])
def test_a_damaged_file_ends_in_memory_with_one_warning_and_is_mended_by_reset(
    folder: Path, part: str, moment: str
) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    guard(Scripted(clock, FOUND), shared).search(QUERY, 5)
    if moment == "before":
        shared.close()
    for path in (folder / part).glob("cache.db*"):
        path.write_bytes(b"\x00garbage" * 2_000)
    if moment == "before":
        shared = Shared(folder, clock)
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, Limits(per_day=4 if part == "answers" else 3))  # only what is damaged is forgotten
    answers = [asked.search(query, 5) for query in questions(3) * 2]
    assert [answer.cached for answer in answers] == [False] * 3 + [True] * 3
    assert asked.search(questions(9)[8], 5).outcome is Outcome.OVER_BUDGET
    (warning,) = shared.warnings
    assert str(folder) in warning and "search-cache reset" in warning
    shared.close()
    assert reset(folder) >= 2
    mended = Shared(folder, clock)
    assert not guard(Scripted(clock, FOUND), mended).search(QUERY, 5).cached and mended.warnings == ()


@pytest.mark.parametrize("place", ["a file", "beneath a file", "answers is a link"])
def test_a_place_that_cannot_be_used_breaks_no_search(tmp_path: Path, place: str) -> None:
    folder, clock = tmp_path / "cache", Clock()
    if place == "answers is a link":
        folder.mkdir()
        (tmp_path / "elsewhere").mkdir()
        (folder / "answers").symlink_to(tmp_path / "elsewhere")
    else:
        folder.write_text("")
        folder = folder / "below" if place == "beneath a file" else folder
    shared = Shared(folder, clock)
    asked = guard(Scripted(clock, FOUND), shared)
    assert [asked.search(QUERY, 5).cached for _ in range(2)] == [False, True]
    assert len(shared.warnings) == 1


def test_an_answer_that_is_too_long_is_used_and_not_kept(folder: Path) -> None:
    clock = Clock()
    long = replace(FOUND, results=(replace(FOUND.results[0], snippet="x" * ANSWER_CHARACTERS),))
    asked = guard(Scripted(clock, long), Shared(folder, clock))
    assert [asked.search(QUERY, 5) for _ in range(2)] == [long, long]


def test_the_oldest_answers_go_first_and_counts_never(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.search.guard.boxes.ANSWERS_BYTES", 300_000)
    clock = Clock()
    shared = Shared(folder, clock)
    wide = replace(FOUND, results=(replace(FOUND.results[0], snippet="x" * 5_000),))
    asked = guard(Scripted(clock, wide), shared, replace(FREE, per_day=200))
    for query in questions(200):
        asked.search(query, 5)
    count, size = shared.sizes()
    assert count < 100 and size < 400_000
    assert not asked.search(questions(1)[0], 5).results and asked.search(questions(200)[199], 5).cached
    assert asked.search(questions(201)[200], 5).detail == "200 a day"


def test_clear_forgets_answers_and_keeps_budgets(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    asked = guard(Scripted(clock, FOUND), shared, Limits(per_day=1))
    asked.search(QUERY, 5)
    assert shared.clear() == 1
    assert asked.search(QUERY, 5).detail == "1 a day"


def test_reset_deletes_nothing_that_is_not_the_caches(folder: Path) -> None:
    Shared(folder).close()
    for path in (folder / "mine.txt", folder / "answers" / "mine.txt"):
        path.write_text("mine")
    assert reset(folder) == 2 and reset(folder) == 0
    assert (folder / "mine.txt").exists() and (folder / "answers" / "mine.txt").exists()


@pytest.mark.parametrize("answer", [FOUND, DOWN, LIMITED], ids=lambda answer: answer.outcome)
def test_a_clock_that_was_ahead_stops_nobody(folder: Path, answer: SearchAnswer) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    provider = Scripted(clock, *[answer] * 3, FOUND)
    asked = guard(provider, shared, Limits(calls=4, keep=60))
    clock.now += 86_400 * 365
    for query in (QUERY, *questions(2)):
        asked.search(query, 5)
    provider.answers = [FOUND]
    clock.now = clock.start
    assert [asked.search(query, 5) for query in (QUERY, questions(3)[2])] == [FOUND, FOUND]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "verifier", "search-cache", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"VERIFIER_SEARCH_CACHE": str(folder), "PATH": ""},
        check=False,
    )


def test_the_command_line_shows_clears_and_resets(folder: Path) -> None:
    guard(Scripted(Clock(), FOUND), Shared(folder)).search(QUERY, 5)
    assert run("stats", folder=folder).stdout.splitlines()[0].startswith("1 answers kept")
    assert "Scripted: 1 requests today" in run("stats", folder=folder).stdout
    assert run("clear", folder=folder).stdout == "1 answers forgotten\n"
    assert "Scripted: 1 requests today" in run("stats", folder=folder).stdout
    assert run("reset", folder=folder).stdout.startswith("answers, budgets and pauses forgotten")
    assert "Scripted" not in run("stats", folder=folder).stdout
