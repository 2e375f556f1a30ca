"""The commands of `python -m models`: list, download or measure models; adopt or drop readers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from errors import InputError, exit_status
from models.hub.download import FOLDER, OnProgress, download, find_local
from models.hub.generators import GENERATORS, NAMES, HubFile, Mode, find_known, parse_hub_file
from models.readers.known import READERS, repository_of

READER = "reader"
"""The word that makes `download` and `drop` act on readers."""


def parser() -> argparse.ArgumentParser:
    """Build the parser of all commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="python -m models", description="Look after the models; alone: check the weights."
    )
    commands = top.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="which reader is in use and why; the models that are known")
    listing.set_defaults(run=_list)
    fetch = commands.add_parser(
        "download",
        help="fetch an instruct model, or a reader; a part that is there is continued",
        description="Fetch an instruct model, or with `reader` a classifier that reads claims and evidence in place of the "
        "bundled reader: it is measured on this machine, and adopted only if it beats the reader in use.",
    )
    fetch.add_argument(
        "model",
        nargs="?",
        default=GENERATORS[0].name,
        metavar="NAME|OWNER/NAME:FILE.gguf|reader",
        help=f"one of the list, any file of the hub (default: {GENERATORS[0].name}), or the word reader",
    )
    fetch.add_argument(
        "reader",
        nargs="?",
        metavar="NAME|OWNER/REPO",
        help=f"after the word reader: one of the list, or any classifier of the hub (default: {READERS[0].name})",
    )
    fetch.set_defaults(run=_download)
    drop = commands.add_parser("drop", help="go back to the bundled reader; what was fetched stays")
    drop.add_argument("what", choices=[READER])
    drop.set_defaults(run=_drop)
    measured = commands.add_parser("bench", help="how fast an instruct model loads, reads and writes here, by threads")
    measured.add_argument("path", type=Path, nargs="?", metavar="FILE.gguf", help="default: the first that is here")
    measured.set_defaults(run=_bench)
    for command in (listing, fetch, drop, measured):
        command.add_argument("--folder", type=Path, default=FOLDER, help="where models lie (default: %(default)s)")
    return top


def run(arguments: Sequence[str]) -> int:
    """Run a command; return 0, 2 after a one-line error, or 130 after Ctrl-C."""
    args = parser().parse_args(arguments)
    kept = "stopped; what has arrived is kept, and the same command goes on from there"
    return exit_status(lambda: args.run(args), kept)


def _list(args: argparse.Namespace) -> None:
    _list_readers(args.folder)
    for known in GENERATORS:
        print(f"{known.name}: {known.source}")
        print(
            f"  about {known.disk_gb:g} GB on disk and {known.memory_gb:g} GB in memory; {known.licence}; {known.note}"
        )
        path = find_local(known.source, args.folder)
        print(
            f"  on this machine: {path}" if path else f"  not here; get it with: python -m models download {known.name}"
        )


def _list_readers(folder: Path) -> None:
    from models.readers.record import BUNDLED, read_record

    adopted = read_record(folder)
    if adopted:
        print(f"reader in use: {adopted}, adopted on {adopted.day}; licence: {adopted.licence}")
        print(f"  of {adopted.figures.rows} development pairs: {adopted.figures}")
        print(f"  {adopted.former} on the same: {adopted.former_figures}")
        print("  to go back to the bundled one: python -m models drop reader")
    else:
        print(f"reader in use: {BUNDLED}; no other was adopted")
    for known in READERS:
        print(f"{known.name}: {known.repo}")
        print(f"  a reader; about {known.disk_gb:g} GB to fetch; {known.licence}; {known.note}")
        if not adopted or known.repo != adopted.repo:
            print(f"  try it with: python -m models download reader {known.name}")


def _bench(args: argparse.Namespace) -> None:
    from models.llm.bench import report

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


def _progress(stack: ExitStack, name: str) -> OnProgress:
    """Make a callback that draws a progress bar called `name`.

    It runs from the first byte to the last, or until `stack` closes.
    """
    from tqdm import tqdm

    bars: list[tqdm] = []

    def show(done: int, total: int) -> None:
        if not bars:  # bytes from before this call do not count towards the speed
            bar = tqdm(desc=name, total=total, initial=done, unit="B", unit_scale=True)
            bars.append(stack.enter_context(bar))
        bars[0].update(done - bars[0].n)
        if done >= total:
            bars[0].close()

    return show


def _drop(args: argparse.Namespace) -> None:
    from models.readers.record import drop_record

    dropped = drop_record(args.folder)
    print("the bundled reader is in use" if dropped else "the bundled reader was in use already")


def _download_reader(args: argparse.Namespace) -> None:
    from models.readers.adopt import adopt

    with ExitStack() as stack:
        adopted = adopt(
            repository_of(args.reader or READERS[0].name),
            folder=args.folder,
            say=lambda line: print(line, flush=True),
            on_file=lambda name: _progress(stack, name),
        )
    where = "" if args.folder == FOLDER else f" with VERIFIER_READERS={args.folder}"
    print(f"{adopted} is the reader in use; start the app again{where}")


def _download(args: argparse.Namespace) -> None:
    if args.model == READER:
        return _download_reader(args)
    if args.reader:
        raise InputError(f"only the word {READER} is followed by a second name, not {args.model!r}")
    source = _source(args.model)
    with ExitStack() as stack:
        path = download(source, _progress(stack, source.file), folder=args.folder)
    print(path)
    print(f"to use it, start the app with VERIFIER_LLM={source if args.folder == FOLDER else path}")
