"""Provide the command `text`, which checks a whole text."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from verifier.cli.common import add_store, progress_bar, settings_of, standard_input, tell_seeding
from verifier.document.export import FORMAT_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from verifier.cli.common import Commands
    from verifier.document.export.formats import DocumentFormat
    from verifier.document.journal import Journal
    from verifier.document.schema import DocumentResult, DocumentText, Marked, Sentence
    from verifier.settings import Settings

_MAX_CLAIMS = 50


def add_commands(commands: Commands) -> None:
    """Add the command that checks a whole text."""
    text = commands.add_parser("text", help="check a whole text, with every claim in it marked")
    text.add_argument(
        "source",
        metavar="FILE|ADDRESS|-",
        help="a .txt, .md, .html, .pdf, .docx, .srt or .vtt file, the address of an article, or - for standard input; or "
        "the .jsonl file of an earlier check, to write it in another form",
    )
    form = text.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole result as JSON")
    form.add_argument("--format", choices=FORMAT_NAMES, help="what to write (default: by the ending of --out, or text)")
    text.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write to this file; a stopped run whose file is .jsonl goes on from it",
    )
    text.add_argument(
        "--max-claims",
        type=_count,
        default=_MAX_CLAIMS,
        metavar="N",
        help="check at most so many, those that matter most first (default: %(default)s)",
    )
    add_store(text)
    text.set_defaults(run=run_text)


def _count(written: str) -> int:
    if not written.isascii() or not written.isdigit() or not 0 < int(written) <= 10_000:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 10,000, not {written[:20]!r}")
    return int(written)


def run_text(args: argparse.Namespace) -> None:
    """Check a whole text; if the run is stopped, write what it has done."""
    from verifier.document.check import check_document
    from verifier.document.export.formats import FORMATS
    from verifier.document.export.from_jsonl import read_result
    from verifier.document.journal import Journal
    from verifier.report.formats import chosen
    from verifier.serve.checker import Checker

    form = chosen(FORMATS, "json" if args.json else args.format, args.out)
    if args.source.lower().endswith(".jsonl"):
        _write(read_result(Path(args.source)), form, args.out)
        return
    settings = settings_of(args)
    document = _document(args.source, settings)
    with ExitStack() as opened:
        journal = opened.enter_context(Journal(args.out, document)) if args.out and form.name == "jsonl" else None
        checker = opened.enter_context(Checker(settings, tell_seeding))
        run = _Run(document, journal, args.max_claims, journal.done if journal else ())
        steps = check_document(
            document, checker, max_claims=args.max_claims, web=settings.web, done=run.done, tell=_tell_sentences
        )
        try:
            result = run.to_end(steps)
        except KeyboardInterrupt:
            _stopped(run, form, args.out)
            raise
    _write(result, form, args.out)


def _document(source: str, settings: Settings) -> DocumentText:
    """Read the text, before any model is loaded."""
    from kb.publishers.urls import is_web_address
    from verifier.document.source import read_address, read_document, read_pasted

    if source == "-":
        return read_pasted(standard_input(), "standard input")
    if not is_web_address(source):
        return read_document(Path(source), _tell_pages)
    if not settings.web:
        raise InputError(
            f"{source[:80]} is a web address, and the web is switched off: save the page and name the file"
        )
    from verifier.build import PageLoader

    loader = PageLoader(settings.search)
    try:
        return read_address(source, loader, settings.search.deadline)
    finally:
        loader.close()


def _tell_sentences(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(f"reading sentence {done} of {total}", end=end, file=sys.stderr, flush=True)


def _tell_pages(pages: int) -> None:
    if sys.stderr.isatty():
        print(f"reading page {pages + 1}", end="\r", file=sys.stderr, flush=True)


@dataclass
class _Run:
    """The progress of a run, for the progress bar, the journal and a stop."""

    document: DocumentText
    journal: Journal | None
    most: int
    done: Sequence[Marked]
    sentences: tuple[Sentence, ...] = ()
    marks: list[Marked] = field(default_factory=list)
    tick: Callable[[], None] | None = None

    def to_end(self, steps: Generator[Sequence[Sentence] | Marked, None, DocumentResult]) -> DocumentResult:
        """Run the check to its end."""
        self.marks += self.done
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            self._note(step)

    def _note(self, step: Sequence[Sentence] | Marked) -> None:
        from verifier.document.schema import Marked
        from verifier.document.summary import to_check

        if not isinstance(step, Marked):
            self.sentences = tuple(step)
            if self.journal:
                self.journal.sentences(self.sentences)
            claims = to_check(self.sentences, len(self.document.text))
            self.tick = progress_bar(min(self.most, claims), "statements", len(self.done))
            return
        self.marks.append(step)
        if self.journal:
            self.journal.mark(step)
        if self.tick:
            self.tick()

    def so_far(self) -> DocumentResult:
        """Return what is done, as a result that says the check was stopped."""
        from datetime import UTC, datetime

        from verifier.document.schema import DocumentResult

        marks = tuple(sorted(self.marks, key=lambda mark: mark.claim.sentence))
        told = f"the check was stopped after {len(marks)} statement{'' if len(marks) == 1 else 's'}; the others were not checked"
        seconds = sum(mark.seconds for mark in marks)
        return DocumentResult(self.document, datetime.now(UTC), self.sentences, marks, seconds, (told,))


def _stopped(run: _Run, form: DocumentFormat, out: Path | None) -> None:
    """Write what is done and say how to continue."""
    if run.journal:
        print(f"\n{len(run.marks)} statements are in {out}; run the same command again to go on", file=sys.stderr)
        return
    if run.sentences:
        _write(run.so_far(), form, out)
    print("\nto be able to go on after a stop, name a file: --out result.jsonl", file=sys.stderr)


def _write(result: DocumentResult, form: DocumentFormat, out: Path | None) -> None:
    from verifier.document.export.formats import save_document
    from verifier.document.export.pieces import summary_line

    if out is None:
        print(form.render(result), end="")
        return
    save_document(result, form, out)
    print(f"{summary_line(result)}: written to {out} as {form.name}", file=sys.stderr)
