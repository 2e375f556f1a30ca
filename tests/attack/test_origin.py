"""Pages of other sites: they may not use a server in the name of whoever visits them, whatever login stands before it."""

from __future__ import annotations

import pytest

from tests.attack.conftest import Target

OWN = "claims.example.org"
FOREIGN = (
    "https://evil.example",
    "http://claims.example.org.evil.example",
    "https://evilclaims.example.org",
    "https://claims.example.org:8443",
    "https://claims.example.org@evil.example",
    "null",
    "file://",
    "http://localhost:7860",
    "https://huggingface.co",
    "HTTPS://EVIL.EXAMPLE",
    "evil.example",
    "",
)


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "gradio_api/call/health"),
        ("POST", "gradio_api/upload"),
        ("POST", "gradio_api/mcp/"),
        ("GET", "config"),
        ("GET", "gradio_api/queue/data?session_hash=x"),
    ],
)
def test_no_other_origin_may_ask(target: Target, visitor: str, origin: str, method: str, path: str) -> None:
    headers = {"host": f"{OWN}:443" if "8443" in origin else OWN, "origin": origin, "cookie": "login=1"}
    answer = target.send(method, path, visitor, headers=headers, content=b'{"data": []}' if method == "POST" else b"")
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", FOREIGN[:3])
def test_no_other_origin_is_told_that_it_may_ask(target: Target, visitor: str, origin: str) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    headers = {"host": OWN, "origin": origin} | asked
    answer = target.send("OPTIONS", "gradio_api/call/health", visitor, headers=headers)
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"host": OWN, "origin": f"https://{OWN}"},
        {"host": f"{OWN}:443", "origin": f"https://{OWN}"},
        {"host": "inside:7860", "x-forwarded-host": OWN, "origin": f"https://{OWN}"},
        {"host": OWN, "origin": "https://friend.example"},
        {"host": OWN, "origin": "chrome-extension://abcdefgh"},
        {"host": OWN},
    ],
    ids=["own", "own with its port", "behind a proxy", "allowed by a setting", "extension", "no page"],
)
def test_the_servers_own_pages_may_ask(target: Target, visitor: str, headers: dict[str, str]) -> None:
    answer = target.send("POST", "gradio_api/call/health", visitor, headers=headers, json={"data": []})
    assert answer.status_code == 200
