"""Why a verdict is so, what speaks against it, who stands behind the evidence, and a result as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from kb.record import NewEvidence, Origin, Standing
from tests.ui.test_cards import result
from verifier.evidence.retrieve import from_texts
from verifier.report.as_csv import result_to_csv
from verifier.report.as_json import result_to_dict
from verifier.report.from_json import result_from_dict
from verifier.report.grounds import other_sides, publishers, reason, unsound
from verifier.schema import Basis, Citation, Evidence, Stance, StanceLabel, Verdict

FOR, AGAINST, NEITHER = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05), Stance(0.1, 0.1, 0.8)
WIRE = "The new bridge over the Orb was opened on Friday by the mayor and is 400 metres long, officials said."


def piece(text: str, site: str, stance: Stance = FOR, day: int = 0, **changes: Any) -> Evidence:  # noqa: ANN401
    (made,) = from_texts([NewEvidence(text, f"https://{site}/a" if site else "", "", Origin.WEB)])
    when = datetime(2026, 5, day, tzinfo=UTC) if day else None
    return replace(made, stance=stance, relevance=3.0, published_at=when, **changes)


@pytest.mark.parametrize(
    ("why", "rest"),
    [
        (
            "The evidence contradicts the claim: 5 sources of 0.9.",
            "Against it, nasa.gov says \u201cIt is. So\u201d [1].",
        ),
        ("The evidence supports the claim: that of St. Kitts is 261.", "In figures, cia.gov says \u201cX\u201d [1]."),
        ("All parts of the claim are supported: two are true.", "(A) True: a.org says \u201cB\u201d [1]."),
        ("The evidence supports the claim: 2 sources.", "NASA has measured it: \u201cIt is round\u201d [1]."),
        ("No relevant evidence was found.", "Without evidence there is no verdict."),
        ("The citations of this verdict did not hold, so it was withdrawn.", ""),
        ("Because.", ""),
    ],
)
def test_the_first_sentence_is_the_reason_and_no_word_is_lost(why: str, rest: str) -> None:
    assert reason(f"{why} {rest}".strip()) == (why, rest)


def test_the_strongest_words_of_the_other_side_are_found_in_their_text() -> None:
    weak, strong = (
        piece("Some say the Earth is flat.", "a.example", Stance(0.5, 0.2, 0.3)),
        piece("Weather was fine. The Earth is flat, they say.", "b.example"),
    )
    withdrawn = piece("The Earth is flat.", "c.example", rating="Retracted (OpenAlex)")
    found = result(
        claim="The Earth is flat", evidence=(piece("It is round.", "nasa.gov", AGAINST), weak, strong, withdrawn)
    )
    (side,) = other_sides(found)
    assert side.label is StanceLabel.SUPPORTS and side.strongest is not None and side.strongest.number == 3
    assert (
        side.strongest.quote == strong.text[side.strongest.start : side.strongest.end] == "The Earth is flat, they say"
    )
    own = Citation(3, "Weather", 0, 7, "", "")
    assert other_sides(replace(found, citations=(own,)))[0].strongest is own
    assert [side.strongest for side in other_sides(replace(found, evidence=found.evidence[:1]))] == [None]
    sides = other_sides(replace(found, verdict=Verdict.PARTIALLY_TRUE))
    assert [(side.label, side.strongest and side.strongest.number) for side in sides] == [
        ("supports", 3),
        ("refutes", 1),
    ]
    assert other_sides(replace(found, verdict=Verdict.NOT_VERIFIABLE)) == ()


def test_a_side_that_only_the_model_sees_beside_plain_words_is_said_to_be_so() -> None:
    plain = replace(piece("It is round.", "nasa.gov", AGAINST), basis=Basis.WORDS)
    read = piece("Flat is a word for the Earth.", "b.example", Stance(0.9, 0.05, 0.05))
    found = result(claim="The Earth is flat", evidence=(plain, read))
    (side,) = other_sides(found)
    assert side.strongest is not None and side.strongest.number == 2 and side.outweighed
    weaker = replace(piece("The Earth is flat.", "c.example", Stance(0.5, 0.2, 0.3)), basis=Basis.WORDS)
    (side,) = other_sides(replace(found, evidence=(replace(plain, basis=Basis.ALL_WORDS), read, weaker)))
    assert not side.outweighed


OWN = (piece("Earth is a sphere, said nine teams.", "nasa.gov"), piece("A globe in a case stands here.", "bbc.com"))


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ((), ""),
        (OWN[:1], "1 piece of evidence from one publisher."),
        (OWN, "2 pieces of evidence from 2 independent publishers."),
        (
            (*OWN, piece("Tea is hot and wet in Kent.", "bbc.co.uk")),
            "3 pieces of evidence from 2 independent publishers.",
        ),
        (
            (*OWN, piece(WIRE, "late.example", day=9), piece(WIRE, "first.example", day=2)),
            "4 pieces of evidence from 4 publishers that count as 3 independent ones; late.example repeats first.example and counts with it.",
        ),
        (
            tuple(piece(WIRE, f"{name}.example", day=day) for name, day in (("c", 3), ("a", 1), ("b", 2))),
            "3 pieces of evidence from 3 publishers that count as one; b.example and c.example repeat a.example and count with it.",
        ),
        (
            tuple(piece(WIRE, f"{name}.example") for name in "abcde"),
            "5 pieces of evidence from 5 publishers that count as one; a.example, b.example, c.example and 2 more carry much the same text and count as one.",
        ),
    ],
)
def test_publishers_are_counted_and_copies_named(evidence: tuple[Evidence, ...], told: str) -> None:
    assert publishers(evidence) == told
    kept = result_from_dict(result_to_dict(result(evidence=evidence)))  # as a link brings it back
    assert publishers(kept.evidence) == told


def test_a_source_that_stands_no_more_says_why() -> None:
    looked: dict[str, Any] = {"looked_at": datetime(2026, 3, 4, tzinfo=UTC)}
    assert (
        unsound(piece("A.", "a.example", rating="Retracted on 2010-02-06 (Crossref)"))
        == "Retracted on 2010-02-06 (Crossref)"
    )
    assert "on 2026-03-04 there was no page" in unsound(piece("A.", "a.example", standing=Standing.GONE, **looked))
    assert unsound(piece("A.", "a.example", standing=Standing.CHANGED, rating="False", **looked)) == ""


def test_a_result_is_a_table_of_its_evidence_that_no_spreadsheet_computes() -> None:
    made = result(claim="=1+1", evidence=(piece("@SUM(A1)", "a.example"), piece("-5 degrees", "b.example")))
    made = replace(made, citations=(Citation(2, "-5", 0, 2, "", ""),))
    rows = list(csv.DictReader(io.StringIO(result_to_csv(made).removeprefix("\ufeff"))))
    assert [row["text"] for row in rows] == ["'@SUM(A1)", "'-5 degrees"] and {row["claim"] for row in rows} == {"'=1+1"}
    assert [row["quote"] for row in rows] == ["", "'-5"] and rows[1]["number"] == "2" and rows[0]["verdict"] == "False"
    (row,) = csv.DictReader(io.StringIO(result_to_csv(replace(made, evidence=(), citations=())).removeprefix("\ufeff")))
    assert row["verdict"] == "False" and row["text"] == ""
