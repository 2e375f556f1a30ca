"""Show the evidence store: search, growth, adding and removing evidence, domain lists."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from errors import VerifierError
from ui.packs import add_packs
from ui.pieces import KINDS, record_cards
from ui.plots import bars, growth
from ui.running import PRIVATE, SILENT, asked
from ui.tables import Row, table
from verifier.api.knowledge import MAX_OWN, Added, KnowledgeBase
from verifier.report.markup import ORIGINS, visible
from verifier.serve.service import Service

if TYPE_CHECKING:
    from verifier.api.knowledge import EvidenceRecord, ListedDomain

_FILES = [".txt", ".md", ".html", ".htm", ".pdf", ".csv", ".tsv", ".jsonl", ".parquet"]
_RESULTS = 10
_ADDING = "adding"
"""Queue in which all changes to the store run one after another."""
_SHOWN = 60
"""Characters of a record shown in the list of removable ones."""


def add_tab(service: Service, tab: gr.Tab) -> None:
    """Lay out and wire the tab, inside the one that is open."""
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

    gr.on([find.click, query.submit], find_records, query, found, **SILENT)
    tab.select(show_figures, None, figures, **SILENT)
    add_packs(service, tab, lambda event: event.then(show_figures, None, figures, **SILENT))
    if service.settings.allow_add:
        _add_adding(service, tab, figures)
        _add_domains(service, tab)
    else:
        gr.HTML('<p class="cv-soft">Visitors of this server cannot change its evidence.</p>', elem_id="cv-kb-closed")


def _knowledge(service: Service) -> KnowledgeBase:
    return KnowledgeBase(service.checker(), service.settings)


def failed(exc: VerifierError) -> str:
    """Show a failure in one line."""
    return f'<p role="alert" class="cv-fail">{escape(visible(str(exc)))}</p>'


def search(service: Service, query: str) -> str:
    """Show what the store holds on a query."""
    try:
        return record_cards(_knowledge(service).search(query, _RESULTS), query)
    except VerifierError as exc:
        return failed(exc)


def store_figures(service: Service) -> str:
    """Show how the store grew, and where its records come from."""
    try:
        told = _knowledge(service).overview()
    except VerifierError as exc:
        return failed(exc)
    tables = (
        bars("Where records are from", told.origins, dict(ORIGINS)),
        bars("Kinds of sources", told.source_types, {**KINDS, "unknown": "Unknown"}),
        bars("Domains with most records", told.domains),
    )
    return (
        f'<section aria-label="The store in figures"><p class="cv-soft">{told.records:,} records, {told.bytes / 1e6:,.1f} MB</p>'
        f'{growth(told.days, datetime.now(UTC).date())}<div class="cv-grid">{"".join(tables)}</div></section>'
    )


def added(done: Callable[[], Added], what: str) -> str:
    """Add something, and show the outcome."""
    try:
        report = done()
    except VerifierError as exc:
        return failed(exc)
    said = [f"{report.added} passage{'s' * (report.added != 1)} of {what} added"]
    said += [f"{report.known} were here already"] if report.known else []
    said += [f"{report.denied} left out, because your list blocks their domain"] if report.denied else []
    said += [f"{report.skipped} could not be used"] if report.skipped else []
    problems = "".join(f"<li>{escape(visible(problem))}</li>" for problem in report.problems)
    listed = f"<ul>{problems}</ul>" if problems else ""
    return f'<div role="status"><p>{escape(visible(", ".join(said)))}.</p>{listed}</div>'


def _add_adding(service: Service, tab: gr.Tab, figures: gr.HTML) -> None:
    done = _add_sources(service)
    with gr.Accordion("Remove what you added", open=False, elem_id="cv-kb-own") as own:
        mine = gr.Dropdown([], label=f"Your records, newest first, at most {MAX_OWN}", elem_id="cv-kb-mine")
        remove = gr.Button("Remove this record", size="sm", elem_id="cv-kb-remove")
        gone = gr.HTML(elem_id="cv-kb-gone")
    done.append(remove.click(lambda key: removed(service, key), mine, gone, concurrency_id=_ADDING, **SILENT))
    for event in done:
        event.then(lambda: own_choices(service), None, mine, **SILENT)
        event.then(lambda: store_figures(service), None, figures, **SILENT)
    own.expand(lambda: own_choices(service), None, mine, **SILENT)


def _add_sources(service: Service) -> list[Any]:
    """Lay out the three ways to add evidence; return the events that do."""
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

    def add_text(words: str, place: str, name: str) -> str:
        return added(lambda: _knowledge(service).add_text(words, place, name), "the text")

    def add_url(address: str) -> str:
        return added(lambda: _knowledge(service).add_url(address), address)

    def add_file(path: str | None) -> str:
        if not path:
            return failed(VerifierError("choose a file first"))
        return added(lambda: _knowledge(service).add_file(Path(path)), Path(path).name)

    return [
        button.click(add, given, told, concurrency_id=_ADDING, **PRIVATE)
        for button, add, given in (
            (by_text, add_text, [text, source, title]),
            (by_url, add_url, url),
            (by_file, add_file, file),
        )
    ]


def own_choices(service: Service) -> gr.Dropdown:
    """Offer the user's own records to choose from."""
    try:
        records = _knowledge(service).own()
    except VerifierError:
        records = []
    return gr.Dropdown(choices=[(_named(record), record.id) for record in records], value=None)


def _named(record: EvidenceRecord) -> str:
    text = visible(record.text)
    cut = "\u2026" if len(text) > _SHOWN else ""
    return f"{record.timestamp:%Y-%m-%d %H:%M}  {text[:_SHOWN]}{cut}"


def removed(service: Service, record_id: str | None) -> str:
    """Remove one of the user's records, and show that it is gone."""
    try:
        _knowledge(service).remove(record_id or "")
    except VerifierError as exc:
        return failed(exc)
    return '<p role="status">Removed.</p>'


def _add_domains(service: Service, tab: gr.Tab) -> None:
    with gr.Accordion("Domains that you trust or block", open=False, elem_id="cv-kb-domains"):
        listed = gr.HTML(elem_id="cv-kb-domain-list")
        with gr.Row():
            domain = gr.Textbox(label="Domain", placeholder="example.org", elem_id="cv-kb-domain")
            rule = gr.Radio(
                [("may decide", "allow"), ("is blocked", "deny")],
                value="allow",
                label="Rule: this domain",
                elem_id="cv-kb-rule",
            )
            note = gr.Textbox(label="Note", elem_id="cv-kb-note")
        with gr.Row():
            put = gr.Button("Put on the list", size="sm", elem_id="cv-kb-domain-add")
            take = gr.Button("Take off the list", size="sm", elem_id="cv-kb-domain-remove")
        told = gr.HTML(elem_id="cv-kb-domain-told")
    quiet = SILENT | {"concurrency_id": _ADDING}
    put.click(
        lambda name, how, why: listing(service, lambda store: store.list_domain(name, how, why)),
        [domain, rule, note],
        [told, listed],
        **quiet,
    )
    take.click(lambda name: listing(service, lambda store: store.unlist_domain(name)), domain, [told, listed], **quiet)
    tab.select(lambda: listing(service, lambda store: None)[1], None, listed, **quiet)


def listing(service: Service, change: Callable[[KnowledgeBase], None]) -> tuple[str, str]:
    """Change the lists; return the error or "", and the resulting lists."""
    told = ""
    try:
        store = _knowledge(service)
        try:
            change(store)
        except VerifierError as exc:
            told = failed(exc)
        return told, domain_table(store.domains())
    except VerifierError as exc:
        return failed(exc), ""


def domain_table(rows: tuple[ListedDomain, ...]) -> str:
    """Show the lists of domains as a table."""
    if not rows:
        return '<p class="cv-soft">No domains yet: every source counts as the table that ships has it.</p>'
    body = [
        Row((escape(row.domain), "may decide" if row.rule == "allow" else "is blocked", escape(visible(row.note))))
        for row in rows
    ]
    return table("Domains", ("Domain", "Rule", "Note"), body)
