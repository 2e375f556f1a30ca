"""Give checks, evidence records and store searches addresses: as page, JSON and CSV.

    /check/ID          opens the check on the page; /check/ID.json, .csv, .html, .md, .txt and .jsonld write it in that form
    /record/ID         a record of the evidence store; also .json and .csv
    /search?q=WORDS    a search of the store; also /search.json and /search.csv

The views run behind the guard, which limits what a visitor may ask for, and in front of Gradio, which takes any path
for a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote

from errors import InputError, VerifierError
from ui.guard.answers import App, Message, Receive, Refusal, Send, refuse
from ui.repeat import addresses
from ui.running import asked
from verifier.api.endpoints import Endpoints
from verifier.api.knowledge import MAX_RESULTS, KnowledgeBase
from verifier.history.kept import find_check, handed_in
from verifier.report.as_csv import rows_to_csv
from verifier.report.as_html import page_html
from verifier.report.formats import FORMATS
from verifier.report.markup import ORIGINS, one_line, visible, web_address
from verifier.report.public import public
from verifier.serve.service import Service

VIEW = re.compile(
    r"/(?P<kind>check|record)/(?P<id>[0-9a-f-]{1,40})(?P<form>\.[a-z]{2,6})?|/(?P<search>search)(?P<ending>\.[a-z]{2,6})?"
)
"""The addresses answered here."""
_RESULTS = 10
_LONGEST = 16_000
"""Most characters of a query string: 2,000 characters of a query, each written as up to eight."""
_DARK = """@media screen and (prefers-color-scheme: dark) {
 :root { color-scheme: dark; --ink: #e6edf3; --soft: #a7b1bc; --line: #3a424c; --paper: #0d1117; --link: #8ab8ff; }
}
"""
_ABOVE = {"text", "source", "title", "origin"}
"""Fields shown above the list of the others."""
_TYPES = {"": "text/html", ".json": "application/json", ".csv": "text/csv"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back; `to`, if set, is where the browser goes instead."""

    text: str = ""
    mime: str = "text/html"
    name: str = ""
    to: str = ""


class Views:
    """Answers the addresses of views, and passes on every other request."""

    def __init__(self, app: App, service: Service) -> None:
        """`app` answers everything else."""
        self._app, self._service = app, service

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        found = VIEW.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        try:
            await _send(send, await self._answer(scope, found), scope["method"])
        except Refusal as refusal:
            await refuse(send, refusal)

    async def _answer(self, scope: Message, found: re.Match[str]) -> Answer:
        """Make the answer in a thread; a search takes a turn at reading the store.

        Raises:
            Refusal: there is no such view, or it cannot be made.
        """
        if scope["method"] not in {"GET", "HEAD"}:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "this address can only be read")
        service, visitor = self._service, str(scope.get("state", {}).get("visitor", ""))
        work: Callable[[], Answer]
        try:
            if found["search"]:
                query, limit = _asked(scope["query_string"])
                work, turns = lambda: search_view(service, query, limit, found["ending"] or ""), service.turns.reads
            elif found["kind"] == "record":
                work, turns = lambda: record_view(service, found["id"], found["form"] or ""), service.turns.reads
            else:
                work, turns = lambda: check_view(service, found["id"], found["form"] or ""), None
            return await asked(work, "view", turns, visitor)
        except InputError as exc:
            status = HTTPStatus.BAD_REQUEST if found["search"] else HTTPStatus.NOT_FOUND
            raise Refusal(status, public(str(exc))) from exc
        except VerifierError as exc:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, public(str(exc)), 60) from exc


def _asked(query_string: bytes) -> tuple[str, int]:
    """Read what a search is for, and how many records it may find.

    Raises:
        InputError: it is too long, or the limit is not a number in bounds.
    """
    if len(query_string) > _LONGEST:
        raise InputError(f"the address of a search may have {_LONGEST:,} characters at most; shorten the query")
    given = parse_qs(query_string.decode("latin1"), max_num_fields=20)
    limit = given.get("limit", [str(_RESULTS)])[0]
    if not (limit.isascii() and limit.isdecimal()):
        raise InputError(f"limit must be from 1 to {MAX_RESULTS}, not {limit[:40]!r}")
    return given.get("q", [""])[0], int(limit[:9])


def check_view(service: Service, session_id: str, form: str) -> Answer:
    """Open a kept check on the page, or write it in an ending's form.

    Raises:
        InputError: there is no such check here, or no such form.
        StoreError: the log cannot be read.
    """
    if not form:
        return Answer(to=f"../?check={quote(session_id)}")  # if there is none, the page says why
    made = next((made for made in FORMATS.values() if made.suffix == form), None)
    if made is None:
        raise InputError(f"a check is written as {', '.join(one.suffix for one in FORMATS.values())}, not as {form}")
    found = find_check(service.settings, session_id)
    if told := handed_in(found):
        raise InputError(told)
    found = replace(found, warnings=tuple(public(warning) for warning in found.warnings))
    return Answer(made.render(found), made.mime, made.file_name(found))


def record_view(service: Service, record_id: str, form: str) -> Answer:
    """Show a record of the store.

    Raises:
        InputError: there is no such record, or no such form.
        StoreError: the store cannot be read.
    """
    row = KnowledgeBase(service.checker(), service.settings).record(record_id)
    title = f"Record: {one_line(row['title'] or row['domain'] or record_id)}"
    links = addresses(f"../record/{record_id}", "address")
    return _written(form, f"record-{record_id}", row, [row], lambda: _page(title, links, _record(row, tuple(row))))


def search_view(service: Service, query: str, limit: int, form: str) -> Answer:
    """Show what the store holds on a query.

    Raises:
        InputError: the query is empty or too long, or there is no such form.
        StoreError: the store cannot be read.
    """
    rows = Endpoints(service).search_kb(query, limit)
    title = f"{len(rows)} record{'s' * (len(rows) != 1)} on \u201c{one_line(query)}\u201d"
    links = addresses("search", "address", f"?q={quote(query, safe='')}&limit={limit}")
    return _written(form, "search", rows, rows, lambda: _page(title, links, "".join(map(_hit, rows))))


def _written(form: str, name: str, value: Any, rows: Sequence[Mapping[str, Any]], page: Callable[[], str]) -> Answer:  # noqa: ANN401
    """Write a view in an ending's form.

    Raises:
        InputError: there is no such form.
    """
    if form not in _TYPES:
        raise InputError(f"a view is written as .json or .csv, not as {form}")
    if form == ".json":
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    else:
        text = rows_to_csv(list(rows[0]) if rows else ("id", "text"), rows) if form else page()
    return Answer(text, _TYPES[form], f"{name}{form}")


def _page(title: str, links: str, body: str) -> str:
    return page_html(title, f'<h1 dir="auto">{escape(title)}</h1><p class="small">{links}</p>{body}', _DARK)


def _hit(row: Mapping[str, Any]) -> str:
    link = f'<p class="small"><a href="record/{escape(row["id"])}">the whole record</a></p>'
    return _record(row, ("similarity", "domain", "published_at"), link)


def _record(row: Mapping[str, Any], shown: Sequence[str], more: str = "") -> str:
    """Write a record: its text, its source, and the `shown` fields that have a value."""
    address, name = web_address(row["source"]), escape(one_line(row["title"] or row["domain"] or row["source"]))
    source = f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{name}</a>' if address else name
    facts = "".join(
        f'<dt>{key.replace("_", " ")}</dt><dd dir="auto">{escape(one_line(_value(row[key])))}</dd>'
        for key in shown
        if key not in _ABOVE and row[key] not in ("", None, [])
    )
    return (
        f'<article><p class="small">{ORIGINS[row["origin"]]}</p><blockquote dir="auto">{escape(visible(row["text"]))}</blockquote>'
        f'<p class="small">{source or "no source given"}</p><dl>{facts}</dl>{more}</article>'
    )


def _value(value: Any) -> str:  # noqa: ANN401
    return " ".join(value) if isinstance(value, list) else f"{value:.3g}" if isinstance(value, float) else str(value)


async def _send(send: Send, answer: Answer, method: str) -> None:
    body = answer.text.encode("utf-8", "replace")
    headers = [(b"content-type", f"{answer.mime}; charset=utf-8".encode()), (b"cache-control", b"no-store")]
    headers += [(b"content-length", str(len(body)).encode())]
    if answer.to:
        headers += [(b"location", answer.to.encode())]
    elif answer.mime == "text/csv":
        headers += [(b"content-disposition", f'attachment; filename="{answer.name}"'.encode())]
    status = HTTPStatus.SEE_OTHER if answer.to else HTTPStatus.OK
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
