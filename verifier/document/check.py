"""Check a whole text, the most important claims first.

Yield its sentences with their kinds, then each claim as it is done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from errors import VerifierError
from verifier.check.trace import run_to_end
from verifier.document.schema import DocumentClaim, DocumentResult, DocumentText, Marked, Outcome, Sentence
from verifier.document.speech import tells_of
from verifier.document.understand import Tell, Understood, understood
from verifier.schema import Stage, VerificationResult
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.serve.checker import Checker

MAX_CLAIMS = 50
"""Claims of a text that are checked, unless more are asked for."""
WEB_SECONDS = 120.0
"""Seconds in which all claims of a text together may ask the web."""
AT_ONCE = 2
"""Claims checked at once: while one is read, evidence for the other is looked for.

Reading several in larger batches, or remembering vectors and findings from claim to claim, saved no processor time.
"""
_A_TURN = 4
"""Claims checked in one turn."""
_TOLD_EVERY = 20


def _quiet(done: int, total: int) -> None:
    """Report nothing."""


def check_document(
    document: DocumentText,
    checker: Checker,
    *,
    max_claims: int = MAX_CLAIMS,
    web: bool = True,
    done: Sequence[Marked] = (),
    tell: Tell = _quiet,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Generator[Sequence[Sentence] | Marked, None, DocumentResult]:
    """Check a text: yield its sentences once, then each claim checked now.

    Closing the generator stops it. A claim that cannot be checked fails with the reason, and the others go on.

    Args:
        document: the text.
        checker: checks each claim like any other.
        max_claims: most claims to check, the most checkworthy first; the others are left out.
        web: whether the web may be asked, for `WEB_SECONDS` in all.
        done: claims that an earlier run has checked, which are not checked again.
        tell: is called with the progress of reading the sentences.
        turn: what each group of a few claims waits for.

    Raises:
        InputError: the text is too long or has no words.
    """
    started = time.monotonic()
    with turn():
        found = understood(document.text, checker.verifier.claim_type, _now_and_then(tell))
    yield found.sentences
    chosen, rest = found.claims[:max_claims], found.claims[max_claims:]
    known = {_key(mark.claim): mark for mark in done if mark.outcome is Outcome.CHECKED}
    marks = [known[_key(claim)] for claim in chosen if _key(claim) in known]
    budget = WebBudget(checker.settings)
    for together in _portions([claim for claim in chosen if _key(claim) not in known]):
        side_by_side = _side_by_side(together, lambda claim: _checked(claim, checker, budget, web))
        with turn(), closing(side_by_side) as checked:
            for mark in checked:
                marks.append(mark)
                yield mark
    return _result(document, found, marks, rest, time.monotonic() - started)


def _result(
    document: DocumentText, found: Understood, marks: Sequence[Marked], rest: Sequence[DocumentClaim], seconds: float
) -> DocumentResult:
    """Build the whole result, with the claims that were left out and why."""
    told = f"only the {len(found.claims) - len(rest)} most checkworthy of {len(found.claims)} statements are checked"
    left_out = [Marked(claim, Outcome.LEFT_OUT, reason=told) for claim in rest]
    in_order = tuple(sorted([*marks, *left_out], key=lambda mark: mark.claim.sentence))
    warnings = tuple(filter(None, (found.warning, told if rest else "")))
    return DocumentResult(document, datetime.now(UTC), found.sentences, in_order, round(seconds, 3), warnings)


def _now_and_then(tell: Tell) -> Tell:
    """Report only the first sentence, the last, and some in between."""

    def told(read: int, total: int) -> None:
        if read % _TOLD_EVERY == 1 or read == total:
            tell(read, total)

    return told


def _key(claim: DocumentClaim) -> tuple[int, str]:
    return claim.sentence, claim.text


def _portions(claims: Sequence[DocumentClaim]) -> Iterator[Sequence[DocumentClaim]]:
    """Yield the first claim alone, to have it soon, then a few at a time."""
    if claims:
        yield claims[:1]
    for start in range(1, len(claims), _A_TURN):
        yield claims[start : start + _A_TURN]


def _side_by_side(
    claims: Sequence[DocumentClaim], check: Callable[[DocumentClaim], Marked]
) -> Generator[Marked, None, None]:
    """Check claims in order, a few at once.

    When closed, wait for those in progress and begin no others.
    """
    pool = ThreadPoolExecutor(AT_ONCE, "claim")
    try:
        yield from pool.map(check, claims)
    finally:
        pool.shutdown(cancel_futures=True)


class WebBudget:
    """The time in which the claims of a text may still ask the web.

    Safe to share between threads.
    """

    def __init__(self, settings: Settings) -> None:
        """`settings` are those of a single check, whose own web time is also a limit."""
        self._settings, self._left, self._lock = settings, WEB_SECONDS, threading.Lock()

    def settings(self) -> Settings:
        """Return the settings of the next check."""
        search = self._settings.search
        deadline = max(0.0, min(search.deadline, self._left))
        return replace(self._settings, search=replace(search, deadline=deadline))

    def spend(self, result: VerificationResult) -> None:
        """Subtract the time for which a check asked the web."""
        with self._lock:
            self._left -= sum(step.seconds for step in result.steps if step.stage is Stage.SEARCH)


def _checked(claim: DocumentClaim, checker: Checker, budget: WebBudget, web: bool) -> Marked:
    """Check one claim; a failure is an outcome, not a verdict."""
    start = time.monotonic()
    try:
        verifier = checker.verifier.with_settings(budget.settings())
        if claim.was_said:
            verifier = verifier.by_texts(partial(tells_of, claim.speaker))
        result = run_to_end(checker.stream(claim.text, web, verifier=verifier))
    except VerifierError as exc:
        reason = " ".join(str(exc).split())
        return Marked(claim, Outcome.FAILED, reason=reason, seconds=round(time.monotonic() - start, 3))
    budget.spend(result)
    return Marked(claim, Outcome.CHECKED, result, seconds=round(time.monotonic() - start, 3))
