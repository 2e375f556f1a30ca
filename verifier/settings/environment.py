"""Read the environment of this process; nothing else in the product does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder of the project."""
DATA = ROOT / "data"
"""The folder for what the user's checks and stores leave."""
_OF_THE_SYSTEM = ("PATH", "LANG", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT", "TEMP")


def environment() -> Mapping[str, str]:
    """Return the variables of this process.

    Those of a `.env` file fill in what is not set.
    """
    from dotenv import dotenv_values

    file = {name: value for name, value in dotenv_values(ROOT / ".env").items() if value is not None}
    return file | dict(os.environ)


def bare_environment() -> dict[str, str]:
    """Return the environment that a process of ours needs to run: no setting, no key."""
    return {name: os.environ[name] for name in _OF_THE_SYSTEM if name in os.environ}
