from __future__ import annotations

from pathlib import Path

import pytest

from errors import ModelError
from models.llm.generator import Generator
from models.llm.memory import MIB, free_memory


def test_a_context_is_as_long_as_memory_and_training_allow(tiny: Path) -> None:
    assert Generator(tiny, 1).context == 4096
    assert Generator(tiny, 1, 999_999).context == 4096  # trained for so many
    assert Generator(tiny, 1, 512).context == 512
    needed = 353 * MIB  # 256 per token of the context: 2 layers, 2 heads of 16 numbers, twice, 2 bytes each
    tight = Generator(tiny, 1, free_bytes=needed)
    assert 1024 <= tight.context < 4096 and tight.context % 256 == 0
    with pytest.raises(
        ModelError, match=r"tiny.gguf needs 35\d MB of memory and 100 MB are free; close other programs"
    ):
        Generator(tiny, 1, free_bytes=100 * MIB)


def test_free_memory_is_that_of_the_container(tmp_path: Path) -> None:
    assert (free_memory() or 0) > 100 * MIB
    assert free_memory(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9000 kB\nMemAvailable: 8000 kB\n")
    assert free_memory(tmp_path) == 8000 * 1024
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("3000000\n")
    (group / "memory.stat").write_text("anon 1\ninactive_file 500000\n")
    assert free_memory(tmp_path) == 8000 * 1024
    (group / "memory.max").write_text("4000000\n")
    assert free_memory(tmp_path) == 1_500_000
