"""Show the tab for a whole text, whose claims are marked in place.

The text is pasted, uploaded or at an address. Stop keeps what is done.
"""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.api import BATCHES
from ui.cards import error_card
from ui.guard.starts import MOST_STATEMENTS
from ui.running import AT_ONCE, PRIVATE, SILENT
from ui.text_check import Asked, Checked, Frame, frames
from ui.text_marks import TONES, statement_card
from verifier.api.endpoints import MAX_TEXT, MAX_TEXT_CLAIMS
from verifier.document.export.formats import FORMATS
from verifier.document.source import ENDINGS
from verifier.document.summary import Side, side_of
from verifier.serve.service import Service

_QUEUE = "checks-batch-text"
"""A visitor's limits apply to names that begin with "checks"; for a text, all its statements count."""
_REVIEWS = "claimreview"
_FORMS = {
    "html": "Marked page (HTML)",
    "markdown": "Markdown",
    "jsonl": "JSON lines",
    _REVIEWS: "ClaimReview of what is contradicted",
}
_NOTHING = {_REVIEWS: "No statement of the text is contradicted, so that there is no ClaimReview to save."}
"""What to say if a form has nothing to hold."""
_REFUSED = "the server did not finish this check: too many may be waiting, or the text is too long to be pasted; try again in a minute, or upload it as a file"
_FAILED = f"() => {json.dumps(error_card(_REFUSED))}"
"""What a browser shows if the server took no check."""
_PLACEHOLDER = "Paste an article, a speech, the answer of a chatbot \u2026"


@dataclass(frozen=True, slots=True)
class _Ask:
    """Where a text is given."""

    text: gr.Textbox
    file: gr.File
    go: gr.Button
    stop: gr.Button
    on: gr.Button
    web: gr.Checkbox
    most: gr.Number


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a check writes to."""

    told: gr.HTML
    failed: gr.HTML
    text: gr.HTML
    card: gr.HTML
    news: gr.HTML
    kept: gr.State
    halt: gr.State

    @property
    def parts(self) -> list[Any]:
        """The parts, in the order of `_values`."""
        return [self.told, self.text, self.news, self.kept, self.halt]


def add_tab(service: Service) -> gr.Textbox:
    """Lay out and wire the tab, inside the open one; return the text box."""
    ask, shown = _add_ask(service), _add_shown()
    _wire_checks(service, ask, shown)
    _wire_cards(shown)
    _add_saving(shown)
    return ask.text


def _add_ask(service: Service) -> _Ask:
    with gr.Row(elem_id="cv-doc-given"):
        text = gr.Textbox(
            label="Text, or the address of an article",
            info=f"Up to {MAX_TEXT:,} characters; longer ones as a file: {', '.join(ENDINGS)}.",
            placeholder=_PLACEHOLDER,
            lines=5,
            max_lines=8,
            scale=3,
            elem_id="cv-doc-box",
        )
        file = gr.File(
            label="Or a file",
            file_types=list(ENDINGS),
            type="filepath",
            height=150,
            scale=1,
            min_width=240,
            elem_id="cv-doc-file",
        )
    with gr.Row(elem_id="cv-doc-buttons"):
        go = gr.Button("Check text", variant="primary", elem_id="cv-doc-go")
        stop = gr.Button("Stop", elem_id="cv-doc-stop")
        on = gr.Button("Go on", elem_id="cv-doc-on")
        most = gr.Number(
            MAX_TEXT_CLAIMS,
            label="Statements at most",
            precision=0,
            minimum=1,
            maximum=MOST_STATEMENTS,
            elem_id="cv-doc-most",
        )
        web = gr.Checkbox(
            value=False,
            label="Ask the web where the stored evidence is not enough",
            visible=service.settings.web,
            container=False,
            elem_id="cv-doc-web",
        )
    return _Ask(text, file, go, stop, on, web, most)


def _add_shown() -> _Shown:
    told, failed = gr.HTML(elem_id="cv-doc-told"), gr.HTML(elem_id="cv-doc-failed")
    sides = [(str(side).capitalize(), TONES[side]) for side in Side if side is not Side.UNCHECKED]
    show = gr.Radio([("All", "all"), *sides], value="all", label="Show", elem_id="cv-doc-filter")
    show.change(None, show, None, js="(side) => { cv.texts.filter(side); }", **PRIVATE)
    with gr.Row(elem_id="cv-doc-both"):
        text = gr.HTML(elem_id="cv-doc-text")
        card = gr.HTML(elem_id="cv-doc-card")
    news = gr.HTML(elem_id="cv-doc-news")
    return _Shown(told, failed, text, card, news, kept=gr.State(None, time_to_live=3_600), halt=gr.State(None))


def _values(frame: Frame) -> list[Any]:
    parts = (frame.text, frame.news, frame.kept, frame.halt)
    return [frame.told, *(gr.skip() if part is None else part for part in parts)]


def _wire_checks(service: Service, ask: _Ask, shown: _Shown) -> None:
    async def check(text: str, path: str | None, web: bool, most: float | None) -> AsyncGenerator[list[Any], None]:
        asked = Asked(text or "", path or "", web and service.settings.web, int(most or 0))
        async for frame in frames(service, asked):
            yield _values(frame)

    async def go_on(kept: Checked | None, web: bool, most: float | None) -> AsyncGenerator[list[Any], None]:
        if kept is None or not kept.sentences:
            yield _values(Frame(error_card("there is nothing to go on with: check the text again")))
            return
        async for frame in frames(service, Asked("", "", web and service.settings.web, int(most or 0)), kept):
            yield _values(frame)

    limits: dict[str, Any] = {"concurrency_id": _QUEUE, "concurrency_limit": BATCHES, "trigger_mode": "once"}
    whole = [*shown.parts, shown.card]
    cleared = ask.go.click(lambda: ["", "", "", None, None, ""], None, whole, queue=False, **PRIVATE)
    running = cleared.then(check, [ask.text, ask.file, ask.web, ask.most], shown.parts, **limits, **SILENT)
    more = ask.on.click(go_on, [shown.kept, ask.web, ask.most], shown.parts, **limits, **SILENT)
    for event in (running, more):
        event.failure(None, None, shown.failed, js=_FAILED, **PRIVATE)
    for button in (ask.go, ask.on):
        button.click(None, None, shown.failed, js="() => ''", **PRIVATE)
    ask.stop.click(stop, shown.halt, None, **AT_ONCE)


def stop(halt: threading.Event | None) -> None:
    """End the run, which then sums up what is done."""
    if halt:
        halt.set()


def _wire_cards(shown: _Shown) -> None:
    """Show the card of a chosen mark.

    The browser says which; only this page keeps the text.
    """
    number = gr.Number(visible=False)
    opened = gr.Button("Open the statement", elem_id="cv-doc-open")
    chosen = opened.click(card_of, [number, shown.kept], shown.card, js="() => [cv.texts.chosen, null]", **AT_ONCE)
    chosen.then(None, js="() => { cv.texts.opened(); }", **PRIVATE)


def card_of(number: float | None, kept: Checked | None) -> str:
    """Write the card of a sentence, or "" if there is none."""
    if kept is None or number is None or not 0 <= number < len(kept.sentences):
        return ""
    position = int(number)
    marks = [mark for mark in kept.marks if mark.claim.sentence == position]
    return statement_card(kept.document, kept.sentences[position], position, marks) if marks else ""


def _add_saving(shown: _Shown) -> None:
    content = gr.Textbox(visible=False, label="text")
    with gr.Row(elem_id="cv-doc-save"):
        for name, label in _FORMS.items():
            form = FORMATS[name]
            button = gr.Button(f"Download: {label}", size="sm", elem_id=f"cv-doc-{name}")
            nothing = json.dumps(_NOTHING.get(name, "There is nothing to save yet."))
            save = f"(text) => {{ text ? cv.save(text, 'checked-text{form.suffix}', '{form.mime}') : cv.tell({nothing}); }}"
            written = button.click(_writer(name), shown.kept, content, **AT_ONCE)
            written.then(None, content, None, js=save, **PRIVATE)


def _writer(name: str) -> Any:  # noqa: ANN401
    def write(kept: Checked | None) -> str:
        if not kept or not kept.sentences:
            return ""
        contradicted = any(side_of(mark) is Side.CONTRADICTED for mark in kept.marks)
        return FORMATS[name].render(kept.so_far()) if contradicted or name != _REVIEWS else ""

    return write
