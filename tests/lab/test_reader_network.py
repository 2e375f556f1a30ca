from __future__ import annotations

from pathlib import Path

import pytest

from lab.training.reader_network import half_precision_pays


@pytest.mark.parametrize(
    ("flags", "pays"),
    [("flags : avx512f avx512_bf16", True), ("flags : avx2", False), ("flags : avx512_bf16 amx_bf16", False)],
)
def test_half_precision_is_used_where_the_processor_has_it_and_is_safe(tmp_path: Path, flags: str, pays: bool) -> None:
    (tmp_path / "cpuinfo").write_text(flags)
    assert half_precision_pays(tmp_path / "cpuinfo") is pays
    assert half_precision_pays(tmp_path / "missing") is False
