from __future__ import annotations

from pathlib import Path

import pytest

from models.__main__ import main
from models.llm.bench import TASKS, thread_counts


def test_the_bench_prints_a_line_per_number_of_threads_and_per_task(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", str(tiny)]) == 0
    about, names, *rows = capsys.readouterr().out.splitlines()
    assert about.startswith("Tiny Instruct: llama, 0 million parameters, F32, 0 MB")
    assert names.split("  ")[-1].strip() == "written tokens/s" and "first token s" in names
    counts = thread_counts()
    speeds, heads, tasks = rows[: len(counts)], rows[len(counts)], rows[len(counts) + 1 :]
    assert [int(row.split()[0]) for row in speeds] == counts
    assert all(float(number.replace(",", "")) > 0 for row in speeds for number in row.split()[2:])
    assert heads.startswith("task, on ") and len(tasks) == len(TASKS)
    for task, row in zip(TASKS, tasks, strict=True):
        read, kept, written = map(int, row.split()[-3:])
        assert row.startswith(task.name) and kept > task.instructions and read < kept + 9 * task.question
        assert written == task.answer


def test_the_bench_of_no_model_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(tmp_path / "none.gguf")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("error: model file") and printed.err.count("\n") == 1


def test_without_arguments_the_weights_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "stance: ok" in capsys.readouterr().out
