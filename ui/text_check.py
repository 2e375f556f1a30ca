"""Check a whole text for a page: what was asked, progress, and results so far.

Results are kept while the page is open.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from errors import InputError, VerifierError
from ui.cards import error_card
from ui.checking import is_address
from ui.guard.starts import MOST_STATEMENTS
from ui.running import check_wanted, streamed, ticking, visitor_now
from ui.text_marks import news_html, text_html
from verifier.api.endpoints import MAX_TEXT, MAX_TEXT_CLAIMS
from verifier.document.check import check_document
from verifier.document.schema import DocumentResult, DocumentText, Marked, Outcome, Sentence
from verifier.document.source import read_address, read_document, read_pasted
from verifier.document.summary import summed_up, to_check
from verifier.report.public import public
from verifier.serve.service import Service

_LOOK_SECONDS = 0.5

Step = DocumentText | Sequence[Sentence] | Marked | DocumentResult


@dataclass(frozen=True, slots=True)
class Asked:
    """What a visitor gave: text, address or upload path; and how much to check."""

    text: str = ""
    path: str = ""
    web: bool = False
    most: int = MAX_TEXT_CLAIMS


@dataclass(frozen=True, slots=True)
class Checked:
    """A text as far as it is checked; `marks` are in order of arrival."""

    document: DocumentText
    most: int
    sentences: tuple[Sentence, ...] = ()
    marks: tuple[Marked, ...] = ()
    result: DocumentResult | None = None

    @property
    def total(self) -> int:
        """How many statements will be checked."""
        return to_check(self.sentences, self.most)

    @property
    def checked(self) -> int:
        """How many statements were checked."""
        return sum(mark.outcome is not Outcome.LEFT_OUT for mark in self.marks)

    @property
    def goes_on(self) -> bool:
        """Whether there is more to check: it was stopped, or statements were left out."""
        return self.result is None or any(mark.outcome is Outcome.LEFT_OUT for mark in self.marks)

    def again(self, asked: Asked) -> Checked:
        """Prepare to go on: what was checked stays.

        If the check had finished, more statements are asked for.
        """
        most = min(MOST_STATEMENTS, self.checked + asked.most) if self.result else self.most
        marks = tuple(mark for mark in self.marks if mark.outcome is Outcome.CHECKED)
        return replace(self, most=most, marks=marks, result=None)

    def so_far(self) -> DocumentResult:
        """Return the result; for a stopped check, what is done."""
        if self.result:
            return self.result
        told = f"the check was stopped after {self.checked} of {self.total} statements; the others were not checked"
        marks = tuple(sorted(self.marks, key=lambda mark: mark.claim.sentence))
        seconds = round(sum(mark.seconds for mark in marks), 3)
        return DocumentResult(self.document, datetime.now(UTC), self.sentences, marks, seconds, (told,))

    def with_step(self, step: Step) -> Checked:
        """Add a new step."""
        if isinstance(step, DocumentResult):
            return replace(self, sentences=step.sentences, marks=step.marks, result=step)
        if isinstance(step, Marked):
            return replace(self, marks=(*self.marks, step))
        return self if isinstance(step, DocumentText) else replace(self, sentences=tuple(step))


@dataclass(frozen=True, slots=True)
class Frame:
    """The page at one moment, as HTML; None leaves a part as it is.

    `halt` comes with the first frame; setting it ends the run, which then writes the last frame itself. Gradio's own
    way to cancel leaves the page with what came last, which may say that the check goes on.
    """

    told: str
    text: str | None = None
    news: str | None = None
    kept: Checked | None = None
    halt: threading.Event | None = None


@dataclass(slots=True)
class _Progress:
    """The thread's progress before a statement is done; the page reads it."""

    said: str = "Reading the text"
    done: int = 0
    total: int = 0

    def pages(self, read: int) -> None:
        """Note the pages read, if they are still wanted."""
        check_wanted()
        self.said = f"Reading page {read + 1}"

    def sentences(self, done: int, total: int) -> None:
        """Note the sentences understood, if they are still wanted."""
        check_wanted()
        self.said, self.done, self.total = f"Reading sentence {done} of {total}", done, total


async def frames(service: Service, asked: Asked, before: Checked | None = None) -> AsyncGenerator[Frame, None]:
    """Check a text, or go on with one; yield the page whenever something is new."""
    progress, visitor, halt = _Progress(), visitor_now(), threading.Event()
    begun = kept = before.again(asked) if before else None
    said, began, first = "", 0.0, 0
    yield Frame(_reading(progress), kept=kept, halt=halt)
    try:
        _check_bounds(asked)
        news = streamed(lambda: _steps(service, asked, begun, progress, visitor), "text")
        async with aclosing(ticking(news, _LOOK_SECONDS)) as steps:
            async for step in steps:
                if step is not None:
                    kept = kept.with_step(step) if kept else _first(step, asked)
                if halt.is_set():
                    yield Frame(stopped(kept), None, news_html(kept.marks) if kept else None, kept)
                    return
                if step is None or isinstance(step, DocumentText):
                    if not began and progress.said != said:
                        said = progress.said
                        yield Frame(_reading(progress), kept=kept)
                    continue
                if not isinstance(step, Marked | DocumentResult):
                    began, first = time.monotonic(), kept.checked if kept else 0
                if kept:
                    yield _frame(kept, step, time.monotonic() - began, kept.checked - first, anew=before is None)
    except VerifierError as exc:
        yield Frame(error_card(str(exc)) + (stopped(kept, "") if kept else ""))


def _first(step: Step, asked: Asked) -> Checked:
    if not isinstance(step, DocumentText):
        raise VerifierError("the text was not read; try again")
    return Checked(step, asked.most)


def _check_bounds(asked: Asked) -> None:
    """Refuse what can be refused without reading it."""
    if not 1 <= asked.most <= MOST_STATEMENTS:
        raise InputError(f"from 1 to {MOST_STATEMENTS} statements can be checked at once, not {asked.most}")
    if asked.text.strip() and asked.path:
        raise InputError("there is a text in the box and a file as well: remove one of them")
    if len(asked.text) > MAX_TEXT:
        raise InputError(
            f"the text has {len(asked.text):,} characters; up to {MAX_TEXT:,} can be pasted: save it as a file and upload it"
        )


def _steps(
    service: Service, asked: Asked, kept: Checked | None, progress: _Progress, visitor: str
) -> Generator[Step, None, DocumentResult]:
    """Run in the thread: read the text, then check it.

    A few statements at a time wait for the visitor's turn.
    """

    @contextmanager
    def turn() -> Iterator[None]:
        with service.turns.rows.taken(visitor):
            check_wanted()
            yield

    checker = service.checker()
    if kept is None:
        with turn():
            document = _read(service, asked, progress)
        yield document
    else:
        document = kept.document
    steps = check_document(
        document,
        checker,
        max_claims=kept.most if kept else asked.most,
        web=asked.web,
        done=kept.marks if kept else (),
        tell=progress.sentences,
        turn=turn,
    )
    with closing(steps):
        return (yield from steps)


def _read(service: Service, asked: Asked, progress: _Progress) -> DocumentText:
    if asked.path:
        return read_document(Path(asked.path), progress.pages)
    if is_address(asked.text):
        checker = service.checker()
        return read_address(asked.text.strip(), lambda url, _: checker.page(url), 0.0)
    return read_pasted(asked.text)


def _frame(kept: Checked, step: Step, seconds: float, done: int, anew: bool) -> Frame:
    """Show what is new: the whole text once, then only each statement's news."""
    if isinstance(step, DocumentResult):
        return Frame(ended(kept), None, news_html(kept.marks), kept)
    text = None if isinstance(step, Marked) or not anew else text_html(kept.document, kept.sentences)
    left = seconds / done * (kept.total - kept.checked) if done else None
    return Frame(_working(kept, left), text, news_html(kept.marks), kept)


def _reading(progress: _Progress) -> str:
    bar = f'max="{progress.total}" value="{progress.done}"' if progress.total else ""
    return f'<p class="cv-busy-text" role="status">{progress.said} \u2026</p><progress {bar} aria-label="{progress.said}"></progress>'


def _working(kept: Checked, left: float | None) -> str:
    said = f"{kept.checked} of {kept.total} statements checked"
    more = "" if left is None else f' <span data-left="{left:.0f}">about {left:.0f} s left</span>'
    return (
        f'{_summary(kept)}<p class="cv-small cv-busy-text"><span role="status">{said}</span>{more}</p>'
        f'<progress max="{max(1, kept.total)}" value="{kept.checked}" aria-label="{said}"></progress>'
    )


def _summary(kept: Checked) -> str:
    return f'<p class="cv-doc-summary">{escape(summed_up(kept.sentences, kept.marks))}</p>'


def ended(kept: Checked) -> str:
    """Sum up a finished check."""
    result = kept.so_far()
    warnings = "".join(f"<li>{escape(public(warning))}</li>" for warning in result.warnings)
    told = f'<ul class="cv-warnings">{warnings}</ul>' if warnings else ""
    more = '<p class="cv-small cv-doc-more">Go on checks more of them.</p>' if kept.goes_on else ""
    took = f'<p class="cv-small">Done in {result.seconds:.1f} s. Choose a marked sentence to see why.</p>'
    return f'<div role="status">{_summary(kept)}{told}{took}{more}</div>'


def stopped(kept: Checked | None, said: str = "Stopped.") -> str:
    """Sum up what was done before a stop, and offer to go on."""
    if kept is None or not kept.sentences:
        return f'<p role="status">{said}</p>'
    done = f"{kept.checked} of {kept.total} statements are checked."
    return f'<div role="status">{_summary(kept)}<p class="cv-small cv-doc-more">{said} {done} Go on continues from there.</p></div>'
