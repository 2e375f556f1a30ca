"""One visitor who wants all of a server, and others who want a check."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.attack.shared import ONE, OTHER, THIRD, Shared, sharing, until


@pytest.mark.parametrize("door", ["page", "endpoint"])
def test_who_starts_and_stops_again_and_again_gets_one_thread(shared: Shared, door: str) -> None:
    shared.slow.seconds = 0.7
    shared.open.set()
    config = shared.config()
    names = {each["api_name"]: each["id"] for each in config["dependencies"]}
    number = names["verify"] if door == "endpoint" else shared.function("cv-claim", "cv-web")
    stopped = 0
    for turn in range(8):
        joined = shared.join(number, ONE, [f"claim {turn}", False])
        if joined.status_code == 429:
            continue
        time.sleep(0.25)
        said = {"session_hash": "s1", "fn_index": number, "event_id": joined.json()["event_id"]}
        stopped += shared.post("cancel", ONE, json=said).status_code == 200
    assert stopped >= 4 and shared.slow.most == 1
    begun = time.monotonic()
    assert shared.join(names["verify"], OTHER, ["another claim", False], "s2").status_code == 200
    until(lambda: "another claim" in shared.slow.checked)
    assert time.monotonic() - begun < 12  # behind what was being done, and nothing else


def test_a_file_counts_with_all_its_rows_before_it_starts(shared: Shared) -> None:
    shared.open.set()
    number = shared.function("cv-batch-file", "cv-batch-web")
    state = [None] * (len_of(shared, number) - 2)
    large = shared.upload(ONE, "a.txt", "a claim\n" * 2_000)
    refused = shared.join(number, ONE, [large, False, *state])
    assert refused.status_code == 413 and "200 an hour" in refused.json()["detail"]
    assert "this has 2,000" in refused.json()["detail"] and not shared.slow.checked
    first = shared.upload(ONE, "b.jsonl", '{"claim": "x"}\n' * 120)
    assert shared.join(number, ONE, [first, False, *state]).status_code == 200
    second = shared.join(number, ONE, [first, False, *state])
    assert second.status_code == 429 and "this has 120, and 80 are left in this hour" in second.json()["detail"]
    assert int(second.headers["retry-after"]) > 3_000


def len_of(shared: Shared, number: int) -> int:
    config = shared.config()
    return next(len(each["inputs"]) for each in config["dependencies"] if each["id"] == number)


def test_batches_of_visitors_take_turns_row_by_row(shared: Shared) -> None:
    shared.slow.seconds = 0.05
    number = shared.function("cv-batch-file", "cv-batch-web")
    one = shared.upload(ONE, "one.txt", "".join(f"one {row}\n" for row in range(40)))
    assert shared.join(number, ONE, [one, False], "s1").status_code == 200
    rows = [f"other {row}" for row in range(5)]
    assert shared.post("call/verify_batch", OTHER, json={"data": [rows, False]}).status_code == 200
    time.sleep(0.3)
    shared.open.set()
    until(lambda: rows[-1] in shared.slow.checked)
    before = shared.slow.checked[: shared.slow.checked.index(rows[-1])]
    assert shared.slow.most == 1 and sum(claim.startswith("one") for claim in before) <= len(rows) + 1


def test_searches_of_one_visitor_take_no_place_of_a_check(shared: Shared) -> None:
    number = shared.function("cv-kb-query")
    answers = [shared.join(number, ONE, ["water"], f"s{turn}").status_code for turn in range(60)]
    assert answers.count(200) == 8 and answers.count(429) == 52
    for turn in range(3):
        assert (
            shared.post("call/verify", OTHER if turn < 2 else THIRD, json={"data": ["a claim", False]}).status_code
            == 200
        )
    assert shared.join(number, OTHER, ["water"], "x").status_code == 200
    waiting = [thread for thread in threading.enumerate() if thread.name == "search the store"]
    assert len(waiting) <= 2


def test_light_requests_are_counted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    with sharing(tmp_path, per_minute=3) as shared:
        config = shared.config()
        quick = next(each["id"] for each in config["dependencies"] if each["queue"] is False and each["backend_fn"])
        said = {"data": [None] * len_quick(config, quick), "fn_index": quick}
        answers = [shared.post("call/health", ONE, json={"data": []}) for _ in range(5)]
        while answers[-1].status_code != 429 and len(answers) < 150:
            answers.append(shared.post("run/x", ONE, json=said))
        assert len(answers) >= 30 and "30 requests a minute" in answers[-1].json()["detail"]
        assert int(answers[-1].headers["retry-after"]) >= 1
        checked = shared.post("call/verify", ONE, json={"data": ["a claim", False]})
        assert checked.status_code == 200  # checks have a count of their own


def len_quick(config: dict[str, Any], number: int) -> int:
    return next(len(each["inputs"]) for each in config["dependencies"] if each["id"] == number)


def test_values_of_another_kind_are_no_error_of_the_server(shared: Shared) -> None:
    config = shared.config()
    quick = [each["id"] for each in config["dependencies"] if each["queue"] is False and each["backend_fn"]]
    for number in quick:
        values: tuple[Any, ...] = (None, 5, "x", [], {"a": 1})
        for value in values:
            said = {"data": [value] * len_quick(config, number), "fn_index": number}
            assert shared.post("run/x", ONE, json=said).status_code in {200, 400}
