from __future__ import annotations

import json

import pytest
import torch

from lab.evaluation.fit import Checks, Combiner, Texts, as_json, fit, padded
from verifier.judgement import reading, verdict
from verifier.schema import Verdict


def features(**values: float) -> list[float]:
    return [values.get(name, 0.0) for name in reading.FEATURES]


def denials() -> Texts:
    """The model takes each for support; those with a denial refute."""
    sure = {"whole_supports": -0.1, "whole_refutes": -3.0, "whole_neutral": -3.0}
    rows = [features(**sure, denied_here=1.0), features(**sure)] * 40
    return Texts("denials", torch.tensor(rows), torch.tensor([1, 0] * 40))


def test_a_cue_that_turns_the_stance_gets_a_weight_that_turns_it() -> None:
    combiner = fit([denials()], [])
    odds = combiner.of_texts(denials().features[:2])
    assert odds.argmax(-1).tolist() == [1, 0]
    column = reading.FEATURES.index("denied_here")
    assert combiner.stance[1, column] > 0 > combiner.stance[0, column]


def test_two_sources_weigh_more_than_one_and_copies_no_more_than_one() -> None:
    sure = features(whole_supports=-0.05, whole_refutes=-4.0, whole_neutral=-4.0)
    rows = torch.tensor([sure] * 5)
    sources, truth = [[[0], [1]], [[2]], [[3, 4]], []], torch.tensor([0, 2, 2, 2])
    checks = Checks("c", rows, torch.full((5,), 0.9), padded(sources), truth)
    odds = Combiner().of_checks(checks)
    assert odds.shape == (4, 3)
    assert odds[0, 0] > odds[1, 0] and odds[1].tolist() == pytest.approx(odds[2].tolist())
    assert odds[3].tolist() == pytest.approx([0.0, 0.0, 2.0])


def test_the_file_holds_every_feature_by_name() -> None:
    values = json.loads(as_json(Combiner()))
    assert (
        tuple(values["stance"]["weights"]) == reading.FEATURES
        and tuple(values["verdict"]["weights"]) == verdict.FEATURES
    )
    assert values["verdict"]["classes"] == [str(Verdict.TRUE), str(Verdict.FALSE), str(Verdict.NOT_ENOUGH_EVIDENCE)]
    assert values["stance"]["weights"]["whole_supports"] == [0.5, 0.0, 0.0]
