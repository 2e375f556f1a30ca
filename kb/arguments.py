"""The arguments of the commands that move evidence in and out. Loads nothing: `--help` must be quick."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FORMATS = ("auto", "jsonl", "csv", "parquet", "feed", "sitemap", "folder", "pdf", "html", "md", "txt")
DATASETS = ("fever", "isot", "liar", "claimreview", "creak")
COLLECTIONS = ("static", "current")


def import_command(commands: Commands) -> argparse.ArgumentParser:
    """`import`."""
    command = commands.add_parser("import", help="add files, folders or addresses of any size (docs/import.md)")
    command.add_argument("names", nargs="+", metavar="PATH|URL", help="what to import")
    command.add_argument(
        "--format", choices=FORMATS, default="auto", help="default: by the name, or by what comes back"
    )
    command.add_argument("--collection", choices=COLLECTIONS, help="the shelf (default: what a row says, or static)")
    command.add_argument("--pin", action="store_true", help="never evict these records")
    command.add_argument("--resume", action="store_true", help="go on where the same import was stopped")
    command.add_argument(
        "--as-backup",
        action="store_true",
        help="restore an export of your own whole: credibility, counters and pins too; rows replace records with the same text",
    )
    return command


def export_command(commands: Commands) -> argparse.ArgumentParser:
    """`export`."""
    command = commands.add_parser("export", help="write the records to a file that import reads back")
    command.add_argument("file", type=Path, help=".parquet or .jsonl; replaced in one step")
    command.add_argument("--collection", choices=COLLECTIONS, help="only this shelf")
    command.add_argument("--since", type=day, metavar="DATE", help="only what was stored since, such as 2024-05-31")
    command.add_argument("--with-vectors", action="store_true", help="spare the embedding on import (.parquet only)")
    return command


def labelled_commands(commands: Commands) -> dict[str, argparse.ArgumentParser]:
    """`labelled import|search|stats|remove`."""
    top = commands.add_parser("labelled", help="claims that others have labelled (docs/import.md)")
    parts = top.add_subparsers(dest="part", required=True)
    taking = parts.add_parser("import", help="add the claims of a public set")
    taking.add_argument("file", type=Path, help="the file as it is published")
    taking.add_argument("--dataset", choices=DATASETS, required=True)
    taking.add_argument("--label", choices=("real", "fake"), help="for ISOT files not named True.csv or Fake.csv")
    search = parts.add_parser("search", help="what others have called claims like this one")
    search.add_argument("claim")
    search.add_argument("--limit", type=int, default=10)
    search.add_argument("--min-similarity", type=float, default=0.6, help="cosine from 0 to 1 (default: 0.6)")
    stats = parts.add_parser("stats", help="count the labelled claims")
    remove = parts.add_parser("remove", help="delete the claims of one set")
    remove.add_argument("--dataset", choices=DATASETS, required=True)
    return {"import": taking, "search": search, "stats": stats, "remove": remove}


def upkeep_commands(commands: Commands) -> dict[str, argparse.ArgumentParser]:
    """`check`, `optimize`, `reset`, `refresh` and `prune`."""
    check = commands.add_parser(
        "check", help="read every row and index, and say what is damaged and what can be made again"
    )
    optimize = commands.add_parser("optimize", help="gather small files, index what is new, drop old versions")
    reset = commands.add_parser("reset", help="delete all evidence; the next start fills the store anew")
    reset.add_argument("--yes", action="store_true", help="yes, delete it")
    return {
        "check": check,
        "optimize": optimize,
        "reset": reset,
        "refresh": _refresh_command(commands),
        "prune": _prune_command(commands),
    }


def _refresh_command(commands: Commands) -> argparse.ArgumentParser:
    command = commands.add_parser("refresh", help="take in the news, all of it or nothing (docs/operations.md)")
    command.add_argument("--feeds", nargs="+", metavar="URL", help="feeds to read (default: VERIFIER_FEEDS)")
    command.add_argument("--topics", nargs="+", metavar="TOPIC", help="to search for (default: VERIFIER_TOPICS)")
    command.add_argument("--dry-run", action="store_true", help="read and look, and leave the store as it is")
    command.add_argument("--force", action="store_true", help="believe it however little it is")
    return command


def _prune_command(commands: Commands) -> argparse.ArgumentParser:
    command = commands.add_parser("prune", help="remove what has expired, and the least useful of what is too much")
    command.add_argument("--max-per-source", type=int, metavar="N", help="records of one domain")
    command.add_argument("--max-static", type=int, metavar="N", help="records on the static shelf")
    command.add_argument("--max-current", type=int, metavar="N", help="records on the news shelf")
    command.add_argument("--max-records", type=int, metavar="N", help="records in all")
    command.add_argument("--max-bytes", type=size, metavar="SIZE", help="of all records, such as 500MB or 2GB")
    command.add_argument("--dry-run", action="store_true", help="list what would go, and leave the store as it is")
    return command


def size(text: str) -> int:
    """Bytes: a number, with KB, MB or GB behind it (powers of 1,000)."""
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?)b?", text.strip(), re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 500MB")
    return int(float(found[1]) * 1_000 ** " kmg".index(found[2].lower() or " "))


def day(text: str) -> datetime:
    """An ISO 8601 date or time, UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(f"{text!r} is no ISO 8601 date such as 2024-05-31") from exc
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
