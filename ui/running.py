"""Run work in a thread and pass on what it yields.

A visitor who stops or leaves waits for nothing, and the work ends at its next step. The work holds its turn until its
thread has ended, so that starting and stopping repeatedly gains no second thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar
from typing import Any, TypeVar

import gradio as gr
from gradio.context import LocalContext

from errors import VerifierError
from verifier.serve.turns import Turn, Turns

T = TypeVar("T")
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
"""How every listener of the page is added: programs have their own endpoints."""
SILENT = PRIVATE | {"show_progress": "hidden"}
AT_ONCE = SILENT | {"queue": False}
"""For listeners that use no model and no store."""
_LEFT: ContextVar[threading.Event | None] = ContextVar("left", default=None)


def on_stop(button: gr.Button, told: Callable[[], Any], shown: Any, running: list[Any]) -> Any:  # noqa: ANN401
    """Let a button end what runs, and show `told`.

    It is shown again afterwards, since a step on its way may have arrived later.

    Args:
        button: the button.
        told: makes the message that it was stopped.
        shown: the components that show it.
        running: the events that it ends.

    Returns:
        The event, for others to follow.
    """
    stopping = button.click(told, None, shown, cancels=running, **AT_ONCE)
    stopping.then(told, None, shown, **AT_ONCE)
    return stopping


class _End:
    """Marks the end of the work."""


def visitor_now() -> str:
    """Return the current request's visitor, as the guard names it; "" outside a request."""
    request: gr.Request | None = LocalContext.request.get(None)
    found = getattr(getattr(request, "request", None), "scope", None) or {}
    return str(found.get("state", {}).get("visitor", ""))


def check_wanted() -> None:
    """End the work of this thread if its visitor has left.

    Raises:
        VerifierError: the visitor has left.
    """
    left = _LEFT.get()
    if left is not None and left.is_set():
        raise VerifierError("this was stopped")


async def streamed(
    make: Callable[[], Generator[T, None, T | None]], name: str, turns: Turns | None = None, visitor: str = ""
) -> AsyncGenerator[T, None]:
    """Pass on what a generator yields, then what it returns, unless that is None.

    Gradio cancels the task that waits here as soon as a user presses Stop, however long the current step takes. The
    thread then ends at its next step.

    Args:
        make: makes the generator; called in the thread.
        name: the thread's name.
        turns: the work waits for one, and holds it until it has ended; None if it takes turns itself, or needs none.
        visitor: whose turn it is, if no request of Gradio's says.

    Raises:
        VerifierError: what the work raised, or that it ended unexpectedly.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[T | VerifierError | _End] = asyncio.Queue()
    leave = threading.Event()

    def tell(news: T | VerifierError | _End) -> None:
        with contextlib.suppress(RuntimeError):  # the server is closing, and its loop with it
            loop.call_soon_threadsafe(told.put_nowait, news)

    turn = await _come(turns, visitor or visitor_now()) if turns else None
    try:
        context = contextvars.copy_context()  # Gradio's progress needs this context
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


async def ticking(news: AsyncGenerator[T, None], seconds: float) -> AsyncGenerator[T | None, None]:
    """Pass on what comes, and None whenever nothing has come for `seconds`."""
    end = _End()
    waiting: asyncio.Future[T | _End] = asyncio.ensure_future(anext(news, end))
    try:
        while True:
            await asyncio.wait({waiting}, timeout=seconds)
            if not waiting.done():
                yield None
                continue
            if isinstance(found := waiting.result(), _End):
                return
            waiting = asyncio.ensure_future(anext(news, end))
            yield found
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await news.aclose()


def _work(
    make: Callable[[], Generator[T, None, T | None]],
    tell: Callable[[T | VerifierError | _End], None],
    leave: threading.Event,
    turn: Turn | None,
) -> None:
    """Run in the thread: report each step, then the result and the end.

    The turn is given back when all is done.
    """
    done = False
    _LEFT.set(leave)
    try:
        with contextlib.closing(make()) as steps:
            while True:
                step = next(steps)
                if leave.is_set():
                    return
                tell(step)
    except StopIteration as end:
        if end.value is not None:
            tell(end.value)
        done = True
    except VerifierError as exc:
        tell(exc)
    finally:
        if turn:
            turn.end()
        tell(_End() if done else VerifierError("this ended before its time; the log of the process says why"))


async def _come(turns: Turns, visitor: str) -> Turn:
    turn = turns.ask(visitor)
    try:
        await asyncio.wrap_future(turn.come)
    except BaseException:  # the visitor has left the queue
        turn.end()
        raise
    return turn


async def asked(work: Callable[[], T], name: str, turns: Turns | None = None, visitor: str = "") -> T:
    """Do `work` in a thread, like `streamed`, and return its result.

    Raises:
        VerifierError: as in `streamed`.
    """

    def once() -> Generator[T, None, None]:
        yield work()

    async with contextlib.aclosing(streamed(once, name, turns, visitor)) as news:
        return await anext(news)
