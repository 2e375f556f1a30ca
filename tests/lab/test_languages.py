from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from errors import InputError
from lab.evaluation.languages import Outcome, evaluate, figures_of, read_rows, same_figures_and_names
from models.hub.generators import Mode
from verifier.settings import Settings


def test_a_limit_draws_the_same_rows_of_every_language() -> None:
    drawn = read_rows("test", 3)
    assert drawn == read_rows("test", 3) and set(Counter(row.language for row in drawn).values()) == {3}
    assert len(read_rows("dev", None)) == 113 and {row.split for row in drawn} == {"test"}


@pytest.mark.parametrize(
    ("english", "translation", "kept"),
    [
        ("The Zugspitze is 2,963 metres high", "The Zugspitze has a height of 2963 metres", True),
        ("The Zugspitze is 2,963 metres high", "The Zugspitze has a height of 2.963 metres", False),
        ("Mars has four moons", "Mars has 4 moons", True),
        ("The theatre of Ljubljana", "The theatre of Lubiana", False),
    ],
)
def test_a_translation_is_held_against_the_english_of_a_person(english: str, translation: str, kept: bool) -> None:
    assert same_figures_and_names(english, translation) is kept


def test_a_refused_translation_counts_as_lost() -> None:
    right, other = read_rows("dev", 1)[:2]
    outcomes = [
        Outcome(right, right.language, right.english, "", True, right.expected, right.expected, 2.0, 1.0),
        Outcome(other, "", "", "the figure 3 is missing", False, "", other.expected, 4.0, 3.0),
    ]
    values = {figure.measure: figure.value for figure in figures_of("all", outcomes)}
    shares = [values[name] for name in ("detected", "translated", "figures and names kept", "verdict of its English")]
    assert shares == [0.5] * 4 and (values["English right"], values["verdict right"]) == (1.0, 0.5)


def test_without_a_language_model_nothing_is_measured(settings: Settings) -> None:
    with pytest.raises(InputError, match=r"set VERIFIER_LLM=FILE.gguf"):
        evaluate("dev", 1, replace(settings, llm=Mode.OFF))
