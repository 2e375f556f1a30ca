from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.record import NewEvidence
from lab.evaluation.fit import write
from lab.evaluation.sureness import Judged, cases_of, fit, parts_of, rows_of, settled_cases_of
from verifier.check.pipeline import Verifier
from verifier.evaluation.cases import Case
from verifier.evaluation.run import run_cases
from verifier.judgement import sureness
from verifier.judgement.coefficients import FILE
from verifier.schema import Verdict


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


def test_what_is_fitted_is_what_a_check_computes(verifier: Verifier) -> None:
    ferry = NewEvidence("The ferry Ostra sank off Brenholm in 1987.")
    cases = [
        Case("1", "The Earth is flat", Verdict.FALSE),
        Case("2", "The ferry Ostra sank in 1987", Verdict.TRUE, given=(ferry,)),
        Case("3", "The ferry Ostra sank in 1987", Verdict.TRUE, given=()),
        Case("4", "The Earth is flat and the Moon is made of cheese", Verdict.FALSE),
        Case("5", "Cheese is delicious", Verdict.NOT_VERIFIABLE),
    ]
    judged = run_cases(cases, verifier)
    rows = [list(rows_of(row, result, least=0.0)) for row, result in judged]
    assert [[found.decided for found in of_one] for of_one in rows] == [[True], [True], [False], [], []]
    chances = (sureness.chance_decided, sureness.chance_decided, sureness.chance_open)
    for (_, result), (found,), chance in zip(judged[:3], rows[:3], chances, strict=True):
        assert result and result.confidence == pytest.approx(min(chance(found.features), 0.99), abs=1e-4)


def test_a_verdict_too_unsure_to_be_shown_is_a_claim_left_open_too(verifier: Verifier) -> None:
    ((row, result),) = run_cases([Case("1", "The Earth is flat", Verdict.FALSE)], verifier)
    decided, left_open = rows_of(row, result, least=1.0)
    assert decided.decided and decided.right and not left_open.decided and not left_open.right


def test_only_development_claims_are_fitted_on() -> None:
    own = Path(__file__).parents[1] / "data"
    cases, settled = cases_of(own), settled_cases_of(own)
    assert len(cases) == 612 + 170 + 360 and len(settled) == 626 + 467
    assert all(case.split in ("", "dev") for case in (*cases, *settled))
    assert sum(case.expected in {Verdict.TRUE, Verdict.FALSE} for case in settled) > 0.95 * len(settled)
