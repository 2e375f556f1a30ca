"""Turn a catalogue entry into a file safe to load: present, whole and as listed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from errors import ModelError
from models.catalogue import Weight, WeightFile

WEIGHTS_FOLDER = Path(__file__).parent / "weights"
"""Folder of the weights that ship with the repository."""


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_path(weight: Weight, entry: WeightFile, folder: Path = WEIGHTS_FOLDER) -> Path:
    """Return the path of one of the files of `weight`."""
    return folder / weight.path / entry.name if weight.is_folder else folder / entry.name


def check_file(path: Path, entry: WeightFile, mend: str) -> None:
    """Check the file at `path` against its entry; `mend` says how to get it back.

    Raises:
        ModelError: it is missing, cut short, or has another checksum.
    """
    if not path.is_file():
        raise ModelError(f"weight file {path} is missing; {mend}")
    size = path.stat().st_size
    if size < entry.size:
        raise ModelError(f"weight file {path} is cut short ({size:,} of {entry.size:,} bytes); {mend}")
    found = sha256_of(path)
    if found != entry.sha256:
        raise ModelError(
            f"weight file {path} is not the one in the catalogue (sha256 {found[:12]}, not {entry.sha256[:12]}); {mend}"
        )


def checked_path(weight: Weight, folder: Path = WEIGHTS_FOLDER) -> Path:
    """Check every file of `weight` and return the path to load it from.

    Returns:
        The file itself, or the folder for a weight of several files.

    Raises:
        ModelError: a file is missing, cut short, or has another checksum.
    """
    for entry in weight.files:
        path = file_path(weight, entry, folder)
        check_file(path, entry, f"restore it with: git checkout -- {path}")
    return folder / weight.path
