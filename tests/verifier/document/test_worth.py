from __future__ import annotations

import json

from verifier.check.gather import Models
from verifier.document.worth import FEATURES, FILE, features_of, worth_of


def test_the_fitted_weights_are_of_these_features() -> None:
    assert tuple(json.loads(FILE.read_text(encoding="utf-8"))["weights"]) == FEATURES
    assert len(features_of("The Earth is flat.", {})) == len(FEATURES)


def test_what_matters_to_many_comes_before_small_talk(models: Models) -> None:
    def worth(sentence: str) -> float:
        return worth_of(sentence, models.claim_type.probabilities(sentence))

    matter = [
        worth("Unemployment in the province rose from 4 to 7 percent last year."),
        worth("The minister cut the budget of the hospitals by 40 million euros."),
        worth("Vaccines cause more deaths than measles."),
    ]
    small = [
        worth("Thank you all for coming here tonight."),
        worth("I hope that we can do better than that."),
        worth("My brother and I walked along the river."),
        worth("Let me say a word about that."),
    ]
    assert min(matter) > 0.5 > max(small)


def test_worth_is_a_share_whatever_the_text() -> None:
    for sentence in ("", "?", "1" * 2_000, "tax " * 500, "I " * 900):
        assert 0 <= worth_of(sentence, {}) <= 1
