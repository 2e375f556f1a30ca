"""The tabs beside the check, over the real service."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import threading
import time
from pathlib import Path

import pytest

from errors import InputError
from tests.verifier.report.report_cases import result
from ui.checking import Checking, Frame
from ui.consent import Consent, as_kept, consent_of, notice
from ui.history import KEPT, history_list, parsed, with_check
from ui.tab_about import about
from ui.tab_batch import Result, as_lines_of_json, as_table, offered, read_claims, stopped
from ui.tab_batch import frames as batch_frames
from ui.tab_kb import added, listing, own_choices, removed, search, store_figures
from ui.tools import kept_case, written
from verifier.api.knowledge import KnowledgeBase
from verifier.report.formats import FORMATS
from verifier.serve.service import Service
from verifier.settings import Settings


def checked(service: Service, path: Path | None) -> list[tuple[str, str, list[Result]]]:
    async def collect() -> list[tuple[str, str, list[Result]]]:
        return [frame async for frame in batch_frames(service, str(path) if path else None, web=False)]

    return asyncio.run(collect())


def test_the_store_is_searched_and_described(service: Service) -> None:
    cards = search(service, "shape of the Earth")
    assert "Earth" in cards and 'target="_blank"' in cards and "similarity" in cards
    assert 'role="alert"' in search(service, "  ")
    figures = store_figures(service)
    assert "<svg" in figures and "Domains with most records" in figures and "Evidence store" in figures


def test_what_is_added_is_found_listed_and_removed(service: Service) -> None:
    library = KnowledgeBase(service.checker(), service.settings)
    told = added(lambda: library.add_text("The clock of Aldersby strikes thirteen.", "", "Clock"), "the text")
    assert "1 passage of the text added." in told and "Aldersby" in search(service, "clock of Aldersby")
    ((name, key),) = own_choices(service).choices
    assert "The clock of Aldersby" in name and "Removed" in removed(service, str(key))
    assert own_choices(service).choices == [] and 'role="alert"' in removed(service, None)


def test_domains_are_put_on_the_list_and_taken_off(service: Service) -> None:
    told, table = listing(service, lambda library: library.list_domain("lies.example", "deny", "<b>"))
    assert told == "" and "is blocked" in table and "&lt;b&gt;" in table
    assert 'role="alert"' in listing(service, lambda library: library.list_domain("no domain", "deny"))[0]
    assert "No domains yet" in listing(service, lambda library: library.unlist_domain("lies.example"))[1]


def test_a_file_of_claims_becomes_a_table_and_two_files(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "claims.csv"
    file.write_text("claim\nThe Earth is flat\n12345\n=cmd() is what India did in 1947\n")
    said, table, done = checked(service, file)[-1]
    assert "3 rows." in said and "could not be checked: 1" in said and table.count("<tr") == 4
    rows = list(csv.DictReader(io.StringIO(as_table(done).removeprefix("\ufeff"))))
    assert rows[0]["verdict"] == "False" and "noaa.gov" in rows[0]["sources"] and rows[1]["status"] == "failed"
    assert rows[2]["claim"].startswith("'=cmd()")
    assert [json.loads(line)["row"] for line in as_lines_of_json(done).splitlines()] == [1, 2, 3]
    assert "Stopped" in stopped(done) and offered(done)[0].visible and not offered([])[0].visible


def test_a_file_that_cannot_be_used_is_told(service: Service, tmp_path: Path) -> None:
    for name, text in (("a.csv", "text\nx\n"), ("a.exe", "x"), ("a.txt", "x is y\n" * 6)):
        (tmp_path / name).write_text(text)
        assert 'role="alert"' in checked(service, tmp_path / name)[-1][0], name
    assert 'role="alert"' in checked(service, None)[-1][0]


def test_a_large_file_of_claims_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 5_000_001)
    with pytest.raises(InputError, match="at most 5 MB"):
        read_claims(tmp_path / "a.txt", 10)


def test_a_browser_keeps_its_last_checks_newest_first() -> None:
    history: object = None
    for _ in range(KEPT + 3):
        history = with_check(history, result())
    assert len(parsed(history)) == KEPT
    assert "?check=3f2a-99b1-77" in history_list(parsed(history), kept=True)
    assert "?claim=Sadly%2C%20humans" in history_list(parsed(history), kept=False)


def test_what_is_no_history_is_none() -> None:
    kept: tuple[object, ...] = (None, "x", 5, [1], [{"id": 1}], {"id": "x"}, [{"id": "a", "at": "b", "claim": "c"}])
    assert [parsed(one) for one in kept] == [[]] * len(kept)


def test_the_notice_names_the_engines_until_it_was_seen() -> None:
    assert "cv-first" in notice(["DuckDuckGo"], Consent()) and "<b>DuckDuckGo</b>" in notice(["DuckDuckGo"], Consent())
    assert "<details" in notice(["DuckDuckGo"], Consent(told=True)) and notice([], Consent()) == ""
    assert consent_of(as_kept(Consent(web=False, told=True))) == Consent(web=False, told=True)
    assert consent_of("nonsense") == Consent() and consent_of({"web": 0, "told": 1}) == Consent()


def test_a_result_is_saved_in_every_format() -> None:
    one = result()
    for form, made in FORMATS.items():
        text, name, mime = written(one, form)
        assert text == made.render(one) and name.endswith(made.suffix) and "/" in mime
    assert written(None, "text") == ("", "", "") and written(result(), "exe") == ("", "", "")


def test_a_wrong_verdict_is_kept_on_ones_own_machine_only(service: Service, tmp_path: Path) -> None:
    assert "Kept in" in kept_case(service, result(), "True", "") and service.settings.cases_path.exists()
    assert 'role="alert"' in kept_case(service, result(), "False", "")
    public = Service(Settings(host="0.0.0.0", cases_path=tmp_path / "cases.jsonl"))  # noqa: S104
    assert 'role="alert"' in kept_case(public, result(), "True", "") and not (tmp_path / "cases.jsonl").exists()


def test_about_says_what_leaves_the_machine_and_which_models_ship() -> None:
    text = about(["DuckDuckGo"], log=True, days=90, grades=None)
    assert "go to DuckDuckGo" in text and "for 90 days" in text and text.count("CC BY-SA 4.0") == 4
    assert "Nothing: the web is switched off" in about([], log=False, days=90, grades=None)


def test_stop_ends_a_real_check_before_its_next_step(service: Service) -> None:
    async def stop() -> int:
        seen = 0
        checking: Checking[Frame] = Checking(service, lambda frame: frame)
        stream = checking.check("The Earth is flat and the Moon is made of cheese", web=False)
        async for _ in stream:
            seen += 1
            if seen == 3:
                await stream.aclose()
                break
        return seen

    before = len(service.settings.log_path.read_text().splitlines()) if service.settings.log_path.exists() else 0
    assert asyncio.run(stop()) == 3
    end = time.monotonic() + 60
    while any(thread.name == "check" for thread in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.05)
    after = len(service.settings.log_path.read_text().splitlines()) if service.settings.log_path.exists() else 0
    assert after == before
