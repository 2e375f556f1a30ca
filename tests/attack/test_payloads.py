"""Files that nobody uploaded, wherever in a request they are named: the server fetches none and reads none."""

from __future__ import annotations

from typing import Any

import httpx

from tests.attack.conftest import Target

FILE = {"_type": "gradio.FileData"}
ADDRESSES = (
    "http://example.org/large.bin",
    "https://example.org/",
    "HTTP://EXAMPLE.ORG/",
    "http://100.100.100.200/latest/meta-data/",
    "http://100.64.0.1/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://[2002:7f00:1::]/",
    "http://127.0.0.1:1/",
    "http://[::1]:1/",
    "ftp://example.org/a",
    "file:///etc/passwd",
    "/etc/passwd",
    "../../app.py",
    "data:text/plain;base64,eA==",
    "",
    "\\\\server\\share",
    "/tmp/gradio/0/a.txt",
)


def named(path: str) -> dict[str, Any]:
    return {"path": path, "meta": FILE}


def refused(answer: httpx.Response) -> bool:
    """Whether the answer says that the file must be uploaded first."""
    return answer.status_code == 400 and "upload" in answer.json()["detail"]


def test_no_endpoint_takes_a_file_that_was_not_uploaded(target: Target) -> None:
    taken = [
        (function, path)
        for function in ("verify", "health", "search_kb", "verify_batch")
        for path in ADDRESSES
        if not refused(target.send("POST", f"gradio_api/call/{function}", json={"data": [named(path)]}))
    ]
    assert taken == []


SHAPES: dict[str, list[Any]] = {
    "deep": [[[{"a": [named("http://example.org/")]}]]],
    "many": [named(f"http://example.org/{number}") for number in range(200)],
    "with an address": [named("x") | {"url": "http://example.org/"}],
    "as a stream": [named("http://example.org/") | {"is_stream": True}],
    "with a name": [named("http://example.org/") | {"orig_name": "a.csv", "size": 1}],
    "other type": [{"path": "http://example.org/", "meta": {"_type": "other"}}],
    "no type": [{"path": "http://example.org/", "meta": {}}],
    "meta a list": [{"path": "http://example.org/", "meta": []}],
    "meta a text": [{"path": "http://example.org/", "meta": "gradio.FileData"}],
    "meta nothing": [{"path": "http://example.org/", "meta": None}],
    "path a number": [{"path": 5, "meta": FILE}],
    "path a list": [{"path": ["http://example.org/"], "meta": FILE}],
    "no path": [{"url": "http://example.org/", "meta": FILE}],
    "under a key": [{"meta": {"_type": "x", "more": named("http://example.org/")}}],
}


def bodies(data: list[Any], number: int) -> list[tuple[str, dict[str, Any]]]:
    """Each path that takes values, and a body that hands in `data`; `number` is that of the function `health`."""
    call = {"name": "x", "arguments": {"claim": data}}
    joined = {"fn_index": number, "session_hash": "abc"}
    return [
        ("call/health", {"data": data}),
        ("run/health", {"data": data}),
        ("api/health", {"data": data}),
        ("call/v2/verify", {"claim": data}),
        ("mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
        ("queue/join", joined | {"data": data}),
        ("queue/join", joined | {"data": [], "event_data": data}),
    ]


def test_no_path_takes_such_a_file_in_any_shape(target: Target) -> None:
    number = target.app.numbers()["health"]
    taken = [
        (path, shape)
        for shape, data in SHAPES.items()
        for path, body in bodies(data, number)
        if not refused(target.send("POST", f"gradio_api/{path}", json=body))
    ]
    assert taken == []
