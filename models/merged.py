"""Keep the merged network on disk: reading takes half a second, merging the adapters three.

The file is a copy that can be rebuilt at any time. Its name holds what it was made of and the SHA-256 of its content,
so a file that was cut, damaged or made from other weights is not used. This guards only against accidents: anyone who
can write to the folder can put a network there, as into the folder of the weights.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from atomic import FRESH, atomic_write
from models.adapter import adapters_of
from models.signed_weights import fastest, multiplies_signed

_VERSION = 1
"""Increased when the same adapters are merged differently."""
_COPY = re.compile(r"[0-9a-f]{16}-(?:un)?signed-\d+-[0-9a-f]{64}\.onnx")
_SECONDS_TO_WRITE = 3_600.0


@dataclass(frozen=True, slots=True)
class MergedCopy:
    """Reads a network as `fastest` does; with adapters, from its copy in `folder`, if any.

    A new copy replaces older ones. If none can be written (a full disk, a read-only folder), the next start merges
    again. `checksum` identifies the weights and the adapters, which were checked against it.
    """

    checksum: str
    folder: Path

    def __call__(self, path: Path) -> bytes:
        """Read the network at `path` with its adapters merged.

        Raises:
            OSError: a file of the model cannot be read.
            DecodeError: it is not an ONNX file (an error of google.protobuf).
            SafetensorError, KeyError, ValueError: an adapter is damaged, or belongs to another network.
        """
        if not adapters_of(path):
            return fastest(path)
        made_of = f"{self.checksum[:16]}-{'signed' if multiplies_signed() else 'unsigned'}-{_VERSION}"
        kept = _kept(self.folder, made_of)
        if kept is None:
            kept = fastest(path)
            with suppress(OSError):
                _keep(kept, self.folder, made_of)
        return kept


def _kept(folder: Path, made_of: str) -> bytes | None:
    """Return the copy of this name whose content matches its name."""
    for path in folder.glob(f"{made_of}-*.onnx"):
        with suppress(OSError):  # another process may be replacing it
            content = path.read_bytes()
            if path.name == _name(made_of, content):
                return content
    return None


def _keep(content: bytes, folder: Path, made_of: str) -> None:
    """Write the copy in one step, and remove the others.

    Raises:
        OSError: it cannot be written; no part of it is left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / _name(made_of, content)
    with atomic_write(target) as fresh:
        fresh.write_bytes(content)
    for other in folder.iterdir():
        with suppress(OSError):
            if other != target and (_COPY.fullmatch(other.name) or _is_left_behind(other)):
                other.unlink()


def _is_left_behind(path: Path) -> bool:
    """Whether a killed process left this part of a copy behind."""
    return path.name.startswith(".") and path.suffix == FRESH and time.time() - path.stat().st_mtime > _SECONDS_TO_WRITE


def _name(made_of: str, content: bytes) -> str:
    return f"{made_of}-{sha256(content).hexdigest()}.onnx"
