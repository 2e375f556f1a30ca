"""What would settle a claim: only what the check looked for is named, and only where it was not found."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kb.publishers.credibility import SourceType
from kb.record import NewEvidence, Origin
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.evidence.retrieve import from_texts
from verifier.judgement.lacking import lacking
from verifier.schema import Evidence, Judgement, Stance, Tier, Verdict

NOW = datetime(2026, 11, 1, tzinfo=UTC)
OPEN = Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.6, Tier.LOW)
HELD = replace(OPEN, held_back="a single source takes a side")
NEUTRAL, FOR, AGAINST = Stance(0.1, 0.1, 0.8), Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
TOWER = "The tower of Zorbla is 90 metres tall"


def piece(text: str, stance: Stance = NEUTRAL, **changes: object) -> Evidence:
    (found,) = from_texts([NewEvidence(text, "https://paper.example/a", "", Origin.WEB)])
    return replace(found, stance=stance, **changes)  # type: ignore[arg-type]


def sought(claim: str, *evidence: Evidence, judgement: Judgement = OPEN, figure: str = "") -> tuple[str, ...]:
    return lacking(make_plan(parse_claim(claim)), judgement, evidence, NOW, figure)


def test_without_any_relevant_text_its_names_and_figures_are_what_was_looked_for() -> None:
    assert sought(TOWER) == ("a relevant text on \u201cZorbla\u201d and \u201c90 metres tall\u201d",)
    assert sought("cats sleep more than dogs") == ("a relevant text",)


def test_a_name_that_no_text_holds_is_named_and_one_that_a_text_or_title_holds_is_not() -> None:
    other = piece("The old tower of Brunnholm is 80 metres tall.")
    assert sought(TOWER, other)[0] == "a relevant text that names \u201cZorbla\u201d"
    assert not any("names" in line for line in sought(TOWER, replace(other, title="Zorbla")))
    medals = "The United States won 39 medals in Tokyo"
    assert not any("names" in line for line in sought(medals, piece("The USA won 40 medals in Tokyo.")))


def test_a_figure_is_named_where_no_text_has_one_to_hold_against_it() -> None:
    against = "a figure to hold against \u201c90 metres tall\u201d"
    assert against in sought(TOWER, piece("The tower of Zorbla has a clock."))
    for figure in ("90", "80"):
        assert against not in sought(TOWER, piece(f"The tower of Zorbla is {figure} metres tall."))


@pytest.mark.parametrize(
    ("pieces", "judgement", "wanted"),
    [
        ([piece("Zorbla has a tower.")], OPEN, "a text that says whether it is so"),
        ([piece("Zorbla has a tower.", FOR)], HELD, "a second independent source, or one of credibility 0.9 or more"),
        ([piece("Zorbla has it.", FOR), piece("Zorbla has not.", AGAINST)], OPEN, "contradict each other"),
        ([piece("Zorbla has it.", FOR, source_type=SourceType.SOCIAL)], HELD, "a source other than social media"),
        ([piece("Zorbla has it.", FOR)], OPEN, "a source that says more clearly whether it is so"),
    ],
)
def test_the_kind_of_source_follows_from_what_was_found(
    pieces: list[Evidence], judgement: Judgement, wanted: str
) -> None:
    assert wanted in "; ".join(sought("Zorbla has a tower", *pieces, judgement=judgement))


def test_only_old_texts_on_what_changes_ask_for_a_recent_source() -> None:
    old = piece("Ann Lee is the mayor of Zorbla.", FOR, published_at=NOW - timedelta(days=800))
    claim = "Ann Lee is currently the mayor of Zorbla"
    assert sought(claim, old)[-1] == "a recent source: the newest found is of 2024-08-23"
    assert "recent" not in str(sought(claim, replace(old, published_at=NOW - timedelta(days=8))))
    assert "recent" not in str(sought("Ann Lee was the mayor of Zorbla in 2019", old))


def test_what_a_comparison_lacks_comes_first_and_alone_where_nothing_was_found() -> None:
    figure = "a figure for the area of Zorbla"
    assert sought("Zorbla is larger than Brazil", figure=figure) == (figure,)
    found = sought("Zorbla is larger than Brazil", piece("Brazil is large."), figure=figure)
    assert found == (figure, "a relevant text that names \u201cZorbla\u201d")
