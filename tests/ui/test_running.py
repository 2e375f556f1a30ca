"""Work in a thread, heard as it goes, and let go at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Generator

import pytest

from errors import ModelError
from ui.running import heard


def test_what_the_work_yields_is_heard_in_order() -> None:
    async def collect() -> list[int]:
        return [item async for item in heard(lambda: (n for n in range(50)), "count")]

    assert asyncio.run(collect()) == list(range(50))


def test_an_error_of_the_work_is_raised() -> None:
    def work() -> Generator[int, None, None]:
        yield 1
        raise ModelError("the model is gone")

    async def collect() -> None:
        async for _ in heard(work, "fail"):
            pass

    with pytest.raises(ModelError, match="the model is gone"):
        asyncio.run(collect())


def test_who_stops_is_let_go_during_a_long_step_and_the_work_ends_at_its_next() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> Generator[int, None, None]:
        try:
            yield 1
            begun.set()
            go_on.wait(10)  # a step that takes long
            yield 2
            raise AssertionError("the work went on after it was told to end")
        finally:
            ended.set()

    async def stop() -> float:
        async def listen() -> None:
            async for _ in heard(work, "long"):
                pass

        task = asyncio.create_task(listen())
        await asyncio.to_thread(begun.wait, 10)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - start

    assert asyncio.run(stop()) < 0.2 and not ended.is_set()
    go_on.set()
    assert ended.wait(10)
