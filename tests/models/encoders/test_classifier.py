from __future__ import annotations

import pytest

from errors import ModelError
from models.catalogue import WEIGHTS, Role
from models.encoders.classifier import EncoderClassifier
from models.files import WEIGHTS_FOLDER
from verifier.check.gather import Models


def test_probabilities_sum_to_one_over_the_labels(models: Models) -> None:
    stance = models.stance.probabilities("The bridge is long.", "The bridge is 412 metres long.")
    kind = models.claim_type.probabilities("The bridge is long.")
    assert set(stance) == set(WEIGHTS[Role.READER].labels) and set(kind) == set(WEIGHTS[Role.CLAIM_TYPE].labels)
    assert sum(stance.values()) == pytest.approx(1) and sum(kind.values()) == pytest.approx(1)


def test_a_higher_temperature_is_less_sure() -> None:
    weight = WEIGHTS[Role.CLAIM_TYPE]
    sure, unsure = (
        EncoderClassifier(WEIGHTS_FOLDER / weight.path, 1, weight.labels, temperature) for temperature in (1, 3)
    )
    text = "Pizza tastes better than burgers"
    assert max(sure.probabilities(text).values()) > max(unsure.probabilities(text).values())


def test_a_model_with_other_labels_is_refused() -> None:
    with pytest.raises(ModelError, match="has the labels .* not YES, NO; it is another model"):
        EncoderClassifier(WEIGHTS_FOLDER / WEIGHTS[Role.CLAIM_TYPE].path, 1, ("YES", "NO"))


def test_an_encoder_without_a_head_is_refused() -> None:
    with pytest.raises(ModelError, match="has the labels none"):
        EncoderClassifier(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path, 1, ("YES", "NO"))


@pytest.mark.parametrize("texts", [("", ""), ("x" * 10_000, "y" * 10_000), ("🎉", "\u200b")])
def test_any_text_can_be_judged(models: Models, texts: tuple[str, str]) -> None:
    assert sum(models.stance.probabilities(*texts).values()) == pytest.approx(1)
