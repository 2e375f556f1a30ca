"""Pages of other sites: they may not use the server with the login of their visitors."""

from __future__ import annotations

import itertools

import httpx

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


REQUESTS = (
    ("POST", "gradio_api/call/health"),
    ("POST", "gradio_api/upload"),
    ("POST", "gradio_api/mcp/"),
    ("GET", "config"),
    ("GET", "gradio_api/queue/data?session_hash=x"),
)
OWN_PAGES = {
    "own": {"host": OWN, "origin": f"https://{OWN}"},
    "own with its port": {"host": f"{OWN}:443", "origin": f"https://{OWN}"},
    "behind a proxy": {"host": "inside:7860", "x-forwarded-host": OWN, "origin": f"https://{OWN}"},
    "allowed by a setting": {"host": OWN, "origin": "https://friend.example"},
    "extension": {"host": OWN, "origin": "chrome-extension://abcdefgh"},
    "no page": {"host": OWN},
}


def forbidden(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


def test_no_other_origin_may_ask(target: Target) -> None:
    answered = []
    for (method, path), origin in itertools.product(REQUESTS, FOREIGN):
        headers = {"host": f"{OWN}:443" if "8443" in origin else OWN, "origin": origin, "cookie": "login=1"}
        content = b'{"data": []}' if method == "POST" else b""
        if not forbidden(target.send(method, path, headers=headers, content=content)):
            answered.append((path, origin))
    assert answered == []


def test_no_other_origin_is_allowed_in_advance(target: Target) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type", "host": OWN}
    for origin in FOREIGN[:3]:
        answer = target.send("OPTIONS", "gradio_api/call/health", headers=asked | {"origin": origin})
        assert forbidden(answer), origin


def test_the_servers_own_pages_may_ask(target: Target) -> None:
    for name, headers in OWN_PAGES.items():
        answer = target.send("POST", "gradio_api/call/health", headers=headers, json={"data": []})
        assert answer.status_code == 200, name
