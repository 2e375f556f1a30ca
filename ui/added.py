"""List the pages a check stored from the web, with a button to remove them."""

from __future__ import annotations

from collections import Counter
from html import escape

import gradio as gr

from errors import VerifierError
from ui.pieces import source_link
from ui.running import AT_ONCE, SILENT
from verifier.api.knowledge import KnowledgeBase
from verifier.schema import VerificationResult
from verifier.serve.service import Service


def add_added(service: Service, result: gr.State) -> None:
    """Lay out the list, hidden if the check added nothing."""
    with gr.Accordion("Added to the store by this check", open=False, visible=False, elem_id="cv-added") as place:
        listed = gr.HTML(elem_id="cv-added-list")
        undo = gr.Button("Take these out of the store again", size="sm", elem_id="cv-added-undo")
        told = gr.HTML("", elem_id="cv-added-told")
    result.change(
        lambda found: [gr.Accordion(visible=bool(found and found.added)), pages(service, found), ""],
        result,
        [place, listed, told],
        **AT_ONCE,
    )
    undo.click(
        lambda found: [taken_out(service, found), pages(service, found)],
        result,
        [told, listed],
        concurrency_id="adding",
        **SILENT,
    )


def pages(service: Service, result: VerificationResult | None) -> str:
    """List the pages, each with its number of passages in the store."""
    if result is None or not result.added:
        return ""
    try:
        records = KnowledgeBase(service.checker(), service.settings).found_by(result)
    except VerifierError as exc:
        return f'<p role="alert" class="cv-fail">{escape(str(exc))}</p>'
    if not records:
        return '<p class="cv-soft">Nothing of it is in the store any more.</p>'
    passages = Counter(record.source for record in records)
    titles = {record.source: record.title or record.domain for record in records}
    lines = "".join(
        f'<li>{source_link(source, titles[source])} <span class="cv-soft">{count} passage{"s" if count > 1 else ""}</span></li>'
        for source, count in passages.items()
    )
    return f'<p class="cv-soft">The next check of a similar claim finds these without the web.</p><ul class="cv-queries">{lines}</ul>'


def taken_out(service: Service, result: VerificationResult | None) -> str:
    """Remove the pages, and say how many passages that was."""
    if result is None:
        return '<p role="alert" class="cv-fail">There is no result to speak of.</p>'
    try:
        count = KnowledgeBase(service.checker(), service.settings).take_out(result)
    except VerifierError as exc:
        return f'<p role="alert" class="cv-fail">{escape(str(exc))}</p>'
    return f'<p role="status">{count} passage{"s" * (count != 1)} taken out of the store. The verdict above stays as it was.</p>'
