"""Work in a thread: its results are streamed, and a visitor who stops waits for nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator

import pytest

from errors import ModelError
from ui.running import streamed


def test_what_the_work_yields_and_returns_is_passed_on_in_order() -> None:
    def work() -> Generator[int, None, str]:
        yield from range(50)
        return "done"

    async def collect() -> list[int | str]:
        news: AsyncGenerator[int | str, None] = streamed(work, "count")
        return [item async for item in news]

    assert asyncio.run(collect()) == [*range(50), "done"]


def test_an_error_of_the_work_is_raised() -> None:
    def work() -> Generator[int, None, None]:
        yield 1
        raise ModelError("the model is gone")

    async def collect() -> None:
        async for _ in streamed(work, "fail"):
            pass

    with pytest.raises(ModelError, match="the model is gone"):
        asyncio.run(collect())


def test_a_visitor_who_stops_waits_for_no_step_and_the_work_ends_at_its_next() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> Generator[int, None, None]:
        try:
            yield 1
            begun.set()
            go_on.wait(60)  # a step that takes long
            yield 2
            raise AssertionError("the work went on after it was told to end")
        finally:
            ended.set()

    async def stop() -> float:
        async def listen() -> None:
            async for _ in streamed(work, "long"):
                pass

        task = asyncio.create_task(listen())
        await asyncio.to_thread(begun.wait, 60)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - start

    assert asyncio.run(stop()) < 10 and not ended.is_set()
    go_on.set()
    assert ended.wait(60)
