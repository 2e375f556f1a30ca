"""Act on a result: copy its link, save it, report it as wrong."""

from __future__ import annotations

import json
from html import escape

import gradio as gr

from errors import VerifierError
from ui.added import add_added
from ui.running import AT_ONCE, PRIVATE, SILENT
from verifier.history.feedback import MAX_NOTE, save_case, wrong_verdict
from verifier.report.formats import FORMATS
from verifier.schema import Verdict, VerificationResult
from verifier.serve.service import Service

_NAMES = {
    "JSON": "json",
    "CSV": "csv",
    "Markdown": "markdown",
    "Web page (HTML)": "html",
    "ClaimReview": "claimreview",
    "Text": "text",
}

_HERE = "It works on this machine only, where the check is kept."
"""Shown to a user who copies a link."""


def add_tools(service: Service, result: gr.State) -> gr.Column:
    """Lay out the tools in a column, hidden until there is a result."""
    text, name, mime = (gr.Textbox(visible=False, label=label) for label in ("text", "name", "type"))
    with gr.Column(visible=False, elem_id="cv-tools") as group:
        with gr.Row(elem_id="cv-save"):
            link = gr.Button("Copy link", size="sm", visible=service.settings.log, elem_id="cv-link")
            form = gr.Dropdown(
                list(_NAMES.items()),
                value="json",
                label="Format",
                show_label=False,
                container=False,
                elem_id="cv-format",
            )
            copy = gr.Button("Copy", size="sm", elem_id="cv-copy")
            save = gr.Button("Download", size="sm", elem_id="cv-download")
        told = gr.HTML("", elem_id="cv-told")
        if service.settings.allow_add:
            add_added(service, result)
        if service.settings.private:
            _add_wrong(service, result)
    link.click(None, js=f"() => cv.link({json.dumps(_HERE if service.settings.private else '')})", **PRIVATE)
    for button, action in ((copy, "(t, n, m) => { cv.copy(t, n); }"), (save, "(t, n, m) => { cv.save(t, n, m); }")):
        parts = [text, name, mime]
        button.click(written, [result, form], parts, **AT_ONCE).then(None, parts, None, js=action, **PRIVATE)
    result.change(lambda: "", None, told, **AT_ONCE)
    return group


def written(result: VerificationResult | None, form: str) -> tuple[str, str, str]:
    """Write a result in a format: text, file name, media type.

    All are empty if there is no result or no such format.
    """
    made = FORMATS.get(form)
    if result is None or made is None:
        return "", "", ""
    return made.render(result), made.file_name(result), made.mime


def _add_wrong(service: Service, result: gr.State) -> None:
    with gr.Accordion("This is wrong", open=False, elem_id="cv-wrong"):
        gr.Markdown("Your word is kept on this machine as a case: `python -m verifier evaluate --cases FILE` reads it.")
        right = gr.Radio([verdict.value for verdict in Verdict], label="The right verdict", elem_id="cv-wrong-verdict")
        note = gr.Textbox(label="Why (optional)", max_length=MAX_NOTE, lines=1, max_lines=4, elem_id="cv-wrong-note")
        save = gr.Button("Keep this case", size="sm", elem_id="cv-wrong-save")
        told = gr.HTML("", elem_id="cv-wrong-told")

    def keep(found: VerificationResult | None, expected: str | None, said: str) -> str:
        return kept_case(service, found, expected or "", said)

    save.click(keep, [result, right, note], told, **SILENT)


def kept_case(service: Service, result: VerificationResult | None, expected: str, note: str) -> str:
    """Keep a verdict that a reader calls wrong; return the answer to show."""
    if result is None or not service.settings.private:
        return '<p role="alert" class="cv-fail">There is no result to speak of.</p>'
    try:
        save_case(service.settings.cases_path, wrong_verdict(result, expected, note))
    except VerifierError as exc:
        return f'<p role="alert" class="cv-fail">{escape(str(exc))}</p>'
    return f'<p role="status">Kept in {escape(str(service.settings.cases_path))}.</p>'
