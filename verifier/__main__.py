"""The command line: verify, batch, why, classify, stance, evaluate, mcp, log, search-cache, space-check."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, exit_status
from verifier import commands as does
from verifier.evaluation import PARTS, SETS
from verifier.report import FORMAT_NAMES

if TYPE_CHECKING:
    from verifier.settings import Settings

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_SUITES = ("stance", "pairs", "type", "relevance", "retrieval")
_ENGINES = ("local", "process", "ray")
_EXAMPLES = """examples:
  python -m verifier verify "The Earth is flat"
  python -m verifier verify "The bridge opened in 1932" --evidence notes.jsonl --json
  python -m verifier batch claims.csv --out results.jsonl --no-web
"""


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="python -m verifier", description="Check claims on this machine.", epilog=_EXAMPLES
    )
    top.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = top.add_subparsers(dest="command", required=True)
    _add_checks(commands)
    _add_models(commands)
    mcp = commands.add_parser(
        "mcp", help="serve the tools of docs/api.md to an MCP client, over standard input and output"
    )
    _add_store(mcp)
    mcp.set_defaults(run=does.run_mcp)
    why = commands.add_parser("why", help="say why the verdict of an earlier check changed")
    why.add_argument("session", help="the check's id in the log, or its beginning; it is done again now")
    why.add_argument("other", nargs="?", help="compare with this check instead of doing it again")
    why.add_argument("--json", action="store_true")
    why.set_defaults(run=does.run_why)
    _add_store(why)
    log = commands.add_parser("log", help="show or delete what was checked on this machine")
    log.add_argument("action", choices=("show", "delete"))
    log.add_argument("--session", help="one check only")
    log.add_argument("--json", action="store_true")
    log.set_defaults(run=does.show_log)
    added = commands.add_parser("added", help="what an earlier check brought into the store from the web")
    added.add_argument("session", help="the check's id in the log, or its beginning")
    added.add_argument("--undo", action="store_true", help="take it out of the store again")
    added.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")
    added.set_defaults(run=does.run_added)
    cache = commands.add_parser("search-cache", help="what is kept of searches: answers, budgets, pauses")
    cache.add_argument(
        "action", choices=("stats", "clear", "reset"), help="clear: forget the answers; reset: budgets and pauses too"
    )
    cache.set_defaults(run=does.run_search_cache)
    space = commands.add_parser("space-check", help="say whether this folder would run as a Hugging Face Space")
    space.add_argument("--folder", type=Path, help="another copy of this repository")
    space.add_argument(
        "--quick", action="store_true", help="read the files only: do not start the app, which takes a minute"
    )
    space.set_defaults(run=does.run_space_check)
    return top


def _add_checks(commands: Commands) -> None:
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
    verify.set_defaults(run=_verify)

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
    batch.set_defaults(run=_batch)
    for command in (verify, batch):
        _add_store(command)


def _add_store(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-web", action="store_true", help="do not search the web")
    command.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")


def _add_models(commands: Commands) -> None:
    classify = commands.add_parser("classify", help="say whether texts can be checked")
    classify.add_argument("claim", nargs="?")
    classify.add_argument("--json", action="store_true")
    classify.add_argument("--in", dest="input", type=Path, help="one claim a line")
    classify.add_argument("--out", type=Path)
    classify.set_defaults(run=does.run_classify)

    stance = commands.add_parser("stance", help="judge pairs of claim and evidence")
    stance.add_argument(
        "--in", dest="input", type=Path, required=True, help="JSON lines with the fields claim and evidence"
    )
    stance.add_argument("--out", type=Path, required=True)
    stance.set_defaults(run=does.run_stance)

    evaluate = commands.add_parser("evaluate", help="measure whole checks, or one model, on claims with known answers")
    evaluate.add_argument("--suite", choices=(*_SUITES, "endtoend"), required=True)
    evaluate.add_argument("--data", type=Path, help="folder with pairs/, ranking/, ... (see docs/models.md)")
    evaluate.add_argument("--model", type=Path, help="a reader's folder or a GGUF file in place of the bundled model")
    evaluate.add_argument("--split", choices=("dev", "test"), default="test", help="stance, endtoend: which part")
    evaluate.add_argument("--limit", type=int, help="stance: at most this many rows of each set; endtoend: cases")
    evaluate.add_argument("--out", type=Path, metavar="FILE", help="write the figures to this CSV file too")
    evaluate.add_argument("--diagram", type=Path, help="stance, type: write a reliability diagram to this PNG")
    whole = evaluate.add_argument_group("endtoend")
    whole.add_argument(
        "--cases", help="a .jsonl or .csv file (id, claim, expected), or a public set: " + ", ".join(SETS)
    )
    whole.add_argument("--kb", metavar="URI", help="check against this store, which stays as it is")
    whole.add_argument("--evidence", type=Path, help="check against the texts of this JSON-lines file alone")
    whole.add_argument(
        "--given", action="store_true", help="judge each case by the texts of its topic in --evidence alone"
    )
    whole.add_argument("--without", default="", help="leave out one part: " + ", ".join(PARTS))
    whole.add_argument("--pictures", type=Path, help="a folder for the confusion matrix and two diagrams")
    whole.add_argument(
        "--reliability", type=Path, help="write how often verdicts of each confidence are right, as JSON"
    )
    evaluate.set_defaults(run=does.run_evaluate)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0, or 2 after an error, of which one line is printed."""
    args = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    return exit_status(lambda: args.run(args), "stopped")


def _verify(args: argparse.Namespace) -> None:
    from kb.urls import is_web_address
    from verifier.claim.intake import clean_claim

    if args.claim == "-":
        args.claim = does.standard_input().strip()
    if args.as_of and args.evidence:
        raise InputError("--as-of asks the store and --evidence does not: leave one of them out")
    settings = does.settings_of(args)
    if is_web_address(args.claim) and not args.evidence:
        _offer(args, settings)
        return
    clean_claim(args.claim)  # a claim that cannot be checked is refused before a model is loaded
    from verifier.given import read_given_file

    given = read_given_file(args.evidence) if args.evidence else None
    from verifier.report.formats import choose_format, save

    form = choose_format("json" if args.json else args.format, args.out)
    from verifier.service import Checker

    with Checker(settings, does.tell_seeding, with_store=given is None) as checker:
        result = checker.replay(args.claim, args.as_of) if args.as_of else checker.verify(args.claim, given)
    if args.out:
        save(result, form, args.out)
        print(f"{result.verdict}: written to {args.out} as {form.name}", file=sys.stderr)
    else:
        print(form.render(result), end="")


def _offer(args: argparse.Namespace, settings: Settings) -> None:
    """Of an article's address, the sentences that can be checked."""
    if args.out or args.format:
        raise InputError("the address of an article is not checked, so there is no result for --out or --format")
    from verifier.claim.article import offered, refuse_offline
    from verifier.service import Checker

    refuse_offline(args.claim, settings.web)  # before a model is loaded
    with Checker(settings, with_store=False) as checker:
        article = checker.article(args.claim)
    if args.json:
        told = {"url": article.url, "title": article.title, "sentences": article.sentences}
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    print(f"{article.title}\n{article.url}\n\nAn article is not checked as a whole. These of its sentences can be:\n")
    print(offered(article.sentences))


def _batch(args: argparse.Namespace) -> None:
    from verifier.batch import CLAIM_FIELD, read_rows, rows_of, run_batch, write_results
    from verifier.bulk import checking
    from verifier.report.as_json import result_to_dict
    from verifier.service import Checker
    from verifier.workers import Engine, Plan

    plan = Plan(Engine(args.engine), args.workers, args.ray_address)
    rows = read_rows(args.input) if str(args.input) != "-" else rows_of(does.standard_input())
    if plan.engine is not Engine.LOCAL:
        report = write_results(
            rows, args.out, checking(plan, does.settings_of(args)), does.progress_bar(len(rows), "claims")
        )
        does.tell_rows(report.done, report.skipped, report.failed, args.out)
        return
    with Checker(does.settings_of(args), does.tell_seeding) as checker:
        report = run_batch(
            rows,
            args.out,
            lambda row: result_to_dict(checker.verify(row[CLAIM_FIELD])),
            does.progress_bar(len(rows), "claims"),
        )
    does.tell_rows(report.done, report.skipped, report.failed, args.out)


if __name__ == "__main__":
    sys.exit(main())
