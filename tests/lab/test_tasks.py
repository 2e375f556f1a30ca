"""What an instruct model adds to the rules: how answers are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import InputError
from lab.evaluation import tasks
from lab.evaluation.tasks import Answer, figures_of, rows_of
from models.hub.generators import Mode
from verifier.settings import Settings


def answer(claim: str, *said: str, failed: str = "") -> Answer:
    return Answer("long parts", claim, said, failed, 2.0, 1.5, 40, 100, 20)


def test_a_rejected_answer_counts_as_the_rules_answer() -> None:
    first, second = rows_of("long parts", Settings(), 2)
    assert first.right(first.rules) == 0 and second.right(second.rules) == 1  # a compound claim that rules leave whole
    given = [
        answer(
            first.claim,
            "The Corveth railway viaduct was built between 1928 and 1931 by the firm Aldermann",
            "The Corveth railway viaduct carries forty trains a day over the river Lunn",
        ),
        answer(second.claim, failed="no answer in time"),
    ]
    found = {(figure.split, figure.measure): figure.value for figure in figures_of([first, second], given)}
    assert found["long parts, rules", "right"] == 0.5
    assert found["long parts, model", "right"] == 1 and found["long parts, model", "right, else rules"] == 1
    assert found["long parts, model", "rejected"] == 0.5 and found["long parts, model", "kept"] == 100


def test_parts_are_right_when_each_has_most_of_its_words() -> None:
    (row,) = rows_of("parts", Settings(), 1)
    assert row.right(row.rules) == 1 and row.right(row.rules[:1]) == 0
    assert row.right((row.rules[0], "The bridge is red")) == 0


def test_answers_are_kept_and_read_again(tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TASKS", ("long parts",))
    file, settings = tmp_path / "answers.jsonl", Settings(llm=tiny)
    first = tasks.evaluate(settings, 2, file)
    lines = file.read_text(encoding="utf-8")
    assert lines.count("\n") == 2
    assert tasks.evaluate(settings, 2, file) == first and file.read_text(encoding="utf-8") == lines


def test_without_a_model_there_is_one_line() -> None:
    with pytest.raises(InputError, match="no instruct model"):
        tasks.evaluate(Settings(llm=Mode.OFF))
