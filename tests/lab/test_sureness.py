from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.evaluation.fit import write
from lab.evaluation.sureness import Judged, fit, parts_of
from verifier.judgement import sureness
from verifier.judgement.coefficients import FILE


def test_the_fit_gives_frequencies_and_no_weight_to_what_never_varies() -> None:
    weights, bias = fit([((n % 2, 1.0), n % 10 != 0) for n in range(1000)])  # 100 of the even ones are wrong
    chance = [1 / (1 + pow(2.718281828, -float(weights[0, 0] * x + weights[0, 1] + bias[0]))) for x in (0, 1)]
    assert chance[0] == pytest.approx(0.8, abs=0.02) and chance[1] > 0.95
    assert float(weights[0, 1]) == pytest.approx(0, abs=1e-6) and weights[1].tolist() == [0, 0]


def test_both_regressions_are_written_and_the_others_stay(tmp_path: Path) -> None:
    rows = [
        Judged(decided, tuple(float(n % (at + 2)) for at in range(len(names))), n % 3 > 0)
        for decided, names in ((True, sureness.DECIDED), (False, sureness.OPEN))
        for n in range(60)
    ]
    path = tmp_path / "coefficients.json"
    path.write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    before = json.loads(path.read_text(encoding="utf-8"))
    write(parts_of(rows), path)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert tuple(after["decided"]["weights"]) == sureness.DECIDED and after["decided"] != before["decided"]
    assert tuple(after["left_open"]["weights"]) == sureness.OPEN
    assert after["stance"] == before["stance"] and after["verdict"] == before["verdict"]
