"""Share what operations need: limits on strangers' input, the service protocol, and progress reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from errors import InputError
from verifier.claim.intake import MAX_CHARACTERS as MAX_QUERY
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.serve.checker import Checker
    from verifier.serve.service import Health

Tell = Callable[[int, int | None, str], None]
"""Takes steps done, total (None: unknown) and last step; may raise to end the work."""


class Serving(Protocol):
    """The service that does the work: a `Service`, which may still be loading."""

    @property
    def settings(self) -> Settings:
        """All settings."""

    def checker(self) -> Checker:
        """Return the checker once it is loaded; raises VerifierError if it cannot be."""

    def health(self) -> Health:
        """Return the state, without waiting."""


def quiet(done: int, total: int | None, message: str) -> None:
    """Report no progress."""


def query_of(query: str) -> str:
    """Collapse the white space in a query.

    Raises:
        InputError: the query has no words, or is too long.
    """
    text = " ".join(query[: 2 * MAX_QUERY].split())
    if not any(sign.isalnum() for sign in text):
        raise InputError("the query is empty: give some words to look for")
    if len(query) > MAX_QUERY:
        raise InputError(f"the query has {len(query):,} characters, at most {MAX_QUERY:,} are allowed: shorten it")
    return text


def check_may_change(settings: Settings) -> None:
    """Check that this server lets its visitors change its evidence.

    Raises:
        InputError: it does not.
    """
    if not settings.allow_add:
        raise InputError("this server takes in no changes of its evidence; its owner can set VERIFIER_ALLOW_ADD=1")
