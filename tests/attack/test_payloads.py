"""Files that nobody uploaded, wherever in a request they are named: the server fetches none and reads none."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("function", ["verify", "health", "search_kb", "verify_batch"])
def test_no_endpoint_takes_a_file_that_was_not_uploaded(target: Target, visitor: str, path: str, function: str) -> None:
    answer = target.send("POST", f"gradio_api/call/{function}", visitor, json={"data": [named(path)]})
    assert answer.status_code == 400 and "upload" in answer.json()["detail"]


SHAPES = {
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


@pytest.mark.parametrize("data", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("door", ["call", "join", "run", "api", "v2", "mcp", "event"])
def test_no_door_and_no_shape_lets_such_a_file_in(target: Target, visitor: str, door: str, data: list[Any]) -> None:
    number = target.app.numbers()["health"]
    body = {
        "call": {"data": data},
        "join": {"data": data, "fn_index": number, "session_hash": "abc"},
        "run": {"data": data},
        "api": {"data": data},
        "v2": {"claim": data},
        "mcp": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "x", "arguments": {"claim": data}},
        },
        "event": {"data": [], "event_data": data, "fn_index": number, "session_hash": "abc"},
    }[door]
    path = {"join": "queue/join", "event": "queue/join", "v2": "call/v2/verify", "mcp": "mcp/"}.get(
        door, f"{door}/health"
    )
    answer = target.send("POST", f"gradio_api/{path}", visitor, json=body)
    assert answer.status_code == 400 and "upload" in answer.json()["detail"]
