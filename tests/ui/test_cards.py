from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kb.record import NewEvidence, Origin
from ui.cards import error_card, evidence_cards, marked, settled_card, source_link, stars, trace, verdict_card
from verifier.evidence.retrieve import from_texts
from verifier.schema import (
    Citation,
    ClaimType,
    Evidence,
    Judgement,
    PartResult,
    Stage,
    Stance,
    Status,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)

EVIL = '<img src=x onerror="alert(1)">\'"&<script>alert(2)</script>'


def evidence(text: str = "A text.", source: str = "https://www.nasa.gov/a", title: str = "NASA") -> Evidence:
    (found,) = from_texts([NewEvidence(text, source, title, Origin.WEB)])
    return replace(found, stance=Stance(0.7, 0.2, 0.1), relevance=2.5)


def result(**changes: object) -> VerificationResult:
    base = VerificationResult(
        session_id="s",
        checked_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        original_claim="Asked",
        claim="Checked",
        claim_type=ClaimType.FACTUAL,
        type_reason="",
        verdict=Verdict.FALSE,
        confidence=0.87,
        tier=Tier.HIGH,
        status=Status.OK,
        reasoning="Because.",
        evidence=(evidence(),),
        citations=(),
        steps=(),
        tool_calls=1,
        store_version=1,
        warnings=("A warning",),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def test_the_verdict_card_says_what_and_how_sure() -> None:
    card = verdict_card(result())
    assert "False" in card and "87%" in card and "2026-01-02 03:04 UTC" in card and "A warning" in card
    assert "You asked" not in card
    mixed = verdict_card(result(claim_type=ClaimType.MIXED))
    assert "Asked" in mixed and "Checked" in mixed


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_card(verdict: Verdict) -> None:
    assert str(verdict) in verdict_card(result(verdict=verdict))


def test_nothing_from_outside_reaches_the_page_unescaped() -> None:
    piece = evidence(EVIL, f"https://a.example/{EVIL}", EVIL)
    shown = [
        verdict_card(
            result(original_claim=EVIL, claim=EVIL, claim_type=ClaimType.MIXED, reasoning=EVIL, warnings=(EVIL + "!",))
        ),
        evidence_cards([piece], [Citation(1, EVIL[:10], 0, 10, EVIL, EVIL)]),
        trace([Step(Stage.SEARCH, EVIL, 0.1)], running=True),
        error_card(EVIL),
    ]
    for html in shown:
        assert "<img" not in html and "<script" not in html and 'onerror="' not in html
        assert "&lt;" in html


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "  https://a.example", "//a.example", ""])
def test_only_web_addresses_become_links(url: str) -> None:
    assert "<a " not in source_link(url, "Title")


def test_links_open_elsewhere_and_tell_nothing() -> None:
    link = source_link("https://a.example/x?a=1&b=2", "")
    assert (
        'href="https://a.example/x?a=1&amp;b=2"' in link
        and 'rel="noopener noreferrer nofollow"' in link
        and 'target="_blank"' in link
    )


def test_quoted_words_are_marked_where_they_stand() -> None:
    text = "One & two. Three. Four."
    spans = [Citation(1, "Three", 11, 16, "", ""), Citation(1, "One & two", 0, 9, "", "")]
    assert marked(text, spans) == "<mark>One &amp; two</mark>. <mark>Three</mark>. Four."
    assert marked(text, [Citation(1, "One & two", 0, 9, "", ""), Citation(1, "two", 6, 9, "", "")]).count("<mark>") == 1


def test_pictures_have_words() -> None:
    assert 'aria-label="source credibility 0.95 of 1"' in stars(0.95)
    assert "supports 70%, refutes 20%, neutral 10%" in evidence_cards([evidence()], [])
    assert 'role="alert"' in error_card("x")


def test_no_evidence_no_section_and_a_running_check_says_so() -> None:
    assert evidence_cards([], []) == "" and trace([], running=False) == ""
    assert "working" in trace([], running=True)


def test_the_parts_are_a_table_with_a_verdict_each_and_what_was_not_checked() -> None:
    parts = (
        PartResult("It is tall", Verdict.TRUE, 0.9, Tier.HIGH, (1, 2)),
        PartResult(EVIL, Verdict.FALSE, 0.8, Tier.MEDIUM, ()),
    )
    card = verdict_card(result(parts=parts, unchecked=("A sixth part",)))
    assert card.count('scope="col"') == 3 and "[1][2]" in card and "It is tall" in card
    assert "A sixth part" in card and "not checked" in card and "<script>" not in card
    assert "cv-parts" not in verdict_card(result())


def test_a_piece_says_how_it_speaks_what_it_was_rated_and_who_reports_the_same() -> None:
    piece = replace(evidence(), note="it reports what somebody said", rating=EVIL, also=("bbc.com", "who.int"))
    card = evidence_cards([piece], ())
    assert "Note: it reports what somebody said" in card and "Also reported by bbc.com, who.int" in card
    assert "Rated: " in card and "<script>" not in card


def test_a_settled_verdict_is_shown_before_its_reasons() -> None:
    card = settled_card(Judgement(Verdict.FALSE, 0.87, Tier.HIGH))
    assert "False" in card and "Confidence 87% (high)" in card and "being written" in card and 'role="status"' in card
    assert "Confidence" not in settled_card(Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.5, Tier.LOW))
