"""Share what the commands need: settings from the command line, standard input, progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError

if TYPE_CHECKING:
    from verifier.settings import Settings

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_store(command: argparse.ArgumentParser) -> None:
    """Add the options that choose the evidence store and switch the web off."""
    command.add_argument("--no-web", action="store_true", help="do not search the web")
    add_kb(command)


def add_kb(command: argparse.ArgumentParser) -> None:
    """Add the option that chooses the evidence store."""
    command.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")


def settings_of(args: argparse.Namespace) -> Settings:
    """Read the settings, with the command line's choice of store and web."""
    from verifier.settings import Settings

    settings = Settings.from_env()
    if getattr(args, "kb", None):
        settings = replace(settings, kb_uri=args.kb)
    return replace(settings, web=False) if getattr(args, "no_web", False) else settings


def standard_input() -> str:
    """Read all of standard input.

    Raises:
        InputError: it is a terminal, closed, too long, or not UTF-8.
    """
    from kb.intake.formats.pages import MAX_FILE_BYTES

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
    """Make a progress bar on standard error; call the returned function once per unit done."""
    from tqdm import tqdm

    bar = tqdm(total=total, initial=done, desc=name, file=sys.stderr, disable=not sys.stderr.isatty() and total < 20)

    def tick() -> None:
        bar.update()

    return tick


def tell_seeding(done: int, total: int) -> None:
    """Show on a terminal how much of a new store is filled."""
    if sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(
            f"filling the evidence store for the first time: {done} of {total} facts",
            end=end,
            file=sys.stderr,
            flush=True,
        )


def tell_rows(done: int, skipped: int, failed: int, out: Path) -> None:
    """Print what became of the rows of a file."""
    print(f"{done} rows written to {out}, {skipped} were there already, {failed} could not be checked", file=sys.stderr)
