"""One request and one reply, as the parts of the world see them: without sockets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

Wait = Callable[[float], bool]
"""Waits so many seconds; returns True at once when the server is being stopped."""
HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked.

    `host` is without its port and in lower case, header names are in lower case, and `port` is the server's own.
    """

    method: str
    host: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    port: int

    @property
    def path(self) -> str:
        """The path alone."""
        return urlsplit(self.target).path or "/"

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the address; for a repeated one, its first value."""
        return _first(urlsplit(self.target).query)

    @property
    def form(self) -> dict[str, str]:
        """The parameters of a form."""
        return _first(self.body.decode("utf-8", "replace"))

    @property
    def posted(self) -> dict[str, object]:
        """The JSON object in the body; empty when there is none."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def number(self, name: str, default: int, most: int) -> int:
        """Return a whole number among the parameters, from 0 to `most`."""
        text = self.query.get(name, "")
        return min(int(text), most) if text.isdecimal() and len(text) < 10 else default


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered. `stream`, if any, makes the body in pieces, and may never end."""

    body: bytes = b""
    content_type: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Wait], Iterator[bytes]] | None = None


def page_reply(html: str, status: int = 200) -> Reply:
    """Return a page of HTML."""
    return Reply(html.encode(), HTML, status)


def json_reply(value: object, status: int = 200) -> Reply:
    """Return JSON, without escaping any letter."""
    return Reply(json.dumps(value, ensure_ascii=False).encode(), JSON, status)


def redirect_reply(address: str) -> Reply:
    """Return a redirect to another address."""
    return Reply(b"", HTML, 302, {"Location": address})


def _first(text: str) -> dict[str, str]:
    values = parse_qs(text, keep_blank_values=True, max_num_fields=100)
    return {name: found[0] for name, found in values.items()}
