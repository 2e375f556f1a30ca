"""Work in a thread of its own, heard by the page as it goes: who leaves or stops is let go at once, and the work is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from typing import TypeVar

from errors import VerifierError

T = TypeVar("T")


class _End:
    """Stands for the end of the work."""


async def heard(make: Callable[[], Generator[T, None, None]], name: str) -> AsyncGenerator[T, None]:
    """What the generator that `make` returns yields, as it comes.

    Gradio cancels the task that waits here as soon as a user presses Stop, however long the step takes that is being done; the
    thread then ends at its next step.

    Args:
        make: begins the work; called in the thread.
        name: the thread's.

    Raises:
        VerifierError: what the work raised, or that it ended otherwise than it should.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[T | VerifierError | _End] = asyncio.Queue()
    leave = threading.Event()

    def tell(news: T | VerifierError | _End) -> None:
        with contextlib.suppress(RuntimeError):  # the server is closing: nobody listens
            loop.call_soon_threadsafe(told.put_nowait, news)

    def work() -> None:
        done = False
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
            tell(_End() if done else VerifierError("this ended before its time; the log of the process says why"))

    threading.Thread(target=work, name=name, daemon=True).start()
    try:
        while not isinstance(news := await told.get(), _End):
            if isinstance(news, VerifierError):
                raise news
            yield news
    finally:
        leave.set()
