from __future__ import annotations

import pytest

from verifier.document.phrases import names_several, no_other_several, phrases_of, tells_of_nothing_else


@pytest.mark.parametrize(
    ("sentence", "phrases"),
    [
        ("The Velm Bridge was opened in 1932.", {"the Velm Bridge": "bridge"}),
        ("Two doses of the polio vaccine protect children.", {"the polio vaccine": "vaccine"}),
        ("Berg opened a sugar factory in Velm in April.", {"Berg": "berg", "the sugar factory in Velm": "factory"}),
        ("The bakery chain Olsen & Sons sold bread.", {"the bakery chain Olsen & Sons": "chain"}),
        ("Apollo 11 landed on 20 July.", {"Apollo 11": "apollo"}),
        ("The height rose by a third.", {}),
        ("Plants grow.", {}),
    ],
)
def test_noun_phrases_are_found_with_their_nouns(sentence: str, phrases: dict[str, str]) -> None:
    assert {found.whole: found.head for found in phrases_of(sentence)} == phrases


def test_a_phrase_tells_how_it_stands_in_its_sentence() -> None:
    nokia, company = phrases_of("Nokia is a Finnish company.")
    assert company.told and not company.definite and nokia.bare and not nokia.told
    (first,) = phrases_of("The first engine failed.")
    assert first.chooses and first.says and not first.named
    assert phrases_of("He slept under the bridge.")[0].aside


def test_what_else_is_told_of_is_seen() -> None:
    assert tells_of_nothing_else("was opened in the north in 1889.") and tells_of_nothing_else("is a bridge.")
    assert not tells_of_nothing_else("bought a factory.") and not tells_of_nothing_else("met Nokia.")
    assert no_other_several("won the final against Velm.") and not no_other_several("met teachers.")
    assert names_several("the tall trees in the bus") and not names_several("the bus")
