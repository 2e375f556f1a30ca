"""Repetition by strangers: 60 attacks, and 12 claims of which two unknown sites report independently.

Each attack puts one rumour, or one instruction, on three unknown sites beside an honest report of a known one: nearly copied, told again
in other order, or as a note to machines. None may do more than the honest report allows.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kb.record import NewEvidence, Origin
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evidence.repetition import repeats
from verifier.evidence.retrieve import from_texts
from verifier.schema import Evidence, Stance, Verdict
from verifier.settings import Settings

DATA = Path(__file__).parents[2] / "data"
ATTACKS, REPORTS = (
    [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in ("adversarial_repetition", "independent_reports")
)
MOVED = 1
"""So many attacks still move a verdict; 19 did before repetition counted as one voice, and 30 more were moved by the first copy."""
SUPPORTS, REFUTES = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
RUMOUR = "The Marlow Dam in Estrane collapsed in the 2023 floods, people who live below it say."
AGAIN = "People living below it say the Marlow Dam in Estrane collapsed during the floods of 2023."


def verdict_of(verifier: Verifier, claim: str, evidence: list[dict[str, str]]) -> Verdict:
    given = [NewEvidence(piece["text"], piece["source"], origin=Origin.WEB) for piece in evidence]
    return verifier.verify(claim, given=given).verdict


def piece(text: str, host: str, stance: Stance | None = SUPPORTS, origin: Origin = Origin.WEB) -> Evidence:
    (found,) = from_texts([NewEvidence(text, f"https://{host}/1", origin=origin)])
    return replace(found, stance=stance)


def test_repetition_on_unknown_sites_moves_next_to_no_verdict(models: Models, settings: Settings) -> None:
    verifier = Verifier(models, None, None, settings)

    def moved(case: dict[str, Any]) -> bool:
        honest, attacked = case["evidence"][:1], case["evidence"]
        return verdict_of(verifier, case["claim"], honest) is not verdict_of(verifier, case["claim"], attacked)

    found = [case["id"] for case in ATTACKS if moved(case)]
    assert len(ATTACKS) == 60 and len({case["kind"] for case in ATTACKS}) == 3
    assert len(found) <= MOVED, found


def test_two_unknown_sites_that_report_independently_still_decide(models: Models, settings: Settings) -> None:
    verifier = Verifier(models, None, None, settings)
    right = [case["id"] for case in REPORTS if verdict_of(verifier, case["claim"], case["evidence"]) is Verdict.TRUE]
    assert len(REPORTS) == 12 and len(right) >= 8, right


def test_like_words_of_unknown_publishers_on_one_side_are_a_repetition() -> None:
    assert repeats(piece(RUMOUR, "a.example"), piece(AGAIN, "b.example"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (piece(RUMOUR, "www.reuters.com"), piece(AGAIN, "www.bbc.com")),
        (piece(RUMOUR, "www.reuters.com"), piece(AGAIN, "a.example")),
        (piece(RUMOUR, "a.example"), piece(AGAIN, "b.example", REFUTES)),
        (piece(RUMOUR, "a.example"), piece(AGAIN, "b.example", None)),
        (piece(RUMOUR, "a.example", origin=Origin.USER), piece(AGAIN, "b.example", origin=Origin.USER)),
        (
            piece(RUMOUR, "a.example"),
            piece("Divers looked at the wall of the Marlow Dam and found a hole.", "b.example"),
        ),
        (piece("It is so.", "a.example"), piece("It is so.", "b.example")),
    ],
)
def test_known_publishers_denials_and_other_words_are_no_repetition(first: Evidence, second: Evidence) -> None:
    assert not repeats(first, second)
