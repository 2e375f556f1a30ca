"""Define the commands and their arguments. Loads nothing: `--help` must be quick."""

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


def parser() -> argparse.ArgumentParser:
    """Make the parser of all commands; its `run` value is the command's name."""
    top = argparse.ArgumentParser(prog="python -m kb", description="Look after the evidence store.")
    parts = top.add_subparsers(dest="command", required=True)
    add = parts.add_parser("add", help="add the texts of a file")
    add.add_argument("file", help="as import, without its options; .jsonl rows have text, source, title, published_at")
    add.set_defaults(run="import", format="auto", collection=None, pin=False, resume=False, as_backup=False)
    search = parts.add_parser("search", help="find records")
    search.add_argument("query")
    search.add_argument("--limit", type=int, default=10)
    search.set_defaults(run="search")
    stats = parts.add_parser("stats", help="count what is in the store")
    stats.set_defaults(run="stats")
    seed = parts.add_parser("seed", help="add the starter facts that are missing")
    seed.add_argument(
        "--vectors",
        action="store_true",
        help="first make the vectors of facts that have none, in a new file kb/starter/seed_vectors_N.npz",
    )
    seed.set_defaults(run="seed")
    reembed = parts.add_parser("reembed", help="make all vectors again after the embedder was replaced")
    reembed.set_defaults(run="reembed")
    moving = {"import": _import_command(parts), "export": _export_command(parts)}
    moving |= _upkeep_commands(parts)
    moving |= {f"labelled {name}": part for name, part in _labelled_commands(parts).items()}
    moving |= {f"packs {name}": part for name, part in _packs_commands(parts).items()}
    _domains_command(parts)
    for name, command in moving.items():
        command.set_defaults(run=name)
    for command in (add, search, stats, seed, reembed, *moving.values()):
        command.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")
        command.add_argument("--json", action="store_true", help="print JSON")
    return top


def _domains_command(commands: Commands) -> None:
    domains = commands.add_parser("domains", help="your own lists of domains: who may decide, who is blocked")
    actions = domains.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add", help="allow a domain, or deny it")
    add.add_argument("domain", help='"example.org" with all beneath it, or "*.example.org" for what is beneath alone')
    add.add_argument("--deny", action="store_true", help="never show, store or cite it")
    add.add_argument("--type", default="", help="news, academic, fact_checker, government, social or unknown")
    add.add_argument("--credibility", default="", help="above 0, at most 1; above 0.9 it may decide alone")
    add.add_argument("--note", default="", help="why, for you to read")
    remove = actions.add_parser("remove", help="take a domain off the list")
    remove.add_argument("domain")
    show = actions.add_parser("list", help="show the list")
    for action in (add, remove, show):
        action.add_argument("--file", type=Path, help="the list (default: VERIFIER_DOMAINS, or ./data/domains.csv)")
        action.add_argument("--json", action="store_true", help="print JSON")
        action.set_defaults(run="domains", kb=None)


def _import_command(commands: Commands) -> argparse.ArgumentParser:
    """Add the `import` command."""
    command = commands.add_parser("import", help="add files, folders or addresses of any size (docs/import.md)")
    command.add_argument("names", nargs="+", metavar="PATH|URL", help="what to import")
    command.add_argument(
        "--format", choices=FORMATS, default="auto", help="default: by the name, or by what comes back"
    )
    command.add_argument("--collection", choices=COLLECTIONS, help="default: what a row says, or static")
    command.add_argument("--pin", action="store_true", help="never evict these records")
    command.add_argument("--resume", action="store_true", help="go on where the same import was stopped")
    command.add_argument(
        "--as-backup",
        action="store_true",
        help="restore an export of your own whole: credibility, counters and pins too; rows replace records with the same text",
    )
    return command


def _export_command(commands: Commands) -> argparse.ArgumentParser:
    """Add the `export` command."""
    command = commands.add_parser("export", help="write the records to a file that import reads back")
    command.add_argument("file", type=Path, help=".parquet or .jsonl; replaced in one step")
    command.add_argument("--collection", metavar="NAME", help="only this one: static, current or pack/NAME")
    command.add_argument("--since", type=day, metavar="DATE", help="only what was stored since, such as 2024-05-31")
    command.add_argument("--with-vectors", action="store_true", help="spare the embedding on import (.parquet only)")
    return command


def _labelled_commands(commands: Commands) -> dict[str, argparse.ArgumentParser]:
    """Add `labelled import|search|stats|remove`."""
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


def _packs_commands(commands: Commands) -> dict[str, argparse.ArgumentParser]:
    """Add `packs list|add|off|on|remove|update`."""
    top = commands.add_parser("packs", help="encyclopaedias in a collection of their own (docs/store.md)")
    parts = top.add_subparsers(dest="part", required=True)
    show = parts.add_parser("list", help="what is in the store, and what is known by name")
    add = parts.add_parser("add", help="add a pack; goes on where it was stopped")
    add.add_argument(
        "pack",
        metavar="NAME|FILE",
        help="a known name, or a .parquet file or folder of id, url, title, text, or a .zim file of Kiwix",
    )
    add.add_argument("--name", default="", help="of a file's pack (default: by the file's name)")
    add.add_argument("--licence", default="CC BY-SA 4.0", help="of a file's texts (default: CC BY-SA 4.0)")
    add.add_argument("--whole", action="store_true", help="whole articles; without it, their leads alone")
    remove = parts.add_parser("remove", help="take a pack out, with one commit")
    off = parts.add_parser("off", help="leave a pack out of checks and searches; it stays in the store")
    on = parts.add_parser("on", help="take a pack into checks again")
    for command in (off, on, remove):
        command.add_argument("pack", metavar="NAME")
    update = parts.add_parser("update", help="fetch the packs of the hub again where they have changed")
    return {"list": show, "add": add, "off": off, "on": on, "remove": remove, "update": update}


def _upkeep_commands(commands: Commands) -> dict[str, argparse.ArgumentParser]:
    """Add `check`, `optimize`, `reset`, `refresh` and `prune`."""
    check = commands.add_parser(
        "check", help="read every row and index, and say what is damaged and what can be made again"
    )
    optimize = commands.add_parser("optimize", help="gather small files, index what is new, drop old versions")
    reset = commands.add_parser("reset", help="delete all evidence; the next start fills the store again")
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
    command.add_argument("--max-static", type=int, metavar="N", help="records in the collection static")
    command.add_argument("--max-current", type=int, metavar="N", help="records in the collection current")
    command.add_argument("--max-records", type=int, metavar="N", help="records in all")
    command.add_argument("--max-bytes", type=size, metavar="SIZE", help="of all records, such as 500MB or 2GB")
    command.add_argument("--dry-run", action="store_true", help="list what would go, and leave the store as it is")
    return command


def size(text: str) -> int:
    """Parse bytes: a number, optionally followed by KB, MB or GB (powers of 1,000)."""
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?)b?", text.strip(), re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 500MB")
    return int(float(found[1]) * 1_000 ** " kmg".index(found[2].lower() or " "))


def day(text: str) -> datetime:
    """Parse an ISO 8601 date or time, UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(f"{text!r} is no ISO 8601 date such as 2024-05-31") from exc
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
