"""What the commands of `python -m verifier` do, but for the checks themselves; and what all of them share."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import InputError
from verifier.evaluation import SETS

if TYPE_CHECKING:
    from verifier.answers import TypeAnswer
    from verifier.settings import Settings


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings, with what the command line says of the store and the web."""
    from verifier.settings import Settings

    settings = Settings.from_env()
    if getattr(args, "kb", None):
        settings = replace(settings, kb_uri=args.kb)
    return replace(settings, web=False) if getattr(args, "no_web", False) else settings


def standard_input() -> str:
    """All that a pipe or a file brings on standard input.

    Raises:
        InputError: nothing can come from there: it is a terminal, closed, too long, or not UTF-8.
    """
    from kb.formats.pages import MAX_FILE_BYTES

    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- reads standard input: pipe text into this command, or name a file")
    read = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if len(read) > MAX_FILE_BYTES:
        raise InputError(f"standard input: at most {MAX_FILE_BYTES // 1_000_000} MB can be read; send it in parts")
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InputError(f"standard input: not UTF-8 text (byte {exc.start}); send UTF-8") from exc


def progress_bar(total: int, name: str, done: int = 0) -> Callable[[], None]:
    """A progress bar on standard error; call it once for every unit done."""
    from tqdm import tqdm

    bar = tqdm(total=total, initial=done, desc=name, file=sys.stderr, disable=not sys.stderr.isatty() and total < 20)

    def tick() -> None:
        bar.update()

    return tick


def tell_seeding(done: int, total: int) -> None:
    """How far the filling of a new store is, on a terminal."""
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(
            f"filling the evidence store for the first time: {done} of {total} facts",
            end=end,
            file=sys.stderr,
            flush=True,
        )


def tell_rows(done: int, skipped: int, failed: int, out: Path) -> None:
    """What became of the rows of a file."""
    print(f"{done} rows written to {out}, {skipped} were there already, {failed} could not be checked", file=sys.stderr)


def run_classify(args: argparse.Namespace) -> None:
    """Say whether texts can be checked."""
    from verifier.build import load_claim_type
    from verifier.claim.classify import classify
    from verifier.claim.intake import clean_claim
    from verifier.report.as_json import classification_to_dict

    if (args.claim is None) == (args.input is None) or (args.input is None) != (args.out is None):
        raise InputError("give either a claim, or --in FILE.txt with --out FILE.jsonl")
    if args.claim is not None:
        clean_claim(args.claim)
    model = load_claim_type(settings_of(args))

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
    report = run_batch(rows, args.out, lambda row: one(row[CLAIM_FIELD]), progress_bar(len(rows), "claims"))
    tell_rows(report.done, report.skipped, report.failed, args.out)


def run_stance(args: argparse.Namespace) -> None:
    """Judge pairs of claim and evidence."""
    from verifier.batch import read_rows, run_batch
    from verifier.build import load_stance
    from verifier.judgement.stance import stance_of

    rows = read_rows(args.input, ("claim", "evidence"))
    model = load_stance(settings_of(args))

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

    report = run_batch(rows, args.out, one, progress_bar(len(rows), "pairs"))
    tell_rows(report.done, report.skipped, report.failed, args.out)


def run_evaluate(args: argparse.Namespace) -> None:
    """Measure a model, or whole checks."""
    if args.suite == "endtoend":
        run_endtoend(args)
        return
    from models.evaluation.figures import as_table, write_csv
    from verifier.evaluation.models import Request, evaluate

    request = Request(args.suite, args.data, args.model, args.split, args.limit, args.diagram)
    figures = evaluate(request, settings_of(args))
    if args.out:
        write_csv(figures, str(args.model or "bundled"), args.out)
    print(as_table(figures))


def run_endtoend(args: argparse.Namespace) -> None:
    """Measure whole checks on claims with known answers."""
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
        reliability=args.reliability,
    )
    print(evaluate_endtoend(request, Settings.from_env(), lambda total: progress_bar(total, "cases")))


def run_mcp(args: argparse.Namespace) -> None:
    """Serve the tools over standard input and output."""
    from verifier.mcp_stdio import serve
    from verifier.service import Service

    service = Service(settings_of(args))
    try:
        serve(service)
    finally:
        service.close()


def run_why(args: argparse.Namespace) -> None:
    """Say why a verdict changed."""
    from verifier.build import load_embedder, open_store
    from verifier.log import VerificationLog
    from verifier.report.change import change_to_dict, change_to_text
    from verifier.service import Checker
    from verifier.why import why, why_between

    settings = settings_of(args)
    log = VerificationLog(settings.log_path, settings.log_days)
    entry = log.find(args.session)
    if args.other:
        other = log.find(args.other)
        change = why_between(entry, other, open_store(settings, load_embedder(settings).embed))
    else:
        with Checker(settings, tell_seeding) as checker:
            change = why(entry, checker)
    print(json.dumps(change_to_dict(change), ensure_ascii=False, indent=1) if args.json else change_to_text(change))


def show_log(args: argparse.Namespace) -> None:
    """Show or delete what was checked."""
    from verifier.log import VerificationLog
    from verifier.report.markup import LEFT_OPEN
    from verifier.schema import Verdict

    settings = settings_of(args)
    log = VerificationLog(settings.log_path, settings.log_days)
    if args.action == "delete":
        print(f"{log.delete(args.session)} entries deleted")
        return
    for entry in log.entries():
        if args.session in {None, entry.get("session_id")}:
            sure = LEFT_OPEN if entry["verdict"] == Verdict.NOT_ENOUGH_EVIDENCE else f"{entry['confidence']:.2f}"
            line = f"{entry['session_id'][:8]}  {entry['checked_at'][:19]}  {entry['verdict']:<19}  {sure:<{len(LEFT_OPEN)}}  {entry['original_claim']}"
            print(json.dumps(entry, ensure_ascii=False) if args.json else line)


def run_search_cache(args: argparse.Namespace) -> None:
    """Show or forget what is kept of searches."""
    from verifier.search.budget import report
    from verifier.search.shared import Shared, reset

    folder = settings_of(args).search.cache_path
    if args.action == "reset":
        print(f"answers, budgets and pauses forgotten: {reset(folder)} files deleted in {folder}")
        return
    shared = Shared(folder)
    print(f"{shared.clear()} answers forgotten" if args.action == "clear" else "\n".join(report(shared)))
    shared.close()


def run_space_check(args: argparse.Namespace) -> None:
    """Say whether this folder would run as a Space."""
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


def run_added(args: argparse.Namespace) -> None:
    """List what a check brought into the store from the web, or take it out again."""
    from kb.overview import found_records, remove_found
    from verifier.log import VerificationLog
    from verifier.report.from_json import result_from_dict

    settings = settings_of(args)
    result = result_from_dict(VerificationLog(settings.log_path, settings.log_days).find(args.session))
    if args.undo:
        print(f"{remove_found(settings.kb_uri, result.added)} records taken out of {settings.kb_uri}")
        return
    records = found_records(settings.kb_uri, result.added)
    for record in records:
        print(f"{record.id[:8]}  {record.source}\n          {record.text}")
    print(f"{len(records)} records, of {len(result.added)} that the check added, are in the store", file=sys.stderr)
