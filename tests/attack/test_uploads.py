"""Uploads that are too many, too large, or not what they say."""

from __future__ import annotations

import pytest

from tests.attack.conftest import Target


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


@pytest.mark.parametrize("query", ["", "?upload_id=abc"])
@pytest.mark.parametrize("parts", BAD.values(), ids=BAD.keys())
def test_an_upload_that_is_none_is_refused_and_leaves_nothing(
    target: Target, visitor: str, parts: str, query: str
) -> None:
    before = {path for path in target.app.uploads if not path.name.startswith("tmp")}
    headers = {"content-type": "multipart/form-data; boundary=x"}
    content = f"{parts}--x--\r\n".encode()
    answer = target.send("POST", f"gradio_api/upload{query}", visitor, content=content, headers=headers)
    assert answer.status_code in {400, 413}
    assert {path for path in target.app.uploads if not path.name.startswith("tmp")} == before


@pytest.mark.parametrize(
    "kind",
    ["", "text/plain", "application/json", "multipart/form-data", "multipart/form-data; boundary=x; charset=nope"],
)
def test_an_upload_of_another_kind_is_refused(target: Target, visitor: str, kind: str) -> None:
    answer = target.send("POST", "gradio_api/upload", visitor, content=b"--x--\r\n", headers={"content-type": kind})
    assert answer.status_code == 400


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
