"""Record which reader is in use: the bundled one, or an adopted one.

A small file describes the adopted reader. It appears and disappears in one step, after everything it names is there.
Without it, the bundled reader is in use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from atomic import atomic_write
from errors import DownloadError, ModelError
from models.catalogue import WEIGHTS, Role, WeightFile
from models.files import WEIGHTS_FOLDER, check_file, checked_path
from models.hub.download import FOLDER
from models.reader import PairReader, Reader
from models.readers.classifier import AddedReader, Fit, load_classifier
from models.readers.config import Wiring

RECORD = "reader.json"
BUNDLED = "the bundled reader"
"""What messages call the reader that ships."""
LESS_RELEVANT = 0.05
"""How much lower the relevance of an otherwise better reader may be."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How well a reader does on a sample.

    `relevance` is the share of claims whose settling text it rates above another; `speed` is in pairs per second.
    """

    rows: int
    accuracy: float
    macro_f1: float
    log_loss: float
    calibration_error: float
    relevance: float
    speed: float

    def beats(self, other: Figures) -> bool:
        """Whether stance is better in labels and in probabilities, and relevance not clearly worse."""
        better = self.accuracy > other.accuracy and self.log_loss < other.log_loss
        return better and self.relevance >= other.relevance - LESS_RELEVANT

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.3f} right (macro-F1 {self.macro_f1:.3f}, log loss {self.log_loss:.3f}, calibration error "
            f"{self.calibration_error:.3f}), relevance {self.relevance:.3f}, {self.speed:.1f} pairs/s"
        )


@dataclass(frozen=True, slots=True)
class Adopted:
    """A hub reader in use in place of the bundled one.

    `figures` and `former_figures`, of the reader that it replaced (`former`), are from the same pairs. `day` is the
    date of that comparison.
    """

    repo: str
    commit: str
    licence: str
    network: str
    files: tuple[WeightFile, ...]
    wiring: Wiring
    fit: Fit
    figures: Figures
    former: str
    former_figures: Figures
    day: str

    def __str__(self) -> str:
        return f"{self.repo} at commit {self.commit[:12]}"


def place_of(repo: str, commit: str, folder: Path) -> Path:
    """Return where the files of a repository at a commit are."""
    return folder / repo / commit


def read_record(folder: Path = FOLDER) -> Adopted | None:
    """Return the adopted reader, or None while the bundled one is in use.

    Raises:
        ModelError: the record cannot be read.
    """
    path = folder / RECORD
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return _parse(raw)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as exc:
        raise ModelError(
            f"{path}, which says which reader was adopted, cannot be read ({exc}); "
            "go back to the bundled one with: python -m models drop reader"
        ) from exc


def _parse(raw: dict[str, Any]) -> Adopted:
    raw["wiring"].pop("padding", None)  # older records name it; pairs are read one by one and need none
    return Adopted(
        **raw
        | {
            "files": tuple(WeightFile(**entry) for entry in raw["files"]),
            "wiring": Wiring(**raw["wiring"] | {"stances": tuple(raw["wiring"]["stances"])}),
            "fit": Fit(**raw["fit"]),
            "figures": Figures(**raw["figures"]),
            "former_figures": Figures(**raw["former_figures"]),
        }
    )


def write_record(adopted: Adopted, folder: Path) -> None:
    """Put `adopted` in use, in one step: a temporary file is renamed.

    Raises:
        DownloadError: the disk is full, or the folder cannot be written; the reader in use stays.
    """
    text = json.dumps(asdict(adopted), ensure_ascii=False, indent=1) + "\n"
    path = folder / RECORD
    with _told(path), atomic_write(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


def drop_record(folder: Path) -> bool:
    """Put the bundled reader in use; return whether another one was.

    Raises:
        DownloadError: the record cannot be removed.
    """
    path = folder / RECORD
    with _told(path):
        try:
            path.unlink()
        except FileNotFoundError:
            return False
    return True


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise DownloadError(
            f"cannot write {path}: {exc.strerror or exc}; the reader at hand stays in use; mend that and run it again"
        ) from exc


def load_bundled(
    threads: int, weights: Path = WEIGHTS_FOLDER, role: Role = Role.READER, copies: Path | None = None
) -> Reader:
    """Load the reader that ships, or the small stance model next to it, from `weights`.

    Args:
        threads: see `PairReader`.
        weights: the folder of the models.
        role: which of the two.
        copies: where a copy of the merged network is kept (see `models.merged`); None: nowhere.

    Raises:
        ModelError: a file is missing, damaged or wrong.
    """
    from models.merged import MergedCopy  # imported here because it loads onnx

    weight = WEIGHTS[role]
    read = MergedCopy(weight.checksum, copies) if copies else None
    return Reader(checked_path(weight, weights), threads, weight.temperature, weight.scale, weight.offset, read)


def load_adopted(adopted: Adopted, threads: int, folder: Path = FOLDER) -> AddedReader:
    """Load an adopted reader, after checking each of its files.

    Raises:
        ModelError: a file is missing, damaged or wrong, or a package is missing.
    """
    place = place_of(adopted.repo, adopted.commit, folder)
    mend = (
        f"fetch it again with: python -m models download reader {adopted.repo}, "
        "or go back to the bundled one with: python -m models drop reader"
    )
    for entry in adopted.files:
        check_file(place / entry.name, entry, mend)
    return AddedReader(load_classifier(place, adopted.network, adopted.wiring, threads), adopted.fit)


def load_in_use(
    threads: int, weights: Path = WEIGHTS_FOLDER, folder: Path = FOLDER, copies: Path | None = None
) -> PairReader:
    """Load the reader in use: adopted in `folder`, else bundled from `weights`.

    `copies` is as for `load_bundled`.

    Raises:
        ModelError: a file is missing, damaged or wrong.
    """
    adopted = read_record(folder)
    return load_adopted(adopted, threads, folder) if adopted else load_bundled(threads, weights, copies=copies)
