"""The evidence store's command line: add, search, stats, seed, reembed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, exit_status

if TYPE_CHECKING:
    from kb.store import EvidenceStore
    from models.embedder import Embedder
    from verifier.settings import Settings

_BATCH = 500


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    top = argparse.ArgumentParser(prog="python -m kb", description="Look after the evidence store.")
    commands = top.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="add the texts of a file")
    add.add_argument("file", type=Path, help=".jsonl (fields: text, source, title, published_at), .txt or .html")
    add.set_defaults(run=_add)
    search = commands.add_parser("search", help="find records")
    search.add_argument("query")
    search.add_argument("--limit", type=int, default=10)
    search.set_defaults(run=_search)
    stats = commands.add_parser("stats", help="count what is in the store")
    stats.set_defaults(run=_stats)
    seed = commands.add_parser("seed", help="add the starter facts that are missing")
    seed.add_argument(
        "--vectors",
        action="store_true",
        help="first make kb/seed_vectors.npz anew (after the facts or the embedder changed)",
    )
    seed.set_defaults(run=_seed)
    reembed = commands.add_parser("reembed", help="make all vectors anew after the embedder was replaced")
    reembed.set_defaults(run=_reembed)
    for command in (add, search, stats, seed, reembed):
        command.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")
        command.add_argument("--json", action="store_true", help="print JSON")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0, or 2 after an error, of which one line is printed."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: args.run(args), "stopped; what was written stays")


def _settings(args: argparse.Namespace) -> Settings:
    from verifier.settings import Settings

    settings = Settings.from_env()
    return replace(settings, kb_uri=args.kb) if args.kb else settings


def _open(args: argparse.Namespace) -> tuple[EvidenceStore, Embedder]:
    """The store, with its starter facts, and the embedder that goes with it."""
    from kb.seed import seed
    from verifier.build import load_embedder, open_store

    settings = _settings(args)
    embedder = load_embedder(settings)
    store = open_store(settings, embedder.embed)
    if not store.count():
        seed(store, _progress("filling the store for the first time"))
    return store, embedder


def _progress(name: str) -> Callable[[int, int], None]:
    from tqdm import tqdm

    bar = tqdm(total=0, desc=name, file=sys.stderr)

    def tell(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return tell


def _add(args: argparse.Namespace) -> None:
    from kb.ingest import BadRow, read_file
    from web.extract import extract_page

    found = list(read_file(args.file, extract_page))
    bad = [item for item in found if isinstance(item, BadRow)]
    good = [item for item in found if not isinstance(item, BadRow)]
    for row in bad:
        print(f"{args.file.name}, line {row.line}: {row.reason}; skipped", file=sys.stderr)
    if not good:
        raise InputError(f"{args.file.name}: no row can be used")
    store, tell = _open(args)[0], _progress("adding")
    added = merged = 0
    for start in range(0, len(good), _BATCH):
        report = store.add(good[start : start + _BATCH])
        added, merged = added + report.added, merged + report.merged
        tell(min(start + _BATCH, len(good)), len(good))
    counts = {"added": added, "merged": merged, "skipped": len(bad), "records": store.count()}
    print(
        json.dumps(counts)
        if args.json
        else f"{added} added, {merged} known already, {len(bad)} skipped; {counts['records']} records in the store"
    )


def _search(args: argparse.Namespace) -> None:
    if not any(character.isalnum() for character in args.query):
        raise InputError("the query is empty: give some words to look for")
    if not 1 <= args.limit <= 1_000:
        raise InputError(f"--limit must be from 1 to 1,000, not {args.limit}")
    store, embedder = _open(args)
    hits = store.search(args.query, embedder.embed([args.query])[0], args.limit)
    if args.json:
        rows = [
            {"score": round(hit.boosted, 4), "similarity": round(hit.similarity, 4)} | hit.record.to_row()
            for hit in hits
        ]
        print(json.dumps(rows, ensure_ascii=False, indent=1, default=str))
        return
    for hit in hits:
        print(f"{hit.similarity:.2f}  {hit.record.text}\n      {hit.record.source}")


def _stats(args: argparse.Namespace) -> None:
    stats = _open(args)[0].stats()
    print(json.dumps(stats, indent=1) if args.json else "\n".join(f"{name}: {value}" for name, value in stats.items()))


def _seed(args: argparse.Namespace) -> None:
    from kb.seed import save_vectors, seed

    if args.vectors:
        from models.catalogue import WEIGHTS, Role
        from verifier.build import load_embedder

        save_vectors(load_embedder(_settings(args)).embed, WEIGHTS[Role.EMBEDDER].checksum)
    store, _ = _open(args)
    added = seed(store, _progress("seeding"))
    print(
        json.dumps({"added": added, "records": store.count()})
        if args.json
        else f"{added} facts added, {store.count()} records in the store"
    )


def _reembed(args: argparse.Namespace) -> None:
    from kb.reembed import reembed
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder

    settings = _settings(args)
    count = reembed(
        settings.kb_uri, load_embedder(settings).embed, WEIGHTS[Role.EMBEDDER].checksum, _progress("embedding")
    )
    print(json.dumps({"records": count}) if args.json else f"{count} records have new vectors")


if __name__ == "__main__":
    sys.exit(main())
