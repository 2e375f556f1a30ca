"""How much memory is free, and how long a context fits a model into it."""

from __future__ import annotations

from pathlib import Path

from errors import ModelError
from models.llm.gguf_header import Header
from models.llm.language_model import BATCH_TOKENS

MIB = 2**20
LEAST_CONTEXT = 1024
"""A model that cannot have this many tokens is of no use here."""
KEPT_BYTES = 256 * MIB
"""Room for the states of prompts that are kept to be continued."""
_STEP = 256
_WORKING = 96 * MIB


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that a process may still take: of the machine, or of its control group where that is less.

    None where the system does not tell in /proc. `root` stands for the file system's root.
    """
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    sizes = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines) if rest}
    free = sizes.get("MemAvailable")
    group = _free_in_group(root / "sys/fs/cgroup")
    return free if group is None else group if free is None else min(free, group)


def _free_in_group(folder: Path) -> int | None:
    """What a container's own limit leaves; pages of files that can be dropped count as free."""
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    if not limit.isdigit():  # "max": no limit
        return None
    dropped = next((int(row[1]) for row in rows if row[0] == "inactive_file"), 0)
    return max(int(limit) - used + dropped, 0)


def needed_bytes(header: Header, context: int) -> int:
    """The weights, the cache of `context` tokens, what is kept of earlier prompts, and room to compute in."""
    logits = header.vocabulary * 4 * BATCH_TOKENS
    return header.file_bytes + header.cache_bytes_per_token * context + KEPT_BYTES + logits + _WORKING


def fitting_context(header: Header, wanted: int, free: int | None, name: str) -> int:
    """The longest context of at most `wanted` tokens that the model was trained for and that fits into `free` bytes.

    Raises:
        ModelError: not even a short context fits, or `wanted` is no number of tokens.
    """
    if wanted < 1:
        raise ModelError(f"the context must be >= 1 token, is {wanted}")
    longest = min(wanted, header.number("context_length") or wanted)
    if free is None or needed_bytes(header, longest) <= free:
        return longest
    least = min(longest, LEAST_CONTEXT)
    needed = needed_bytes(header, least)
    if needed > free:
        raise ModelError(
            f"{name} needs {needed // MIB:,} MB of memory and {free // MIB:,} MB are free; "
            "close other programs, or choose a smaller model or quantisation"
        )
    room = (free - needed_bytes(header, 0)) // header.cache_bytes_per_token
    return max(least, room // _STEP * _STEP)
