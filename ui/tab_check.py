"""The tab on which claims are checked: layout and wiring."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from errors import VerifierError
from ui.article import article_intro
from ui.cards import error_card, note_card, trace
from ui.checking import Frame, frames, result_frame
from ui.consent import Consent, as_kept, consent_of, notice
from ui.history import history_list, parsed, with_check
from ui.tools import Tools, add_tools
from verifier.kept import find_check, handed_in, recent_checks
from verifier.schema import VerificationResult
from verifier.service import Service

EXAMPLES = (
    "The Earth is flat",
    "5G towers spread COVID-19",
    "India became independent in 1947",
    "Minecraft is the best 2D game",
    "Pizza tastes better than burgers",
)
CHECKS = "checks"
"""Every listener that uses the models shares this queue, so that they take turns."""
_SECRET = "kept by this browser alone"  # noqa: S105
"""Gradio encrypts what a browser keeps. A fixed key lets it be read after the server was started anew."""
_PLACEHOLDER = "The Eiffel Tower is in Berlin"
_BEGUN = (
    "(verdict, steps, evidence) => document.querySelector('.cv-busy') ? [verdict, steps, evidence] "
    f": (cv.stopped = false, ['', {json.dumps(trace([], running=True))}, ''])"
)
"""What a browser shows by itself, before the server has answered, or while other checks go first."""
_REFUSED = "the server did not finish this check: too many may be waiting; try again in a minute"
_STOPPED = note_card("Stopped.")
_FAILED = f"() => [cv.stopped ? {json.dumps(_STOPPED)} : {json.dumps(error_card(_REFUSED))}, '']"
"""What a browser shows where the server took no check. Gradio calls a stopped check a failed one too, at times before the
answer to Stop is there, so that the browser itself must know what was pressed."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The parts of the tab that events read and write."""

    claim: gr.Textbox
    web: gr.Checkbox
    notice: gr.HTML
    announce: gr.HTML
    article: gr.Column
    intro: gr.HTML
    sentences: gr.Radio
    verdict: gr.HTML
    evidence: gr.HTML
    steps: gr.HTML
    result: gr.State
    tools: Tools
    past: gr.HTML
    consent: gr.BrowserState
    history: gr.BrowserState

    @property
    def shown(self) -> list[Any]:
        """What a check writes to; see `_values`."""
        return [
            self.verdict,
            self.steps,
            self.evidence,
            self.announce,
            self.result,
            self.tools.group,
            self.article,
            self.intro,
            self.sentences,
        ]


def _values(frame: Frame) -> list[Any]:
    article = frame.article
    choices = gr.Radio(choices=list(article.sentences), value=None) if article else gr.skip()
    return [
        frame.verdict,
        frame.steps,
        frame.evidence,
        frame.spoken or gr.skip(),
        frame.result,
        gr.Column(visible=frame.result is not None),
        gr.Column(visible=article is not None),
        article_intro(article) if article else gr.skip(),
        choices,
    ]


def add_tab(service: Service, demo: gr.Blocks) -> None:
    """Lay the tab out, inside the tab that is open, and wire it."""
    page, go, stop, again = _layout(service)

    async def check(claim: str, web: bool) -> AsyncGenerator[list[Any], None]:
        async for frame in frames(service, claim, web and service.settings.web):
            yield _values(frame)

    gr.on(
        [go.click, page.claim.submit],
        None,
        [page.verdict, page.steps, page.evidence],
        [page.verdict, page.steps, page.evidence],
        js=_BEGUN,
        api_visibility="private",
    )
    running = gr.on(
        [go.click, page.claim.submit],
        check,
        [page.claim, page.web],
        page.shown,
        concurrency_id=CHECKS,
        concurrency_limit=1,
        trigger_mode="once",
        show_progress="hidden",
        api_visibility="private",
    )
    chosen = again.click(
        lambda sentence: sentence or gr.skip(), page.sentences, page.claim, queue=False, api_visibility="private"
    )
    rerun = chosen.success(
        check,
        [page.claim, page.web],
        page.shown,
        concurrency_id=CHECKS,
        show_progress="hidden",
        api_visibility="private",
    )
    for button, stopped in ((stop, "true"), (again, "false")):
        button.click(None, js=f"() => {{ cv.stopped = {stopped}; }}", api_visibility="private")
    stop.click(
        lambda: _values(Frame(_STOPPED, spoken="Stopped")),
        None,
        page.shown,
        cancels=[running, rerun],
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )
    for finished in (running, rerun):
        _remember(service, page, finished)
        finished.failure(None, None, [page.verdict, page.steps], js=_FAILED, api_visibility="private")
    _opening(service, page, demo)


def _layout(service: Service) -> tuple[_Page, gr.Button, gr.Button, gr.Button]:
    claim = gr.Textbox(
        label="Claim, headline or snippet; or the address of an article",
        placeholder=_PLACEHOLDER,
        lines=1,
        max_lines=6,
        max_length=2_000,
        autofocus=True,
        elem_id="cv-claim",
    )
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
    told = gr.HTML(notice(service.search_engines(), Consent()), elem_id="cv-notice", visible=service.settings.web)
    gr.Examples(
        [[example] for example in EXAMPLES], [claim], label="Try one", cache_examples=False, elem_id="cv-examples"
    )
    announce = gr.HTML("", elem_id="cv-announce", elem_classes="cv-unseen")
    with gr.Column(visible=False, elem_id="cv-article") as article:
        intro = gr.HTML(elem_id="cv-article-intro")
        sentences = gr.Radio([], label="Sentences that can be checked", elem_id="cv-sentences")
        again = gr.Button("Check this sentence", elem_id="cv-sentence-check")
    verdict = gr.HTML(elem_id="cv-verdict")
    evidence = gr.HTML(elem_id="cv-evidence")
    result = gr.State(None, time_to_live=3_600)
    tools = add_tools(service, result)
    steps = gr.HTML(elem_id="cv-steps")
    consent = gr.BrowserState(as_kept(Consent()), storage_key="cv-web", secret=_SECRET)
    history = gr.BrowserState([], storage_key="cv-history", secret=_SECRET)
    past = _past(service, history)
    page = _Page(
        claim,
        web,
        told,
        announce,
        article,
        intro,
        sentences,
        verdict,
        evidence,
        steps,
        result,
        tools,
        past,
        consent,
        history,
    )
    return page, go, stop, again


def _past(service: Service, history: gr.BrowserState) -> gr.HTML:
    """The lists of earlier checks; the machine's own only for whoever sits at it."""
    kept = service.settings.log
    with gr.Accordion("Earlier checks in this browser", open=False, elem_id="cv-history"):
        past = gr.HTML(history_list([], kept), elem_id="cv-history-list")
        clear = gr.Button("Clear this list", size="sm", elem_id="cv-history-clear")
    clear.click(lambda: ([], history_list([], kept)), None, [history, past], queue=False, api_visibility="private")
    if kept and service.settings.private:
        with gr.Accordion("All checks on this machine", open=False, elem_id="cv-log") as log:
            listed = gr.HTML(elem_id="cv-log-list")
        log.expand(lambda: _machine(service), None, listed, show_progress="hidden", api_visibility="private")
    return past


def _machine(service: Service) -> str:
    try:
        return history_list(recent_checks(service.settings), kept=True)
    except VerifierError as exc:
        return error_card(str(exc))


def _remember(service: Service, page: _Page, finished: Any) -> None:  # noqa: ANN401
    """After a check, the browser keeps its line, and that its user was told of the search engines."""

    def remember(result: VerificationResult | None, history: object, web: bool) -> list[Any]:
        if result is None:
            return [gr.skip()] * 4
        consent = Consent(web, told=True)
        fresh = with_check(history, result)
        listed = history_list(parsed(fresh), service.settings.log)
        return [fresh, listed, as_kept(consent), notice(service.search_engines(), consent)]

    finished.then(
        remember,
        [page.result, page.history, page.web],
        [page.history, page.past, page.consent, page.notice],
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )
    page.web.input(
        lambda web, kept: as_kept(Consent(web, consent_of(kept).told)),
        [page.web, page.consent],
        page.consent,
        queue=False,
        api_visibility="private",
    )


def _opening(service: Service, page: _Page, demo: gr.Blocks) -> None:
    """When the page is opened: what the browser keeps is shown, and a link to a check or a claim is followed."""

    def greet(history: object, kept: object) -> list[Any]:
        consent = consent_of(kept)
        listed = history_list(parsed(history), service.settings.log)
        return [listed, consent.web and service.settings.web, notice(service.search_engines(), consent)]

    def follow(request: gr.Request) -> list[Any]:
        asked = request.query_params
        claim, check = (str(asked.get(name, "")) for name in ("claim", "check"))
        if not check:
            return [claim[:2_000] or gr.skip(), *[gr.skip()] * len(_values(Frame()))]
        frame = linked(service, check)
        return [frame.result.original_claim if frame.result else gr.skip(), *_values(frame)]

    demo.load(
        greet,
        [page.history, page.consent],
        [page.past, page.web, page.notice],
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )
    demo.load(follow, None, [page.claim, *page.shown], queue=False, show_progress="hidden", api_visibility="private")


def linked(service: Service, session_id: str) -> Frame:
    """The check that a link names, or what a reader should know where it cannot be shown."""
    try:
        found = find_check(service.settings, session_id)
        told = handed_in(found)
        return Frame(note_card(told)) if told else result_frame(found)
    except VerifierError as exc:
        return Frame(note_card(str(exc)))
