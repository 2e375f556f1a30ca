from __future__ import annotations

import pytest

from verifier.text.numerals import numerals, with_english_figures


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("es", "1.964.375 kilómetros y 2,54 centímetros", ["1964375", "2.54"]),
        ("es", "1.400 millones, dos mil y treinta y cinco", ["1400000000", "2000", "35"]),
        ("de", "8,4 Millionen am 9. November 1989, fünfunddreißig", ["8400000", "9", "1989", "35"]),
        ("de", "am 9.11.1989 um 14:30 Uhr, 3,2 Mrd.", ["9", "11", "1989", "14", "30", "3200000000"]),
        ("fr", "4 810 mètres, 13,8 milliards, quatre-vingt-trois, soixante-dix", ["4810", "13800000000", "83", "70"]),
        ("pt", "84.400 quilómetros, 2,2 libras e 1,5 bilhão", ["84400", "2.2", "1500000000"]),
        ("it", "1,609 chilometri, 300mila persone, ventuno", ["1.609", "300000", "21"]),
        ("ru", "299 792 458 метров, 17,1 миллиона, двадцать пять", ["299792458", "17100000", "25"]),
        ("ar", "١٬٩٦٤٬٣٧٥ و٢٫٥٤ و١٥ مليون وخمسة وعشرون", ["1964375", "2.54", "15000000"]),
        ("ar", "خمسة وعشرون عامًا", ["25"]),
        ("hi", "२९,९७,९२,४५८ मीटर, 8.4 करोड़, एक अरब, तीन", ["299792458", "84000000", "1000000000", "3"]),
        ("zh", "1亿2000万人，30万公里，14亿，1997年7月1日，十二种", ["120000000", "300000", "1400000000", "1997", "7", "1", "12"]),
        ("en", "1.4 billion people, twenty-five of 5,895 in 1989", ["1400000000", "25", "5895", "1989"]),
    ],
)  # fmt: skip
def test_the_numbers_of_a_language_are_read(language: str, text: str, values: list[str]) -> None:
    found = [numeral.values[0] for numeral in numerals(text, language) if numeral.needed]
    assert [f"{value.normalize():f}" for value in found] == values


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("hi", "पृथ्वी सूर्य के चारों ओर घूमती है"),  # "around" begins like "four"
        ("zh", "三明治很好吃，万里长城"),
        ("fr", "un mille marin, un pont neuf"),
        ("it", "tu sei alto, un po'"),
        ("es", "un hombre y una mujer"),
    ],
)
def test_a_word_that_may_be_no_number_is_not_needed(language: str, text: str) -> None:
    assert [text[n.start : n.end] for n in numerals(text, language) if n.needed] == []


@pytest.mark.parametrize(("language", "text"), [("es", "12,345"), ("ar", "8.849"), ("ar", "1,500")])
def test_what_is_written_in_two_ways_has_two_values(language: str, text: str) -> None:
    (numeral,) = numerals(text, language)
    assert len(numeral.values) == 2 and {value >= 1_000 for value in numeral.values} == {True, False}


@pytest.mark.parametrize(
    ("language", "text", "english"),
    [
        ("de", "rund 8,4 Millionen Einwohner im Jahr 1989", "rund 8.4 million Einwohner im Jahr 1989"),
        ("it", "alto 5.895 metri", "alto 5,895 metri"),
        ("hi", "लगभग ८.४ करोड़ लोग", "लगभग 84 million लोग"),
        ("zh", "约30万公里", "约300,000 公里"),
        ("ar", "نحو ٨٬٨٤٩ مترًا", "نحو 8,849 مترًا"),
        ("ru", "Луна, 5642 метра", "Луна, 5642 метра"),
    ],
)
def test_figures_are_written_as_in_english(language: str, text: str, english: str) -> None:
    assert with_english_figures(text, language) == english
