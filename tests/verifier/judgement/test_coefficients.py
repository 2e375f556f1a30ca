from __future__ import annotations

import math
import random

import pytest

from verifier.judgement import reading, verdict
from verifier.judgement.coefficients import Logistic, coefficients


def test_the_file_has_the_features_of_the_code_in_their_order() -> None:
    assert coefficients().stance.features == reading.FEATURES
    assert coefficients().verdict.features == verdict.FEATURES
    assert len(set(reading.FEATURES)) == len(reading.FEATURES) and len(set(verdict.FEATURES)) == len(verdict.FEATURES)


def test_the_file_has_the_classes_of_the_code() -> None:
    assert coefficients().stance.classes == ("supports", "refutes", "neutral")
    assert coefficients().verdict.classes == ("True", "False", "Not Enough Evidence")


@pytest.mark.parametrize("model", [coefficients().stance, coefficients().verdict], ids=["stance", "verdict"])
def test_every_class_has_a_finite_number_for_every_feature_and_probabilities_sum_to_one(model: Logistic) -> None:
    assert len(model.weights) == len(model.bias) == len(model.classes)
    assert all(len(row) == len(model.features) and all(map(math.isfinite, row)) for row in model.weights)
    assert all(map(math.isfinite, model.bias))
    chance = random.Random(0)
    for _ in range(100):
        found = model.probabilities([chance.uniform(-10, 10) for _ in model.features])
        assert tuple(found) == model.classes and min(found.values()) >= 0
        assert sum(found.values()) == pytest.approx(1)


def test_a_stance_of_both_readings_is_kept_where_nothing_else_speaks() -> None:
    for label, place in (("supports", 0), ("refutes", 1), ("neutral", 2)):
        logs = [math.log(0.96 if n == place else 0.02) for n in range(3)]
        values = (*logs, *logs, *(0.0,) * (len(reading.FEATURES) - 6))
        found = coefficients().stance.probabilities(values)
        assert max(found, key=lambda name: found[name]) == label


def test_two_strong_votes_of_a_side_decide_and_none_decides_nothing() -> None:
    chances = coefficients().verdict.probabilities
    for values, name in (
        ((0.9, 0.9, 0, 0, 0), "True"),
        ((0, 0, 0.9, 0.9, 0), "False"),
        ((0, 0, 0, 0, 0), "Not Enough Evidence"),
    ):
        found = chances(values)
        assert max(found, key=lambda key: found[key]) == name


def test_probabilities_follow_the_softmax_of_the_weighted_features() -> None:
    model = Logistic(("yes", "no"), ("a", "b"), ((1.0, 0.0), (0.0, 2.0)), (0.5, 0.0))
    found = model.probabilities((1.0, 0.5))
    assert found["yes"] == pytest.approx(1 / (1 + math.exp(-0.5))) and found["no"] == pytest.approx(1 - found["yes"])
    assert model.probabilities((5000.0, 0.0)) == {"yes": 1.0, "no": 0.0}
    with pytest.raises(ValueError, match="zip"):
        model.probabilities((1.0,))


def test_the_file_is_read_once() -> None:
    assert coefficients() is coefficients()
