from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kb.record import NewEvidence, Origin
from tests.fakes import Says
from verifier.check.gather import Models
from verifier.claim.parsed import parse_claim
from verifier.evidence.retrieve import from_texts
from verifier.judgement.ratings import judge_rated, rating_of
from verifier.schema import Evidence, StanceLabel, Verdict
from verifier.search.pages import rating_sentence

PASSAGES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "news_passages.jsonl").read_text(encoding="utf-8").splitlines()
]
CLAIM = "Bus journeys in Wexmoor rose by 60 per cent in 2025"


def piece(text: str, rating: str = "") -> Evidence:
    (found,) = from_texts([NewEvidence(text, "https://www.snopes.com/1", origin=Origin.FACT_CHECK, rating=rating)])
    return found


def rated(text: str, claim: str = CLAIM) -> Verdict | None:
    """What a text that repeats the claim rates it, without a rating field."""
    found = rating_of(parse_claim(claim), [piece(f"{text} \u201c{claim}\u201d, says a post.")])
    return found[0] if found else None


@pytest.mark.parametrize(
    ("rating", "verdict"),
    [
        ("Misleading", Verdict.MISLEADING),
        ("Missing context", Verdict.MISLEADING),
        ("Lacks important context", Verdict.MISLEADING),
        ("Out of Context", Verdict.MISLEADING),
        ("Cherry-picked", Verdict.MISLEADING),
        ("Exaggerated", Verdict.MISLEADING),
        ("Distorts the Facts", Verdict.MISLEADING),
        ("Half true", Verdict.PARTIALLY_TRUE),
        ("half-true", Verdict.PARTIALLY_TRUE),
        ("Partly False", Verdict.PARTIALLY_TRUE),
        ("Mostly true", Verdict.PARTIALLY_TRUE),
        ("Mixture", Verdict.PARTIALLY_TRUE),
        ("Mostly true, but misleading", Verdict.MISLEADING),
    ],
)
def test_the_rating_field_decides_where_the_check_is_of_this_claim(rating: str, verdict: Verdict) -> None:
    assert rating_of(parse_claim(CLAIM), [piece(f"{CLAIM}, says a post.", rating)]) == (verdict, 0)


@pytest.mark.parametrize("rating", ["True", "False", "Pants on Fire", "Correct", ""])
def test_other_ratings_are_left_to_the_votes(rating: str) -> None:
    assert rating_of(parse_claim(CLAIM), [piece(f"{CLAIM}, says a post.", rating)]) is None


def test_the_rating_field_goes_before_the_words_of_the_text() -> None:
    assert rating_of(parse_claim(CLAIM), [piece(f"Our rating: misleading. {CLAIM}.", "Half true")]) == (
        Verdict.PARTIALLY_TRUE,
        0,
    )
    assert rating_of(parse_claim(CLAIM), [piece(f"Our rating: misleading. {CLAIM}.", "True")]) is None


@pytest.mark.parametrize(
    "text",
    [
        "We rate this claim misleading: the figure is right.",
        "We rate this as lacking context.",
        "We call this misleading.",
        "We therefore judge the claim to be misleading.",
        "Our rating: Misleading.",
        "Our verdict on the minister's post is: missing context.",
        "Our verdict is that the claim is misleading.",
        "It gets our rating Missing context.",
        "It was checked. Rating: lacks context.",
        "Verdict: Missing context.",
        "Final verdict \u2013 out of context.",
        "Misleading. The figure is right.",
        "Full Fact rated it misleading.",
        "It was rated misleading by Full Fact.",
        "The claim is misleading.",
        "The claim was deeply misleading.",
        "We find this claim exaggerated.",
    ],
)
def test_a_misleading_rating_is_read_in_words(text: str) -> None:
    assert rated(text) is Verdict.MISLEADING


@pytest.mark.parametrize(
    "text",
    [
        "We have rated it half true.",
        "We rate this half-true because the sum did rise.",
        "Our overall assessment: mixture.",
        "The rating is half true.",
        "PolitiFact gave it a rating of \u201chalf true\u201d.",
        "The verdict: partly false.",
        "Half true, we find.",
        "Mostly false is our verdict.",
        "PolitiFact rated the claim Half True.",
    ],
)
def test_a_rating_as_true_in_part_is_read_in_words(text: str) -> None:
    assert rated(text) is Verdict.PARTIALLY_TRUE


@pytest.mark.parametrize(
    "text",
    [
        "The minister called the report misleading.",
        "The opposition labelled it misleading.",
        "The court's ruling was mixed.",
        "The verdict on the film was mixed.",
        "We call on the town, whose adverts were misleading.",
        "Our rating is not misleading.",
        "We do not rate this as misleading.",
        "We don\u2019t rate this as misleading.",
        "The claim is not misleading.",
        "The jury's verdict: guilty of misleading investors.",
        "We asked the ministry; it said the figures were distorted.",
        "We found no evidence that it was distorted.",
        "The rate is misleading.",
        "The conclusion is that the maps were exaggerated.",
        "Misleading adverts are banned.",
        "We rate this claim true.",
        "Our rating: False.",
        "A mixed day for the markets.",
        "The town sold its pool.",
    ],
)
def test_plain_passages_are_not_ratings(text: str) -> None:
    assert rated(text) is None


def test_a_rating_of_another_claim_does_not_count() -> None:
    check = piece("Our rating: misleading. Bus fares in Wexmoor doubled, says a post.")
    assert rating_of(parse_claim("Bus fares in Wexmoor doubled"), [check]) == (Verdict.MISLEADING, 0)
    assert rating_of(parse_claim("Egg prices in Norrland halved within weeks"), [check]) is None


def test_a_check_that_quotes_another_statement_rates_that_one() -> None:
    for opening, closing in ("\u201c\u201d", '""', "\u2018\u2019", "''"):
        said = f"{opening}Bus fares in Wexmoor doubled within a single year{closing}"
        check = piece(
            f"A leaflet about Wexmoor's buses says {said}. Our rating: misleading. Ivy Holt wrote the leaflet."
        )
        assert rating_of(parse_claim("The bus fares doubled in Wexmoor"), [check]) == (Verdict.MISLEADING, 0), opening
        assert rating_of(parse_claim("Ivy Holt wrote the leaflet about Wexmoor's buses"), [check]) is None, opening


def test_a_check_with_another_figure_in_place_of_the_claims_is_of_another_claim() -> None:
    check = piece(
        "\u201cBus journeys in Wexmoor rose by 40 per cent in 2025\u201d, says a post. Our rating: misleading."
    )
    assert rating_of(parse_claim(CLAIM), [check]) is None
    assert rating_of(parse_claim(CLAIM.replace("60", "40")), [check]) == (Verdict.MISLEADING, 0)


def test_the_first_rating_of_the_claim_decides_and_its_position_is_told() -> None:
    plain, half, misleading = piece("The sun shone."), piece(f"{CLAIM}.", "Half true"), piece(f"{CLAIM}!", "Misleading")
    assert rating_of(parse_claim(CLAIM), [plain, half, misleading]) == (Verdict.PARTIALLY_TRUE, 1)
    assert rating_of(parse_claim(CLAIM), [plain, misleading, half]) == (Verdict.MISLEADING, 1)
    assert rating_of(parse_claim(CLAIM), [plain]) is None and rating_of(parse_claim(CLAIM), []) is None


def rated_alone(row: dict[str, str], with_rating: bool) -> Verdict | None:
    """The rating of a passage asked about in its own words."""
    found = rating_of(
        parse_claim(row["text"]), [replace(piece(row["text"]), rating=row.get("rating", "") if with_rating else "")]
    )
    return found[0] if found else None


def test_ratings_of_real_fact_checks_are_read_from_their_words_alone() -> None:
    checks = [row for row in PASSAGES if row.get("rating")]
    assert len(checks) == 23
    read = sum(rated_alone(row, False) is rated_alone(row, True) is not None for row in checks)
    assert read / len(checks) >= 0.95


def test_no_passage_that_is_not_a_rating_is_read_as_one() -> None:
    others = [row for row in PASSAGES if not row.get("rating")]
    assert len(others) == 201
    assert [row["text"] for row in others if rated_alone(row, True)] == []


@pytest.mark.parametrize(
    "unit",
    [
        "we ",
        "verdict ",
        "our verdict ",
        "claim is ",
        "rating of ",
        " ",
        "half true ",
        "we rate it ",
        ". Verdict",
        "rated the ",
        "lack ",
        "lacks context ",
    ],
)
def test_fifty_thousand_characters_take_less_than_a_second(unit: str) -> None:
    found, start = piece(unit * (50_000 // len(unit))), time.process_time()
    rating_of(parse_claim("half true"), [found])
    assert time.process_time() - start < 3


VASCO = "The Vasco bridge was closed in 1931"


@pytest.mark.parametrize(
    ("rating", "rated", "label"),
    [
        ("False", VASCO, StanceLabel.REFUTES),
        ("Pants on Fire", VASCO, StanceLabel.REFUTES),
        ("True", VASCO, StanceLabel.SUPPORTS),
        ("False", "The Vasco bridge was not closed in 1931", StanceLabel.SUPPORTS),
        ("True", "The Vasco bridge was not closed in 1931", StanceLabel.REFUTES),
        ("Needs context", VASCO, StanceLabel.NEUTRAL),
        ("Four Pinocchios", VASCO, StanceLabel.NEUTRAL),
    ],
)
def test_a_rating_turns_the_stance_of_the_claim_that_was_rated(
    models: Models, rating: str, rated: str, label: StanceLabel
) -> None:
    text = rating_sentence("Factline", rated, rating)
    item = NewEvidence(text, "https://www.snopes.com/fact-check/vasco", rating=rating, origin=Origin.FACT_CHECK)
    (piece,) = judge_rated(parse_claim(VASCO), from_texts([item]), models.stance)
    assert piece.stance and piece.stance.label is label


def test_a_rating_by_anybody_on_the_web_decides_nothing(models: Models) -> None:
    text = f"We rate the claim that {VASCO[0].lower()}{VASCO[1:]} as misleading."
    (blog,) = from_texts([NewEvidence(text, "https://blog.example/vasco/1931", origin=Origin.WEB)])
    (checker,) = from_texts([NewEvidence(text, "https://www.snopes.com/fact-check/vasco", origin=Origin.WEB)])
    assert rating_of(parse_claim(VASCO), [blog]) is None and rating_of(parse_claim(VASCO), [checker]) == (
        Verdict.MISLEADING,
        0,
    )


def judged(rated: str, rating: str, says: str, stored: bool = True) -> Evidence:
    text = rating_sentence("Factline", rated, rating)
    item = NewEvidence(text, "https://www.snopes.com/v", rating=rating if stored else "", origin=Origin.FACT_CHECK)
    return judge_rated(parse_claim(VASCO), from_texts([item]), Says(says))[0]


@pytest.mark.parametrize(
    "rated",
    [
        "The Orso ferry was closed in 1931",
        "The Vasco bridge was closed in 1950",
        "The mayor of Orso says the Vasco museum was robbed by sailors in 1931",
        "Glaciers are growing",
    ],
)
@pytest.mark.parametrize("says", ["SUPPORTS", "REFUTES"])
def test_false_of_another_claim_says_nothing_of_ours(rated: str, says: str) -> None:
    piece = judged(rated, "Incorrect", says)
    assert piece.stance and piece.stance.label is StanceLabel.NEUTRAL and piece.note == "it rates another claim"


@pytest.mark.parametrize("says", ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
@pytest.mark.parametrize("stored", [True, False])
def test_false_of_our_claim_is_never_support(says: str, stored: bool) -> None:
    piece = judged(VASCO, "Incorrect", says, stored)
    assert piece.stance and piece.stance.supports == 0


@pytest.mark.parametrize("says", ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
def test_false_of_our_claims_denial_never_refutes_ours(says: str) -> None:
    piece = judged("The Vasco bridge was not closed in 1931", "False", says)
    assert piece.stance and piece.stance.refutes == 0


def test_a_rating_of_the_denial_or_of_another_subject_is_not_ours() -> None:
    for rated in ("The Vasco bridge was not closed in 1931", "Madrid closed the Vasco bridge in 1931, not Porto Belo"):
        text = rating_sentence("Factline", rated, "Misleading")
        assert rating_of(parse_claim(VASCO), [piece(text, "Misleading")]) is None
    assert rating_of(parse_claim(VASCO), [piece(rating_sentence("Factline", VASCO, "Misleading"), "Misleading")])


@pytest.mark.parametrize("origin", [Origin.WEB, Origin.FACT_CHECK, Origin.KB])
@pytest.mark.parametrize("host", ["go.eu", "checks.example", "www.mit.edu", "www.stats.gov.au"])
def test_only_a_listed_fact_checker_rates_a_claim(host: str, origin: Origin) -> None:
    text = f"We rate this claim misleading: {VASCO}."
    (stranger,) = from_texts([NewEvidence(text, f"https://{host}/vasco", origin=origin, rating="Misleading")])
    stored = replace(stranger, record_id="r")
    named = origin is Origin.FACT_CHECK and stored.listed  # a search of fact-checks names the publisher
    assert rating_of(parse_claim(VASCO), [stored]) == ((Verdict.MISLEADING, 0) if named else None)


def test_the_desk_of_a_listed_agency_rates_where_a_search_of_fact_checks_says_so() -> None:
    item = NewEvidence(
        f"{VASCO}.", "https://www.reuters.com/fact-check/x", origin=Origin.FACT_CHECK, rating="Misleading"
    )
    found, words = from_texts(
        [item, replace(item, text=f"{VASCO}. We rate this claim misleading.", origin=Origin.WEB, rating="")]
    )
    assert rating_of(parse_claim(VASCO), [found]) == (Verdict.MISLEADING, 0)
    assert rating_of(parse_claim(VASCO), [words]) is None
