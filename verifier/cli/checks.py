"""Provide the commands that check claims: verify, batch, mcp."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from verifier.cli.common import add_store, progress_bar, settings_of, standard_input, tell_rows, tell_seeding
from verifier.report import FORMAT_NAMES

if TYPE_CHECKING:
    from verifier.cli.common import Commands
    from verifier.settings import Settings

_ENGINES = ("local", "process", "ray")


def add_commands(commands: Commands) -> None:
    """Add the commands that check claims."""
    for add, run in ((_add_verify, run_verify), (_add_batch, run_batch), (_add_mcp, run_mcp)):
        command = add(commands)
        add_store(command)
        command.set_defaults(run=run)


def _add_verify(commands: Commands) -> argparse.ArgumentParser:
    verify = commands.add_parser("verify", help="check one claim")
    verify.add_argument(
        "claim",
        help="a statement, or - for standard input; or the address of an article, whose sentences are then listed",
    )
    form = verify.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole result as JSON")
    form.add_argument("--format", choices=FORMAT_NAMES, help="what to write (default: by the ending of --out, or text)")
    verify.add_argument("--out", type=Path, metavar="FILE", help="write the result to this file")
    verify.add_argument(
        "--evidence",
        type=Path,
        help="judge by this file only: .txt, .md, .html or .pdf, or rows in .jsonl, .csv or .parquet (fields: text, source, "
        "title, published_at, rating)",
    )
    verify.add_argument(
        "--as-of",
        metavar="VERSION|DATE",
        help="judge by the store as it was then (17, 2026-11-01 or 2026-11-01T09:30, UTC): no web, and nothing is kept",
    )
    return verify


def _add_batch(commands: Commands) -> argparse.ArgumentParser:
    batch = commands.add_parser("batch", help="check every claim of a file")
    batch.add_argument(
        "input",
        type=Path,
        help=".txt (one claim a line), .csv or .jsonl (column or field: claim); or - for standard input, which may be any of these",
    )
    batch.add_argument(
        "--out", type=Path, required=True, help="JSON lines; an interrupted run goes on where it stopped"
    )
    batch.add_argument(
        "--engine", choices=_ENGINES, default=_ENGINES[0], help="process, ray: several workers; see docs/scale.md"
    )
    batch.add_argument("--workers", type=int, default=0, metavar="N", help="how many (default: one each core)")
    batch.add_argument(
        "--ray-address", default="", metavar="HOST:PORT", help="a Ray that runs already, on many machines"
    )
    return batch


def _add_mcp(commands: Commands) -> argparse.ArgumentParser:
    return commands.add_parser(
        "mcp", help="serve the tools of docs/api.md to an MCP client, over standard input and output"
    )


def run_verify(args: argparse.Namespace) -> None:
    """Check one claim, or list the sentences of an article that can be checked."""
    from kb.publishers.urls import is_web_address
    from verifier.claim.intake import clean_claim

    if args.claim == "-":
        args.claim = standard_input().strip()
    if args.as_of and args.evidence:
        raise InputError("--as-of asks the store and --evidence does not: leave one of them out")
    settings = settings_of(args)
    if is_web_address(args.claim) and not args.evidence:
        _offer(args, settings)
        return
    clean_claim(args.claim)  # refuse an unusable claim before a model is loaded
    from verifier.check.user_evidence import read_given_file

    given = read_given_file(args.evidence) if args.evidence else None
    from verifier.report.formats import choose_format, save

    form = choose_format("json" if args.json else args.format, args.out)
    from verifier.serve.checker import Checker

    with Checker(settings, tell_seeding, with_store=given is None) as checker:
        result = checker.replay(args.claim, args.as_of) if args.as_of else checker.verify(args.claim, given)
    if args.out:
        save(result, form, args.out)
        print(f"{result.verdict}: written to {args.out} as {form.name}", file=sys.stderr)
    else:
        print(form.render(result), end="")


def _offer(args: argparse.Namespace, settings: Settings) -> None:
    """Print the checkable sentences of the article at an address."""
    if args.out or args.format:
        raise InputError("the address of an article is not checked, so there is no result for --out or --format")
    from verifier.check.article import offered, refuse_offline
    from verifier.serve.checker import Checker

    refuse_offline(args.claim, settings.web)  # before a model is loaded
    with Checker(settings, with_store=False) as checker:
        article = checker.article(args.claim)
    if args.json:
        told = {"url": article.url, "title": article.title, "sentences": article.sentences}
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    print(f"{article.title}\n{article.url}\n\nAn article is not checked as a whole. These of its sentences can be:\n")
    print(offered(article.sentences))


def run_batch(args: argparse.Namespace) -> None:
    """Check every claim of a file."""
    from verifier.cli.workers import Engine, Plan, checking
    from verifier.report.as_json import result_to_dict
    from verifier.serve.batch import CLAIM_FIELD, read_rows, rows_of, write_results
    from verifier.serve.batch import run_batch as run_rows
    from verifier.serve.checker import Checker

    plan = Plan(Engine(args.engine), args.workers, args.ray_address)
    rows = read_rows(args.input) if str(args.input) != "-" else rows_of(standard_input())
    if plan.engine is not Engine.LOCAL:
        report = write_results(rows, args.out, checking(plan, settings_of(args)), progress_bar(len(rows), "claims"))
        tell_rows(report.done, report.skipped, report.failed, args.out)
        return
    with Checker(settings_of(args), tell_seeding) as checker:
        report = run_rows(
            rows,
            args.out,
            lambda row: result_to_dict(checker.verify(row[CLAIM_FIELD])),
            progress_bar(len(rows), "claims"),
        )
    tell_rows(report.done, report.skipped, report.failed, args.out)


def run_mcp(args: argparse.Namespace) -> None:
    """Serve the tools over standard input and output."""
    from verifier.api.mcp_stdio import serve
    from verifier.serve.service import Service

    service = Service(settings_of(args))
    try:
        serve(service)
    finally:
        service.close()
