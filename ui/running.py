"""Work in a thread of its own, heard by the page as it goes: who leaves or stops is let go at once, and the work is told to end.

The work holds its turn until its thread has ended, so that whoever starts and stops again and again gets no second thread by it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar
from typing import TypeVar

import gradio as gr
from gradio.context import LocalContext

from errors import VerifierError
from verifier.turns import Turn, Turns

T = TypeVar("T")
_LEFT: ContextVar[threading.Event | None] = ContextVar("left", default=None)


class _End:
    """Stands for the end of the work."""


def visitor_now() -> str:
    """Who asked for what is being done, as the guard told; "" where no request did."""
    request: gr.Request | None = LocalContext.request.get(None)
    found = getattr(getattr(request, "request", None), "scope", None) or {}
    return str(found.get("state", {}).get("visitor", ""))


def check_wanted() -> None:
    """End the work that this thread does, if nobody waits for it any more.

    Raises:
        VerifierError: nobody does.
    """
    left = _LEFT.get()
    if left is not None and left.is_set():
        raise VerifierError("this was stopped")


async def heard(
    make: Callable[[], Generator[T, None, None]], name: str, turns: Turns | None = None
) -> AsyncGenerator[T, None]:
    """What the generator that `make` returns yields, as it comes.

    Gradio cancels the task that waits here as soon as a user presses Stop, however long the step takes that is being done; the
    thread then ends at its next step.

    Args:
        make: begins the work; called in the thread.
        name: the thread's.
        turns: the work waits for one, and holds it until it has ended; None where it takes turns itself, or needs none.

    Raises:
        VerifierError: what the work raised, or that it ended otherwise than it should.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[T | VerifierError | _End] = asyncio.Queue()
    leave = threading.Event()

    def tell(news: T | VerifierError | _End) -> None:
        with contextlib.suppress(RuntimeError):  # the server is closing: nobody listens
            loop.call_soon_threadsafe(told.put_nowait, news)

    turn = await _come(turns) if turns else None
    try:
        context = contextvars.copy_context()  # Gradio's progress finds its way by it
        threading.Thread(target=context.run, args=(_work, make, tell, leave, turn), name=name, daemon=True).start()
    except RuntimeError as exc:
        if turn:
            turn.end()
        raise VerifierError("this machine can start no more threads; try again in a minute") from exc
    try:
        while not isinstance(news := await told.get(), _End):
            if isinstance(news, VerifierError):
                raise news
            yield news
    finally:
        leave.set()


def _work(
    make: Callable[[], Generator[T, None, None]],
    tell: Callable[[T | VerifierError | _End], None],
    leave: threading.Event,
    turn: Turn | None,
) -> None:
    """What the thread does: tells each step, and at last its end; the turn is given back when all of it is done."""
    done = False
    _LEFT.set(leave)
    try:
        with contextlib.closing(make()) as steps:
            for step in steps:
                if leave.is_set():
                    return
                tell(step)
        done = True
    except VerifierError as exc:
        tell(exc)
    finally:
        if turn:
            turn.end()
        tell(_End() if done else VerifierError("this ended before its time; the log of the process says why"))


async def _come(turns: Turns) -> Turn:
    turn = turns.ask(visitor_now())
    try:
        await asyncio.wrap_future(turn.come)
    except BaseException:  # whoever waits was let go
        turn.end()
        raise
    return turn


async def asked(work: Callable[[], T], name: str, turns: Turns | None = None) -> T:
    """What `work` returns, done as in `heard`.

    Raises:
        VerifierError: as there.
    """

    def once() -> Generator[T, None, None]:
        yield work()

    async with contextlib.aclosing(heard(once, name, turns)) as news:
        return await anext(news)
