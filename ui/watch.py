"""Watch a claim from the page: a button next to its verdict, and a list.

Local machine only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

import gradio as gr

from errors import VerifierError
from ui.cards import SIGNS, TONES
from ui.running import AT_ONCE
from ui.tables import Row, table
from ui.watch_feed import LIST_CSV, LIST_JSON
from verifier.history.watch import WatchList
from verifier.history.watch_feed import PLACE, turned_in_words
from verifier.history.watched import Every, Turn, Watched
from verifier.report.markup import judged_in_words, minute, visible
from verifier.schema import Status, VerificationResult
from verifier.serve.service import Service

WATCH, WATCHED = "Watch this claim", "Watched: stop watching"
SHOWN = 100
"""How many watched claims the page lists, the newest."""
_TURNS = 20
"""How many changes it explains, the newest."""
_CLAIM = 300
_ASKS = "Queries made from it go to the search engines again then, where the store is not enough."
_NOWHERE = "A claim is watched on the server's own machine only."


@dataclass(frozen=True, slots=True)
class WatchButton:
    """The button next to a verdict, its row, and the message after a press.

    The row is shown only with a result.
    """

    row: gr.Row
    button: gr.Button
    told: gr.HTML


def add_watch_button(service: Service) -> WatchButton | None:
    """Lay out the button; None on a server that strangers can reach."""
    if not service.settings.private:
        return None
    with gr.Row(visible=False, elem_id="cv-watch-row") as row:
        button = gr.Button(WATCH, size="sm", elem_id="cv-watch-go")
        told = gr.HTML("", elem_id="cv-watch-told")
    return WatchButton(row, button, told)


def add_watching(
    service: Service,
    watch: WatchButton | None,
    result: gr.State,
    web: gr.Checkbox,
    opened: Any,  # noqa: ANN401
) -> None:
    """Lay out the list, and wire it and the button; do nothing without a button.

    Args:
        service: knows where the list is.
        watch: the button.
        result: the check on the page.
        web: whether its user lets checks ask the web; a watched claim keeps that.
        opened: the event that follows a link to a check, which Gradio does not see as a change of `result`.
    """
    if watch is None:
        return
    place, listed, chosen, remove, gone = _add_list()
    for shows in (result.change, opened.then):
        shows(
            lambda found: [gr.Row(visible=found is not None), button_of(service, found), ""],
            result,
            [watch.row, watch.button, watch.told],
            **AT_ONCE,
        )
    pressed = watch.button.click(
        lambda found, asks: toggled(service, found, asks), [result, web], watch.told, trigger_mode="once", **AT_ONCE
    )
    dropped = remove.click(lambda number: removed(service, number), chosen, gone, **AT_ONCE)
    for event in (pressed, dropped):
        event.then(
            lambda found: [button_of(service, found), *watched_list(service)],
            result,
            [watch.button, listed, chosen],
            **AT_ONCE,
        )
    place.expand(lambda: watched_list(service), None, [listed, chosen], **AT_ONCE)


def _add_list() -> tuple[gr.Accordion, gr.HTML, gr.Dropdown, gr.Button, gr.HTML]:
    with gr.Accordion("Watched claims", open=False, elem_id="cv-watch") as place:
        listed = gr.HTML(elem_id="cv-watch-list")
        with gr.Row():
            chosen = gr.Dropdown([], label="Claim", elem_id="cv-watch-chosen", scale=3)
            remove = gr.Button("Stop watching it", size="sm", elem_id="cv-watch-remove", scale=1)
        gone = gr.HTML("", elem_id="cv-watch-gone")
    return place, listed, chosen, remove, gone


def _list_of(service: Service) -> WatchList:
    """Return the list of this machine's user.

    Raises:
        VerifierError: strangers can reach the server.
    """
    if not service.settings.private:
        raise VerifierError(_NOWHERE)
    return WatchList(service.settings.watch_path)


def _failed(exc: VerifierError) -> str:
    return f'<p role="alert" class="cv-fail">{escape(visible(str(exc)))}</p>'


def button_of(service: Service, result: VerificationResult | None) -> gr.Button:
    """Return the button for a result's claim: to watch it, or to stop that."""
    try:
        known = _list_of(service).find(result.original_claim) if result else None
    except VerifierError:
        known = None  # pressing it says what is wrong
    return gr.Button(WATCHED if known else WATCH)


def toggled(service: Service, result: VerificationResult | None, web: bool) -> str:
    """Watch a result's claim, or stop that; return what was done, or why not."""
    if result is None:
        return _failed(VerifierError("there is no result whose claim could be watched"))
    try:
        watch_list = _list_of(service)
        known = watch_list.find(result.original_claim)
        if known:
            watch_list.remove(known.number)
            return '<p role="status">No longer watched.</p>'
        first = result if result.status is Status.OK else None
        added = watch_list.add(result.original_claim, Every.DAY, web and service.settings.web, first)
    except VerifierError as exc:
        return _failed(exc)
    asks = f" {_ASKS}" if added.web else " The web is not asked."
    return f'<p role="status">Watched: checked again {added.every.told}.{asks}</p>'


def removed(service: Service, number: object) -> str:
    """Take a claim off the list by number; return what was done, or why not."""
    try:
        count = _list_of(service).remove(number) if isinstance(number, int) else 0
    except VerifierError as exc:
        return _failed(exc)
    return (
        '<p role="status">No longer watched.</p>' if count else _failed(VerifierError("choose a watched claim first"))
    )


def watched_list(service: Service) -> list[Any]:
    """Write the list as HTML, and offer its claims to choose from."""
    try:
        watch_list = _list_of(service)
        found = watch_list.all()[::-1]
        newest = watch_list.feed(_TURNS).turns
        return [
            watched_table(found, watch_list.turns(), service.settings.log) + changes_list(newest),
            gr.Dropdown([(_named(watched), watched.number) for watched in found], value=None),
        ]
    except VerifierError as exc:
        return [_failed(exc), gr.Dropdown([], value=None)]


def _named(watched: Watched) -> str:
    text = visible(watched.claim)
    return f"{watched.number}  {text[:80]}" + "\u2026" * (len(text) > 80)


def watched_table(claims: Sequence[Watched], turns: dict[int, list[Turn]], kept: bool) -> str:
    """Write watched claims as a table, newest first.

    `kept`: whether the log has their checks, which they then link to.
    """
    if not claims:
        return '<p class="cv-soft">No claim is watched. The button beside a verdict watches its claim.</p>'
    rows = [_row(watched, turns.get(watched.number, []), kept) for watched in claims[:SHOWN]]
    more = len(claims) - len(rows)
    listing = "python -m verifier watch --list"
    rest = f'<p class="cv-soft">and {more:,} more, in the list of <code>{listing}</code></p>' if more > 0 else ""
    return table("Watched claims", ("Claim", "Verdict", "Last checked", "Changes"), rows) + rest


def _row(watched: Watched, turns: Sequence[Turn], kept: bool) -> Row:
    claim, now = escape(visible(watched.claim[:_CLAIM])), watched.standing
    linked = f'<a href="{escape(f"?check={quote(watched.logged)}")}">{claim}</a>' if kept and watched.logged else claim
    tone = TONES[now.verdict] if now else "unknown"
    said = escape(judged_in_words(now.verdict, now.confidence, now.tier)) if now else "not checked yet"
    looked = f"<time>{minute(watched.looked_at)}</time>" if watched.looked_at else "never"
    failed = f'<br><span class="cv-fail">could not be checked: {escape(visible(watched.error))}</span>'
    verdict = f'<span aria-hidden="true">{SIGNS[tone]}</span> {said}'
    cells = (linked, verdict, looked + (failed if watched.error else ""), _changed(turns))
    return Row(cells, f"cv-{tone}", ((1, "cv-part"),))


def _changed(turns: Sequence[Turn]) -> str:
    """Say how often the verdict of one claim changed, and how it changed last."""
    if not turns:
        return "none"
    count = f"{len(turns)}, at last: " if len(turns) > 1 else ""
    return f"{count}{escape(turned_in_words(turns[0]))}, <time>{minute(turns[0].at)}</time>"


def changes_list(turns: Sequence[Turn]) -> str:
    """Write changes, newest first, each with its reasons folded away; "" for none."""
    lines = "".join(
        f"<details><summary>{minute(turn.at)}: {escape(visible(turn.claim[:_CLAIM]))}: {escape(turned_in_words(turn))}</summary>"
        f'<pre class="cv-why">{escape(visible(turn.told))}</pre></details>'
        for turn in turns
    )
    feed = (
        f'<p class="cv-soft"><a href="{PLACE}">What changed, as a feed (Atom)</a>; the list as '
        f'<a href="{LIST_JSON}">JSON</a>, <a href="{LIST_CSV}">CSV</a></p>'
    )
    return (f'<h3 class="cv-heading">What changed last, and why</h3>{lines}' if lines else "") + feed
