from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from errors import InputError
from kb.record import NewEvidence, Origin
from tests.fakes import ScriptedGenerator
from tests.verifier.report.report_cases import evidence, result
from ui.cards import settled_card, verdict_card
from ui.tab_about import about
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evaluation.guarantee import FEWEST, Decided, grades_of, loosest, upper_bound
from verifier.judgement.grades import (
    FILE,
    Grades,
    Kind,
    Passed,
    Running,
    checksum_of,
    in_use,
    kind_of,
    read,
    running,
    write,
)
from verifier.llm.assistant import Assistant
from verifier.report.as_html import result_to_html
from verifier.report.as_json import result_to_dict
from verifier.report.as_markdown import result_to_markdown
from verifier.report.as_text import result_to_text
from verifier.report.from_json import result_from_dict
from verifier.schema import Judgement, Tier, Verdict, VerificationResult
from verifier.schema.grade import Grade, told
from verifier.settings import Settings

DATA = Path(__file__).parents[2] / "data"
FIVE, TEN = Grade(0.05, 412, 9, 0.0378), Grade(0.1, 600, 42, 0.0898)
GRADES = Grades(
    date(2026, 1, 2),
    Running("0" * 16, "1" * 16),
    {"mine.jsonl": "2" * 16},
    (Passed(Kind.STORE, 0.85, 700, FIVE), Passed(Kind.STORE, 0.6, 700, TEN)),
)


def test_the_grades_that_ship_were_tested_with_what_ships(tmp_path: Path) -> None:
    """Fails after a change of weights or coefficients: docs/evaluation.md has the command that tests again."""
    shipped = in_use(FILE, tmp_path)
    assert shipped and shipped.tested
    assert shipped.claims == {name: checksum_of(DATA / name) for name in shipped.claims}
    for each in shipped.tested:
        bound = upper_bound(each.grade.errors, each.grade.n)
        assert each.grade.bound == pytest.approx(bound, abs=1e-4) and bound <= each.grade.level


@pytest.mark.parametrize(
    ("errors", "n", "bound"),
    [(0, 10, 0.25887), (0, 59, 0.04951), (3, 100, 0.07571), (9, 412, 0.03781), (10, 10, 1.0)],
)
def test_the_bound_is_that_of_clopper_and_pearson(errors: int, n: int, bound: float) -> None:
    assert upper_bound(errors, n) == pytest.approx(bound, abs=1e-5)


def verdicts(*groups: tuple[float, int, int], kind: Kind = Kind.STORE) -> list[Decided]:
    """Groups of (confidence, how many, how many of them wrong)."""
    return [Decided(kind, confidence, at < wrong) for confidence, count, wrong in groups for at in range(count)]


@pytest.mark.parametrize(
    ("groups", "threshold", "n"),
    [
        ([(0.97, 10, 9), (0.9, 990, 0)], 0.5, 1000),  # too few to begin with are left out
        ([(0.9, 400, 4), (0.7, 400, 4), (0.6, 400, 200)], 0.61, 800),
        (
            [(0.9, 400, 4), (0.7, 100, 60), (0.6, 9000, 0)],
            0.71,
            400,
        ),  # what comes after the first failure is not tested
        ([(0.9, int(FEWEST / 0.05) - 1, 0)], None, 0),
        ([(0.9, 400, 40), (0.6, 9000, 0)], None, 0),
    ],
)
def test_thresholds_are_tested_from_the_strictest_down(
    groups: list[tuple[float, int, int]], threshold: float | None, n: int
) -> None:
    found = loosest(verdicts(*groups), 0.05)
    assert (found and (found[0], found[1].n)) == (threshold and (threshold, n))


def test_kinds_of_evidence_are_tested_apart_and_together() -> None:
    some = [*verdicts((0.9, 500, 5)), *verdicts((0.9, 500, 100), kind=Kind.GIVEN)]
    tested = grades_of(some, [0.2, 0.05], running(DATA), [DATA / "claims.jsonl"])
    assert [(each.kind, each.grade.level) for each in tested.tested] == [
        (Kind.STORE, 0.05),
        (Kind.STORE, 0.2),
        (Kind.ALL, 0.2),
    ]
    assert tested.tested[0].coverage == 1 and list(tested.claims) == ["claims.jsonl"]


@pytest.mark.parametrize(
    ("verdict", "confidence", "kind", "grade"),
    [
        (Verdict.TRUE, 0.85, Kind.STORE, FIVE),
        (Verdict.MISLEADING, 0.7, Kind.STORE, TEN),
        (Verdict.TRUE, 0.59, Kind.STORE, None),
        (Verdict.TRUE, 0.99, Kind.WEB, None),
        (Verdict.NOT_ENOUGH_EVIDENCE, 0.99, Kind.STORE, None),
        (Verdict.NOT_VERIFIABLE, 0.99, Kind.STORE, None),
    ],
)
def test_a_verdict_has_the_strictest_grade_that_was_tested(
    verdict: Verdict, confidence: float, kind: Kind, grade: Grade | None
) -> None:
    assert GRADES.of(verdict, confidence, kind) == grade


def test_one_piece_from_the_web_makes_it_a_verdict_of_the_web() -> None:
    stored, given, imported = (
        replace(evidence(text), origin=origin, record_id=key)
        for text, origin, key in (("a", Origin.KB, "1"), ("b", Origin.USER, ""), ("c", Origin.USER, "2"))
    )
    web = replace(evidence("d"), record_id="3")
    assert [kind_of(some) for some in ([stored], [stored, given], [imported], [stored, given, web], [])] == [
        Kind.STORE,
        Kind.GIVEN,
        Kind.GIVEN,
        Kind.WEB,
        Kind.STORE,
    ]


def test_grades_of_other_weights_or_coefficients_are_withdrawn(tmp_path: Path) -> None:
    path, now = tmp_path / "grades.json", running(tmp_path)
    for runs, kept in ((now, True), (replace(now, weights="x"), False), (replace(now, coefficients="x"), False)):
        write(replace(GRADES, running=runs), path)
        assert read(path) == replace(GRADES, running=runs)
        assert (in_use(path, tmp_path) is not None) is kept
    for broken in ("", "[]", json.dumps({"tested": [{}]})):
        path.write_text(broken)
        with pytest.raises(InputError, match="no grades can be read"):
            in_use(path, tmp_path)


def test_a_grade_is_told_in_words() -> None:
    assert told(FIVE) == "Tested: of 412 claims decided this surely, 9 were wrong (at most 5% with 95% certainty)"
    assert told(None) == "Not tested to hold"
    page = about([], log=False, days=0, grades=GRADES)
    assert "from 85% confidence on, which 59% of verdicts reach: of 412 claims" in page
    assert "was not tested" in about([], log=False, days=0, grades=None)


FORMS = (result_to_text, result_to_markdown, result_to_html, verdict_card)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_the_grade_of_a_verdict_that_takes_a_side(form: Callable[[VerificationResult], str]) -> None:
    assert FIVE.told in html.unescape(form(result(grade=FIVE)))
    assert "Not tested to hold" in form(result())
    left_open = form(result(verdict=Verdict.NOT_ENOUGH_EVIDENCE))
    assert "ested to hold" not in left_open and "Tested" not in left_open
    assert "ested to hold" not in settled_card(Judgement(Verdict.FALSE, 0.8, Tier.HIGH))


def test_programs_get_the_grade_and_the_log_keeps_it() -> None:
    answer = result_to_dict(result(grade=FIVE))
    assert answer["grade"] == {"level": 0.05, "n": 412, "errors": 9, "bound": 0.0378}
    assert result_from_dict(answer).grade == FIVE
    assert result_to_dict(result())["grade"] is None and result_from_dict(result_to_dict(result())).grade is None


def test_a_check_is_graded_by_what_it_rests_on_and_never_with_a_language_model(
    models: Models, settings: Settings
) -> None:
    any_given = replace(GRADES, tested=(Passed(Kind.GIVEN, 0.0, 700, FIVE),))
    given = [NewEvidence("The Vasco bridge opened in 1931.")]
    found = []
    for assistant in (None, Assistant(lambda: ScriptedGenerator([{"reasons": []}]))):
        verifier = Verifier(models, None, None, settings, assistant, grades=any_given).with_settings(settings)
        found.append(verifier.verify("The Vasco bridge opened in 1931", given=given))
    assert [(each.verdict, each.grade) for each in found] == [(Verdict.TRUE, FIVE), (Verdict.TRUE, None)]
