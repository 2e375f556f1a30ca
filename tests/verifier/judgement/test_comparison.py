"""Comparisons are settled by two figures and by code; what is missing, disputed or too close stays open."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from kb.starter.pack import STATEMENTS
from kb.starter.seed import SEED_FACTS
from verifier.claim.comparison import Quantity, comparison_of
from verifier.judgement.comparison import Outcome, settle

DATA = Path(__file__).parents[2] / "data"
BRAZIL = "Brazil has an area of 8,515,770 square kilometres (about 3,290,000 square miles)."
ARGENTINA = "Argentina covers 2,780,400 square kilometres."


def outcome(claim: str, *texts: str) -> Outcome:
    asked = comparison_of(claim)
    assert asked
    return settle(asked, asked.quantities[0], texts)


def test_two_figures_settle_it_either_way_and_both_are_named() -> None:
    found = outcome("Brazil has a larger area than Argentina", "Brazil is in South America.", ARGENTINA, BRAZIL)
    assert found.holds is True and found.left and found.right
    assert (found.left.position, found.right.position) == (2, 1)
    assert (found.left.value, found.left.sentence) == (8_515_770e6, BRAZIL)
    assert outcome("Argentina has a larger area than Brazil", ARGENTINA, BRAZIL).holds is False


@pytest.mark.parametrize(
    ("claim", "texts", "holds"),
    [
        ("Alta is longer than Breda", ("Alta is 3 miles long.", "The length of Breda is 4 kilometres."), True),
        ("Alta is taller than Breda", ("Alta is 300 feet tall.", "Breda is 100 metres high."), False),
        (
            "Alta is higher than Breda",
            ("Alta is a mountain of 4,806 metres.", "Breda is a peak of 4,478 metres."),
            True,
        ),
        ("Alta is heavier than Breda", ("Alta weighs 2 tonnes.", "Breda weighs 1,500 kg."), True),
        ("Alta is older than Breda", ("Alta was founded in 1204.", "Breda was founded in 1190."), False),
        ("Alta is twice as large as Breda", ("Alta covers 41 hectares.", "Breda covers 20 hectares."), True),
        ("Alta is twice as large as Breda", ("Alta covers 60 hectares.", "Breda covers 20 hectares."), False),
        ("Alta is twice as large as Breda", ("Alta covers 46 hectares.", "Breda covers 20 hectares."), None),
    ],
)
def test_units_are_converted_and_factors_read(claim: str, texts: tuple[str, ...], holds: bool | None) -> None:
    assert outcome(claim, *texts).holds is holds


@pytest.mark.parametrize(
    ("claim", "texts", "holds"),
    [
        ("Alta was founded before Breda", ("Alta was founded in 1190.", "Brandt founded Breda in 1204."), True),
        ("Alta was founded after Breda", ("Alta was founded in 1190.", "Brandt founded Breda in 1204."), False),
        ("Alta was discovered before Breda", ("Brandt discovered the moon Alta in 1801.", "Breda was discovered in 1790."), False),
        ("Alta was founded before Breda", ("Alta was burnt in 1190.", "Breda was founded in 1204."), None),
        ("Alta was founded before Breda", ("Alta founded Orlow in 1190.", "Breda was founded in 1204."), None),
        ("Alta was founded before Breda", ("Brandt founded Alta Bank in 1190.", "Breda was founded in 1204."), None),
        ("Alta was built before Breda", ("Alta was built from 1163.", "Alta was completed in 1345.", "Breda was built in 1250."), None),
        ("Alta was built before Breda", ("Alta was built from 1163.", "Alta was completed in 1345.", "Breda was built in 1350."), True),
        ("Alta was built before Breda", ("Alta was built in 1190.", "Breda was built in 1190."), None),
        ("Alta is older than Breda", ("Alta was founded in 1163.", "Alta was built in 1345.", "Breda was built in 1250."), None),
    ],
)  # fmt: skip
def test_what_came_first_is_told_by_years_of_one_deed(claim: str, texts: tuple[str, ...], holds: bool | None) -> None:
    assert outcome(claim, *texts).holds is holds


@pytest.mark.parametrize(
    ("texts", "missing"),
    [
        ((BRAZIL,), "no figure for the area of Argentina was found"),
        ((BRAZIL, "Argentina is smaller than Brazil."), "no figure for the area of Argentina was found"),
        ((BRAZIL, "Lake Argentina covers 1,466 square kilometres."), "no figure for the area of Argentina was found"),
        ((BRAZIL, "Argentina's forests cover 300,000 square kilometres."), "no figure for the area of Argentina"),
        ((BRAZIL, "Argentina has about 47 million people."), "no figure for the area of Argentina was found"),
        ((BRAZIL, ARGENTINA, "Argentina covers 9,000,000 square kilometres."), "the figures for the area of Argentina disagree"),
    ],
)  # fmt: skip
def test_a_figure_that_is_missing_or_disputed_is_named(texts: tuple[str, ...], missing: str) -> None:
    found = outcome("Brazil has a larger area than Argentina", *texts)
    assert found.holds is None and missing in found.missing


def test_a_name_within_another_name_is_another_thing() -> None:
    texts = "Guinea-Bissau covers 36,125 square kilometres.", "Nigeria covers 923,768 square kilometres."
    assert outcome("Guinea is larger than Niger", *texts).missing == "no figure for the area of Guinea was found"


def test_what_lies_close_together_stays_open() -> None:
    texts = "Alta has a population of about 5.2 million people.", "Breda has a population of about 5.25 million people."
    assert outcome("Alta is more populous than Breda", *texts).holds is None


def test_written_comparisons_over_the_starter_facts() -> None:
    with gzip.open(STATEMENTS, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    texts += [json.loads(line)["text"] for line in SEED_FACTS.read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    for line in (DATA / "comparison_claims.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        asked = comparison_of(row["claim"])
        assert asked, row["claim"]
        found = [settle(asked, quantity, texts).holds for quantity in asked.quantities]
        said = next((str(holds) for holds in found if holds is not None), "open")
        counts["right" if said == row["expected"] else said if said == "open" else f"opposite: {row['claim']}"] += 1
    assert counts["right"] >= 195 and set(counts) <= {"right", "open"}


def test_every_quantity_has_words_and_units() -> None:
    asked = comparison_of("Alta is larger than Breda")
    assert asked
    texts = {
        Quantity.AREA: "covers {} hectares",
        Quantity.POPULATION: "has {} inhabitants",
        Quantity.LENGTH: "is {} kilometres long",
        Quantity.COASTLINE: "has a coastline of {} kilometres",
        Quantity.HEIGHT: "is {} metres high",
        Quantity.DEPTH: "is {} metres deep",
        Quantity.WEIGHT: "weighs {} tonnes",
        Quantity.SPEED: "has a speed of {} kilometres per hour",
        Quantity.TEMPERATURE: "has a temperature of {} degrees",
        Quantity.DISTANCE: "is {} kilometres away",
        Quantity.DIAMETER: "is {} metres across",
        Quantity.BEGINNING: "was founded in 1{}0",
    }
    assert texts.keys() == set(Quantity)
    for quantity, told in texts.items():
        found = settle(asked, quantity, [f"Alta {told.format(60)}.", f"Breda {told.format(30)}."])
        assert found.holds is True, (quantity, found.missing)
