"""Requests that are not what they say, or nothing at all: each is refused in a line, and none is an error of the server's."""

from __future__ import annotations

import itertools
import json
import socket
from contextlib import suppress
from typing import Any

from tests.attack.conftest import Target

BODIES = {
    "no JSON": b"{not json",
    "half of it": b'{"data": [',
    "no UTF-8": b'{"data": ["\xff\xfe\xfd"]}',
    "deep lists": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"data":' * 100_000 + b"1" + b"}" * 100_000,
    "deep in data": b'{"data": [' + b"[" * 50 + b"]" * 50 + b"]}",
    "wide": b'{"data": [' + b"1," * 200_000 + b"1]}",
    "a lone surrogate": b'{"data": ["\\ud800", false]}',
    "a surrogate as a name": b'{"data": [{"\\udfff": 1}, false]}',
    "a list": b"[]",
    "a text": b'"data"',
    "a number": b"5",
    "null": b"null",
    "a huge number": b'{"data": [' + b"9" * 10_000 + b"]}",
    "data an object": b'{"data": {}}',
    "data a text": b'{"data": "a"}',
    "data nothing": b'{"data": null}',
    "no data": b"{}",
    "too many values": b'{"data": [1, 2, 3, 4, 5, 6, 7, 8, 9]}',
    "too few values": b'{"data": []}',
    "session a list": b'{"data": ["a", false], "session_hash": []}',
    "session too long": b'{"data": ["a", false], "session_hash": "' + b"x" * 1_000 + b'"}',
    "session a path": b'{"data": ["a", false], "session_hash": "../../x"}',
    "function unknown": b'{"data": ["a", false], "fn_index": 99999, "session_hash": "x"}',
    "function negative": b'{"data": ["a", false], "fn_index": -1, "session_hash": "x"}',
    "function a text": b'{"data": ["a", false], "fn_index": "verify", "session_hash": "x"}',
    "function a switch": b'{"data": ["a", false], "fn_index": true, "session_hash": "x"}',
    "function a fraction": b'{"data": ["a", false], "fn_index": 1.5, "session_hash": "x"}',
    "function a list": b'{"data": ["a", false], "fn_index": [1], "session_hash": "x"}',
    "trigger a text": b'{"data": ["a", false], "trigger_id": "x"}',
    "batched": b'{"data": ["a", false], "batched": true}',
}


UNKNOWN: tuple[tuple[str, Any], ...] = (
    ("call/no_such_name", {"data": []}),
    ("call/%ff%fe", {"data": []}),
    ("call/v2/no_such_name", {}),
    ("call/v2/verify", {"no_such_value": 1}),
    ("call/v2/verify", {}),
    ("call/v2/verify", []),
    ("api/no_such_name", {"data": []}),
    ("run/verify", {"data": ["a", False]}),
    ("queue/join", {"data": []}),
    ("queue/join", {"data": [], "fn_index": None, "session_hash": "x"}),
    ("cancel", {"session_hash": [], "fn_index": 1, "event_id": "x"}),
    ("cancel", {"session_hash": "x", "fn_index": "y", "event_id": "x"}),
    ("cancel", []),
    ("reset", {"event_id": 5}),
    ("component_server", {"data": [], "component_id": 1, "fn_name": "x", "session_hash": "x"}),
    ("mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["x"]}),
    ("mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "x"}),
    ("mcp/", [{"method": "tools/call", "params": [1]}] * 100),
    ("mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": [], "arguments": 5}}),
    ("mcp/", 5),
    ("no/such/place", {}),
)
HEADERS = (
    {"host": "["},
    {"host": "[::1"},
    {"host": "a:99999999"},
    {"host": "a:b"},
    {"origin": "http://["},
    {"origin": "http://a:99999999"},
    {"origin": "http://[evil"},
    {"x-forwarded-host": "[", "origin": "https://a.example"},
)
PAGES = (
    "gradio_api/queue/data",
    "gradio_api/queue/data?session_hash=unknown",
    "gradio_api/queue/data?session_hash=" + "x" * 5_000,
    "gradio_api/queue/data?session_hash=%ed%a0%80",
    "gradio_api/call/verify/unknown",
    "gradio_api/call/no_such_name/unknown",
    "gradio_api/heartbeat/" + "x" * 1_000,
    "gradio_api/heartbeat/..%2f..%2fx",
    "gradio_api/upload_progress",
    "gradio_api/upload_progress?upload_id=unknown",
    "gradio_api/info?page=unknown",
    "config?page=unknown",
    "config?deep_link=../../x",
    "?deep_link=../../../etc/passwd",
    "?__theme=%00",
    "theme.css?v=%00",
    "static/%00",
    "assets/" + "x" * 5_000,
    "pwa_icon/99999999999999999999",
    "pwa_icon/x",
    "svelte/%00",
)


def test_malformed_bodies_are_refused(target: Target) -> None:
    accepted = {}
    for path, (name, body) in itertools.product(("call/verify", "queue/join", "run/verify"), BODIES.items()):
        json_type = {"content-type": "application/json"}
        answer = target.send("POST", f"gradio_api/{path}", content=body, headers=json_type)
        if answer.status_code not in {400, 422} or len(answer.content) >= 2_000:
            accepted[path, name] = answer.status_code, len(answer.content)
    assert accepted == {}


def test_what_is_not_there_is_refused(target: Target) -> None:
    headers, accepted = {"accept": "application/json, text/event-stream"}, []
    for path, said in UNKNOWN:
        answer = target.send("POST", f"gradio_api/{path}", json=said, headers=headers)
        if not (400 <= answer.status_code < 500 or (path == "mcp/" and "error" in answer.text)):
            accepted.append((path, said, answer.status_code))
    assert accepted == []


def test_malformed_headers_are_refused(target: Target) -> None:
    accepted = []
    for method, path in (("GET", ""), ("POST", "gradio_api/call/health"), ("GET", "config")):
        content = b'{"data": []}' if method == "POST" else b""
        for headers in HEADERS:
            answer = target.send(method, path, headers=headers, content=content)
            if answer.status_code != 400:
                accepted.append((path, headers, answer.status_code))
    assert accepted == []


def test_a_page_that_is_not_there_is_no_error_of_the_server(target: Target) -> None:
    statuses = {path: target.send("GET", path).status_code for path in PAGES}
    assert {path: status for path, status in statuses.items() if status >= 500} == {}


def raw(target: Target, text: bytes) -> bytes:
    """What the server answers to these very bytes, until it ends the connection or says no more."""
    with socket.create_connection(("127.0.0.1", target.app.port), timeout=10) as connection:
        connection.sendall(text)
        connection.settimeout(1)
        said = b""
        with suppress(TimeoutError):
            while len(said) < 200_000 and (piece := connection.recv(65_536)):
                said += piece
    target.statuses.append(int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/1.1 ") else 0)
    return said


def test_two_lengths_are_refused(target: Target) -> None:
    accepted = []
    for path, length in itertools.product(("upload", "call/health", "queue/join", "mcp/"), ("5", "0", "10000000")):
        head = (
            f"POST /gradio_api/{path} HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: {target.visitor()}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        said = raw(target, head.encode() + b"2\r\n{}\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        if not said.startswith(b"HTTP/1.1 400") or b"Transfer-Encoding" not in said:
            accepted.append((path, length, said[:100]))
    assert accepted == []


NO_HTTP = (
    b"\x00" * 1_000,
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /gradio_api/call/health HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
    b"POST /gradio_api/call/health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 50_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)


def test_what_is_no_http_is_no_error_of_the_server(target: Target) -> None:
    for text in NO_HTTP:
        with suppress(ConnectionError):  # the server may close the connection at once
            assert b" 500 " not in raw(target, text)[:20], text[:100]


def test_a_malformed_request_is_one_line_of_the_log(target: Target) -> None:
    before = target.app.said
    target.send("POST", "gradio_api/call/verify", content=json.dumps({"data": 5}).encode())
    assert target.app.said[len(before) :].count("\n") <= 1
