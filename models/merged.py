"""Keep the merged network on disk: a later start reads it in half a second, where merging the adapters takes three.

The file is a copy of what can be made again at any time. Its name holds what it was made of and the SHA-256 of its content, so
a file that was cut, damaged or made of other weights is not used. That guards against accidents: who can write into the folder
can put a network there, as into the folder of the weights.
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
"""Raised where the same adapters are merged otherwise."""
_COPY = re.compile(r"[0-9a-f]{16}-(?:un)?signed-\d+-[0-9a-f]{64}\.onnx")
_SECONDS_TO_WRITE = 3_600.0


@dataclass(frozen=True, slots=True)
class MergedCopy:
    """Reads a network as `fastest` does, from its copy in `folder` where it has adapters and there is a copy.

    A new copy takes the place of older ones. Where none can be written (a full disk, a folder that is read only), the next start
    merges again. `checksum` identifies the weights and the adapters; what lies there was compared with it.
    """

    checksum: str
    folder: Path

    def __call__(self, path: Path) -> bytes:
        """Read the network at `path` with its adapters merged.

        Raises:
            OSError: a file of the model cannot be read.
            DecodeError: it is no ONNX file (of google.protobuf).
            SafetensorError, KeyError, ValueError: an adapter is damaged, or another network's.
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
    """The copy of this name whose content is what the name says."""
    for path in folder.glob(f"{made_of}-*.onnx"):
        with suppress(OSError):  # another process may be replacing it
            content = path.read_bytes()
            if path.name == _name(made_of, content):
                return content
    return None


def _keep(content: bytes, folder: Path, made_of: str) -> None:
    """Write the copy in one step, and remove the others.

    Raises:
        OSError: it cannot be written; nothing is left of it.
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
    """Whether a process that was killed left a part of a copy."""
    return path.name.startswith(".") and path.suffix == FRESH and time.time() - path.stat().st_mtime > _SECONDS_TO_WRITE


def _name(made_of: str, content: bytes) -> str:
    return f"{made_of}-{sha256(content).hexdigest()}.onnx"
