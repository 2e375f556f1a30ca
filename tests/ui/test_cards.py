from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from errors import StoreError
from kb.record import NewEvidence, Origin
from kb.store.statistics import Count
from ui.article import article_intro
from ui.cards import error_card, note_card, settled_card, spoken, verdict_card, with_links
from ui.consent import Consent, notice
from ui.history import history_list, parsed
from ui.pieces import evidence_cards, record_cards, source_link, stars
from ui.plots import bars
from ui.repeat import call, command, repeat
from ui.tab_about import about
from ui.tab_batch import result_table
from ui.tab_kb import failed
from ui.trace import trace
from verifier.check.article import Article
from verifier.evidence.retrieve import from_texts
from verifier.report.grounds import other_sides
from verifier.schema import (
    Basis,
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
from verifier.schema.missing import Missing, Unasked, Why

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
    assert "Evidence without dates" in card and 'data-check="s"' in card
    assert "You asked" not in card
    mixed = verdict_card(result(claim_type=ClaimType.MIXED))
    assert "Asked" in mixed and "Checked" in mixed


def test_the_reason_stands_above_the_verdict_and_the_other_side_below() -> None:
    told = "The evidence contradicts the claim: 2 sources. Against it, nasa.gov says \u201cA text\u201d [1]."
    piece = replace(evidence(), stance=Stance(0.1, 0.8, 0.1))
    own, other = Citation(1, "A text", 0, 6, "", ""), replace(evidence("It is so."), source="https://b.example/")
    card = verdict_card(result(reasoning=told, evidence=(piece,), citations=(own,)))
    assert (
        card.index("The evidence contradicts the claim: 2 sources.</p>") < card.index("<h2") < card.index("Against it,")
    )
    assert "Strongest for it.</b> None found: nothing that was read supports the claim." in card
    assert "1 piece of evidence from one publisher." in card
    opposed = result(reasoning=told, evidence=(piece, other), citations=(own,))
    assert "nasa.gov says \u201cIt is so\u201d <a" in verdict_card(opposed)
    stated = replace(piece, basis=Basis.WORDS)
    assert "only the model reads it out of this: nasa.gov says" in verdict_card(
        replace(opposed, evidence=(stated, other))
    )
    pieces = evidence_cards(opposed.evidence, opposed.citations, others=other_sides(opposed))
    assert "The other side" in pieces and "<mark>It is so</mark>." in pieces and "<details" not in pieces
    both = verdict_card(replace(opposed, verdict=Verdict.PARTIALLY_TRUE))
    assert (
        "Strongest against it.</b> nasa.gov, quoted above <a" in both and "Strongest for it.</b> nasa.gov says" in both
    )
    empty = result(verdict=Verdict.NOT_ENOUGH_EVIDENCE, evidence=())
    assert "Strongest on either side.</b> None found" in verdict_card(empty)


def test_a_source_that_stands_no_more_is_struck_with_the_reason_in_words() -> None:
    piece = replace(evidence(), rating="Retracted on 2010-02-06 (Crossref)")
    card = evidence_cards([piece], ())
    assert re.search(r"<s><a [^>]*>NASA</a></s> <b[^>]*>Retracted on 2010-02-06 \(Crossref\)\.</b>", card)
    assert card.count("Retracted on") == 1
    assert 'aria-label="evidence 1: Retracted on 2010-02-06 (Crossref)"><s>[1]</s></a>' in with_links("x [1]", [piece])
    assert "<s>" not in evidence_cards([evidence()], ()) + with_links("x [1]", [evidence()])


@pytest.mark.parametrize("claim", ['It\'s 5 > 3 & `id` $(id) "so" \\ \u00e9!', "-5 degrees; rm -rf /", EVIL])
def test_what_repeats_a_check_is_quoted_for_a_shell(claim: str) -> None:
    """The shell runs both lines as they stand, with functions in place of the two programs, which tell what they are given."""
    made = result(original_claim=claim)
    sent = ["-m", "verifier", "verify", *["--"] * claim.startswith("-"), claim]
    assert shell("python", command(made)) == [*sent, '{"event_id": "abc"}']
    *body, stream, address, answer = shell("curl", call(made))
    assert body[-2] == "-d" and json.loads(body[-1]) == {"claim": claim, "web": True}
    assert (stream, address, answer) == (
        "-sN",
        "http://127.0.0.1:7860/gradio_api/call/verify/abc",
        '{"event_id": "abc"}',
    )
    off = result(missing=Missing(("x",), (Unasked("the web", Why.OFF_HERE),)))
    assert command(off) == "python -m verifier verify --no-web Asked" and '"web": false' in call(off)


def shell(program: str, line: str) -> list[str]:
    """Run a line; what the program was given, one argument an item, and what the line printed."""
    told = f"""{program}() {{ printf '%s\\n' "$@" >&2; printf '{{"event_id": "abc"}}'; }}; {line}"""
    ran = subprocess.run(["sh", "-c", told], capture_output=True, text=True, check=True)
    return [*ran.stderr.splitlines(), ran.stdout]


def test_a_kept_check_names_its_addresses() -> None:
    named = repeat(result(original_claim="It says http://127.0.0.1:7860"), kept=False)
    assert named.count('<span class="cv-server">http://127.0.0.1:7860</span>') == 2 and named.count("7860") == 4
    assert 'href="check/s.json"' in verdict_card(result(), kept=True) and "check/s" not in verdict_card(result())


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_card(verdict: Verdict) -> None:
    assert str(verdict) in verdict_card(result(verdict=verdict))


def test_nothing_from_outside_reaches_the_page_unescaped() -> None:
    piece = replace(evidence(EVIL, f"https://a.example/{EVIL}", EVIL), record_id=EVIL)
    gone = replace(piece, rating=f"Retracted ({EVIL})")
    shown = [
        verdict_card(
            result(original_claim=EVIL, claim=EVIL, claim_type=ClaimType.MIXED, reasoning=EVIL, warnings=(EVIL + "!",))
        ),
        evidence_cards([piece], [Citation(1, EVIL[:10], 0, 10, EVIL, EVIL)]),
        verdict_card(result(original_claim=EVIL, reasoning=f"{EVIL} [1]", evidence=(gone, piece)), kept=True),
        evidence_cards([gone, piece], [Citation(2, EVIL[:10], 0, 10, EVIL, EVIL)]),
        trace([Step(Stage.SEARCH, EVIL, 0.1)], running=True),
        error_card(EVIL),
        note_card(EVIL),
        settled_card(Judgement(Verdict.FALSE, 0.8, Tier.HIGH), EVIL),
        history_list(parsed([{"id": EVIL, "at": EVIL, "claim": EVIL, "verdict": EVIL}]), kept=True),
        history_list(parsed([{"id": EVIL, "at": EVIL, "claim": EVIL, "verdict": EVIL}]), kept=False),
        article_intro(Article(f"https://a.example/{EVIL}", EVIL, None, (EVIL,))),
        notice([EVIL], Consent()),
        failed(StoreError(EVIL)),
        record_cards([], EVIL),
        bars(EVIL, [Count(EVIL, 1)]),
        result_table([{"row": 1, "input": EVIL, "status": "failed", "error": EVIL}]),
        result_table([{"row": 1, "input": EVIL, "status": "ok", "verdict": "False", "confidence": 0.5, "tier": EVIL}]),
        about([EVIL], log=True, days=9, grades=None),
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


def test_what_is_quoted_comes_first_and_the_rest_is_folded_away() -> None:
    pieces = [evidence("Read but not quoted."), evidence("One & two. Three.")]
    cards = evidence_cards(pieces, [Citation(2, "One & two", 0, 9, "", "")])
    assert "What decided it" in cards and "<mark>One &amp; two</mark>. Three." in cards
    assert cards.index("cv-piece-2") < cards.index("<details") < cards.index("cv-piece-1")
    assert "What was found" in evidence_cards(pieces, []) and "<details" not in evidence_cards(pieces, [])


def test_numbers_lead_to_their_evidence_and_nowhere_else() -> None:
    text = with_links("<b> [1] [2] [3] [12]", [evidence(), evidence()])
    assert text.count("<a ") == 2 and 'href="#cv-piece-2"' in text and "&lt;b&gt;" in text and "[3] [12]" in text


def test_pictures_have_words() -> None:
    assert 'aria-label="source credibility 0.95 of 1"' in stars(0.95)
    assert "supports 70%, refutes 20%, neutral 10%" in evidence_cards([evidence()], [])
    assert 'role="alert"' in error_card("x")


def test_no_evidence_no_section_and_a_running_check_says_so() -> None:
    assert evidence_cards([], []) == "" and trace([], running=False) == ""
    assert "cv-busy" in trace([], running=True) and "<details" in trace([Step(Stage.PLAN, "x", 1.25)], running=False)


def test_the_parts_are_a_table_with_a_verdict_each_and_what_was_not_checked() -> None:
    parts = (
        PartResult("It is tall", Verdict.TRUE, 0.9, Tier.HIGH, (1, 2)),
        PartResult(EVIL, Verdict.FALSE, 0.8, Tier.MEDIUM, ()),
    )
    card = verdict_card(result(parts=parts, unchecked=("A sixth part",), evidence=(evidence(), evidence())))
    assert card.count('scope="col"') == 3 and card.count('class="cv-cite"') == 3 and "It is tall" in card
    assert "A sixth part" in card and "not checked" in card and "<script>" not in card
    assert "cv-parts" not in verdict_card(result())


def test_a_piece_says_how_it_speaks_what_it_was_rated_and_who_reports_the_same() -> None:
    piece = replace(evidence(), note="it reports what somebody said", rating=EVIL, also=("bbc.com", "who.int"))
    card = evidence_cards([piece], ())
    assert "Note: it reports what somebody said" in card and "Also reported by bbc.com, who.int" in card
    assert "Rated: " in card and "<script>" not in card


def test_a_settled_verdict_is_shown_before_its_reasons() -> None:
    card = settled_card(Judgement(Verdict.FALSE, 0.87, Tier.HIGH))
    assert "False" in card and "Confidence 87% (high)." in card and "being written" in card and 'role="status"' in card
    assert "Confidence" not in settled_card(Judgement(Verdict.NOT_ENOUGH_EVIDENCE, 0.5, Tier.LOW))


def test_a_confidence_says_what_it_promises() -> None:
    assert spoken(result()) == "Verdict: False, confidence 87 percent. 1 piece of evidence."


def test_the_dates_of_the_check_and_of_the_newest_evidence_are_shown() -> None:
    old, new = (replace(evidence(), published_at=datetime(year, 5, 6, tzinfo=UTC)) for year in (2019, 2024))
    assert "Newest evidence 2024-05-06" in verdict_card(result(evidence=(new, old)))


def test_a_fact_check_is_named_beside_the_verdict() -> None:
    card = verdict_card(result(evidence=(evidence(), replace(evidence(), rating="Pants on fire"))))
    assert "Related fact-check<" in card and "Pants on fire" in card and "#cv-piece-2" in card
    assert "Related fact-check" not in verdict_card(result())
