"""Every error that this project raises on purpose, in one tree.

VerifierError                 catch this one to catch them all; its text is one line: what, which value, how to mend it
├── InputError                what the user gave cannot be used: a claim, a file, a row
├── SettingsError             an environment variable has a value that is not allowed
├── ModelError                a weight file is missing, cut short, foreign or not loadable; or a model gave no answer:
│   ├── PromptTooLong            the messages do not fit the context
│   ├── GenerationCut            the token budget ended before the answer did
│   ├── GenerationTimeout        the deadline passed
│   ├── GenerationCancelled      the caller cancelled
│   └── AnswerUnusable           it answered, and the answer does not hold
├── DownloadError             a model cannot be fetched: no network, no such file, a wrong checksum, a full disk
│   └── DownloadCancelled     the user stopped it; what was fetched is kept
├── FetchError                a page was not fetched: a forbidden address, too large, too slow, refused by robots.txt
├── RefreshError              a refresh of the store was given up; the store is as it was
│   ├── RefreshBusy              another process is at it
│   └── RefreshStopped           it was told to stop
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
"""What a shell expects of a program that Ctrl-C has ended."""


class VerifierError(Exception):
    """Base of all errors below."""


class InputError(VerifierError):
    """What the user gave cannot be used: a claim, a file, a row."""


class SettingsError(VerifierError):
    """An environment variable has a value that is not allowed."""


class ModelError(VerifierError):
    """A weight file is missing, cut short, foreign or not loadable, or a model gave no answer."""


class PromptTooLong(ModelError):
    """The messages do not fit a model's context."""


class GenerationCut(ModelError):
    """The token budget ended before the answer did."""


class GenerationTimeout(ModelError):
    """The deadline of a generation passed."""


class GenerationCancelled(ModelError):
    """The caller cancelled a generation."""


class AnswerUnusable(ModelError):
    """A model answered, and its answer does not hold against the claim or the evidence."""


class DownloadError(VerifierError):
    """A model cannot be fetched: no network, no such file, a wrong checksum, a full disk."""


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
    """A page was not fetched or not read: a forbidden address, too large, too slow, refused by robots.txt. `kind` says which."""

    def __init__(self, message: str, kind: FetchFailure = FetchFailure.UNREADABLE) -> None:
        super().__init__(message)
        self.kind = kind


class RefreshError(VerifierError):
    """A refresh of the evidence store was given up; the store is as it was."""


class RefreshBusy(RefreshError):
    """Another process is at the same upkeep."""


class RefreshStopped(RefreshError):
    """A refresh was told to stop."""


class StoreError(VerifierError):
    """The evidence store cannot be opened, read or written."""


_TO_SHOW = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
    | {0x7F: 0x2421}
    | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
    | dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
)


def shown(text: str) -> str:
    """The text without what a terminal would obey: control characters stand as signs, marks that turn the order of letters too."""
    return text.translate(_TO_SHOW)


class _Terminal(io.TextIOBase):
    """A stream on which imported texts can be printed: whatever they hold, they only show."""

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
        """The bytes beneath, for what is no text for people."""
        return self._stream.buffer


def exit_status(command: Callable[[], None], stopped: str) -> int:
    """Run a command line to its end: 0, or 2 after an error, of which one line is printed, or 130 and `stopped` after Ctrl-C."""
    try:
        with contextlib.redirect_stdout(_Terminal(sys.stdout)):
            command()
        sys.stdout.flush()
    except VerifierError as exc:
        sys.stderr.write(f"error: {shown(str(exc))}\n")
        return 2
    except BrokenPipeError:  # whoever read this has heard enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stderr.write(f"{stopped}\n")
        return INTERRUPTED
    return 0
