"""Limit places in Gradio's queue by kind of work and by visitor.

So no visitor takes the places of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import gradio as gr

from ui.guard.answers import Refusal
from verifier.serve.turns import ServiceTurns
from verifier.settings import ServerSettings

LIGHT_EACH = 8
_FULL_WAIT, _EACH_WAIT = 60, 5


class Kind(StrEnum):
    """What a function costs, by the queue in which it waits."""

    CHECK = "check"
    BATCH = "batch"
    LIGHT = "request"


def kind_of(function: Any) -> Kind:  # noqa: ANN401
    """Return the kind of one of Gradio's functions."""
    queue = str(function.concurrency_id)
    if not queue.startswith("checks"):
        return Kind.LIGHT
    return Kind.BATCH if queue.startswith("checks-batch") else Kind.CHECK


def rooms(server: ServerSettings) -> dict[Kind, int]:
    """Return how many of each kind may wait."""
    return {Kind.CHECK: server.queue, Kind.BATCH: max(1, server.queue // 2), Kind.LIGHT: 4 * server.queue}


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the queue: its visitor, its kind, and whether it still waits."""

    kind: Kind
    visitor: str
    waits: bool


class Places:
    """Decides who may join the queue."""

    def __init__(self, demo: gr.Blocks, server: ServerSettings, turns: ServiceTurns) -> None:
        """`turns` counts work that continues after its visitor left."""
        self._demo, self._turns = demo, turns
        self._each, self._rooms = server.at_once, rooms(server)
        self._entering: Counter[tuple[Kind, str]] = Counter()

    @contextmanager
    def entered(self, kind: Kind, visitor: str, limited: bool) -> Iterator[None]:
        """Hold a place while a request joins the queue.

        Raises:
            Refusal: there is no place for it; if `limited`, none for this visitor.
        """
        taken = list(self._taken())
        if limited:
            self._check_visitor(kind, visitor, taken)
        waiting = sum(place.kind is kind and place.waits for place in taken) + self._joining(kind)
        if waiting >= self._rooms[kind]:
            what = {Kind.CHECK: "checks", Kind.BATCH: "batches", Kind.LIGHT: "requests"}[kind]
            text = f"{self._rooms[kind]} {what} are waiting already, and no more can wait. Try again in a minute."
            raise Refusal(429, text, _FULL_WAIT)
        self._entering[kind, visitor] += 1
        try:
            yield
        finally:
            self._entering[kind, visitor] -= 1
            self._entering += Counter()  # drops zeros

    def _check_visitor(self, kind: Kind, visitor: str, taken: list[_Place]) -> None:
        light = kind is Kind.LIGHT
        mine = [place for place in taken if place.visitor == visitor and (place.kind is Kind.LIGHT) is light]
        waiting = sum(place.waits for place in mine)
        held = len(mine) if light else waiting + max(len(mine) - waiting, self._turns.held(visitor))
        held += sum(
            number
            for (other, who), number in self._entering.items()
            if who == visitor and (other is Kind.LIGHT) is light
        )
        if held >= (LIGHT_EACH if light else self._each):
            what = "requests" if light else "checks"
            raise Refusal(429, f"{held} {what} from your address are in the queue; wait until one is done", _EACH_WAIT)

    def _joining(self, kind: Kind) -> int:
        return sum(number for (other, _), number in self._entering.items() if other is kind)

    def _taken(self) -> Iterator[_Place]:
        """Yield every taken place. Gradio has no public way to ask its queue."""
        queue = self._demo._queue
        waiting = [event for part in queue.event_queue_per_concurrency_id.values() for event in part.queue]
        active = [event for job in queue.active_jobs if job for event in job]
        for waits, events in ((True, waiting), (False, active)):
            for event in events:
                yield _Place(kind_of(event.fn), event.request.scope.get("state", {}).get("visitor", ""), waits)
