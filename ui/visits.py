"""Keep checks and consent in the browser, and show them when the page opens.

A link that is followed is shown then too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from errors import VerifierError
from ui.cards import error_card
from ui.checking import Frame, linked
from ui.consent import Consent, as_kept, before_check, consent_of, notice
from ui.history import history_list, parsed, with_check
from ui.running import AT_ONCE, PRIVATE, SILENT
from verifier.history.kept import recent_checks
from verifier.schema import VerificationResult
from verifier.serve.service import Service

_SECRET = "kept by this browser alone"  # noqa: S105
"""Gradio encrypts what a browser keeps. A fixed key keeps it readable after the server restarts."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The parts of the Check tab whose values a browser keeps, or that show them."""

    claim: gr.Textbox
    web: gr.Checkbox
    notice: gr.HTML
    result: gr.State
    past: gr.HTML
    consent: gr.BrowserState
    history: gr.BrowserState


def add_earlier(service: Service) -> tuple[gr.HTML, gr.BrowserState, gr.BrowserState]:
    """Lay out the lists of earlier checks; return the list, consent and history.

    Only the machine's own user sees the machine's list.
    """
    consent = gr.BrowserState(as_kept(Consent()), storage_key="cv-web", secret=_SECRET)
    history = gr.BrowserState([], storage_key="cv-history", secret=_SECRET)
    kept = service.settings.log
    with gr.Accordion("Earlier checks in this browser", open=False, elem_id="cv-history"):
        past = gr.HTML(history_list([], kept), elem_id="cv-history-list")
        clear = gr.Button("Clear this list", size="sm", elem_id="cv-history-clear")
    clear.click(lambda: ([], history_list([], kept)), None, [history, past], queue=False, **PRIVATE)
    if kept and service.settings.private:
        with gr.Accordion("All checks on this machine", open=False, elem_id="cv-log") as log:
            listed = gr.HTML(elem_id="cv-log-list")
        log.expand(lambda: _logged(service), None, listed, **SILENT)
    return past, consent, history


def _logged(service: Service) -> str:
    try:
        return history_list(recent_checks(service.settings), kept=True)
    except VerifierError as exc:
        return error_card(str(exc))


def remember_checks(service: Service, page: Remembered, checks: Sequence[Any]) -> None:
    """Have the browser keep a line of each check, and that the notice was seen.

    The notice says which search engines are asked. `checks` are the events that run them.
    """

    def remember(result: VerificationResult | None, history: object, web: bool) -> list[Any]:
        if result is None:
            return [gr.skip()] * 4
        consent = Consent(web, told=True)
        fresh = with_check(history, result)
        listed = history_list(parsed(fresh), service.settings.log)
        return [fresh, listed, as_kept(consent), notice(service.search_engines(), consent)]

    known, kept = [page.result, page.history, page.web], [page.history, page.past, page.consent, page.notice]
    for check in checks:
        check.then(remember, known, kept, **AT_ONCE)
    page.claim.change(
        lambda claim, kept: before_check(service.search_engines(), consent_of(kept), claim) or gr.skip(),
        [page.claim, page.consent],
        page.notice,
        trigger_mode="always_last",
        **AT_ONCE,
    )
    page.web.input(
        lambda web, kept: as_kept(Consent(web, consent_of(kept).told)),
        [page.web, page.consent],
        page.consent,
        queue=False,
        **PRIVATE,
    )


def greet_visitor(
    service: Service, page: Remembered, demo: gr.Blocks, shown: list[Any], values: Callable[[Frame], list[Any]]
) -> Any:  # noqa: ANN401
    """When the page opens, show what the browser keeps, and follow a link.

    The link is to a check or a claim; its event is returned. `values` turns a frame into those of the parts `shown`.
    """

    def greet(history: object, kept: object) -> list[Any]:
        consent = consent_of(kept)
        listed = history_list(parsed(history), service.settings.log)
        web = (
            gr.skip() if consent.web else False
        )  # the box is ticked at first; do not overrule a visitor who unticks it meanwhile
        return [listed, web, notice(service.search_engines(), consent)]

    def follow(request: gr.Request) -> list[Any]:
        asked = request.query_params
        claim, check = (str(asked.get(name, "")) for name in ("claim", "check"))
        if not check:
            return [claim[:2_000] or gr.skip(), *[gr.skip()] * len(shown)]
        frame = linked(service, check)
        return [frame.result.original_claim if frame.result else gr.skip(), *values(frame)]

    demo.load(greet, [page.history, page.consent], [page.past, page.web, page.notice], **AT_ONCE)
    return demo.load(follow, None, [page.claim, *shown], **AT_ONCE)
