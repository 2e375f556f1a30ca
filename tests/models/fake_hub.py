"""A model hub on loopback: it names checksum, size and commit, and sends on to a storage on another host name."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

COMMIT = "c" * 40
PIECE = 16_384
SMALL = 10_000
"""Smaller files are no large ones to git, whose own checksum is all that the hub tells of them."""


@dataclass
class FakeHub:
    """What it has, how it misbehaves, and what it was asked.

    `after` is how many bytes of an answer it sends before it cuts the connection, or falls silent until `wake` is set.
    """

    server: HTTPServer
    files: dict[str, bytes] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    licences: dict[str, str] = field(default_factory=dict)
    refusal: tuple[int, str] | None = None
    after: int | None = None
    silent: bool = False
    ranges: bool = True
    wake: threading.Event = field(default_factory=threading.Event)
    seen: list[Request] = field(default_factory=list)

    @property
    def endpoint(self) -> str:
        return f"http://localhost:{self.server.port}"

    @property
    def storage(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def add(self, repo: str, file: str, content: bytes) -> str:
        """Put a file there; returns its SHA-256."""
        self.files[f"{repo}/{file}"] = content
        return hashlib.sha256(content).hexdigest()

    def asked(self, method: str) -> list[Request]:
        return [request for request in self.seen if request.method == method]

    def answer(self, request: Request) -> Response:
        self.seen.append(request)
        if request.path.startswith("/storage/"):
            return self._send(request, self.files[request.path.removeprefix("/storage/")])
        if self.refusal:
            return _refuse(*self.refusal)
        if request.path.startswith("/api/models/"):
            return self._describe(request.path.removeprefix("/api/models/"))
        repo, _, rest = request.path.strip("/").partition("/resolve/")
        name = f"{repo}/{rest.partition('/')[2]}"
        if not any(key.startswith(f"{repo}/") for key in self.files):
            return _refuse(404, "RepoNotFound")
        if name not in self.files:
            return _refuse(404, "EntryNotFound")
        content = self.files[name]
        headers = {
            "Location": f"{self.storage}/storage/{name}",
            "X-Repo-Commit": COMMIT,
            "X-Linked-ETag": f'"{self.checksums.get(name) or hashlib.sha256(content).hexdigest()}"',
            "X-Linked-Size": str(self.sizes.get(name, len(content))),
            "ETag": '"of the redirect"',
        }
        return Response(status=302, headers=headers)

    def _describe(self, repo: str) -> Response:
        """What the hub says of a whole repository."""
        files = {
            key.removeprefix(f"{repo}/"): content for key, content in self.files.items() if key.startswith(f"{repo}/")
        }
        if not files:
            return _refuse(404, "RepoNotFound")
        siblings = []
        for name, content in files.items():
            git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            entry: dict[str, object] = {"rfilename": name, "size": len(content), "blobId": git}
            if len(content) > SMALL:
                sha256 = self.checksums.get(f"{repo}/{name}") or hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 130}
            siblings.append(entry)
        answer: dict[str, object] = {"_id": "1", "id": repo, "sha": COMMIT, "tags": [], "siblings": siblings}
        if repo in self.licences:
            answer["cardData"] = {"license": self.licences[repo]}
        return Response(json.dumps(answer), content_type="application/json")

    def _send(self, request: Request, content: bytes) -> Response:
        start = 0
        if self.ranges and "Range" in request.headers:
            start = int(request.headers["Range"].removeprefix("bytes=").rstrip("-"))
        headers = {"Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return Response(self._pieces(content[start:]), status=206 if start else 200, headers=headers)

    def _pieces(self, content: bytes) -> Iterator[bytes]:
        end = len(content) if self.after is None else self.after
        for begin in range(0, min(end, len(content)), PIECE):
            yield content[begin : min(begin + PIECE, end)]
        if self.silent:
            self.wake.wait(30)


def _refuse(status: int, code: str) -> Response:
    return Response(status=status, headers={"X-Error-Code": code} if code else {})
