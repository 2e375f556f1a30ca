"""The page: a claim goes in; steps, verdict and evidence come out while they are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gradio as gr

from errors import VerifierError
from ui.api import add_endpoints
from ui.cards import error_card, evidence_cards, settled_card, trace, verdict_card
from ui.models import add_panel
from verifier.schema import Step
from verifier.service import Service

CSS = Path(__file__).parent / "theme.css"
EXAMPLES = (
    "The Earth is flat",
    "5G towers spread COVID-19",
    "India became independent in 1947",
    "Minecraft is the best 2D game",
    "Pizza tastes better than burgers",
)
_INTRO = """# Claim verifier
Type a claim, a headline or a snippet. The answer quotes its evidence word for word, with links.
Everything runs on this machine. Only if the evidence store is not enough, and the box below is ticked, is the claim
sent to DuckDuckGo."""
_CHECKS = "checks"
"""Every listener that uses the models shares this queue, so that they take turns."""

Shown = tuple[str, str, str]
"""What the page shows: verdict, trace, evidence."""


def build_demo(service: Service) -> gr.Blocks:
    """The app over `service`: layout and wiring, no logic."""

    def check(claim: str, web: bool) -> Iterator[Shown]:
        yield from show_check(service, claim, web)

    with gr.Blocks(title="Claim verifier", analytics_enabled=False, delete_cache=(3600, 3600)) as demo:
        with gr.Column(elem_id="cv-page"):
            gr.Markdown(_INTRO)
            claim = gr.Textbox(
                label="Claim",
                placeholder="The Eiffel Tower is in Berlin",
                lines=2,
                max_lines=6,
                max_length=2_000,
                elem_id="cv-claim",
            )
            web = gr.Checkbox(
                value=service.settings.web,
                label="Search the web if the evidence store is not enough",
                visible=service.settings.web,
            )
            with gr.Row():
                go = gr.Button("Check", variant="primary", elem_id="cv-check")
                stop = gr.Button("Stop", elem_id="cv-stop")
            gr.Examples([[example] for example in EXAMPLES], [claim], label="Examples", cache_examples=False)
            verdict = gr.HTML(elem_id="cv-verdict", padding=False)
            evidence = gr.HTML(elem_id="cv-evidence", padding=False)
            steps = gr.HTML(elem_id="cv-steps", padding=False)
            add_panel(service)
        running = gr.on(
            [go.click, claim.submit],
            check,
            [claim, web],
            [verdict, steps, evidence],
            concurrency_id=_CHECKS,
            concurrency_limit=1,
            trigger_mode="once",
            show_progress="hidden",
            api_visibility="private",
        )
        stop.click(None, cancels=[running], api_visibility="private")
        add_endpoints(service, _CHECKS)
    demo.queue(max_size=service.settings.server.queue, default_concurrency_limit=1, api_open=False)
    return demo


def show_check(service: Service, claim: str, web: bool) -> Iterator[Shown]:
    """A check as the page shows it: the trace grows, then verdict and evidence appear; a failure is shown as a failure."""
    done: list[Step] = []
    verdict = ""
    try:
        yield "", trace(done, running=True), ""
        stream = service.checker().stream(claim, web)
        while True:
            try:
                step = next(stream)
                done = [*(earlier for earlier in done if not earlier.passing), step]
                verdict = settled_card(step.settled) if step.settled else verdict
            except StopIteration as end:
                result = end.value
                break
            yield verdict, trace(done, running=True), ""
        done = [step for step in done if not step.passing]
        yield verdict_card(result), trace(done, running=False), evidence_cards(result.evidence, result.citations)
    except VerifierError as exc:
        yield error_card(str(exc)), trace(done, running=False), ""
