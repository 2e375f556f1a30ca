"""Checks with one part left out, with the real models."""

from __future__ import annotations

import pytest

from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from lab.evaluation.ablation import PARTS, main, without
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evaluation.run import ReadOnly
from verifier.schema import Verdict
from verifier.settings import Settings

CLAIMS = (
    "Humans only use ten percent of their brains",
    "India became independent in 1947 and the Eiffel Tower is in Berlin.",
    "The Harrow bridge is closed for repairs until spring.",
)
RETOLD = NewEvidence(
    "A viral post claims that the Harrow bridge is closed for repairs until spring.", "https://paper.example/1", "Paper"
)
"""The way in which a text speaks decides nothing where every text speaks plainly; this one retells a rumour."""


def checked(models: Models, store: EvidenceStore) -> list[tuple[Verdict, float, list[float]]]:
    """Verdict, confidence and scores of the evidence, of each claim."""
    verifier = Verifier(models, ReadOnly(store), None, Settings.from_env())
    results = [verifier.verify(claim) for claim in CLAIMS]
    return [(each.verdict, each.confidence, [piece.score for piece in each.evidence]) for each in results]


@pytest.mark.parametrize("part", PARTS)
def test_a_check_without_a_part_differs_and_one_after_it_does_not(
    models: Models, store: EvidenceStore, part: str
) -> None:
    store.add([RETOLD])
    whole = checked(models, store)
    with without(part, models):
        assert checked(models, store) != whole
    assert checked(models, store) == whole


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["magic", "--cases", "nowhere.jsonl"])
    assert "magic" in capsys.readouterr().err
