"""Build the page: its tabs, its looks, and the endpoints for programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import gradio as gr

from errors import VerifierError
from ui import tab_about, tab_batch, tab_check, tab_kb, tab_text
from ui.api import add_endpoints
from ui.cards import error_card
from ui.guard.places import rooms
from ui.models import add_panel
from ui.running import AT_ONCE, PRIVATE, SILENT
from verifier.serve.service import Service

_FOLDER = Path(__file__).parent
CSS = [_FOLDER / "theme.css", _FOLDER / "text.css"]
_SCRIPTS = ("page.js", "text.js")
_TITLE = """<h1>Claim verifier</h1><p>Type a claim; get a verdict that quotes its evidence word for word. It runs on this machine.</p>"""
_LOADING = '<p class="cv-loading">The models are loading \u2026 you can type already.</p>'
_LOOK_SECONDS = 0.2
_COLOURS = {
    "button_primary_background_fill": "#1d4ed8",
    "button_primary_background_fill_dark": "#1d4ed8",
    "button_primary_background_fill_hover": "#1e40af",
    "button_primary_background_fill_hover_dark": "#1e40af",
    "block_label_text_color": "#475569",
    "block_title_text_color": "#475569",
    "body_text_color_subdued": "#55606c",
    "input_placeholder_color": "#64748b",
    "input_placeholder_color_dark": "#94a3b8",
    "link_text_color": "#0b57b0",
    "link_text_color_dark": "#8ab8ff",
}
"""Colours to use where the theme's own have less contrast than 4.5:1."""


def page_arguments() -> dict[str, Any]:
    """Return what `launch` needs for the page's looks and behaviour.

    Nothing of it comes from another server.
    """
    theme = gr.themes.Default(
        primary_hue="blue",
        neutral_hue="slate",
        radius_size="md",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    ).set(**_COLOURS)
    script = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return {
        "theme": theme,
        "css_paths": CSS,
        "head": f"<script>{script}</script>",
        "js": "() => { cv.start(); cv.texts.start(); cv.long.start(); }",
        "footer_links": ["api"],
        "ssr_mode": False,
        "max_file_size": "50mb",
    }


def build_demo(service: Service) -> gr.Blocks:
    """Build the app over `service`: layout and wiring, no logic."""
    with gr.Blocks(title="Claim verifier", analytics_enabled=False, delete_cache=(3600, 3600)) as demo:
        with gr.Column(elem_id="cv-page"):
            with gr.Row(elem_id="cv-top"):
                gr.HTML(_TITLE, elem_id="cv-title")
                theme = gr.Button("Light or dark", size="sm", elem_id="cv-theme")
            state = gr.HTML(_LOADING if service.loading else "", elem_id="cv-state")
            with gr.Tabs(elem_id="cv-tabs") as tabs:
                with gr.Tab("Check", elem_id="cv-tab-check"):
                    whole = tab_check.add_tab(service, demo)
                with gr.Tab("Whole text", id="text", elem_id="cv-tab-text"):
                    box = tab_text.add_tab(service)
                with gr.Tab("Knowledge base", elem_id="cv-tab-kb") as kb:
                    tab_kb.add_tab(service, kb)
                with gr.Tab("Batch", elem_id="cv-tab-batch"):
                    tab_batch.add_tab(service)
                with gr.Tab("Models", elem_id="cv-tab-models") as models:
                    add_panel(service, models)
                with gr.Tab("About", elem_id="cv-tab-about"):
                    tab_about.add_tab(service)
        moved = whole.click(None, None, box, js="() => cv.long.take()", **PRIVATE)
        moved.then(lambda: gr.Tabs(selected="text"), None, tabs, **AT_ONCE)
        theme.click(None, js="() => cv.toggle()", **PRIVATE)

        async def watch() -> AsyncGenerator[str, None]:
            async for told in loading(service):
                yield told

        demo.load(watch, None, state, concurrency_limit=None, **SILENT)
        add_endpoints(service, tab_check.CHECKS)
    most = sum(rooms(service.settings.server).values())  # the guard holds each kind to its own share
    demo.queue(max_size=most, default_concurrency_limit=1, api_open=False)
    return demo


async def loading(service: Service) -> AsyncGenerator[str, None]:
    """Show a quiet line while the models load; then nothing, or why they failed to."""
    if service.loading:
        yield _LOADING
        while service.loading:
            await asyncio.sleep(_LOOK_SECONDS)
    try:
        service.checker()
        yield ""
    except VerifierError as exc:
        yield error_card(str(exc))
