"""Measure free memory, and find the longest context that fits a model into it."""

from __future__ import annotations

from pathlib import Path

from errors import ModelError
from models.llm.gguf_header import Header
from models.llm.language_model import BATCH_TOKENS

MIB = 2**20
LEAST_CONTEXT = 1024
"""A model that cannot have this many tokens is useless here."""
KEPT_BYTES = 256 * MIB
"""Room for the states of prompts that are kept to be continued."""
_STEP = 256
_WORKING = 96 * MIB


def free_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes that a process may still take.

    That is what the machine has, or its control group if less; None if /proc does not say. `root` stands for the file
    system's root.
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
    """Return what a container's own limit leaves; droppable file pages count as free."""
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    if not limit.isdigit():  # "max" means no limit
        return None
    dropped = next((int(row[1]) for row in rows if row[0] == "inactive_file"), 0)
    return max(int(limit) - used + dropped, 0)


def needed_bytes(header: Header, context: int) -> int:
    """Add up the weights, the cache of `context` tokens, kept prompts, and working room."""
    logits = header.vocabulary * 4 * BATCH_TOKENS
    return header.file_bytes + header.cache_bytes_per_token * context + KEPT_BYTES + logits + _WORKING


def fitting_context(header: Header, wanted: int, free: int | None, name: str) -> int:
    """Find the longest context of at most `wanted` tokens that fits into `free` bytes.

    It is no longer than the model was trained for.

    Raises:
        ModelError: not even a short context fits, or `wanted` is not a number of tokens.
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
