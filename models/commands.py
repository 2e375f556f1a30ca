"""The commands behind `python -m models`: list the instruct models that are known, download one, measure one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from errors import InputError, exit_status
from models.download import FOLDER, download, find_local
from models.generators import GENERATORS, NAMES, HubFile, Mode, find_known, parse_hub_file


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="python -m models", description="Look after the models; alone: check the weights."
    )
    commands = top.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="the instruct models that are known, and which are on this machine")
    listing.set_defaults(run=_list)
    fetch = commands.add_parser("download", help="fetch an instruct model; a part that is there is continued")
    fetch.add_argument(
        "model",
        nargs="?",
        default=GENERATORS[0].name,
        metavar="NAME|OWNER/NAME:FILE.gguf",
        help=f"one of the list, or any file of the hub (default: {GENERATORS[0].name})",
    )
    fetch.set_defaults(run=_download)
    measured = commands.add_parser("bench", help="how fast an instruct model loads, reads and writes here, by threads")
    measured.add_argument("path", type=Path, nargs="?", metavar="FILE.gguf", help="default: the first that is here")
    measured.set_defaults(run=_bench)
    for command in (listing, fetch, measured):
        command.add_argument("--folder", type=Path, default=FOLDER, help="where models lie (default: %(default)s)")
    return top


def run(arguments: Sequence[str]) -> int:
    """Run a command. Returns 0, 2 after an error, of which one line is printed, or 130 after Ctrl-C."""
    args = parser().parse_args(arguments)
    kept = "stopped; what has arrived is kept, and the same command goes on from there"
    return exit_status(lambda: args.run(args), kept)


def _list(args: argparse.Namespace) -> None:
    for known in GENERATORS:
        print(f"{known.name}: {known.source}")
        print(
            f"  about {known.disk_gb:g} GB on disk and {known.memory_gb:g} GB in memory; {known.licence}; {known.note}"
        )
        path = find_local(known.source, args.folder)
        print(
            f"  on this machine: {path}" if path else f"  not here; get it with: python -m models download {known.name}"
        )


def _bench(args: argparse.Namespace) -> None:
    from models.bench import report

    path = args.path or find_local(Mode.AUTO, args.folder)
    if path is None:
        raise InputError("no instruct model is on this machine; name a .gguf file, or run: python -m models download")
    for line in report(path):
        print(line, flush=True)


def _source(model: str) -> HubFile:
    known = find_known(model)
    source = known.source if known else parse_hub_file(model)
    if source is None:
        raise InputError(f"the model must be one of {NAMES}, or OWNER/NAME:FILE.gguf on the hub, not {model!r}")
    return source


def _download(args: argparse.Namespace) -> None:
    from tqdm import tqdm

    source = _source(args.model)
    with tqdm(desc=source.file, unit="B", unit_scale=True, delay=0.01) as bar:

        def show(done: int, total: int) -> None:
            if bar.total is None:  # what was there before this call is no part of the speed
                bar.total, bar.initial, bar.n = total, done, done
            bar.update(done - bar.n)

        path = download(source, show, folder=args.folder)
    print(path)
    print(f"to use it, start the app with VERIFIER_LLM={source if args.folder == FOLDER else path}")
