"""List every error that this project raises on purpose, in one tree.

VerifierError                 catch this one to catch them all; its text is one line: what, which value, how to fix it
├── InputError                what the user gave cannot be used: a claim, a file, a row
├── SettingsError             an environment variable has a value that is not allowed
├── ModelError                a weight file is missing, cut short, wrong or not loadable; or a model gave no answer:
│   ├── PromptTooLong            the messages do not fit the context
│   ├── GenerationCut            the token budget ended before the answer did
│   ├── GenerationTimeout        the deadline passed
│   ├── GenerationCancelled      the caller cancelled
│   └── AnswerUnusable           it answered, but the answer does not hold
├── DownloadError             a model cannot be fetched: no network, no such file, a wrong checksum, a full disk
│   └── DownloadCancelled     the user stopped it; what was fetched is kept
├── FetchError                a page was not fetched: a forbidden address, too large, too slow, refused by robots.txt
├── RefreshError              a refresh of the store was abandoned; the store is unchanged
│   ├── RefreshBusy              another process is doing the same
│   └── RefreshStopped           it was asked to stop
└── StoreError                the evidence store cannot be opened, read or written
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import BinaryIO, TextIO

INTERRUPTED = 130
"""Exit status that a shell expects of a program ended by Ctrl-C."""


class VerifierError(Exception):
    """Base of all errors below."""


class InputError(VerifierError):
    """What the user gave cannot be used: a claim, a file, a row."""


class SettingsError(VerifierError):
    """An environment variable has a value that is not allowed."""


class ModelError(VerifierError):
    """A weight file is missing, cut short, wrong or unloadable, or no answer came."""


class PromptTooLong(ModelError):
    """The messages do not fit a model's context."""


class GenerationCut(ModelError):
    """The token budget ended before the answer did."""


class GenerationTimeout(ModelError):
    """The deadline of a generation passed."""


class GenerationCancelled(ModelError):
    """The caller cancelled a generation."""


class AnswerUnusable(ModelError):
    """A model's answer does not hold against the claim or the evidence."""


class DownloadError(VerifierError):
    """A model cannot be fetched: no network, no such file, wrong checksum, full disk."""


class DownloadCancelled(DownloadError):
    """The user stopped the download; what was fetched is kept."""


class FetchFailure(StrEnum):
    """Why a page was not fetched or not read."""

    SCHEME = "scheme"
    FORBIDDEN_ADDRESS = "forbidden address"
    ROBOTS = "robots"
    REDIRECTS = "redirects"
    TOO_LARGE = "too large"
    CONTENT_TYPE = "content type"
    TIMED_OUT = "timed out"
    UNREACHABLE = "unreachable"
    STATUS = "status"
    GONE = "gone"
    UNREADABLE = "unreadable"


class FetchError(VerifierError):
    """A page was not fetched or not read; `kind` says why.

    For example: a forbidden address, too large, too slow, refused by robots.txt.
    """

    def __init__(self, message: str, kind: FetchFailure = FetchFailure.UNREADABLE) -> None:
        super().__init__(message)
        self.kind = kind


class RefreshError(VerifierError):
    """A refresh of the evidence store was abandoned; the store is unchanged."""


class RefreshBusy(RefreshError):
    """Another process is doing the same upkeep."""


class RefreshStopped(RefreshError):
    """A refresh was asked to stop."""


class StoreError(VerifierError):
    """The evidence store cannot be opened, read or written."""


_TO_SHOW = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
    | {0x7F: 0x2421}
    | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
    | dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
)


def shown(text: str) -> str:
    """Return the text without anything that a terminal would obey.

    Control characters, and marks that change the order of letters, become visible signs.
    """
    return text.translate(_TO_SHOW)


class _Terminal(io.TextIOBase):
    """A stream that prints imported texts without letting them control the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(shown(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    @property
    def buffer(self) -> BinaryIO:
        """The underlying bytes, for output that is not text for people."""
        return self._stream.buffer


def exit_status(command: Callable[[], None], stopped: str) -> int:
    """Run a command line to its end and return its exit status.

    That is 0, 2 after an error (printed in one line), or 130 after Ctrl-C (`stopped` is printed).
    """
    try:
        with contextlib.redirect_stdout(_Terminal(sys.stdout)):
            command()
        sys.stdout.flush()
    except VerifierError as exc:
        sys.stderr.write(f"error: {shown(str(exc))}\n")
        return 2
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stderr.write(f"{stopped}\n")
        return INTERRUPTED
    return 0
