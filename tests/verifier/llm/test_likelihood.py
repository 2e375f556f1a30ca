"""What is asked by likelihood, and a real model where VERIFIER_LLM names its file."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from errors import GenerationCancelled
from models.llm.bench import resident_megabytes
from models.llm.generator import Generator
from verifier.llm import likelihood
from verifier.llm.assistant import Limits, load_prompt
from verifier.llm.likelihood import EXAMPLES, ORDERS, Calibration, calibration_of, calibrations, keep, read_text

FILE = Path(os.environ.get("VERIFIER_LLM", "auto"))
real = pytest.mark.skipif(not FILE.is_file(), reason="set VERIFIER_LLM to the .gguf file of an instruct model")
TOWER = "The tower of Orso is 90 metres tall and was finished in 1931 after four years of work."


def test_a_calibration_tempers_and_moves_the_mean_of_the_orders() -> None:
    readings = np.array([[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]])
    even = Calibration(1.0).stance(readings)  # roots of 0.16, 0.04 and 0.04
    assert [even.supports, even.refutes] == pytest.approx([0.5, 0.25])
    assert Calibration(4.0).stance(readings).supports < even.supports
    moved = Calibration(1.0, (0.0, 1.0, 0.0)).stance(readings)
    assert moved.refutes / moved.neutral == pytest.approx(np.e)
    sure = Calibration().stance(np.array([[1.0, 0.0, 0.0]]))
    assert sure.supports + sure.refutes + sure.neutral == pytest.approx(1)


def test_a_model_that_nothing_was_fitted_for_is_believed_less_than_it_says() -> None:
    assert calibration_of("Some Other Model").temperature > 1 and calibration_of("Some Other Model").bias == (0, 0, 0)
    assert all(found.temperature > 0 and len(found.bias) == 3 for found in calibrations().values())


def test_a_calibration_is_kept_with_what_it_was_fitted_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "calibration.json"
    path.write_text("{}")
    monkeypatch.setattr(likelihood, "_PATH", path)
    keep("A Model", Calibration(1.5, (0.1, -0.2, 0.1)), "90 development texts")
    assert json.loads(path.read_text()) == {
        "A Model": {"temperature": 1.5, "bias": [0.1, -0.2, 0.1], "fitted_on": "90 development texts"}
    }


def test_no_answer_has_a_place_twice_and_the_examples_show_all() -> None:
    assert all(len(set(places)) == len(ORDERS) for places in zip(*ORDERS, strict=True))
    assert {example.answer for example in EXAMPLES} == {0, 1, 2} and {example.order for example in EXAMPLES} == {0, 1}


def test_the_examples_are_read_once(tiny: Path) -> None:
    generator = Generator(tiny, 1)
    first = read_text(generator, load_prompt("stance"), TOWER, "It has a clock.", Limits(60))
    read_text(generator, load_prompt("stance"), TOWER, "It is red.", Limits(60))
    assert generator.usage and generator.usage.kept > 0.8 * generator.usage.prompt
    assert np.allclose(first.sum(axis=1), 1) and first.shape == (2, 3)


@pytest.fixture(scope="module")
def instruct() -> Generator:
    return Generator(FILE, 2)


@real
def test_a_real_model_tells_what_is_said_from_what_is_not(instruct: Generator) -> None:
    claims = ["The tower of Orso is 90 metres tall.", "The tower of Orso is painted green."]
    said, open_ = (
        read_text(instruct, load_prompt("stance"), claim, TOWER, Limits(120)).mean(axis=0) for claim in claims
    )
    assert said[0] > open_[0] and open_[2] > said[2]


@real
def test_a_real_model_is_silent_soon_after_it_was_stopped(instruct: Generator) -> None:
    read_text(instruct, load_prompt("stance"), TOWER, TOWER, Limits(120))
    cancel, set_at = threading.Event(), list[float]()

    def stop() -> None:
        set_at.append(time.monotonic())
        cancel.set()

    threading.Timer(0.5, stop).start()
    with pytest.raises(GenerationCancelled):
        read_text(instruct, load_prompt("stance"), TOWER, f"{TOWER} " * 30, Limits(120, cancel))
    assert time.monotonic() - set_at[0] < 0.3


@real
def test_a_real_model_grows_no_further_once_its_room_is_full(instruct: Generator) -> None:
    prompt = load_prompt("stance")
    read_text(instruct, prompt, TOWER, "It has a clock.", Limits(120))
    before = resident_megabytes()
    for number in range(10):
        read_text(instruct, prompt, TOWER, f"It has {number} clocks.", Limits(120))
    assert resident_megabytes() - before < 30
