"""Provide the command `watch`: recheck claims after each store refresh and report what changed."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from atomic import atomic_write
from errors import InputError, RefreshBusy, StoreError
from verifier.cli.common import progress_bar, settings_of, tell_seeding

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.cli.common import Commands
    from verifier.history.watched import Watched
    from verifier.serve.watching import WatchReport
    from verifier.settings import Settings

_EVERY = ("day", "week", "refresh")


def add_commands(commands: Commands) -> None:
    """Add the command."""
    watch = commands.add_parser("watch", help="check a claim again after each refresh, and tell what changed")
    watch.add_argument("claim", nargs="?", help="a statement; it is checked now, and then again and again")
    watch.add_argument(
        "--every", choices=_EVERY, help="besides after each refresh: once a day (the default), or a week"
    )
    action = watch.add_mutually_exclusive_group()
    action.add_argument("--list", action="store_true", help="show the watched claims")
    action.add_argument("--remove", metavar="N|all", help="no longer watch the claim of this number, or any")
    action.add_argument("--run", action="store_true", dest="due", help="check those that are due")
    action.add_argument("--feed", type=Path, metavar="FILE", help="write what changed as an Atom feed")
    watch.add_argument("--no-web", action="store_true", help="do not search the web: for this claim, or in this run")
    watch.add_argument("--json", action="store_true", help="print JSON")
    watch.set_defaults(run=run_watch)


def run_watch(args: argparse.Namespace) -> None:
    """Watch a claim, or do what the options say."""
    asked = args.list or args.remove or args.due or args.feed
    if bool(args.claim) == bool(asked) or (args.every and asked):
        raise InputError("give a claim to watch (with --every, if you like), or one of --list, --remove, --run, --feed")
    settings = settings_of(args)
    if args.claim:
        _watch(args, settings)
    elif args.due:
        _tell_report(args, _run(settings))
    elif args.remove:
        _remove(settings, args.remove)
    elif args.feed:
        _write_feed(settings, args.feed)
    else:
        _list(args, settings)


def _watch(args: argparse.Namespace, settings: Settings) -> None:
    """Put a claim on the list, and check it now if it is new."""
    from verifier.claim.intake import clean_claim
    from verifier.history.watch import WatchList
    from verifier.history.watch_rows import watched_row
    from verifier.history.watched import Every
    from verifier.serve.checker import Checker
    from verifier.serve.watching import Watching

    watch_list = WatchList(settings.watch_path)
    watched = watch_list.add(clean_claim(args.claim), Every(args.every or Every.DAY), settings.web)
    if watched.standing is None:
        try:
            with Checker(settings, tell_seeding) as checker:
                _tell_failures(Watching(checker).check(watched))
        except RefreshBusy:
            print(
                "another process is checking watched claims; this one has its turn with the next run", file=sys.stderr
            )
        watched = watch_list.find(watched.claim) or watched
    if args.json:
        row = watched_row(watched, watch_list.turns().get(watched.number, ()))
        print(json.dumps(row, ensure_ascii=False, indent=1))
        return
    print(
        f"{_line(watched)}\nchecked again {watched.every.told}, {'and may ask' if watched.web else 'without'} the web"
    )


def _run(settings: Settings, refreshed: datetime | None = None) -> WatchReport:
    """Check the claims that are due; if none are, load nothing."""
    from verifier.serve.checker import Checker
    from verifier.serve.watching import Watching, WatchReport, due_claims

    due = due_claims(settings, refreshed)
    if not due:
        return WatchReport()
    with Checker(settings, tell_seeding) as checker:
        return Watching(checker).run(refreshed, tick=progress_bar(len(due), "watched claims"))


def check_after_refresh(settings: Settings) -> None:
    """Check the watched claims after a refresh, and print what changed to standard error.

    Raises:
        ModelError, StoreError: the claims could not be checked; the refresh has still succeeded.
    """
    from datetime import UTC, datetime

    from verifier.history.change import change_to_text

    try:
        report = _run(settings, datetime.now(UTC))
    except RefreshBusy:
        print("another process is checking the watched claims, and leaves none out", file=sys.stderr)
        return
    _tell_failures(report)
    for change in report.changes:
        print(f"{change_to_text(change)}\n", file=sys.stderr)
    if report.checked or report.failed:
        print(report.told, file=sys.stderr)


def _tell_report(args: argparse.Namespace, report: WatchReport) -> None:
    from verifier.history.change import change_to_dict, change_to_text

    _tell_failures(report)
    if args.json:
        print(json.dumps([change_to_dict(change) for change in report.changes], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join([*map(change_to_text, report.changes), report.told]))


def _tell_failures(report: WatchReport) -> None:
    for failed in report.failed:
        print(f"{failed.watched.number}  could not be checked: {failed.reason}", file=sys.stderr)


def _remove(settings: Settings, which: str) -> None:
    from verifier.history.watch import WatchList

    if which != "all" and not (which.isascii() and which.isdecimal()):
        raise InputError(
            f"--remove takes the number of a claim, or all, not {which[:40]!r}; find it with: python -m verifier watch --list"
        )
    gone = WatchList(settings.watch_path).remove(None if which == "all" else int(which[:18]))
    if which != "all" and not gone:
        raise InputError(f"no watched claim has the number {which[:18]}; find it with: python -m verifier watch --list")
    print(f"{gone} claims removed")


def _write_feed(settings: Settings, path: Path) -> None:
    """Write the feed in one step, so that a server never reads half of it."""
    from verifier.history.watch import WatchList
    from verifier.history.watch_feed import MOST_ENTRIES, atom_feed

    feed = WatchList(settings.watch_path).feed(MOST_ENTRIES)
    try:
        with atomic_write(path) as fresh:
            fresh.write_bytes(atom_feed(feed, f"http://127.0.0.1:{settings.port}/"))
    except OSError as exc:
        raise StoreError(f"cannot write {path}: {exc.strerror or exc}; choose another file") from exc
    print(f"{len(feed.turns)} changes written to {path}", file=sys.stderr)


def _list(args: argparse.Namespace, settings: Settings) -> None:
    from verifier.history.watch import WatchList
    from verifier.history.watch_feed import turned_in_words
    from verifier.history.watch_rows import watched_rows

    watch_list = WatchList(settings.watch_path)
    if args.json:
        print(json.dumps(watched_rows(watch_list), ensure_ascii=False, indent=1))
        return
    claims, turns = watch_list.all(), watch_list.turns()
    for watched in claims:
        print(_line(watched))
        for turn in turns.get(watched.number, ())[:3]:
            print(f"      {turn.at:%Y-%m-%d %H:%M}  {turned_in_words(turn)}")
        if watched.error:
            print(f"      could not be checked: {watched.error}")
    if not claims:
        print("no claim is watched", file=sys.stderr)


def _line(watched: Watched) -> str:
    from verifier.report.markup import judged_in_words

    at = f"{watched.looked_at:%Y-%m-%d %H:%M}" if watched.looked_at else "not checked yet "
    now = watched.standing
    said = judged_in_words(now.verdict, now.confidence, now.tier) if now else "no verdict"
    return f"{watched.number:>4}  {at}  {said}: {watched.claim}"
