"""Provide the commands for earlier checks and their traces: why, log, added, search-cache."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from verifier.cli.common import add_kb, add_store, settings_of, tell_seeding

if TYPE_CHECKING:
    from verifier.cli.common import Commands


def add_commands(commands: Commands) -> None:
    """Add the commands for earlier checks."""
    why = commands.add_parser("why", help="say why the verdict of an earlier check changed")
    why.add_argument("session", help="the check's id in the log, or its beginning; it is done again now")
    why.add_argument("other", nargs="?", help="compare with this check instead of doing it again")
    why.add_argument("--json", action="store_true")
    why.set_defaults(run=run_why)
    add_store(why)
    log = commands.add_parser("log", help="show or delete what was checked on this machine")
    log.add_argument("action", choices=("show", "delete"))
    log.add_argument("--session", help="one check only")
    log.add_argument("--json", action="store_true")
    log.set_defaults(run=run_log)
    added = commands.add_parser("added", help="what an earlier check brought into the store from the web")
    added.add_argument("session", help="the check's id in the log, or its beginning")
    added.add_argument("--undo", action="store_true", help="take it out of the store again")
    add_kb(added)
    added.set_defaults(run=run_added)
    cache = commands.add_parser("search-cache", help="what is kept of searches: answers, budgets, pauses")
    cache.add_argument(
        "action", choices=("stats", "clear", "reset"), help="clear: forget the answers; reset: budgets and pauses too"
    )
    cache.set_defaults(run=run_search_cache)


def run_why(args: argparse.Namespace) -> None:
    """Explain why a verdict changed."""
    from verifier.build import load_embedder, open_store
    from verifier.history.change import change_to_dict, change_to_text
    from verifier.history.kept import find_named
    from verifier.history.why import why, why_between
    from verifier.serve.checker import Checker

    settings = settings_of(args)
    check = find_named(settings, args.session)
    if args.other:
        other = find_named(settings, args.other)
        change = why_between(check, other, open_store(settings, load_embedder(settings).embed))
    else:
        with Checker(settings, tell_seeding) as checker:
            change = why(check, checker)
    print(json.dumps(change_to_dict(change), ensure_ascii=False, indent=1) if args.json else change_to_text(change))


def run_log(args: argparse.Namespace) -> None:
    """Show or delete logged checks."""
    from verifier.history.log import VerificationLog
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


def run_added(args: argparse.Namespace) -> None:
    """List the web records that a check added to the store, or remove them."""
    from kb.store.statistics import found_records, remove_found
    from verifier.history.kept import find_named

    settings = settings_of(args)
    result = find_named(settings, args.session)
    if args.undo:
        print(f"{remove_found(settings.kb_uri, result.added)} records taken out of {settings.kb_uri}")
        return
    records = found_records(settings.kb_uri, result.added)
    for record in records:
        print(f"{record.id[:8]}  {record.source}\n          {record.text}")
    print(f"{len(records)} records, of {len(result.added)} that the check added, are in the store", file=sys.stderr)


def run_search_cache(args: argparse.Namespace) -> None:
    """Show or delete what is kept from searches."""
    from verifier.search.guard.budget import report
    from verifier.search.guard.shared import Shared, reset

    folder = settings_of(args).search.cache_path
    if args.action == "reset":
        print(f"answers, budgets and pauses forgotten: {reset(folder)} files deleted in {folder}")
        return
    shared = Shared(folder)
    print(f"{shared.clear()} answers forgotten" if args.action == "clear" else "\n".join(report(shared)))
    shared.close()
