"""The command lines, run in this process, where the models are loaded already; and as a process, as users run them."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a command: its exit status, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line that a command prints when it fails."""
        assert self.status == 2 and self.out == "", self
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert lines[-1].startswith("error: ")
        return lines[-1]


def run(module: str, *arguments: str, given: str = "", **env: str) -> Done:
    """Run `python -m MODULE ARGUMENTS` in this process, with `given` on standard input and more variables."""
    main = import_module(f"{module}.__main__").main
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    logged = logging.StreamHandler(err)  # as Python itself prints warnings where no logging is set up
    logged.setLevel(logging.WARNING)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        for name, value in env.items():
            patch.setenv(name, value)
        logging.getLogger().addHandler(logged)
        try:
            status = main(arguments)
        except SystemExit as end:  # of argparse
            status = end.code
        finally:
            logging.getLogger().removeHandler(logged)
    return Done(status, _printed(out), _printed(err))


def _printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode()


def run_process(module: str, *arguments: str, given: str = "", **env: str) -> Done:
    """Run `python -m MODULE ARGUMENTS` as a process of its own: a cold start, its streams, its exit status."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        input=given,
        cwd=ROOT,
        env={**os.environ, **env},
        timeout=300,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
