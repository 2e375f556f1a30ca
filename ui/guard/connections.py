"""Limit the server's connections and their idle time, and report when there are too many."""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import gradio as gr
from uvicorn.protocols.http.h11_impl import H11Protocol

from ui.guard.origin import OwnPages
from verifier.settings import Settings

MAX_CONNECTIONS = 1_000
IDLE_SECONDS = 30.0
"""How long a connection may take to send a request, or to accept more of an answer."""
_SPARE = 20
"""Connections above the limit that still get an answer; any more are cut off."""
_FILES = 8_192
"""Open files that the process asks its system for, if it may have as many."""
_SILENT = 600.0
"""Seconds in which "too many open files" is logged once."""


def harden(demo: gr.Blocks, settings: Settings) -> None:
    """Limit connections after `launch`, and stop naming the server program.

    The name goes within the next second. The check of origins can only now be put before all of Gradio's own: Gradio
    puts its rules for other sites before what `launch` takes.
    """
    config = demo.server.config
    config.loaded_app = OwnPages(config.loaded_app, settings)
    config.limit_concurrency = most_connections()
    config.http_protocol_class = Hurried
    config.encoded_headers = []
    logging.getLogger("asyncio").addFilter(_FilesOnce())


def most_connections() -> int:
    """Return how many connections the process may have: at most half its open files.

    The rest is for the files of its store and its models.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, min(MAX_CONNECTIONS, soft // 2))


class Hurried(H11Protocol):
    """A connection that must send its request, and accept its answer, in time.

    uvicorn waits forever for the first request of a connection. If there is no room for one more connection, the one
    that has waited longest without a request is closed.
    """

    _idle: OrderedDict[Hurried, None] = OrderedDict()
    _reading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    if TYPE_CHECKING:
        transport: Any

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Implement asyncio's method."""
        super().connection_made(transport)
        self._wait()
        over = (
            len(self.connections) + 1 - (self.limit_concurrency or MAX_CONNECTIONS)
        )  # uvicorn already refuses at the limit
        longest = next(iter(self._idle))
        if over > (0 if longest is not self else _SPARE):
            longest._drop()

    def data_received(self, data: bytes) -> None:
        """Implement asyncio's method."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def pause_writing(self) -> None:
        """Implement asyncio's method: the other end accepts nothing."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(IDLE_SECONDS, self._drop)

    def resume_writing(self) -> None:
        """Implement asyncio's method."""
        super().resume_writing()
        if self._writing:
            self._writing.cancel()
            self._writing = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Implement asyncio's method."""
        self._stop_waiting()
        if self._writing:
            self._writing.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Wait for a request. Its bytes gain no time: only its whole head does."""
        if self._reading is None and not self.transport.is_closing():
            self._reading = self.loop.call_later(IDLE_SECONDS, self._drop)
            self._idle[self] = None

    def _stop_waiting(self) -> None:
        self._idle.pop(self, None)
        if self._reading:
            self._reading.cancel()
            self._reading = None

    def _drop(self) -> None:
        self._stop_waiting()
        self.transport.abort()


class _FilesOnce(logging.Filter):
    """Logs "too many open files" once, in one line.

    asyncio logs it with a traceback, every second.
    """

    _said = -_SILENT

    def filter(self, record: logging.LogRecord) -> bool:
        """Implement logging's method."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, OSError) or error.errno not in {errno.EMFILE, errno.ENFILE}:
            return True
        if time.monotonic() - self._said < _SILENT:
            return False
        self._said = time.monotonic()
        record.msg, record.args, record.exc_info = (
            "too many open files: no connection is taken until some are closed",
            (),
            None,
        )
        return True
