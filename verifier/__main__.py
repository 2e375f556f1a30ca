"""The command line: verify, batch, why, classify, stance, evaluate, mcp, log, search-cache, space-check."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import InputError, exit_status
from verifier.evaluation import PARTS, SETS
from verifier.report import FORMAT_NAMES

if TYPE_CHECKING:
    from verifier.answers import TypeAnswer
    from verifier.settings import Settings

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_SUITES = ("stance", "type", "relevance", "retrieval")
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
    mcp.set_defaults(run=_mcp)
    why = commands.add_parser("why", help="say why the verdict of an earlier check changed")
    why.add_argument("session", help="the check's id in the log, or its beginning; it is done again now")
    why.add_argument("other", nargs="?", help="compare with this check instead of doing it again")
    why.add_argument("--json", action="store_true")
    why.set_defaults(run=_why)
    _add_store(why)
    log = commands.add_parser("log", help="show or delete what was checked on this machine")
    log.add_argument("action", choices=("show", "delete"))
    log.add_argument("--session", help="one check only")
    log.add_argument("--json", action="store_true")
    log.set_defaults(run=_log)
    cache = commands.add_parser("search-cache", help="what is kept of searches: answers, budgets, pauses")
    cache.add_argument(
        "action", choices=("stats", "clear", "reset"), help="clear: forget the answers; reset: budgets and pauses too"
    )
    cache.set_defaults(run=_search_cache)
    space = commands.add_parser("space-check", help="say whether this folder would run as a Hugging Face Space")
    space.add_argument("--folder", type=Path, help="another copy of this repository")
    space.add_argument(
        "--quick", action="store_true", help="read the files only: do not start the app, which takes a minute"
    )
    space.set_defaults(run=_space_check)
    return top


def _add_checks(commands: Commands) -> None:
    verify = commands.add_parser("verify", help="check one claim")
    verify.add_argument("claim", help="a statement; or the address of an article, whose sentences are then listed")
    form = verify.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole result as JSON")
    form.add_argument("--format", choices=FORMAT_NAMES, help="what to write (default: by the ending of --out, or text)")
    verify.add_argument("--out", type=Path, metavar="FILE", help="write the result to this file")
    verify.add_argument(
        "--evidence",
        type=Path,
        help="judge by the texts in this JSON-lines file only (fields: text, source, title, published_at, rating)",
    )
    verify.add_argument(
        "--as-of",
        metavar="VERSION|DATE",
        help="judge by the store as it was then (17, 2026-11-01 or 2026-11-01T09:30, UTC): no web, and nothing is kept",
    )
    verify.set_defaults(run=_verify)

    batch = commands.add_parser("batch", help="check every claim of a file")
    batch.add_argument("input", type=Path, help=".txt (one claim a line), .csv or .jsonl (column or field: claim)")
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
    classify.set_defaults(run=_classify)

    stance = commands.add_parser("stance", help="judge pairs of claim and evidence")
    stance.add_argument(
        "--in", dest="input", type=Path, required=True, help="JSON lines with the fields claim and evidence"
    )
    stance.add_argument("--out", type=Path, required=True)
    stance.set_defaults(run=_stance)

    evaluate = commands.add_parser("evaluate", help="measure whole checks, or one model, on claims with known answers")
    evaluate.add_argument("--suite", choices=(*_SUITES, "endtoend"), required=True)
    evaluate.add_argument("--data", type=Path, help="folder with pairs/, ranking/, ... (see docs/models.md)")
    evaluate.add_argument("--model", type=Path, help="a GGUF file (relevance: a folder) in place of the bundled model")
    evaluate.add_argument("--split", choices=("dev", "test"), default="test", help="stance, endtoend: which part")
    evaluate.add_argument("--limit", type=int, help="stance: at most this many rows of each set; endtoend: cases")
    evaluate.add_argument("--out", type=Path, default=Path("results.csv"))
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
    evaluate.set_defaults(run=_evaluate)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0, or 2 after an error, of which one line is printed."""
    args = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    return exit_status(lambda: args.run(args), "stopped")


def _settings(args: argparse.Namespace) -> Settings:
    from verifier.settings import Settings

    settings = Settings.from_env()
    if getattr(args, "kb", None):
        settings = replace(settings, kb_uri=args.kb)
    return replace(settings, web=False) if getattr(args, "no_web", False) else settings


def _bar(total: int, name: str, done: int = 0) -> Callable[[], None]:
    """A progress bar on standard error; call it once for every unit done."""
    from tqdm import tqdm

    bar = tqdm(total=total, initial=done, desc=name, file=sys.stderr, disable=not sys.stderr.isatty() and total < 20)

    def tick() -> None:
        bar.update()

    return tick


def _verify(args: argparse.Namespace) -> None:
    from kb.urls import is_web_address
    from verifier.claim.intake import clean_claim

    if args.as_of and args.evidence:
        raise InputError("--as-of asks the store and --evidence does not: leave one of them out")
    settings = _settings(args)
    if is_web_address(args.claim) and not args.evidence:
        _offer(args, settings)
        return
    clean_claim(args.claim)  # a claim that cannot be checked is refused before a model is loaded
    from kb.ingest import read_evidence

    given = read_evidence(args.evidence) if args.evidence else None
    from verifier.report.formats import choose_format, save

    form = choose_format("json" if args.json else args.format, args.out)
    from verifier.service import Checker

    checker = Checker(settings, _seeding, with_store=given is None)
    result = checker.replay(args.claim, args.as_of) if args.as_of else checker.verify(args.claim, given)
    checker.close()
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
    article = Checker(settings, with_store=False).article(args.claim)
    if args.json:
        told = {"url": article.url, "title": article.title, "sentences": article.sentences}
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    print(f"{article.title}\n{article.url}\n\nAn article is not checked as a whole. These of its sentences can be:\n")
    print(offered(article.sentences))


def _seeding(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(
            f"filling the evidence store for the first time: {done} of {total} facts",
            end=end,
            file=sys.stderr,
            flush=True,
        )


def _batch(args: argparse.Namespace) -> None:
    from verifier.batch import CLAIM_FIELD, read_rows, run_batch, write_results
    from verifier.bulk import checking
    from verifier.report.as_json import result_to_dict
    from verifier.service import Checker
    from verifier.workers import Engine, Plan

    plan = Plan(Engine(args.engine), args.workers, args.ray_address)
    rows = read_rows(args.input)
    if plan.engine is not Engine.LOCAL:
        report = write_results(rows, args.out, checking(plan, _settings(args)), _bar(len(rows), "claims"))
        _tell(report.done, report.skipped, report.failed, args.out)
        return
    checker = Checker(_settings(args), _seeding)
    try:
        report = run_batch(
            rows, args.out, lambda row: result_to_dict(checker.verify(row[CLAIM_FIELD])), _bar(len(rows), "claims")
        )
    finally:
        checker.close()
    _tell(report.done, report.skipped, report.failed, args.out)


def _tell(done: int, skipped: int, failed: int, out: Path) -> None:
    print(f"{done} rows written to {out}, {skipped} were there already, {failed} could not be checked", file=sys.stderr)


def _classify(args: argparse.Namespace) -> None:
    from models.catalogue import Role
    from verifier.build import load_classifier
    from verifier.claim.classify import classify
    from verifier.claim.intake import clean_claim
    from verifier.report.as_json import classification_to_dict

    if (args.claim is None) == (args.input is None) or (args.input is None) != (args.out is None):
        raise InputError("give either a claim, or --in FILE.txt with --out FILE.jsonl")
    if args.claim is not None:
        clean_claim(args.claim)
    model = load_classifier(Role.CLAIM_TYPE, _settings(args))

    def one(text: str) -> TypeAnswer:
        claim = clean_claim(text)
        return classification_to_dict(claim, classify(claim, model))

    if args.input is None:
        result = one(args.claim)
        print(
            json.dumps(result, ensure_ascii=False, indent=1)
            if args.json
            else f"{result['claim_type']}: {result['reason']}"
        )
        return
    from verifier.batch import CLAIM_FIELD, read_rows, run_batch

    rows = read_rows(args.input)
    report = run_batch(rows, args.out, lambda row: one(row[CLAIM_FIELD]), _bar(len(rows), "claims"))
    _tell(report.done, report.skipped, report.failed, args.out)


def _stance(args: argparse.Namespace) -> None:
    from models.catalogue import Role
    from verifier.batch import read_rows, run_batch
    from verifier.build import load_classifier
    from verifier.judgement.stance import stance_of

    rows = read_rows(args.input, ("claim", "evidence"))
    model = load_classifier(Role.STANCE, _settings(args))

    def one(row: dict[str, str]) -> dict[str, Any]:
        if not row["claim"].strip() or not row["evidence"].strip():
            raise InputError("claim and evidence must not be empty")
        stance, note = stance_of(row["claim"], row["evidence"], model)
        probabilities = {"supports": stance.supports, "refutes": stance.refutes, "neutral": stance.neutral}
        return row | {
            "label": str(stance.label),
            "probabilities": {label: round(value, 4) for label, value in probabilities.items()},
            "note": note,
        }

    report = run_batch(rows, args.out, one, _bar(len(rows), "pairs"))
    _tell(report.done, report.skipped, report.failed, args.out)


def _evaluate(args: argparse.Namespace) -> None:
    if args.suite == "endtoend":
        _evaluate_endtoend(args)
        return
    from models.evaluation.figures import as_table, write_csv
    from verifier.evaluation.models import Request, evaluate

    request = Request(args.suite, args.data, args.model, args.split, args.limit, args.diagram)
    figures = evaluate(request, _settings(args))
    write_csv(figures, str(args.model or "bundled"), args.out)
    print(as_table(figures))


def _evaluate_endtoend(args: argparse.Namespace) -> None:
    from verifier.evaluation.endtoend import EndToEnd, evaluate_endtoend
    from verifier.settings import Settings

    if not args.cases:
        raise InputError("suite endtoend needs --cases: a file, or one of " + ", ".join(SETS))
    split = args.split if Path(args.cases).exists() else ""
    request = EndToEnd(
        cases=args.cases,
        data=args.data,
        split=split,
        limit=args.limit,
        kb=args.kb,
        evidence=args.evidence,
        given=args.given,
        without=args.without,
        out=args.out,
        pictures=args.pictures,
    )
    print(evaluate_endtoend(request, Settings.from_env(), lambda total: _bar(total, "cases")))


def _mcp(args: argparse.Namespace) -> None:
    from verifier.mcp_stdio import serve
    from verifier.service import Service

    service = Service(_settings(args))
    try:
        serve(service)
    finally:
        service.close()


def _why(args: argparse.Namespace) -> None:
    from verifier.build import load_embedder, open_store
    from verifier.log import VerificationLog
    from verifier.report.change import change_to_dict, change_to_text
    from verifier.service import Checker
    from verifier.why import why, why_between

    settings = _settings(args)
    log = VerificationLog(settings.log_path, settings.log_days)
    entry = log.find(args.session)
    if args.other:
        other = log.find(args.other)
        change = why_between(entry, other, open_store(settings, load_embedder(settings).embed))
    else:
        checker = Checker(settings, _seeding)
        change = why(entry, checker)
        checker.close()
    print(json.dumps(change_to_dict(change), ensure_ascii=False, indent=1) if args.json else change_to_text(change))


def _log(args: argparse.Namespace) -> None:
    from verifier.log import VerificationLog

    settings = _settings(args)
    log = VerificationLog(settings.log_path, settings.log_days)
    if args.action == "delete":
        print(f"{log.delete(args.session)} entries deleted")
        return
    for entry in log.entries():
        if args.session in {None, entry.get("session_id")}:
            line = f"{entry['session_id'][:8]}  {entry['checked_at'][:19]}  {entry['verdict']:<19}  {entry['confidence']:.2f}  {entry['original_claim']}"
            print(json.dumps(entry, ensure_ascii=False) if args.json else line)


def _search_cache(args: argparse.Namespace) -> None:
    from verifier.search.budget import report
    from verifier.search.shared import Shared, reset

    folder = _settings(args).search.cache_path
    if args.action == "reset":
        print(f"answers, budgets and pauses forgotten: {reset(folder)} files deleted in {folder}")
        return
    shared = Shared(folder)
    print(f"{shared.clear()} answers forgotten" if args.action == "clear" else "\n".join(report(shared)))
    shared.close()


def _space_check(args: argparse.Namespace) -> None:
    from verifier.settings import ROOT
    from verifier.space import as_table, failed
    from verifier.space.card import check_card
    from verifier.space.files import check_files, check_installed
    from verifier.space.start import check_start

    root = (args.folder or ROOT).resolve()
    if not (root / "app.py").is_file():
        raise InputError(f"{root} is no copy of this repository: it has no app.py")
    checks = check_card(root) + check_files(root)
    checks += [] if args.quick else [check_installed(root), *check_start(root)]
    print(as_table(checks))
    if failed(checks):
        raise InputError(f"{failed(checks)} of {len(checks)} points failed; what to do stands under each")


if __name__ == "__main__":
    sys.exit(main())
