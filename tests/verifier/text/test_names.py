from __future__ import annotations

import time

import pytest

from verifier.text.names import first_word_name, name_words, names_of, without_possessive


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The University of Turku and Nokia agreed", ("University of Turku", "Nokia")),
        ("Leonardo da Vinci painted the Mona Lisa", ("Leonardo da Vinci", "Mona Lisa")),
        ("It was Mohammed bin Salman who met Charles de Gaulle", ("Mohammed bin Salman", "Charles de Gaulle")),
        ("the Lord of the Rings", ("Lord of the Rings",)),
        ("Jean-Luc Picard met O'Brien", ("Jean-Luc Picard", "O'Brien")),
        ("Queen Elizabeth II opened it in March", ("Queen Elizabeth II",)),
        ("\u00c9douard met \u00c5sa \u00d6berg, who makes \u0160koda cars in \u0141\u00f3d\u017a", ("\u00c9douard", "\u00c5sa \u00d6berg", "\u0160koda", "\u0141\u00f3d\u017a")),
        ("\u0412\u043b\u0430\u0434\u0438\u043c\u0438\u0440 \u041f\u0443\u0442\u0438\u043d met Xi Jinping", ("\u0412\u043b\u0430\u0434\u0438\u043c\u0438\u0440 \u041f\u0443\u0442\u0438\u043d", "Xi Jinping")),
        ("She likes London, and Paris, and London", ("London", "Paris")),
        ("nothing here is a name", ()),
        ("", ()),
    ],
)  # fmt: skip
def test_names_are_found_by_their_capitals_with_the_small_words_inside_them(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Germany banned nuclear power", ("Germany",)),
        ("Einstein was born in Ulm", ("Einstein", "Ulm")),
        ("Neptune is the largest planet", ("Neptune",)),
        ("Chocolate is delicious", ()),
        ("Smoking kills", ()),
        ("Octopuses have three hearts", ()),
        ("Los gatos son blancos", ()),
        ("\u0417\u0435\u043c\u043b\u044f \u043f\u043b\u043e\u0441\u043a\u0430\u044f", ()),
        ("Vaccines cause autism", ()),
        ("It rained. Paris was wet.", ("Paris",)),
        ("It rained. Paris Hilton was wet.", ("Paris Hilton",)),
        ("He said: Paris is wet", ("Paris",)),
        ("\u201cParis is wet\u201d, said Hollande", ("Paris", "Hollande")),
        ("He said \u201cno.\u201d Paris is wet", ("Paris",)),
        ("A headline\nParis is wet", ("Paris",)),
        ("NASA landed on the Moon", ("NASA", "Moon")),
        ("COVID-19 spreads", ("COVID-19",)),
        ("However, Greta Thunberg came", ("Greta Thunberg",)),
        ("In March Tesla sold cars on Monday", ("Tesla",)),
        ("Nobody knows Germany", ("Germany",)),
    ],
)
def test_the_first_word_of_a_sentence_counts_where_it_is_no_common_word(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the Bank of England and the European Central Bank", ("Bank of England", "European Central Bank")),
        ("Biden and Trump met", ("Biden", "Trump")),
        ("Bosnia and Herzegovina joined NATO", ("Bosnia", "Herzegovina", "NATO")),
        ("Marie Curie, Pierre Curie and Henri Becquerel won", ("Marie Curie", "Pierre Curie", "Henri Becquerel")),
        ("The EU and the US agreed", ("EU", "US")),
        ("They met Macron and \u0160af\u00e1\u0159", ("Macron", "\u0160af\u00e1\u0159")),
        ("Johnson and Johnson's vaccine is safe", ("Johnson",)),
    ],
)
def test_and_stands_between_two_names(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Joe Biden's dog bit Mary", ("Joe Biden", "Mary")),
        ("Joe Biden\u2019s dog bit Mary", ("Joe Biden", "Mary")),
        ("Bill Gates' wife left", ("Bill Gates",)),
        ("'London Bridge' fell", ("London Bridge",)),
        ("the Johnsons' and Smiths' houses", ("Johnsons", "Smiths")),
    ],
)
def test_possessives_and_quotation_marks_are_no_part_of_a_name(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names
    assert all(without_possessive(name) == name for name in names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("J.K. Rowling met Dr. Smith in the U.S. on Monday", ("J.K. Rowling", "Dr. Smith", "U.S.")),
        ("John F. Kennedy was shot", ("John F. Kennedy",)),
        ("St. Petersburg lies in Russia", ("St. Petersburg", "Russia")),
        ("She takes Vitamin C. Then she sleeps", ("Vitamin C",)),
        ("She wrote plan B.", ("B",)),
    ],
)
def test_initials_and_titles_belong_to_the_name_that_follows(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The WHO says so", ("WHO",)),
        ("Who says so", ()),
        ("iPhone and mRNA at 100C", ()),
        ("THE EARTH IS FLAT", ()),
        ("NASA", ("NASA",)),
    ],
)
def test_acronyms_are_names_and_capitals_inside_a_word_or_a_shout_are_not(text: str, names: tuple[str, ...]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Nigeria's capital is Lagos", "Nigeria"),
        ("\u201cNigeria\u2019s capital\u201d", "Nigeria"),
        ("James' book", "James"),
        ("Germany, says he", "Germany"),
        ("The capital", ""),
        ("It's raining", ""),
        ("nigeria", ""),
        ("", ""),
    ],
)
def test_the_first_word_may_be_a_name_unless_it_is_a_common_opening(text: str, name: str) -> None:
    assert first_word_name(text) == name


def test_the_words_of_names_leave_out_small_words_initials_and_titles() -> None:
    text = "She saw Dr. Ada K. Lovelace of the University of Turku, the U.S. and Nokia's yard"
    assert name_words(text) == {"ada", "lovelace", "university", "turku", "u.s", "nokia"}
    assert name_words("Nothing here is one") == frozenset()


@pytest.mark.parametrize(
    "unit", ["A", "A ", "The ", "a A ", "Aa. ", "A.", "A.A", "Aa of the ", "Aa and ", "A'", "A-", " ", "St. "]
)
def test_names_are_found_in_linear_time(unit: str) -> None:
    text, start = unit * (50_000 // len(unit)), time.process_time()
    names_of(text)
    name_words(text)
    assert time.process_time() - start < 3
