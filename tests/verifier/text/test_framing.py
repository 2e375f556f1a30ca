from __future__ import annotations

import pytest

from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.claim.classify import classify
from verifier.claim.parsed import parse_claim
from verifier.claim.split import split_claim
from verifier.judgement.stance import stance_of
from verifier.schema import Verdict
from verifier.text.framing import unframed


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("It is a myth that vaccines cause autism", "Vaccines cause autism"),
        ("It's a common misconception that bats are blind.", "Bats are blind"),
        ("It is not true that the Earth is flat", "The Earth is flat"),
        ("It isn't true that the Earth is flat", "The Earth is flat"),
        ("It is simply false that 5G spreads viruses", "5G spreads viruses"),
        ("The claim that the moon landing was staged is a hoax", "The moon landing was staged"),
        ("That sugar makes children hyperactive is a popular myth", "Sugar makes children hyperactive"),
        ("There is no truth in the rumour that the bridge was sold", "The bridge was sold"),
    ],
)
def test_what_a_claim_denies_is_found(claim: str, statement: str) -> None:
    assert unframed(claim) == (statement, True)


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("It is true that the Earth is round", "The Earth is round"),
        ("It is a fact that water boils at 100 degrees", "Water boils at 100 degrees"),
    ],
)
def test_what_a_claim_affirms_is_found(claim: str, statement: str) -> None:
    assert unframed(claim) == (statement, False)


@pytest.mark.parametrize(
    "claim",
    [
        "The Earth is flat",
        "Vaccines do not cause autism",
        "The book that he wrote is false",
        "The idea that won the prize was wrong",
        "It is likely that the bridge was sold",
        "The legend of King Arthur is a myth",
        "It is not known that the king was ill",
    ],
)
def test_a_claim_without_a_frame_is_its_own_statement(claim: str) -> None:
    assert unframed(claim) == (claim, False)


def test_a_denied_statement_is_not_cut_into_parts() -> None:
    denied = "It is a myth that the bridge was opened in 1931 and the tower was built in 1950"
    assert split_claim(parse_claim(denied)) == [denied]


def test_what_refutes_a_statement_supports_the_claim_that_denies_it(models: Models) -> None:
    statement = "Seagrass meadows are dying in the bay of Orso"
    text = "Seagrass meadows are not dying in the bay of Orso."
    plain, _ = stance_of(parse_claim(statement), text, models.stance)
    denied, _ = stance_of(parse_claim(f"It is a myth that {statement[:1].lower()}{statement[1:]}"), text, models.stance)
    assert plain.refutes > 0.5
    assert (denied.supports, denied.refutes) == (plain.refutes, plain.supports)


@pytest.mark.parametrize(
    "claim",
    [
        "It is a common misconception that goldfish forget everything in three seconds",
        "It is a myth that vaccines cause autism",
        "It is not true that the wonderful Minecraft is a 2D game",
    ],
)
def test_a_denial_is_never_taken_off_a_claim(claim: str, models: Models) -> None:
    kind = classify(parse_claim(claim), models.claim_type)
    assert unframed(kind.claim)[1]


def test_a_denied_myth_is_true(verifier: Verifier) -> None:
    assert verifier.verify("It is a common misconception that the Earth is flat").verdict is Verdict.TRUE
    assert verifier.verify("It is a myth that vaccines cause autism").verdict is Verdict.TRUE
