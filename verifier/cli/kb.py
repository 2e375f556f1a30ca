"""Run the evidence store's command line: parse, open what the command works on, run it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from errors import exit_status
from kb.cli import commands, packs
from kb.cli.arguments import parser
from verifier.cli import kb_wiring as wiring
from verifier.cli.watch import check_after_refresh

if TYPE_CHECKING:
    from kb.intake.known_packs import KnownPack

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, or 2 after an error, printed in one line."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: _COMMANDS[args.run](args), "stopped; what was written stays")


def _import(args: argparse.Namespace) -> None:
    if args.command == "add":
        args.names = [args.file]
    sources, target, journal = wiring.import_target(args)
    commands.import_into(args, chain.from_iterable(sources), target, journal)


def _search(args: argparse.Namespace) -> None:
    commands.check_query(args.query, args.limit)
    store, embedder = wiring.open_store(args)
    commands.search_store(args, store, embedder.embed)


def _seed(args: argparse.Namespace) -> None:
    from kb.starter.seed import save_vectors

    if args.vectors:
        save_vectors(wiring.load_embed(args), wiring.embedder_checksum())
    commands.seed_store(args, wiring.open_store(args)[0], wiring.settings_of(args).starter)


def _reembed(args: argparse.Namespace) -> None:
    uri = wiring.settings_of(args).kb_uri
    commands.reembed_store(args, uri, wiring.load_embed(args), wiring.embedder_checksum())


def _refresh(args: argparse.Namespace) -> None:
    commands.refresh_store(args, wiring.open_refresh(args))
    from verifier.settings import Settings

    settings = Settings.from_env()
    watched = wiring.settings_of(args).kb_uri == settings.kb_uri  # claims are watched over that store only
    if watched and not args.dry_run:
        check_after_refresh(settings)


def _packs_add(args: argparse.Namespace) -> None:
    from kb.intake.known_packs import find_known
    from kb.intake.pack_files import pack_at

    known = find_known(args.pack)
    if known:
        _packs_fetch(args, known, False)
        return
    pack = pack_at(
        Path(args.pack), args.name, args.licence, args.whole
    )  # before a model is loaded, to report an unreadable file at once
    store, embedder = wiring.open_store(args)
    packs.add(args, pack, store, embedder.embed)


def _packs_fetch(args: argparse.Namespace, known: KnownPack, again: bool) -> None:
    from verifier.api.packs import PACKS, shards_of

    uri = wiring.settings_of(args).kb_uri
    pack = packs.fetch(known, shards_of(known, again), uri, PACKS, not again and args.whole)
    store, embedder = wiring.open_store(args)
    packs.add(args, pack, store, embedder.embed)


def _packs_update(args: argparse.Namespace) -> None:
    packs.update(args, wiring.settings_of(args).kb_uri, lambda known: _packs_fetch(args, known, True))


def _on_uri(run: Callable[[argparse.Namespace, str], None]) -> Callable[[argparse.Namespace], None]:
    """Run a command that needs only the store's address, not its embedder."""
    return lambda args: run(args, wiring.settings_of(args).kb_uri)


_COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "import": _import,
    "search": _search,
    "stats": lambda args: commands.stats_of(args, wiring.open_store(args)[0]),
    "seed": _seed,
    "reembed": _reembed,
    "domains": lambda args: commands.edit_domains(args, args.file or wiring.settings_of(args).domains_path),
    "export": _on_uri(commands.export_from),
    "check": _on_uri(commands.check),
    "optimize": _on_uri(commands.optimize_store),
    "reset": _on_uri(commands.reset_store),
    "prune": _on_uri(commands.prune_store),
    "refresh": _refresh,
    "packs list": _on_uri(packs.show),
    "packs add": _packs_add,
    "packs remove": _on_uri(packs.remove),
    "packs off": _on_uri(packs.switch),
    "packs on": _on_uri(packs.switch),
    "packs update": _packs_update,
    "labelled import": lambda args: commands.labelled_import(args, wiring.open_labelled(args)[0]),
    "labelled search": lambda args: commands.labelled_search(args, *wiring.open_labelled(args)),
    "labelled stats": _on_uri(commands.labelled_stats),
    "labelled remove": _on_uri(commands.labelled_remove),
}
