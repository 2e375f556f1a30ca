"""The connections of the server: how many there are, how long one may do nothing, and what is said when there are too many."""

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
"""How long a connection may take to send a request, or to take in more of an answer."""
_SPARE = 20
"""Connections above the limit that get an answer; any more are cut off."""
_FILES = 8_192
"""Open files that the process asks its system for, where it may have as many."""
_SILENT = 600.0
"""Seconds in which "too many open files" is said once."""


def harden(demo: gr.Blocks, settings: Settings) -> None:
    """After `launch`: bound the connections, and stop naming the program that serves (within the next second).

    The check of origins can only be put before all of Gradio's own now: Gradio puts its rules for other sites before what `launch` takes.
    """
    config = demo.server.config
    config.loaded_app = OwnPages(config.loaded_app, settings)
    config.limit_concurrency = most_connections()
    config.http_protocol_class = Hurried
    config.encoded_headers = []
    logging.getLogger("asyncio").addFilter(_FilesOnce())


def most_connections() -> int:
    """How many connections the process may have, next to the files of its store and its models: at most half of its open files."""
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
    """A connection that must send its request, and take in its answer, in time.

    uvicorn waits for the first request of a connection for ever. Where there is no room for one more connection, the one that has
    waited longest without a request is closed.
    """

    _idle: OrderedDict[Hurried, None] = OrderedDict()
    _reading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    if TYPE_CHECKING:
        transport: Any

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As asyncio has it."""
        super().connection_made(transport)
        self._wait()
        over = (
            len(self.connections) + 1 - (self.limit_concurrency or MAX_CONNECTIONS)
        )  # uvicorn refuses at the limit itself
        longest = next(iter(self._idle))
        if over > (0 if longest is not self else _SPARE):
            longest._drop()

    def data_received(self, data: bytes) -> None:
        """As asyncio has it."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def pause_writing(self) -> None:
        """As asyncio has it: the other end takes in nothing."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(IDLE_SECONDS, self._drop)

    def resume_writing(self) -> None:
        """As asyncio has it."""
        super().resume_writing()
        if self._writing:
            self._writing.cancel()
            self._writing = None

    def connection_lost(self, exc: Exception | None) -> None:
        """As asyncio has it."""
        self._stop_waiting()
        if self._writing:
            self._writing.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """A request is waited for. Bytes of it win no time: only the whole head of it does."""
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
    """Says once, in a line, that there are too many open files: asyncio says so with a traceback, every second."""

    _said = -_SILENT

    def filter(self, record: logging.LogRecord) -> bool:
        """As logging has it."""
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
