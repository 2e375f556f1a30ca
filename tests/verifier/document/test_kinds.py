from __future__ import annotations

import pytest

from verifier.document.kinds import Kinds


@pytest.mark.parametrize(
    ("sentence", "name", "kind"),
    [
        ("Nokia is a Finnish company with shops.", "Nokia", "company"),
        ("The town of Ardmore is old.", "Ardmore", "town"),
        ("President Olsen spoke.", "President Olsen", "president"),
        ("The engineer who built it was Ida Berg.", "Ida Berg", "engineer"),
    ],
)
def test_a_name_is_of_the_kind_that_a_text_gives_it(sentence: str, name: str, kind: str) -> None:
    kinds = Kinds()
    kinds.note(sentence, name)
    assert kinds.of(name) == {kind}


def test_persons_are_told_from_places_and_things() -> None:
    kinds = Kinds()
    for sentence, name in (
        ("He was born in Velm Sound.", "Velm Sound"),
        ("Lower Kesh has 4,000 inhabitants.", "Lower Kesh"),
        ("The Mirov Dam was built.", "Mirov Dam"),
    ):
        kinds.note(sentence, name)
        assert not kinds.may_be_person(name)
    assert kinds.may_be_person("Ida Berg") and not kinds.may_be_person("the Berg") and not kinds.may_be_person("NATO")
    assert kinds.persons(["Berg", "Ida Berg", "Velm Sound"]) == ["Ida Berg"]
    kinds.note("It flows into the river Kesh.", "Kesh")
    assert kinds.styled == {("river", "Kesh"): "the river Kesh"}
