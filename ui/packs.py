"""Show the packs panel: list, add with a bar and a Stop, exclude, remove."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from errors import InputError, VerifierError
from ui.running import SILENT, on_stop, streamed
from ui.tables import Row, table
from verifier.api.packs import PackNews, Packs, PackState
from verifier.report.markup import visible
from verifier.serve.service import Service

_TOLD = """An encyclopaedia in your store settles everyday claims without the web. Adding a large one takes an hour or more;
nothing is downloaded unless you ask for it here. Keep this page open meanwhile, or use the command line:
`python -m kb packs add simple-wikipedia`."""
_QUEUE = "packs"
"""Queue in which all changes to packs run one after another."""
_FAST = 2.0
"""Seconds after which the remaining time is estimated."""


def add_packs(service: Service, tab: gr.Tab, changed: Callable[[Any], None]) -> None:
    """Lay out and wire the panel, inside the open tab.

    Only a server on loopback whose evidence may be changed offers changes.

    Args:
        service: what the panel works on.
        tab: opening it refreshes the table.
        changed: called with each event after which the store may hold other records.
    """
    with gr.Accordion("Packs: encyclopaedias in your store", open=False, elem_id="cv-packs"):
        gr.Markdown(_TOLD)
        listed = gr.HTML(elem_id="cv-packs-table")
        if not (service.settings.allow_add and service.settings.private):
            gr.HTML('<p class="cv-soft">Packs are changed on the server\'s own machine.</p>', elem_id="cv-packs-closed")
            tab.select(lambda: packs_table(service), None, listed, **SILENT)
            return
        name, whole = _chosen()
        add, stop, off, on = _buttons()
        path, by_file = _from_file()
        sure, remove = _removal()
        told = gr.HTML(elem_id="cv-packs-told")

    def renewed(chosen: str | None) -> list[Any]:
        return [packs_table(service), choices(service, chosen)]

    async def added(chosen: str | None, all_of_it: bool) -> AsyncGenerator[str, None]:
        async with aclosing(shown(lambda: packs_of(service).add(chosen or "", all_of_it))) as frames:
            async for frame in frames:
                yield frame

    async def added_file(place: str, all_of_it: bool) -> AsyncGenerator[str, None]:
        async with aclosing(shown(lambda: packs_of(service).add_file(_path(place), all_of_it))) as frames:
            async for frame in frames:
                yield frame

    slow = SILENT | {"concurrency_id": _QUEUE, "trigger_mode": "once"}
    running = [add.click(added, [name, whole], told, **slow), by_file.click(added_file, [path, whole], told, **slow)]
    stopping = on_stop(stop, stopped, told, running)
    quick = [
        off.click(lambda chosen: switched(service, chosen, True), name, told, **SILENT),
        on.click(lambda chosen: switched(service, chosen, False), name, told, **SILENT),
        remove.click(lambda chosen, yes: removed(service, chosen, yes), [name, sure], [told, sure], **SILENT),
    ]
    for event in (*running, stopping, *quick):
        event.then(renewed, name, [listed, name], **SILENT)
        changed(event)
    tab.select(renewed, name, [listed, name], **SILENT)


def _chosen() -> tuple[gr.Dropdown, gr.Checkbox]:
    with gr.Row():
        name = gr.Dropdown([], label="Pack", elem_id="cv-packs-name", scale=3)
        whole = gr.Checkbox(
            False, label="Whole articles, not their leads alone", elem_id="cv-packs-whole", scale=2, min_width=240
        )
    return name, whole


def _buttons() -> tuple[gr.Button, gr.Button, gr.Button, gr.Button]:
    with gr.Row():
        return (
            gr.Button("Add or update", variant="primary", size="sm", elem_id="cv-packs-add"),
            gr.Button("Stop", size="sm", elem_id="cv-packs-stop"),
            gr.Button("Leave out of checks", size="sm", elem_id="cv-packs-off"),
            gr.Button("Use in checks", size="sm", elem_id="cv-packs-on"),
        )


def _from_file() -> tuple[gr.Textbox, gr.Button]:
    with gr.Row():
        path = gr.Textbox(
            label="Or a .parquet file or folder of this machine (id, url, title, text)",
            lines=1,
            elem_id="cv-packs-path",
            scale=4,
        )
        return path, gr.Button("Add the file", size="sm", elem_id="cv-packs-add-file", scale=0)


def _removal() -> tuple[gr.Checkbox, gr.Button]:
    with gr.Row():
        sure = gr.Checkbox(False, label="Yes, remove all passages of this pack", elem_id="cv-packs-sure", scale=3)
        return sure, gr.Button("Remove", size="sm", elem_id="cv-packs-remove", scale=1)


def packs_of(service: Service) -> Packs:
    """Return the packs of the service's store, once it is loaded."""
    return Packs(service.checker(), service.settings)


def _path(place: str) -> Path:
    if not place.strip():
        raise InputError("name a .parquet file or a folder first")
    return Path(place.strip())


async def shown(begin: Callable[[], Iterator[PackNews]]) -> AsyncGenerator[str, None]:
    """Pass on the frames of adding a pack; Stop ends it at its next step."""
    async with aclosing(streamed(lambda: adding(begin), "packs")) as frames:
        async for frame in frames:
            yield frame


def adding(begin: Callable[[], Iterator[PackNews]]) -> Generator[str, None, None]:
    """Show a pack's progress, then its outcome; a failure is one line of advice."""
    pace = _Pace()
    news = None
    try:
        news = begin()
        for one in news:
            yield finished(one) if one.report else progress(one, pace.left(one))
    except VerifierError as exc:
        yield failed(exc)
    finally:
        if isinstance(news, Generator):
            news.close()  # now, so that the work ends when its viewer leaves


class _Pace:
    """How fast the work goes since its current part began."""

    def __init__(self) -> None:
        self._what, self._since, self._from = "", 0.0, 0

    def left(self, news: PackNews) -> float | None:
        """Estimate the seconds until this is done; None while unknown."""
        now = time.monotonic()
        if news.what != self._what:
            self._what, self._since, self._from = news.what, now, news.done
        taken, done = now - self._since, news.done - self._from
        return taken / done * (news.total - news.done) if done > 0 and taken >= _FAST else None


def progress(news: PackNews, left: float | None) -> str:
    """Write a line, and a bar once the total is known.

    Only its beginning is read out: a screen reader would read every step.
    """
    if not news.total:
        return f'<p role="status">{escape(visible(news.what))} \u2026</p>'
    told = f"{escape(visible(news.what))}: {news.done:,} of {news.total:,} {news.unit}"
    told += f", about {_minutes(left)} left" if left is not None else ""
    return f'<p>{told}</p><progress max="{news.total}" value="{news.done}" aria-label="{told}"></progress>'


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(1, seconds):.0f} s"


def finished(news: PackNews) -> str:
    """Show the outcome of adding a pack."""
    report = news.report
    assert report is not None
    if not report.articles and not report.removed:
        return f'<p role="status">{escape(visible(news.what))} is in the store already, as it is now.</p>'
    said = [f"{report.articles:,} articles read", f"{report.added:,} passages added"]
    said += [f"{report.known:,} were here already"] if report.known else []
    said += [f"{report.skipped:,} articles could not be used"] if report.skipped else []
    said += [f"{report.removed:,} removed that it no longer has"] if report.removed else []
    said += [f"{report.kept:,} kept that it no longer has"] if report.kept else []
    return f'<p role="status">{escape(visible(news.what))}: {", ".join(said)}.</p>'


def stopped() -> str:
    """Show that adding was stopped."""
    return '<p role="status">Stopped. What is here stays; added again, the pack goes on there.</p>'


def failed(exc: VerifierError) -> str:
    """Show a failure in one line."""
    return f'<p role="alert" class="cv-fail">{escape(visible(str(exc)))}</p>'


def switched(service: Service, name: str | None, off: bool) -> str:
    """Leave a pack out of checks, or use it again, and say so."""
    try:
        packs_of(service).switch(name or "", off)
    except VerifierError as exc:
        return failed(exc)
    what = "is left out of checks, and stays in the store" if off else "is used in checks"
    return f'<p role="status">{escape(visible(name or ""))} {what}.</p>'


def removed(service: Service, name: str | None, sure: bool) -> list[Any]:
    """Remove a pack if confirmed, show how many passages went, and clear the tick."""
    if not sure:
        told = "tick the box first: to have the pack again, all of it must be added again"
        return [failed(InputError(told)), gr.skip()]
    try:
        count = packs_of(service).remove(name or "")
    except VerifierError as exc:
        return [failed(exc), False]
    return [f'<p role="status">{count:,} passages of {escape(visible(name or ""))} removed.</p>', False]


def choices(service: Service, chosen: str | None) -> gr.Dropdown:
    """Offer the packs to choose from, keeping the current choice."""
    try:
        names = [state.name for state in packs_of(service).states()]
    except VerifierError:
        names = []
    return gr.Dropdown(choices=names, value=chosen if chosen in names else next(iter(names), None))


def packs_table(service: Service) -> str:
    """Show the packs that are known or here."""
    try:
        return states_table(packs_of(service).states())
    except VerifierError as exc:
        return failed(exc)


def states_table(states: Sequence[PackState]) -> str:
    """Show packs as a table, one per row, with what fetching them takes."""
    rows = [
        Row(
            (
                f"{escape(state.name)}<br><small>{escape(state.note)}</small>",
                f"{state.articles:,}" if state.articles else "",
                f"{state.gb:g} GB" if state.gb else "",
                escape(state.licence),
                _state(state),
            )
        )
        for state in states
    ]
    return table("Packs", ("Pack", "Articles", "To fetch", "Licence", "State"), rows)


def _state(state: PackState) -> str:
    if not state.passages:
        return "not here"
    used = "left out of checks" if state.off else "used in checks"
    return f"{state.passages:,} passages, {used}"
