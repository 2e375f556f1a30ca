"""Manage visitors' uploads: how many, how large, which are here, and when they go."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ui.guard.answers import App, Message, Receive, Refusal, Send
from ui.guard.bodies import UPLOAD_SECONDS, in_time, no_more_than
from ui.guard.multipart import Parts
from ui.guard.visitors import Budget

AN_HOUR = 60
"""Files of one visitor per hour; in bytes, ten times the largest file."""
AT_ONCE = 10
"""Files per request."""
HELD = 100
"""Limit for all files together, as a multiple of the largest file."""
KEPT = 3_600.0
"""Seconds after which a file is removed, wherever its visitor is."""
GRACE = 60.0
"""Seconds after which a file is removed once its visitor's last page was closed."""
_LOG = logging.getLogger(__name__)
_BAD = "this upload cannot be read: send multipart/form-data whose files have names and stand under 'files'"


@dataclass(slots=True)
class _Held:
    """A file, its size, and when each visitor last sent it.

    Two may send the same.
    """

    size: int
    sent: dict[str, float] = field(default_factory=dict)


class Uploads:
    """The uploaded files of one server. All calls come from its event loop."""

    def __init__(self, folder: Path, largest: int) -> None:
        """`folder` is where Gradio keeps only uploads; `largest` is the most bytes of one."""
        self._folder, self._largest = folder, largest
        self._held: dict[str, _Held] = {}
        self._pages: Counter[str] = Counter()
        self._files, self._bytes = Budget(AN_HOUR, 3_600), Budget(10 * largest, 3_600)

    def known(self, path: str) -> bool:
        """Whether an uploaded file is at exactly this path."""
        return path in self._held

    async def take(
        self, app: App, scope: Message, receive: Receive, send: Send, size: str, visitor: str, limited: bool
    ) -> None:
        """Let Gradio take an upload, within the visitor's limits.

        Args:
            app: Gradio.
            scope: the request, as ASGI defines it.
            receive: its body.
            send: its answer.
            size: its Content-Length, or "".
            visitor: who sends it.
            limited: whether the visitor's limits apply.

        Raises:
            Refusal: it is too large, there were too many, or it cannot be read.
        """
        self._check(scope["method"], size, visitor, limited)
        answer = _Answer()
        bounded = no_more_than(in_time(receive, UPLOAD_SECONDS), int(size or 0))
        if scope["method"] == "POST":
            kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
            bounded = Parts(kind.decode("latin1"), AT_ONCE).watched(bounded)
        try:
            await app(scope, bounded, answer.keep)
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as exc:  # raised by Gradio's reader on hostile bytes
            raise Refusal(400, _BAD) from exc
        finally:
            await asyncio.to_thread(self._sweep)
        self._note(answer.paths(), visitor, limited)
        await answer.send(send)

    def _check(self, method: str, size: str, visitor: str, limited: bool) -> None:
        if method == "POST" and not (size.isascii() and size.isdecimal()):
            raise Refusal(411, "an upload must say how large it is: send Content-Length")
        if int(size or 0) > self._largest:
            raise Refusal(413, f"a file may have {self._largest // 1_000_000} MB at most")
        self._expire()
        if sum(held.size for held in self._held.values()) + int(size or 0) > HELD * self._largest:
            raise Refusal(429, "this server holds as many uploads as it can; try again in an hour", 3_600)
        if limited:
            wait = self._files.take(visitor) or self._bytes.take(visitor, int(size or 0))
            if wait:
                rule = f"{AN_HOUR} files and {10 * self._largest // 1_000_000} MB an hour for each visitor"
                raise Refusal(429, f"That is more than this server takes: {rule}. Try again in {wait} seconds.", wait)

    def _note(self, paths: list[str], visitor: str, limited: bool) -> None:
        sizes = {path: Path(path).stat().st_size for path in paths if Path(path).is_file()}
        if limited and len(paths) > 1:
            self._files.charge(visitor, len(paths) - 1)
        for path, size in sizes.items():
            self._held.setdefault(path, _Held(size)).sent[visitor] = time.monotonic()
        asyncio.get_running_loop().call_later(KEPT + 1, self._expire)

    @contextmanager
    def page(self, visitor: str) -> Iterator[None]:
        """Count a visitor's open page; when the last one closes, files go after `GRACE`."""
        self._pages[visitor] += 1
        try:
            yield
        finally:
            self._pages[visitor] -= 1
            self._pages += Counter()  # drops zeros
            if not self._pages[visitor]:
                asyncio.get_running_loop().call_later(GRACE, self._leave, visitor, time.monotonic())

    def _leave(self, visitor: str, closed: float) -> None:
        if not self._pages[visitor]:
            self._drop(lambda owner, sent: owner == visitor and sent <= closed)

    def _expire(self) -> None:
        oldest = time.monotonic() - KEPT
        self._drop(lambda owner, sent: sent < oldest)

    def _drop(self, gone: Callable[[str, float], bool]) -> None:
        """Forget who sent a file where `gone`; remove files without a sender."""
        for path, held in list(self._held.items()):
            held.sent = {owner: sent for owner, sent in held.sent.items() if not gone(owner, sent)}
            if not held.sent:
                del self._held[path]
                self._remove(path)

    def _remove(self, path: str) -> None:
        if path in self._held:
            return  # sent before, by someone who may still need it
        try:
            Path(path).unlink(missing_ok=True)
            with suppress(OSError):
                Path(path).parent.rmdir()
        except OSError as exc:
            _LOG.warning("cannot remove the upload %s: %s", path, exc.strerror)

    def _sweep(self) -> None:
        """Remove what broken uploads left.

        Gradio writes to its own files before it knows where one belongs.
        """
        oldest = time.time() - 2 * UPLOAD_SECONDS
        with suppress(OSError):  # another request may sweep at the same time
            for path in self._folder.iterdir():
                if path.is_file() and path.stat().st_mtime < oldest:
                    path.unlink(missing_ok=True)


class _Answer:
    """Gradio's answer, read before it is sent; a list of paths is short."""

    def __init__(self) -> None:
        self._messages: list[Message] = []

    async def keep(self, message: Message) -> None:
        """Act as ASGI's `send`."""
        self._messages.append(message)

    def paths(self) -> list[str]:
        """Return the paths of the files in it; none if the upload was refused."""
        if not self._messages or self._messages[0]["status"] != 200:
            return []
        try:
            said = json.loads(b"".join(message.get("body", b"") for message in self._messages[1:]))
        except ValueError:
            return []
        return [str(path) for path in said] if isinstance(said, list) else []

    async def send(self, send: Send) -> None:
        """Send the kept answer."""
        for message in self._messages:
            await send(message)
