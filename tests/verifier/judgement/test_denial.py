from __future__ import annotations

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.compare import compare
from verifier.judgement.denial import reaches


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("India became independent in 1947", "Independence did not come in 1945 or in 1950."),
        ("The tower has 12 floors", "The tower doesn't have 14 floors."),
    ],
)
def test_a_denied_figure_is_no_rival_of_the_claims(claim: str, sentence: str) -> None:
    assert reaches(sentence) and not compare(parse_statement(claim), sentence, sentence).other


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The bridge opened in 1947", "The bridge did not open until 1950."),
        ("The tower has 12 floors", "The tower has no more than 10 floors."),
    ],
)
def test_a_limit_is_a_rival(claim: str, sentence: str) -> None:
    assert not reaches(sentence) and compare(parse_statement(claim), sentence, sentence).other
