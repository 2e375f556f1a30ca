"""Show the language model panel: known models, local models, and a download with a Stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

import gradio as gr

from errors import VerifierError
from ui.running import SILENT, on_stop
from ui.tables import Row, table
from verifier.llm.language_models import Fetched, ModelState, fetch, known_models
from verifier.serve.service import Service

_TOLD = """## Language model (optional)
Without one, small models and rules do everything, in about a second. With one, MIXED and hard claims are taken apart better,
claims in other languages are translated, unsure verdicts are read a second time, and the reasoning is written in sentences. It takes
seconds to a minute more per check. It runs on this machine; nothing is downloaded unless you ask for it here."""


def add_panel(service: Service, tab: gr.Tab) -> None:
    """Add the panel to the open tab; opening the tab refreshes its table.

    Only a server on loopback offers the download, which fills its disk.
    """

    def get(name: str) -> Iterator[tuple[str, str]]:
        yield from show_fetch(name, lambda: service.checker().find_model())

    states = known_models()
    with gr.Column(elem_id="cv-models"):
        gr.Markdown(_TOLD)
        table = gr.HTML(models_table(states), elem_id="cv-models-table")
        tab.select(lambda: models_table(known_models()), None, table, **SILENT)
        if not service.settings.private:
            return
        name = gr.Dropdown([state.model.name for state in states], label="Model", elem_id="cv-models-name")
        with gr.Row():
            go = gr.Button("Download", elem_id="cv-models-get")
            stop = gr.Button("Stop the download", elem_id="cv-models-stop")
        told = gr.HTML(elem_id="cv-models-told")
        running = go.click(get, [name], [told, table], trigger_mode="once", **SILENT)
        on_stop(stop, stopped, told, [running])


def show_fetch(
    name: str, found: Callable[[], None], fetched: Callable[[str], Iterator[Fetched]] = fetch
) -> Iterator[tuple[str, str]]:
    """Show a download: its progress, then the new table.

    A failure is one line that says what to do.

    Args:
        name: the model's name.
        found: called when the model is there.
        fetched: the download.
    """
    table = models_table(known_models())
    yield progress("Asking the hub", 0, 0), table
    try:
        for news in fetched(name):
            yield progress(f"Downloading {name}", news.done, news.total), table
        found()
        yield f'<p role="status">{escape(name)} is here, and the next check uses it.</p>', models_table(known_models())
    except VerifierError as exc:
        yield f'<p role="alert" class="cv-error">{escape(str(exc))}</p>', table


def stopped() -> str:
    """Show that the download was stopped."""
    return '<p role="status">Stopped. What has arrived is kept; the next download goes on there.</p>'


def progress(what: str, done: int, total: int) -> str:
    """Write a line, and a bar once the size is known."""
    if not total:
        return f'<p role="status">{escape(what)} \u2026</p>'
    told = f"{escape(what)}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB"
    return f'<p role="status">{told}</p><progress max="{total}" value="{done}" aria-label="{told}"></progress>'


def models_table(states: Sequence[ModelState]) -> str:
    """Show the known models, one per row."""
    rows = [
        Row(
            (
                f"{escape(model.name)}<br><small>{escape(str(model.source))}</small>",
                escape(model.licence),
                f"{model.disk_gb:g} GB",
                f"{model.memory_gb:g} GB",
                escape(model.note),
                "here" if here else "not here",
            )
        )
        for model, here in ((state.model, state.here) for state in states)
    ]
    return table("Language models", ("Model", "Licence", "Disk, about", "Memory, about", "Note", "State"), rows)
