"""Lay out and wire the tab for checking claims."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.article import article_intro
from ui.cards import error_card, note_card
from ui.checking import Checking, Frame
from ui.consent import Consent, notice
from ui.running import PRIVATE, SILENT, on_stop
from ui.tools import add_tools
from ui.trace import trace
from ui.visits import Remembered, add_earlier, greet_visitor, remember_checks
from ui.watch import WatchButton, add_watch_button, add_watching
from verifier.schema import VerificationResult
from verifier.serve.service import Service

EXAMPLES = (
    "The Earth is flat",
    "5G towers spread COVID-19",
    "India became independent in 1947",
    "Minecraft is the best 2D game",
    "Pizza tastes better than burgers",
)
CHECKS = "checks"
"""The queue shared by every listener that uses the models, so that they take turns."""
_PLACEHOLDER = "The Eiffel Tower is in Berlin"
_BEGUN = (
    "(verdict, steps, evidence) => document.querySelector('.cv-busy') ? [verdict, steps, evidence] "
    f": (cv.stopped = false, ['', {json.dumps(trace([], running=True))}, ''])"
)
"""What a browser shows by itself before the server answers, or while other checks go first."""
_REFUSED = "the server did not finish this check: too many may be waiting; try again in a minute"
_STOPPED = note_card("Stopped.")
_FAILED = f"() => [cv.stopped ? {json.dumps(_STOPPED)} : {json.dumps(error_card(_REFUSED))}, '']"
"""What a browser shows if the server took no check. Gradio also reports a stopped check as failed, sometimes before the
answer to Stop is there, so the browser itself must know what was pressed."""


@dataclass(frozen=True, slots=True)
class _Ask:
    """Where a claim is typed and sent."""

    claim: gr.Textbox
    web: gr.Checkbox
    go: gr.Button
    stop: gr.Button
    whole: gr.Button


@dataclass(frozen=True, slots=True)
class _Shown:
    """The parts that a check writes to."""

    announce: gr.HTML
    article: gr.Column
    intro: gr.HTML
    sentences: gr.Radio
    again: gr.Button
    verdict: gr.HTML
    watch: WatchButton | None
    more: gr.Button
    evidence: gr.HTML
    result: gr.State
    tools: gr.Column
    steps: gr.HTML

    @property
    def parts(self) -> list[Any]:
        """The parts, in the order of `_values`."""
        start = [self.verdict, self.steps, self.evidence, self.announce, self.result, self.more]
        return [*start, self.tools, self.article, self.intro, self.sentences]


def _values(frame: Frame) -> list[Any]:
    article = frame.article
    choices = gr.Radio(choices=list(article.sentences), value=None) if article else gr.skip()
    return [
        frame.verdict,
        frame.steps,
        frame.evidence,
        frame.spoken or gr.skip(),
        frame.result,
        gr.Button(visible=bool(frame.result and frame.result.missing and frame.result.missing.askable)),
        gr.Column(visible=frame.result is not None),
        gr.Column(visible=article is not None),
        article_intro(article) if article else gr.skip(),
        choices,
    ]


def add_tab(service: Service, demo: gr.Blocks) -> gr.Button:
    """Lay out and wire the tab, inside the one that is open.

    Returns the button that offers to check a whole text.
    """
    ask = _add_ask(service)
    told = gr.HTML(notice(service.search_engines(), Consent()), elem_id="cv-notice", visible=service.settings.web)
    gr.Examples(
        [[example] for example in EXAMPLES], [ask.claim], label="Try one", cache_examples=False, elem_id="cv-examples"
    )
    shown = _add_shown(service)
    earlier = add_earlier(service)
    page = Remembered(ask.claim, ask.web, told, shown.result, *earlier)
    checks = _wire_checks(service, ask, shown)
    remember_checks(service, page, checks)
    for check in checks:
        check.failure(None, None, [shown.verdict, shown.steps], js=_FAILED, **PRIVATE)
    opened = greet_visitor(service, page, demo, shown.parts, _values)
    add_watching(service, shown.watch, shown.result, ask.web, opened)
    return ask.whole


def _wire_checks(service: Service, ask: _Ask, shown: _Shown) -> list[Any]:
    """Wire Check, Stop, an article's sentences and the one-time web search.

    Returns the events that run checks.
    """
    start = [shown.verdict, shown.steps, shown.evidence]
    asked, check = [ask.claim, ask.web], Checking(service, _values).check
    gr.on([ask.go.click, ask.claim.submit], None, start, start, js=_BEGUN, **PRIVATE)
    running = gr.on(
        [ask.go.click, ask.claim.submit],
        check,
        asked,
        shown.parts,
        concurrency_id=CHECKS,
        concurrency_limit=1,
        trigger_mode="once",
        **SILENT,
    )
    chosen = shown.again.click(
        lambda sentence: sentence or gr.skip(), shown.sentences, ask.claim, queue=False, **PRIVATE
    )
    rerun = chosen.success(check, asked, shown.parts, concurrency_id=CHECKS, **SILENT)
    found = shown.more.click(_asked_again, shown.result, ask.claim, queue=False, **PRIVATE)
    more = found.success(check, [ask.claim, gr.State(True)], shown.parts, concurrency_id=CHECKS, **SILENT)
    for button, stopped in ((ask.stop, "true"), (shown.again, "false"), (shown.more, "false")):
        button.click(None, js=f"() => {{ cv.stopped = {stopped}; }}", **PRIVATE)
    on_stop(ask.stop, lambda: _values(Frame(_STOPPED, spoken="Stopped")), shown.parts, [running, rerun, more])
    return [running, rerun, more]


def _asked_again(result: VerificationResult | None) -> Any:  # noqa: ANN401
    """Return the claim of the shown result, which may no longer be in the box."""
    return result.original_claim if result else gr.skip()


def _add_ask(service: Service) -> _Ask:
    claim = gr.Textbox(
        label="Claim, headline or snippet; or the address of an article",
        placeholder=_PLACEHOLDER,
        lines=1,
        max_lines=6,
        max_length=2_000,
        autofocus=True,
        elem_id="cv-claim",
    )
    gr.HTML("", elem_id="cv-long")  # ui/text.js writes it and shows both when more than a claim is pasted
    whole = gr.Button("Check it as a whole text", size="sm", elem_id="cv-long-go")
    with gr.Row(elem_id="cv-buttons"):
        go = gr.Button("Check", variant="primary", elem_id="cv-check")
        stop = gr.Button("Stop", elem_id="cv-stop")
        web = gr.Checkbox(
            value=service.settings.web,
            label="Ask the web if the stored evidence is not enough",
            visible=service.settings.web,
            container=False,
            elem_id="cv-web",
        )
    return _Ask(claim, web, go, stop, whole)


def _add_shown(service: Service) -> _Shown:
    announce = gr.HTML("", elem_id="cv-announce", elem_classes="cv-unseen")
    with gr.Column(visible=False, elem_id="cv-article") as article:
        intro = gr.HTML(elem_id="cv-article-intro")
        sentences = gr.Radio([], label="Sentences that can be checked", elem_id="cv-sentences")
        again = gr.Button("Check this sentence", elem_id="cv-sentence-check")
    verdict = gr.HTML(elem_id="cv-verdict")
    watch = add_watch_button(service)
    with gr.Column(visible=service.settings.web):
        more = gr.Button("Check again and ask the web", size="sm", visible=False, elem_id="cv-more")
    evidence = gr.HTML(elem_id="cv-evidence")
    result = gr.State(None, time_to_live=3_600)
    tools = add_tools(service, result)
    steps = gr.HTML(elem_id="cv-steps")
    return _Shown(announce, article, intro, sentences, again, verdict, watch, more, evidence, result, tools, steps)
