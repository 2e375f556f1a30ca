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

import os
import sys
from collections.abc import Callable
from enum import StrEnum

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


def exit_status(command: Callable[[], None], stopped: str) -> int:
    """Run a command line to its end: 0, or 2 after an error, of which one line is printed, or 130 and `stopped` after Ctrl-C."""
    try:
        command()
        sys.stdout.flush()
    except VerifierError as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 2
    except BrokenPipeError:  # whoever read this has heard enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stderr.write(f"{stopped}\n")
        return INTERRUPTED
    return 0
