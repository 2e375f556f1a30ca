from __future__ import annotations

from verifier.document.antecedents import Antecedents


def read(*sentences: str) -> Antecedents:
    """What is known after some sentences that stand alone."""
    known = Antecedents()
    for sentence in sentences:
        known.note(sentence, unclear=False, of_person=False, of_topic=False)
    return known


def test_the_last_sentence_says_what_is_meant() -> None:
    assert read("The Mirov Dam is old.").thing() == "Mirov Dam"
    assert read("Kangaroos live in Australia.").things() == "kangaroos"
    assert read("Nokia bought Withings.").thing() == read("Ida Berg left.").thing() == read().thing() == ""
    assert read("Ida Berg left.").person(she=True) == "Ida Berg"
    assert read("Ida Berg sentenced him.").person(she=False) == ""


def test_a_text_is_about_the_subject_of_its_first_statement() -> None:
    known = read("Kesh is a town.", "Rain fell.", "A thick wall of stone keeps it dry.")
    assert known.topic("It is old.", several=False) == "Kesh" and known.topic("Kesh is old.") == ""
    assert known.topic("They are old.", several=True) == ""
    known.note("The wall has a door.", unclear=False, of_person=False, of_topic=False)
    assert known.topic("It is old.", several=False) == "" and known.topic("The gate was old.") == "Kesh"
    known.forget()
    assert known.topic("The gate was old.") == ""


def test_a_noun_stands_for_the_one_longer_phrase_that_has_it() -> None:
    known = read("The polio vaccine was made in 1955.", "The tall engine and the small engine failed.")
    assert (known.longer("vaccine"), known.longer("vaccines")) == ("the polio vaccine", "the polio vaccines")
    assert known.longer("engine") == known.longer("wall") == "" and known.was_said("engine")


def test_names_are_known_by_their_nouns() -> None:
    known = read("Nokia is a company.")
    assert known.called("company") == "Nokia" and known.called("town") is None
    known.note("Siemens is a company.", unclear=False, of_person=False, of_topic=False)
    assert known.called("company") == ""
    assert read("Velm has 4,000 inhabitants.").fits_topic("city") and not read("Rain fell.").fits_topic("city")
