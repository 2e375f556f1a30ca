"""The tab of the evidence store: search it, see how it grew, add to it, take back what was added, keep lists of domains."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from errors import VerifierError
from ui.pieces import KINDS, record_cards
from ui.plots import bars, growth
from ui.running import asked
from ui.tables import Row, table
from verifier.library import MAX_OWN, Added, Library
from verifier.report.markup import ORIGINS, visible
from verifier.service import Service

if TYPE_CHECKING:
    from verifier.library import EvidenceRecord, ListedDomain

_FILES = [".txt", ".md", ".html", ".htm", ".pdf", ".csv", ".tsv", ".jsonl", ".parquet"]
_RESULTS = 10
_SHOWN = 60
"""Characters of a record in the list of those that can be removed."""


def add_tab(service: Service, tab: gr.Tab) -> None:
    """Lay the tab out, inside the tab that is open, and wire it."""
    with gr.Row(elem_id="cv-kb-top"):
        query = gr.Textbox(
            label="Search the evidence store",
            placeholder="height of the Eiffel Tower",
            lines=1,
            elem_id="cv-kb-query",
            scale=4,
        )
        find = gr.Button("Search", variant="primary", elem_id="cv-kb-search", scale=0)
    found = gr.HTML(elem_id="cv-kb-results")
    figures = gr.HTML(elem_id="cv-kb-figures")

    async def find_records(text: str) -> str:
        return await asked(lambda: search(service, text), "search the store", service.turns.reads)

    async def show_figures() -> str:
        return await asked(lambda: store_figures(service), "count the store", service.turns.reads)

    gr.on(
        [find.click, query.submit],
        find_records,
        query,
        found,
        show_progress="hidden",
        api_visibility="private",
    )
    tab.select(show_figures, None, figures, show_progress="hidden", api_visibility="private")
    if service.settings.allow_add:
        _add_adding(service, tab, figures)
        _add_domains(service, tab)
    else:
        gr.HTML('<p class="cv-soft">This server lets nobody change its evidence.</p>', elem_id="cv-kb-closed")


def _library(service: Service) -> Library:
    return Library(service.checker(), service.settings)


def failed(exc: VerifierError) -> str:
    """A failure as a line."""
    return f'<p role="alert" class="cv-fail">{escape(visible(str(exc)))}</p>'


def search(service: Service, query: str) -> str:
    """What the store holds on a query."""
    try:
        return record_cards(_library(service).search(query, _RESULTS), query)
    except VerifierError as exc:
        return failed(exc)


def store_figures(service: Service) -> str:
    """How the store grew, and where its records come from."""
    try:
        told = _library(service).overview()
    except VerifierError as exc:
        return failed(exc)
    tables = (
        bars("How records came here", told.origins, dict(ORIGINS)),
        bars("Kinds of sources", told.source_types, {**KINDS, "unknown": "Unknown"}),
        bars("Domains with most records", told.domains),
    )
    return (
        f'<section aria-label="The store in figures"><p class="cv-soft">{told.records:,} records, {told.bytes / 1e6:,.1f} MB</p>'
        f'{growth(told.days, datetime.now(UTC).date())}<div class="cv-grid">{"".join(tables)}</div></section>'
    )


def added(done: Callable[[], Added], what: str) -> str:
    """Add something, and say what became of it."""
    try:
        report = done()
    except VerifierError as exc:
        return failed(exc)
    said = [f"{report.added} passage{'s' * (report.added != 1)} of {what} added"]
    said += [f"{report.known} were here already"] if report.known else []
    said += [f"{report.denied} left out, because your list denies their domain"] if report.denied else []
    said += [f"{report.skipped} could not be used"] if report.skipped else []
    problems = "".join(f"<li>{escape(visible(problem))}</li>" for problem in report.problems)
    listed = f"<ul>{problems}</ul>" if problems else ""
    return f'<div role="status"><p>{escape(visible(", ".join(said)))}.</p>{listed}</div>'


def _add_adding(service: Service, tab: gr.Tab, figures: gr.HTML) -> None:
    with gr.Accordion("Add evidence", open=False, elem_id="cv-kb-add"):
        with gr.Tabs():
            with gr.Tab("Text"):
                text = gr.Textbox(label="Text", lines=4, max_lines=12, elem_id="cv-kb-text")
                with gr.Row():
                    source = gr.Textbox(label="Source (an address, best)", elem_id="cv-kb-source")
                    title = gr.Textbox(label="Title", elem_id="cv-kb-title")
                by_text = gr.Button("Add the text", size="sm", elem_id="cv-kb-add-text")
            with gr.Tab("Address"):
                url = gr.Textbox(label="Address of a page, PDF, feed or sitemap", elem_id="cv-kb-url")
                by_url = gr.Button("Fetch and add", size="sm", elem_id="cv-kb-add-url")
            with gr.Tab("File"):
                file = gr.File(label=", ".join(_FILES), file_types=_FILES, type="filepath", elem_id="cv-kb-file")
                by_file = gr.Button("Add the file", size="sm", elem_id="cv-kb-add-file")
        told = gr.HTML(elem_id="cv-kb-told")
    with gr.Accordion("Remove what you added", open=False, elem_id="cv-kb-own") as own:
        mine = gr.Dropdown([], label=f"Your records, newest first, at most {MAX_OWN}", elem_id="cv-kb-mine")
        remove = gr.Button("Remove this record", size="sm", elem_id="cv-kb-remove")
        gone = gr.HTML(elem_id="cv-kb-gone")
    quiet: dict[str, Any] = {"api_visibility": "private", "concurrency_id": "adding"}
    done = [
        by_text.click(
            lambda t, s, n: added(lambda: _library(service).add_text(t, s, n), "the text"),
            [text, source, title],
            told,
            **quiet,
        ),
        by_url.click(lambda u: added(lambda: _library(service).add_url(u), u), url, told, **quiet),
        by_file.click(
            lambda f: (
                added(lambda: _library(service).add_file(Path(f)), Path(f).name)
                if f
                else failed(VerifierError("choose a file first"))
            ),
            file,
            told,
            **quiet,
        ),
        remove.click(lambda key: removed(service, key), mine, gone, show_progress="hidden", **quiet),
    ]
    for event in done:
        event.then(lambda: own_choices(service), None, mine, show_progress="hidden", api_visibility="private")
        event.then(lambda: store_figures(service), None, figures, show_progress="hidden", api_visibility="private")
    own.expand(lambda: own_choices(service), None, mine, show_progress="hidden", api_visibility="private")


def own_choices(service: Service) -> gr.Dropdown:
    """The user's own records, to choose from."""
    try:
        records = _library(service).own()
    except VerifierError:
        records = []
    return gr.Dropdown(choices=[(_named(record), record.id) for record in records], value=None)


def _named(record: EvidenceRecord) -> str:
    text = visible(record.text)
    cut = "\u2026" if len(text) > _SHOWN else ""
    return f"{record.timestamp:%Y-%m-%d %H:%M}  {text[:_SHOWN]}{cut}"


def removed(service: Service, record_id: str | None) -> str:
    """Remove one of the user's records, and say so."""
    try:
        _library(service).remove(record_id or "")
    except VerifierError as exc:
        return failed(exc)
    return '<p role="status">Removed.</p>'


def _add_domains(service: Service, tab: gr.Tab) -> None:
    with gr.Accordion("Domains that you trust or shut out", open=False, elem_id="cv-kb-domains"):
        listed = gr.HTML(elem_id="cv-kb-domain-list")
        with gr.Row():
            domain = gr.Textbox(label="Domain", placeholder="example.org", elem_id="cv-kb-domain")
            rule = gr.Radio(
                [("may decide", "allow"), ("is never heard", "deny")],
                value="allow",
                label="Rule: this domain",
                elem_id="cv-kb-rule",
            )
            note = gr.Textbox(label="Note", elem_id="cv-kb-note")
        with gr.Row():
            put = gr.Button("Put on the list", size="sm", elem_id="cv-kb-domain-add")
            take = gr.Button("Take off the list", size="sm", elem_id="cv-kb-domain-remove")
        told = gr.HTML(elem_id="cv-kb-domain-told")
    quiet: dict[str, Any] = {"api_visibility": "private", "concurrency_id": "adding", "show_progress": "hidden"}
    put.click(
        lambda name, how, why: listing(service, lambda library: library.list_domain(name, how, why)),
        [domain, rule, note],
        [told, listed],
        **quiet,
    )
    take.click(
        lambda name: listing(service, lambda library: library.unlist_domain(name)), domain, [told, listed], **quiet
    )
    tab.select(lambda: listing(service, lambda library: None)[1], None, listed, **quiet)


def listing(service: Service, change: Callable[[Library], None]) -> tuple[str, str]:
    """Change the lists; what became of it, and the lists as they are."""
    told = ""
    try:
        library = _library(service)
        try:
            change(library)
        except VerifierError as exc:
            told = failed(exc)
        return told, domain_table(library.domains())
    except VerifierError as exc:
        return failed(exc), ""


def domain_table(rows: tuple[ListedDomain, ...]) -> str:
    """The lists of domains as a table."""
    if not rows:
        return '<p class="cv-soft">No domains yet: every source counts as the table that ships has it.</p>'
    body = [
        Row((escape(row.domain), "may decide" if row.rule == "allow" else "is never heard", escape(visible(row.note))))
        for row in rows
    ]
    return table("Domains", ("Domain", "Rule", "Note"), body)
