"""List instruct models known to work here, and parse the setting that names one.

None ships with the repository. Each is a file of one to three gigabytes on the Hugging Face hub, fetched only on
request (`python -m models download`). Sizes are rounded and approximate; the hub says the exact one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from errors import SettingsError


class Mode(StrEnum):
    """The two choices that name no file."""

    AUTO = "auto"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of one hub repository: of models, or with `dataset` of data."""

    repo: str
    file: str
    dataset: bool = False

    def url(self, endpoint: str | None = None, revision: str | None = None) -> str:
        """Return the address of the file; `endpoint` is another hub's."""
        from huggingface_hub import hf_hub_url

        kind = "dataset" if self.dataset else None
        return hf_hub_url(self.repo, self.file, repo_type=kind, revision=revision, endpoint=endpoint)

    def __str__(self) -> str:
        return f"{self.repo}:{self.file}"


Choice = Mode | Path | HubFile
"""The first known model on this machine; none; a file of the user's own; a file of the hub."""


@dataclass(frozen=True, slots=True)
class KnownGenerator:
    """A model known to work here.

    It takes about `disk_gb` GB to fetch, and about `memory_gb` GB of memory while it runs.
    """

    name: str
    source: HubFile
    licence: str
    disk_gb: float
    memory_gb: float
    note: str


GENERATORS: tuple[KnownGenerator, ...] = (
    KnownGenerator(
        name="qwen3.5-2b",
        source=HubFile("unsloth/Qwen3.5-2B-GGUF", "Qwen3.5-2B-Q4_K_M.gguf"),
        licence="Apache-2.0",
        disk_gb=1.3,
        memory_gb=2.0,
        note="the default; run with its reasoning off",
    ),
    KnownGenerator(
        name="qwen3.5-4b",
        source=HubFile("unsloth/Qwen3.5-4B-GGUF", "Qwen3.5-4B-Q4_K_M.gguf"),
        licence="Apache-2.0",
        disk_gb=2.7,
        memory_gb=3.6,
        note="slow, deep",
    ),
    KnownGenerator(
        name="qwen2.5-1.5b",
        source=HubFile("Qwen/Qwen2.5-1.5B-Instruct-GGUF", "qwen2.5-1.5b-instruct-q4_k_m.gguf"),
        licence="Apache-2.0",
        disk_gb=1.1,
        memory_gb=1.6,
        note="older and smaller, for little memory",
    ),
)
"""In the order in which `auto` looks for them; the first is the default."""

NAMES = ", ".join(known.name for known in GENERATORS)
"""For messages that list the choices."""

_LONGEST_REPO = 96
_WORD = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_REPO = re.compile(rf"{_WORD}/{_WORD}")
# only a drive may have a colon: a web address or a misspelt hub name is not taken for a missing path
_PATH = re.compile(r"(?:[A-Za-z]:[\\/])?[^:\0]*\.gguf", re.IGNORECASE)
_FILE = re.compile(rf"(?:{_WORD}/)*{_WORD}\.gguf", re.IGNORECASE)


def find_known(name: str) -> KnownGenerator | None:
    """Return the known model of that name, or None."""
    return next((known for known in GENERATORS if known.name == name), None)


def parse_hub_file(text: str) -> HubFile | None:
    """Parse `owner/name:file.gguf`, spelt as the hub allows, or return None."""
    repo, colon, file = text.partition(":")
    if not colon or not is_repository(repo) or not _FILE.fullmatch(file) or ".." in file:
        return None
    return HubFile(repo, file)


def is_repository(text: str) -> bool:
    """Whether the hub allows `text` as the name of a repository, OWNER/NAME."""
    spelt = _REPO.fullmatch(text) and len(text) <= _LONGEST_REPO and not text.endswith(".git")
    return bool(spelt) and "--" not in text and ".." not in text


def parse_choice(text: str) -> Choice:
    """Parse the variable VERIFIER_LLM; empty means `auto`. Does not check that a file exists.

    Raises:
        SettingsError: the text is neither auto, off, a path that ends in .gguf, nor owner/name:file.gguf.
    """
    value = text.strip()
    if value.lower() in {"", *Mode}:
        return Mode(value.lower() or Mode.AUTO)
    hub_file = parse_hub_file(value)
    if hub_file:
        return hub_file
    if _PATH.fullmatch(value):
        return Path(os.path.expanduser(value))
    raise SettingsError(
        f"VERIFIER_LLM must be auto, off, the path of a .gguf file or OWNER/NAME:FILE.gguf on the hub, not {value!r}; "
        f"for example VERIFIER_LLM={GENERATORS[0].source}"
    )
