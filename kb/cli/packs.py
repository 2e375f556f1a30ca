"""Run the pack commands on what `verifier.cli.kb_wiring` opens, and print the results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from kb.cli.commands import catch_up, counter_to, print_result, say_problems

if TYPE_CHECKING:
    from kb.intake.known_packs import KnownPack, Shard
    from kb.intake.pack_files import Pack
    from kb.store.evidence_store import Embed, EvidenceStore


def fetch(known: KnownPack, shards: Sequence[Shard], uri: str, folder: Path, whole: bool) -> Pack:
    """Print what a known pack takes, and fetch it if the disk is large enough.

    If whole articles of the pack were taken before, they are taken again.

    Raises:
        DownloadError: a file cannot be fetched; what has arrived is kept.
        InputError: the disk is too small.
    """
    from kb.intake.held_packs import is_whole
    from kb.intake.packs import fetch_pack, room_for

    whole = whole or is_whole(uri, known.name)
    size, room = sum(shard.size for shard in shards), room_for(known, whole)
    said = f"{known.name}: {known.note}, {'the whole of ' * whole}{known.articles:,} articles of {known.repo}, licence {known.licence}; "
    print(f"{said}{size / 1e9:,.2f} GB to fetch, about {room / 1e9:,.1f} GB in the store", file=sys.stderr)
    for shard in shards:
        print(f"  {shard.name}  {f'{shard.size / 1e6:,.1f} MB' if shard.size else 'is here'}", file=sys.stderr)
    return fetch_pack(known, shards, uri, folder, whole, lambda shard: counter_to(shard.name))


def add(args: argparse.Namespace, pack: Pack, store: EvidenceStore, embed: Embed) -> None:
    """Add a pack to the store, and print the result."""
    from kb.intake.packs import add_pack

    report = add_pack(pack, store, counter_to(pack.name, 0), embed)
    say_problems(report.problems, report.skipped)
    catch_up(store)
    if not report.articles:
        text = f"the pack {pack.name} is in the store already; to take it out: python -m kb packs remove {pack.name}"
    else:
        earlier = f"{report.before:,} articles taken in before, " if report.before else ""
        text = (
            f"{pack.name}: {earlier}{report.articles:,} articles read, {report.added:,} passages added, "
            f"{report.known:,} known already, {report.skipped:,} articles skipped; {store.count():,} records in the store"
        )
    if report.removed or report.kept:
        text += f"; {report.removed:,} passages that it no longer has removed, {report.kept:,} kept"
    print_result(args, asdict(report) | {"name": pack.name, "records": store.count()}, text)


def remove(args: argparse.Namespace, uri: str) -> None:
    """Remove a pack from the store."""
    from kb.intake.held_packs import remove_pack

    count = remove_pack(uri, args.pack)
    print_result(args, {"removed": count}, f"{count:,} passages of {args.pack} removed")


def switch(args: argparse.Namespace, uri: str) -> None:
    """Leave a pack out of checks, or include it again."""
    from kb.intake.held_packs import switch_pack

    off = args.part == "off"
    changed = switch_pack(uri, args.pack, off)
    told = "is left out of checks, and stays in the store" if off else "takes part in checks"
    already = "" if changed else ", as before"
    print_result(args, {"name": args.pack, "off": off, "changed": changed}, f"the pack {args.pack} {told}{already}")


def show(args: argparse.Namespace, uri: str) -> None:
    """List the packs in the store and those known by name."""
    from kb.intake.held_packs import held_packs
    from kb.intake.known_packs import KNOWN

    held = held_packs(uri)
    rows: list[dict[str, object]] = [asdict(pack) for pack in held]
    lines = [
        f"{pack.name}  {pack.passages:,} passages in the store{', left out of checks' * pack.off}" for pack in held
    ]
    names = {pack.name for pack in held}
    for known in KNOWN:
        if known.name not in names:
            facts = {"articles": known.articles, "gb": known.gb, "licence": known.licence, "repository": known.repo}
            rows.append({"name": known.name, "passages": 0} | facts)
            lines.append(
                f"{known.name}  {known.note}: {known.articles:,} articles, {known.gb:g} GB to fetch, {known.licence}; "
                f"to add it: python -m kb packs add {known.name}"
            )
    print_result(args, rows, "\n".join(lines))


def update(args: argparse.Namespace, uri: str, again: Callable[[KnownPack], None]) -> None:
    """Fetch the hub's packs in the store again where the hub's files have changed.

    Raises:
        InputError: the store has none of them.
    """
    from kb.intake.held_packs import held_packs
    from kb.intake.known_packs import find_known

    found = [known for pack in held_packs(uri) if (known := find_known(pack.name)) is not None]
    if not found:
        raise InputError("no pack of the hub is in the store; a file of your own is taken in again by: packs add FILE")
    for known in found:
        again(known)
