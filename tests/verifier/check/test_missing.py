"""What would settle a claim, in whole checks over the real models and store; and in every form of the result."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from tests.verifier.check.test_pipeline import PAGES, with_web
from tests.verifier.report.report_cases import ATTACK, result
from ui.cards import verdict_card
from ui.pieces import evidence_cards
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.report.as_html import result_to_html
from verifier.report.as_json import result_to_dict
from verifier.report.as_markdown import result_to_markdown
from verifier.report.as_text import result_to_text
from verifier.report.from_json import result_from_dict
from verifier.schema import Verdict, VerificationResult
from verifier.schema.missing import Missing, Unasked, Why
from verifier.search.base import Outcome, SearchAnswer
from verifier.settings import Settings

PARROTS = "The mayor of Kragujevac owns four parrots"
FORMS = (result_to_text, result_to_markdown, result_to_html, verdict_card)


def missing_of(found: VerificationResult) -> Missing:
    assert found.verdict is Verdict.NOT_ENOUGH_EVIDENCE and found.missing is not None
    assert result_from_dict(result_to_dict(found)).missing == found.missing
    return found.missing


def test_an_open_claim_says_what_was_looked_for_and_that_the_web_is_off(verifier: Verifier) -> None:
    missing = missing_of(verifier.verify(PARROTS))
    assert missing.sought == ("a relevant text on \u201cKragujevac\u201d and \u201cfour parrots\u201d",)
    assert missing.unasked == (Unasked("the web", Why.OFF),) and not missing.askable
    assert verifier.verify("The Earth is flat").missing is None
    assert verifier.verify("It's true").missing is None  # nothing was looked for


def test_the_web_unticked_for_one_check_can_be_asked(models: Models, store: EvidenceStore, settings: Settings) -> None:
    empty, _ = with_web(models, store, settings, SearchAnswer(Outcome.EMPTY))
    missing = missing_of(empty.verify(PARROTS, web=False))
    assert missing.unasked == (Unasked("the web", Why.OFF_HERE),) and missing.askable
    asked = missing_of(empty.verify(PARROTS))
    assert {source.why for source in asked.unasked} == {Why.NO_KEY} and not asked.askable
    down, _ = with_web(models, store, settings, SearchAnswer(Outcome.UNREACHABLE))
    offline = missing_of(down.verify(PARROTS))
    assert Unasked("Fixed", Why.NO_NETWORK) in offline.unasked and offline.askable
    found, _ = with_web(models, store, settings, PAGES)
    assert found.verify("The Vasco bridge in Porto Belo opened to traffic on 3 May 1931").missing is None


def test_given_texts_and_earlier_states_are_all_that_is_asked(verifier: Verifier, store: EvidenceStore) -> None:
    given = missing_of(verifier.verify(PARROTS, given=[NewEvidence("Kragujevac has a new mayor, who was born there.")]))
    assert given.unasked == (Unasked("the web", Why.GIVEN),)
    earlier = missing_of(verifier.verify(PARROTS, as_of=store.as_of(str(store.version))))
    assert earlier.unasked == (Unasked("the web", Why.EARLIER),)


def test_a_comparison_names_the_figure_that_it_lacks(verifier: Verifier) -> None:
    missing = missing_of(verifier.verify("Atlantis has a larger population than Brazil"))
    assert missing.sought[0] == "a figure for the population of Atlantis, from a source of credibility 0.9 or more"


def test_of_a_claim_in_parts_only_what_the_open_parts_lack_is_named(verifier: Verifier) -> None:
    found = verifier.verify(f"India became independent in 1947. {PARROTS}.")
    assert [part.verdict for part in found.parts] == [Verdict.TRUE, Verdict.NOT_ENOUGH_EVIDENCE]
    assert "India" not in missing_of(found).told and "Kragujevac" in missing_of(found).told


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_line_and_none_lets_an_attack_through(form: object) -> None:
    missing = Missing(("a relevant text that names Zorbla",), (Unasked("Brave", Why.NO_KEY),))
    open_ = result(verdict=Verdict.NOT_ENOUGH_EVIDENCE, missing=missing)
    shown = " ".join(form(open_).replace("\\", "").split())  # type: ignore[operator]
    assert "Looked for and not found: a relevant text that names Zorbla." in shown and "Brave (no key)" in shown
    assert "Looked for" not in form(result())  # type: ignore[operator]
    if form is not result_to_text:
        attacked = form(replace(open_, missing=Missing((ATTACK,)))).replace("\\<", "")  # type: ignore[operator]
        assert "<script>alert" not in attacked and "<img src=x" not in attacked and "<svg/onload" not in attacked


def test_a_log_from_before_has_neither_the_line_nor_the_dates(verifier: Verifier) -> None:
    entry = dict(result_to_dict(verifier.verify("The Earth is flat")))
    del entry["missing"]
    entry["evidence"] = [{k: v for k, v in piece.items() if k != "retrieved_at"} for piece in entry["evidence"]]  # type: ignore[attr-defined]
    read = result_from_dict(entry)
    assert read.missing is None and all(piece.retrieved_at is None for piece in read.evidence)


def test_every_piece_says_when_it_was_published_and_when_it_came(verifier: Verifier) -> None:
    made = result()
    dated = replace(made.evidence[0], retrieved_at=datetime(2026, 1, 2, 23, 0, tzinfo=UTC))
    made = replace(made, evidence=(dated, made.evidence[1]))
    cards = evidence_cards(made.evidence, made.citations)
    for shown in (cards, *(form(made) for form in FORMS[:3])):
        assert "published 2025-03-04, retrieved 2026-01-02" in shown.replace("\\", "")
    found = verifier.verify("The Earth is flat").evidence
    assert found and all(piece.retrieved_at and piece.retrieved_at <= datetime.now(UTC) for piece in found)
    given = verifier.verify("The Earth is flat", given=[NewEvidence("The Earth is round, not flat.")]).evidence
    assert given and given[0].retrieved_at is None
