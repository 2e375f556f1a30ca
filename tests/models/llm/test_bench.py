from __future__ import annotations

from pathlib import Path

import pytest

from models.__main__ import main
from models.llm.bench import thread_counts


def test_the_bench_prints_a_line_per_number_of_threads(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(tiny)]) == 0
    about, names, *rows = capsys.readouterr().out.splitlines()
    assert about.startswith("Tiny Instruct: llama, 0 million parameters, F32, 0 MB")
    assert names.split() == ["threads", "load", "s", "memory", "MB", "prompt", "tokens/s", "written", "tokens/s"]
    assert [int(row.split()[0]) for row in rows] == thread_counts()
    assert all(float(number.replace(",", "")) > 0 for row in rows for number in row.split()[2:])


def test_the_bench_of_no_model_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(tmp_path / "none.gguf")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("error: model file") and printed.err.count("\n") == 1


def test_without_arguments_the_weights_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "stance: ok" in capsys.readouterr().out
