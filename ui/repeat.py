"""Show how to repeat a check: the command, the call, and kept addresses.

Quoted for a POSIX shell.
"""

from __future__ import annotations

import json
from html import escape
from shlex import quote

from verifier.report.markup import one_line
from verifier.schema import VerificationResult
from verifier.schema.missing import Why

SERVER = "http://127.0.0.1:7860"
_HERE, _MARK = f'<span class="cv-server">{SERVER}</span>', "\0"
"""What the browser fills with its page's address (ui/page.js), and its placeholder: no claim holds this character."""


def command(result: VerificationResult) -> str:
    """Write the command line that checks the same claim."""
    claim = one_line(result.original_claim)
    options = "" if _web(result) else " --no-web"
    return f"python -m verifier verify{options} {'-- ' * claim.startswith('-')}{quote(claim)}"


def call(result: VerificationResult, server: str = SERVER) -> str:
    """Write the call that checks the same claim over HTTP.

    One request puts it into the queue, one waits for its answer.
    """
    asked = json.dumps({"claim": one_line(result.original_claim), "web": _web(result)}, ensure_ascii=False)
    header = "-H 'Content-Type: application/json'"
    started = f"curl -s {server}/gradio_api/call/v2/verify {header} -d {quote(asked)}"
    return f"curl -sN {server}/gradio_api/call/verify/$({started} | cut -d '\"' -f 4)"


def _web(result: VerificationResult) -> bool:
    """Whether the web was on; if the store was enough, that makes no difference."""
    off = {Why.OFF, Why.OFF_HERE, Why.EARLIER, Why.GIVEN}
    return not (result.missing and any(source.why in off for source in result.missing.unasked))


def repeat(result: VerificationResult, kept: bool) -> str:
    """Write the part of a card that repeats its check.

    `kept`: whether the machine keeps it under an address.
    """
    shown = "".join(
        f'<p class="cv-small">{name} <button type="button" class="cv-copies" data-what="{name}">Copy</button></p><pre>{code}</pre>'
        for name, code in (
            ("Command", f"<code>{escape(command(result))}</code>"),
            ("Call", f"<code>{escape(call(result, _MARK)).replace(_MARK, _HERE)}</code>"),
        )
    )
    links = f'<p class="cv-small">This check: {addresses(f"check/{result.session_id}", "address")}</p>' if kept else ""
    return f'<details class="cv-repeat"><summary>Repeat this</summary>{shown}{links}</details>'


def addresses(path: str, name: str, asked: str = "") -> str:
    """Link a view, its JSON and its CSV; `asked` is its query with question mark."""
    forms = ((name, ""), ("JSON", ".json"), ("CSV", ".csv"))
    return ", ".join(f'<a href="{escape(f"{path}{ending}{asked}")}">{said}</a>' for said, ending in forms)
