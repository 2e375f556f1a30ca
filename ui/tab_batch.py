"""Show the tab for many claims: file in, table and result files out.

Stop keeps what is done.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from errors import InputError, VerifierError
from ui import tables
from ui.api import BATCHES
from ui.cards import SIGNS, TONES
from ui.running import AT_ONCE, PRIVATE, SILENT, check_wanted, streamed, ticking, visitor_now
from ui.tab_kb import failed
from verifier.report.as_csv import rows_to_csv
from verifier.report.as_json import result_to_dict
from verifier.report.markup import confidence_in_words, visible
from verifier.schema import Verdict
from verifier.serve.batch import CLAIM_FIELD, Row, checked_one_by_one, read_rows
from verifier.serve.service import Service

MAX_BYTES = 5_000_000
_SHOWN, _LAST = 200, 10
"""Rows of the table at the end, and while the check runs."""
_LOOK_SECONDS = 0.5
_COLUMNS = ("row", "claim", "verdict", "confidence", "tier", "reasoning", "sources", "status", "error")

Result = dict[str, Any]
"""A row as `python -m verifier batch` writes it."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of the tab. A run writes to the last five."""

    file: gr.File
    go: gr.Button
    stop: gr.Button
    web: gr.Checkbox
    told: gr.HTML
    table: gr.HTML
    results: gr.State
    as_csv: gr.Button
    as_lines: gr.Button


def add_tab(service: Service) -> None:
    """Lay out and wire the tab, inside the one that is open."""
    parts = _layout(service)
    saved = [parts.as_csv, parts.as_lines]
    shown = [parts.told, parts.table, parts.results, *saved]

    async def check(path: str | None, ask: bool, halt: threading.Event) -> AsyncGenerator[list[Any], None]:
        async for said, table, done in frames(service, path, ask and service.settings.web, halt):
            yield [said, table, done, gr.skip(), gr.skip()]

    hidden, halt = gr.Button(visible=False), gr.State()
    cleared = parts.go.click(
        lambda: ["", "", [], hidden, hidden, threading.Event()], None, [*shown, halt], queue=False, **PRIVATE
    )
    running = cleared.then(
        check,
        [parts.file, parts.web, halt],
        shown,
        concurrency_id="checks-batch",  # a visitor's limits apply to names that begin with "checks"
        concurrency_limit=BATCHES,
        trigger_mode="once",
        **SILENT,
    )
    running.then(offered, parts.results, saved, **SILENT)
    parts.stop.click(stop, [halt, parts.results], parts.told, **AT_ONCE)
    text = gr.Textbox(visible=False, label="text")
    for button, write, name, kind in (
        (parts.as_csv, as_table, "results.csv", "text/csv"),
        (parts.as_lines, as_lines_of_json, "results.jsonl", "application/x-ndjson"),
    ):
        save = f"(text) => {{ cv.save(text, '{name}', '{kind}'); }}"
        button.click(write, parts.results, text, **AT_ONCE).then(None, text, None, js=save, **PRIVATE)


def _layout(service: Service) -> _Parts:
    gr.Markdown(
        f"Up to {service.settings.batch_rows:,} claims from a .txt file (one a line), a .csv file with a column `claim`, or a .jsonl file with a field `claim`."
    )
    file = gr.File(
        label="File with claims",
        file_types=[".txt", ".csv", ".jsonl"],
        type="filepath",
        height=120,
        elem_id="cv-batch-file",
    )
    with gr.Row(elem_id="cv-batch-buttons"):
        go = gr.Button("Check all", variant="primary", elem_id="cv-batch-go")
        stop = gr.Button("Stop", elem_id="cv-batch-stop")
        web = gr.Checkbox(
            value=False,
            label="Ask the web where the stored evidence is not enough",
            visible=service.settings.web,
            container=False,
            elem_id="cv-batch-web",
        )
    told = gr.HTML(elem_id="cv-batch-told")
    table = gr.HTML(elem_id="cv-batch-table")
    with gr.Row(elem_id="cv-batch-save"):
        as_csv = gr.Button("Download CSV", size="sm", visible=False, elem_id="cv-batch-csv")
        as_lines = gr.Button("Download JSON lines", size="sm", visible=False, elem_id="cv-batch-jsonl")
    return _Parts(file, go, stop, web, told, table, gr.State([], time_to_live=3_600), as_csv, as_lines)


def read_claims(path: Path, limit: int) -> list[Row]:
    """Read the rows of an uploaded file.

    Raises:
        InputError: it is too large, has too many rows, or cannot be read.
    """
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path.name}: a file may have at most {MAX_BYTES // 10**6} MB; split it")
    rows = read_rows(path, most=limit)
    if len(rows) > limit:
        raise InputError(f"{path.name}: at most {limit:,} rows can be checked at once, this file has more; split it")
    return rows


async def frames(
    service: Service, path: str | None, web: bool, halt: threading.Event | None = None
) -> AsyncGenerator[tuple[str, str, list[Result]], None]:
    """Check the rows of a file.

    Yields the progress, the last rows as a table, and all results so far. `halt` ends the run with what is done:
    Gradio's own way to cancel may show an error instead.
    """
    done: list[Result] = []
    start = shown = time.monotonic()
    visitor = visitor_now()
    try:
        if not path:
            raise InputError("choose a file first")
        rows = await asyncio.to_thread(read_claims, Path(path), service.settings.batch_rows)
        yield progress(0, len(rows), 0.0), "", done

        def work(fields: dict[str, str]) -> Result:
            with service.turns.rows.taken(visitor):
                check_wanted()
                return dict(result_to_dict(service.checker().verify(fields[CLAIM_FIELD], web=web)))

        news = streamed(lambda: checked_one_by_one(rows, work), "batch")
        async with aclosing(ticking(news, _LOOK_SECONDS)) as results:
            async for result in results:
                if result is not None:
                    done.append(result)
                if halt is not None and halt.is_set():
                    yield stopped(done), result_table(done[:_SHOWN]), done
                    return
                if result is not None and time.monotonic() - shown >= _LOOK_SECONDS:
                    shown = time.monotonic()
                    yield progress(len(done), len(rows), shown - start), result_table(done[-_LAST:]), done
        yield summary(done), result_table(done[:_SHOWN]), done
    except VerifierError as exc:
        yield failed(exc), result_table(done[:_SHOWN]), done


def stop(halt: threading.Event | None, done: list[Result]) -> str:
    """End the current run, if there is one, and say so at once."""
    if halt is not None:
        halt.set()
    return stopped(done)


def stopped(done: list[Result]) -> str:
    """Sum up what was done before Stop."""
    return f"<p>Stopped.</p>{summary(done)}" if done else '<p role="status">Stopped.</p>'


def progress(done: int, total: int, seconds: float) -> str:
    """Show how many rows are checked, and about how long the rest takes."""
    left = f", about {_minutes(seconds / done * (total - done))} left" if done else ""
    said = f"{done:,} of {total:,} checked{left}"
    return f'<p class="cv-busy-batch" role="status">{said}</p><progress max="{total}" value="{done}" aria-label="{said}"></progress>'


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def summary(done: Sequence[Result]) -> str:
    """Count the rows by verdict."""
    counts = Counter(str(row.get("verdict", "could not be checked")) for row in done)
    said = ", ".join(f"{name}: {count:,}" for name, count in counts.most_common())
    more = f" The table shows the first {_SHOWN}." if len(done) > _SHOWN else ""
    return f'<p role="status">{len(done):,} rows. {escape(said)}.{more}</p>'


def result_table(done: Sequence[Result]) -> str:
    """Show results as a table; "" for none."""
    if not done:
        return ""
    return tables.table("Results", ("Row", "Claim", "Verdict", "Confidence"), map(_line, done))


def _line(row: Result) -> tables.Row:
    number, claim = str(row["row"]), escape(visible(str(row["input"])[:300]))
    if row["status"] == "failed":
        return tables.Row((number, claim, escape(visible(str(row["error"])))), kinds=((2, "cv-fail"),))
    verdict = Verdict(row["verdict"])
    tone = TONES[verdict]
    said = f'<span aria-hidden="true">{SIGNS[tone]}</span> {escape(verdict)}'
    sure = escape(confidence_in_words(verdict, row["confidence"], row["tier"]))
    return tables.Row((number, claim, said, sure), f"cv-{tone}", ((2, "cv-part"),))


def offered(done: list[Result]) -> list[Any]:
    """Show the buttons that save the results; hide them if there are none."""
    return [gr.Button(visible=bool(done))] * 2


def as_lines_of_json(done: Sequence[Result]) -> str:
    """Write the results as JSON lines, as `python -m verifier batch` does."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in done)


def as_table(done: Sequence[Result]) -> str:
    """Write the results as CSV, a verdict's sources in one cell."""
    cited = [[citation["source"] for citation in row.get("citations", ()) if citation["source"]] for row in done]
    rows = [
        {**row, "claim": row["input"], "sources": list(dict.fromkeys(found))}
        for row, found in zip(done, cited, strict=True)
    ]
    return rows_to_csv(_COLUMNS, rows)
