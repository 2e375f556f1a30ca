"""Uploads that are too many, too large, or not what they say."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import httpx
import pytest

from tests.attack.conftest import Target
from tests.attack.shared import ONE, OTHER, THIRD, Shared, until
from ui.guard import uploads


def part(name: str = "files", more: str = '; filename="a.csv"', content: str = "claim") -> str:
    return f'--x\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{content}\r\n'


BAD = {
    "no file name": part(more='; filename=""'),
    "a slash": part(more='; filename="/"'),
    "dots": part(more='; filename=".."'),
    "no file": part(more=""),
    "no name": "--x\r\nContent-Disposition: form-data\r\n\r\nclaim\r\n",
    "no disposition": "--x\r\nContent-Type: text/plain\r\n\r\nclaim\r\n",
    "another name": part(name="other"),
    "a long name": part(more=f'; filename="{"a" * 5_000}.csv"'),
    "eleven files": part() * 11,
    "a thousand fields": part(name="a", more="") * 1_100,
    "nothing": "",
    "no end": '--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n',
    "a null in the name": part(more='; filename="a\x00.csv"'),
}


KINDS = ("", "text/plain", "application/json", "multipart/form-data", "multipart/form-data; boundary=x; charset=nope")


def kept(target: Target) -> set[Path]:
    return {path for path in target.app.uploads if not path.name.startswith("tmp")}


def test_malformed_uploads_are_refused_and_leave_nothing(target: Target) -> None:
    headers = {"content-type": "multipart/form-data; boundary=x"}
    for (name, parts), query in itertools.product(BAD.items(), ("", "?upload_id=abc")):
        before, content = kept(target), f"{parts}--x--\r\n".encode()
        answer = target.send("POST", f"gradio_api/upload{query}", content=content, headers=headers)
        assert answer.status_code in {400, 413} and kept(target) == before, (name, query)


def test_uploads_of_another_kind_are_refused(target: Target) -> None:
    for kind in KINDS:
        answer = target.send("POST", "gradio_api/upload", content=b"--x--\r\n", headers={"content-type": kind})
        assert answer.status_code == 400, kind


def test_a_visitor_may_upload_so_many_files(target: Target, visitor: str) -> None:
    answers = [
        target.send("POST", "gradio_api/upload", visitor, files={"files": (f"{number}.csv", b"claim")})
        for number in range(61)
    ]
    assert [answer.status_code for answer in answers] == [200] * 60 + [429]
    assert "60 files and 100 MB an hour" in answers[-1].json()["detail"] and int(answers[-1].headers["retry-after"]) > 1


def test_a_visitor_may_upload_so_many_bytes(target: Target, visitor: str) -> None:
    file = b"a" * 9_900_000
    answers = [target.send("POST", "gradio_api/upload", visitor, files={"files": ("a.csv", file)}) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]


def test_ten_files_at_once_count_as_ten(target: Target, visitor: str) -> None:
    ten = [("files", (f"{number}.csv", b"claim")) for number in range(10)]
    answers = [target.send("POST", "gradio_api/upload", visitor, files=ten).status_code for _ in range(7)]
    assert answers == [200] * 6 + [429]


def test_uploads_go_with_the_last_page_of_their_visitor(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "GRACE", 0.3)
    monkeypatch.setattr(
        "gradio.utils.get_heartbeat_rate", lambda: 0.2
    )  # Gradio sees that a page was closed by its next beat
    address, headers = f"{shared.url}gradio_api/heartbeat/abc", {"x-forwarded-for": ONE}
    with httpx.stream("GET", address, headers=headers, timeout=30, trust_env=False) as page:
        beats = page.iter_lines()
        assert next(beats) == "data: ALIVE"
        mine, both = shared.upload(ONE, "a.txt", "a claim"), shared.upload(ONE, "b.txt", "another claim")
        assert shared.upload(OTHER, "b.txt", "another claim") == both
        time.sleep(0.6)
        assert Path(mine["path"]).is_file()
    until(lambda: not Path(mine["path"]).exists())
    assert Path(both["path"]).is_file()  # another visitor sent the same
    number = shared.function("cv-batch-file", "cv-batch-web")
    refused = shared.join(number, ONE, [mine, False])
    assert refused.status_code == 400 and "upload it first" in refused.json()["detail"]
    assert shared.join(number, OTHER, [both, False]).status_code == 200


def test_uploads_go_after_their_time(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "KEPT", 0.3)
    mine = shared.upload(ONE, "a.txt", "a claim")
    assert Path(mine["path"]).is_file()
    until(lambda: not Path(mine["path"]).exists())


def test_all_uploads_together_are_bounded(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "HELD", 2)
    large = "a" * 9_900_000
    for visitor in (ONE, OTHER):
        shared.upload(visitor, f"{visitor}.txt", large + visitor)
    full = shared.post("upload", THIRD, files={"files": ("c.txt", large.encode())})
    assert full.status_code == 429 and "as many uploads as it can" in full.json()["detail"]
