"""Watched claims over a real store: what changed is noted once, a failure changes nothing, and the web is asked only where it may be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import RefreshBusy, RefreshStopped
from kb.record import NewEvidence
from kb.store.evidence_store import TABLE, EvidenceStore
from kb.upkeep.job_state import JobFile
from lab.benchmarks.watch import feed_problems
from verifier.__main__ import main
from verifier.build import upkeep_folder
from verifier.cli.kb import main as kb_main
from verifier.history.log import VerificationLog
from verifier.history.watch import WatchList
from verifier.history.watched import Every, Watched
from verifier.schema import Verdict
from verifier.serve.checker import Checker
from verifier.serve.upkeep import build_scheduler
from verifier.serve.watching import Watching
from verifier.settings import Settings, UpkeepSettings

CLAIM, FLAT = "The Tarnwick Bridge opened in 1932.", "The Earth is flat"
TEXTS = [
    NewEvidence("The Tarnwick Bridge opened to traffic in May 1932.", "https://www.reuters.com/tarnwick", "Tarnwick"),
    NewEvidence("Tarnwick Bridge was opened in 1932 by the mayor.", "https://apnews.com/bridge", "A bridge"),
]


@pytest.fixture
def watching(settings: Settings) -> Iterator[Watching]:
    checker = Checker(settings)
    yield Watching(checker)
    checker.close()


def add_texts(watching: Watching) -> tuple[str, ...]:
    assert watching.checker.store is not None
    return watching.checker.store.add(TEXTS).ids


def take_out(watching: Watching, ids: tuple[str, ...]) -> None:
    import lancedb

    table = lancedb.connect(watching.checker.settings.kb_uri).open_table(TABLE)
    table.delete(f"id in ({', '.join(map(repr, ids))})")


def the_one(watching: Watching, claim: str = CLAIM) -> Watched:
    found = watching.watch_list.find(claim)
    assert found is not None
    return found


def logged(settings: Settings) -> list[str]:
    return [entry["session_id"] for entry in VerificationLog(settings.log_path, 90).entries()]


def test_what_a_refresh_changes_is_noted_once_with_its_reasons(watching: Watching, settings: Settings) -> None:
    watching.watch_list.add(CLAIM, Every.DAY, False)
    watching.watch_list.add(FLAT, Every.REFRESH, False)
    first = watching.run()
    assert (first.checked, first.changes, first.failed) == (2, (), ()) and len(logged(settings)) == 2
    add_texts(watching)
    assert watching.run().checked == 0  # nothing is due before a refresh
    report = watching.run(datetime.now(UTC))
    ((turn,),) = watching.watch_list.turns().values()
    assert report.checked == 2 and [change.new.original_claim for change in report.changes] == [CLAIM]
    assert (turn.before.verdict, turn.after.verdict) == (Verdict.NOT_ENOUGH_EVIDENCE, Verdict.TRUE)
    assert "the verdict is still Not Enough Evidence: what changed it\nlies in the evidence" in turn.told
    assert TEXTS[0].source in turn.told and turn.session == the_one(watching).logged == logged(settings)[-1]
    again = watching.run(datetime.now(UTC))
    assert (again.checked, again.changes) == (2, ())
    assert len(watching.watch_list.feed(100).turns) == 1 and len(logged(settings)) == 3


def test_a_check_that_fails_is_told_changes_no_verdict_and_is_tried_again(
    watching: Watching, settings: Settings
) -> None:
    watching.watch_list.add(FLAT, Every.WEEK, False)
    watching.run()
    before, aside = the_one(watching, FLAT), Path(f"{settings.kb_uri}-aside")
    Path(settings.kb_uri, f"{TABLE}.lance").rename(aside)
    report = watching.run(datetime.now(UTC))
    failed = the_one(watching, FLAT)
    assert (report.checked, len(report.failed)) == (0, 1) and failed.error == report.failed[0].reason[:300] != ""
    assert replace(failed, error="") == before and watching.watch_list.turns() == {}
    shutil.rmtree(Path(settings.kb_uri, f"{TABLE}.lance"), ignore_errors=True)
    aside.rename(Path(settings.kb_uri, f"{TABLE}.lance"))
    assert watching.run().checked == 1 and the_one(watching, FLAT).error == ""


def test_only_one_process_at_a_time_and_stopping_keeps_what_is_done(watching: Watching) -> None:
    for claim in (CLAIM, FLAT):
        watching.watch_list.add(claim, Every.DAY, False)
    with watching.state.alone(), pytest.raises(RefreshBusy):
        watching.run()
    with pytest.raises(RefreshStopped):
        watching.run(stopped=lambda: True)
    assert [watched.standing is not None for watched in watching.watch_list.all()] == [True, False]
    assert watching.run().checked == 1


def test_the_web_is_asked_for_those_claims_alone_whose_user_agreed(settings: Settings, httpserver: HTTPServer) -> None:
    """A search engine that does not answer leaves a verdict as it was; without it the store alone decides."""
    url = httpserver.url_for("/").replace("localhost", "127.0.0.1").rstrip("/")
    quiet = dict.fromkeys(("wikipedia", "wikidata", "duckduckgo", "gdelt", "europe_pmc", "openalex", "crossref"), False)
    providers = replace(settings.search.providers, searxng_url=url, **quiet)  # type: ignore[arg-type]
    search = replace(
        settings.search, providers=providers, cache_path=settings.log_path.parent / "cache", allow_private=True
    )
    with Checker(replace(settings, web=True, search=search)) as checker:
        watching = Watching(checker)
        ids = add_texts(watching)
        watching.watch_list.add(CLAIM, Every.DAY, True)
        assert watching.run().checked == 1 and the_one(watching).standing is not None
        take_out(watching, ids)
        asked = len(httpserver.log)
        (failed,) = watching.run(datetime.now(UTC)).failed
        assert "the web did not answer, so the last verdict stands" in failed.reason and len(httpserver.log) > asked
        standing = the_one(watching).standing
        assert standing is not None and standing.verdict is Verdict.TRUE
        watching.watch_list.add(CLAIM, Every.DAY, False)
        asked = len(httpserver.log)
        (change,) = watching.run().changes
        assert change.new.verdict is Verdict.NOT_ENOUGH_EVIDENCE and len(httpserver.log) == asked


def test_the_app_checks_watched_claims_after_each_refresh_and_every_hour(
    watching: Watching, settings: Settings
) -> None:
    store, lists = watching.checker.store, watching.checker.lists
    assert store is not None
    on = replace(settings, web=True, upkeep=UpkeepSettings(24, topics=("floods",)))
    scheduler = build_scheduler(on, store, lists, watching)
    assert [job.name for job in scheduler.status()] == ["prune", "refresh", "watch"]
    watching.watch_list.add(CLAIM, Every.DAY, False)
    *_, look = scheduler._jobs
    assert look.run(lambda: False) == "1 watched claims checked, 0 changed, 0 could not be checked"
    assert look.state.load().succeeded_at is not None
    add_texts(watching)
    JobFile(upkeep_folder(settings), "refresh").succeeded(9)  # another process has refreshed the store
    assert look.run(lambda: False).startswith("1 watched claims checked, 1 changed")


def test_the_command_watches_lists_refreshes_tells_and_forgets(
    settings: Settings,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    store: EvidenceStore,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("VERIFIER_LLM", "off")
    assert main(["watch", CLAIM, "--every", "week"]) == 0
    said = capsys.readouterr().out
    assert "   1  " in said and "Not Enough Evidence, left open: The Tarnwick" in said
    assert "checked again after each refresh and once a week, without the web" in said
    store.add(TEXTS)
    store.close()
    items = "".join(f"<item><title>Day {n}</title><link>{httpserver.url_for(f'/2026/11/story-number-{n}')}</link><description>"
                    f"The market hall of town {n} was painted on day {n}.</description></item>" for n in range(6))  # fmt: skip
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request("/feed.xml").respond_with_data(
        f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>", content_type="application/rss+xml"
    )
    with monkeypatch.context() as patch:
        for name in ("WEB", "ALLOW_PRIVATE"):
            patch.setenv(f"VERIFIER_{name}", "on")
        for name in ("OPENALEX", "CROSSREF"):
            patch.setenv(f"VERIFIER_{name}", "off")
        refresh = ["refresh", "--feeds", httpserver.url_for("/feed.xml"), "--force"]
        assert kb_main([*refresh, "--dry-run"]) == 0 and "watched" not in capsys.readouterr().err
        assert kb_main([*refresh, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["added"] > 0 and "The verdict turned." in err
    assert "1 watched claims checked, 1 changed, 0 could not be checked" in err
    assert main(["watch", "--run"]) == 0 and "0 watched claims checked" in capsys.readouterr().out
    assert main(["watch", "--list"]) == 0
    assert "before: Not Enough Evidence, left open" in capsys.readouterr().out
    assert main(["watch", "--list", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["claim"], row["verdict"], row["every"], row["web"], len(row["changes"])) == (
        CLAIM,
        "True",
        "week",
        False,
        1,
    )
    assert main(["watch", "--feed", str(tmp_path / "out.atom")]) == 0
    assert feed_problems((tmp_path / "out.atom").read_bytes()) == []
    with JobFile(upkeep_folder(settings), "watch").alone():
        assert main(["watch", FLAT]) == 0
    assert "has its turn with the next run" in capsys.readouterr().err
    for wrong in (["--remove", "9"], ["--remove", "x"], [], [CLAIM, "--list"], ["--run", "--every", "day"], ["!?"]):
        assert main(["watch", *wrong]) == 2
    assert main(["watch", "--remove", "all"]) == 0 and WatchList(tmp_path / "watched.sqlite").all() == []


def test_the_period_brings_a_claim_back(watching: Watching) -> None:
    watching.watch_list.add(FLAT, Every.DAY, False, watching.checker.verify(FLAT))
    now = datetime.now(UTC)
    assert not the_one(watching, FLAT).due(now, None) and the_one(watching, FLAT).due(now + timedelta(days=1), None)
