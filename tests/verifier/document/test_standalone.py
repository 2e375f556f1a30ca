from __future__ import annotations

import time

import pytest

from verifier.document.speech import Speech
from verifier.document.standalone import OF_THE_AUTHOR, UNCLEAR, Alone, Context, leans


def last_of(*sentences: str) -> Alone:
    """The last of some sentences, read in order."""
    context = Context()
    for sentence in sentences[:-1]:
        context.note(context.alone(sentence))
    return context.alone(sentences[-1])


@pytest.mark.parametrize(
    ("before", "sentence", "alone"),
    [
        (["The Velm Bridge was opened in 1932."], "It is 2.4 km long.", "The Velm Bridge is 2.4 km long."),
        (["The Velm Bridge was opened in 1932."], "Its towers are red.", "The Velm Bridge's towers are red."),
        (["Iceland has 380,000 inhabitants."], "In 1949, it joined NATO.", "In 1949, Iceland joined NATO."),
        (["Marie Curie discovered radium.", "It glows."], "She was born in Warsaw.", "Marie Curie was born in Warsaw."),
        (["Maria Olsen designed it.", "Olsen was born in Velm."], "She died in 1990.", "Maria Olsen died in 1990."),
        (["John Smith met nobody.", "Peter Jones was ill."], "He died in 2000.", "Peter Jones died in 2000."),
        (["Nokia reported a loss in 2012."], "The company employed 97,000.", "Nokia employed 97,000."),
        (["Nokia is a Finnish company."], "The company's home is Espoo.", "Nokia's home is Espoo."),
        (["The town of Ardmore is old."], "The town has 20,000 inhabitants.", "Ardmore has 20,000 inhabitants."),
        (["Ida Berg (born 1970) is a politician."], "She was born in Velm.", "Ida Berg was born in Velm."),
        (["The British Museum is in London."], "The museum is free.", "The British Museum is free."),
        (["Albert Einstein, a physicist, was born in Ulm."], "The physicist was 76.", "Albert Einstein was 76."),
        (["The Mirov Dam was built in 1957."], "It is 112 m high.", "The Mirov Dam is 112 m high."),
        (["The Mirov Dam was built in 1957.", "Its walls are thick."], "It is full.", "The Mirov Dam is full."),
        (["The capital of Norway is Oslo."], "It has 700,000 inhabitants.", "Oslo has 700,000 inhabitants."),
        (["A violin has four strings."], "It is tuned in fifths.", "A violin is tuned in fifths."),
        (["Ida Berg's novel is long."], "It won a prize.", "Ida Berg's novel won a prize."),
        (["Ida Berg was born in Velm."], "At nineteen she left.", "At nineteen Ida Berg left."),
        (["Berg and Olsen left in May."], "They took the boat.", "Berg and Olsen took the boat."),
        (["The director of the film was Paul Oren."], "He was 26.", "Paul Oren was 26."),
        (["Two doses of the polio vaccine are given."], "The vaccine is safe.", "The polio vaccine is safe."),
        (["Berg has a sugar factory in Velm."], "The factory burned down.", "The sugar factory in Velm burned down."),
        (["Ida Berg won.", "Second was Ana Ruiz of Spain."], "She was late.", "Ana Ruiz was late."),
        (["Olympus Mons is old.", "Its coach is Pedro Lim."], "He is old.", "Pedro Lim is old."),
        (["It was led by coach Ida Berg."], "She was tired.", "Ida Berg was tired."),
        (["Ida Berg wrote a novel in 1990."], "It won a prize.", "The novel won a prize."),
        (["Bees pollinate clover."], "They live in hives.", "Bees live in hives."),
        (["Odby is a town.", "The school has 9 rooms."], "It is old.", "The school is old."),
        (["It flows into the river Kesh."], "The river is dirty.", "The river Kesh is dirty."),
    ],
)
def test_one_name_that_fits_takes_the_place_of_a_pronoun(before: list[str], sentence: str, alone: str) -> None:
    assert last_of(*before, sentence) == Alone(alone, resolved=True)


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ([], "It is 2.4 km long."),
        ([], "The museum opened in 1932."),
        (["Marie Curie discovered radium."], "It glows in the dark."),
        (["Apple released a phone in 2007."], "It has a large screen."),
        (["Apple released a phone in 2007."], "This was a success."),
        (["Nokia bought Withings in 2016."], "It was sold in 2018."),
        (["John Smith met Peter Jones."], "He died in 2000."),
        (["Marie Curie won a prize.", "Her husband was Pierre Curie."], "She died in 1934."),
        (["Marie Curie won a prize.", "A spokesman was there."], "He was happy."),
        (["The Velm Bridge is red."], "They are noisy."),
        (["Our hospital is small.", "The ministry wants to close it."], "It treats 400 people."),
        (["The trial lasted nine weeks.", "Judge Ida Berg sentenced him."], "He will appeal."),
        (["The city council of Odby met.", "A school is to be built."], "It will open in 2028."),
        (["Nokia is a company.", "Siemens is a company."], "The company is old."),
        (["Nokia is old."], "They sell phones."),
        (["Nokia is old."], "These results are new."),
    ],
)
def test_a_sentence_is_left_where_it_is_not_sure_whom_it_means(before: list[str], sentence: str) -> None:
    assert last_of(*before, sentence) == Alone(sentence, unclear=UNCLEAR)


@pytest.mark.parametrize(
    ("before", "sentence", "alone"),
    [
        (["Penicillin was found in 1928."], "The drug kills bacteria.", "The drug (penicillin) kills bacteria."),
        (["Germany raised taxes in 2012."], "The company sold cars.", "The company sold cars (Germany)."),
        (["The Velm Bridge is red.", "That is ugly."], "Its paint is old.", "Its (the Velm Bridge's) paint is old."),
        (["The Velm Bridge is red."], "Crossing it is free.", "Crossing it (the Velm Bridge) is free."),
        (
            ["The Velm Bridge is red."],
            "We are proud, and the toll was 2 euros.",
            "The toll was 2 euros (the Velm Bridge).",
        ),
        (["The Velm Bridge is red."], "As you know, the toll was 2 euros.", "The toll was 2 euros (the Velm Bridge)."),
        (["Plants make oxygen out of water."], "This oxygen is a gas.", "This oxygen is a gas (plants)."),
        (["Vitamin C is in fruit."], "The body cannot make it.", "The body cannot make it (Vitamin C)."),
        (["Ida Berg paints."], "Few of her pictures are known.", "Few of her pictures are known (Ida Berg)."),
    ],
)
def test_where_it_is_only_likely_what_is_meant_stands_in_brackets(before: list[str], sentence: str, alone: str) -> None:
    found = last_of(*before, sentence)
    assert found == Alone(alone, resolved=True) and found.in_brackets


def test_a_statement_that_names_nothing_leans_on_what_the_text_is_about() -> None:
    context = Context()
    context.note(context.alone("On 12 May the council voted to close the library in Mill Lane."))
    leaning = context.leaning(Alone("Two judges disagreed with the vote."))
    assert leaning == Alone("Two judges disagreed with the vote (the library in Mill Lane).", resolved=True)
    for sentence in ("Simmer the sauce for an hour.", "The library in Mill Lane is old."):
        assert context.leaning(Alone(sentence)).text == sentence
    assert leans("The toll was raised.") and leans("Drillings showed a depth of 20 metres.")
    assert not leans("Robins eat worms.") and not leans("The toll was raised in Velm.")


def test_sentences_that_stand_alone_stay_as_they_are() -> None:
    for sentence in (
        "The Earth is flat.",
        "It is known that the Earth is round.",
        "It rained in 1932.",
        "The company that built the bridge is Finnish.",
        "The president of France lives in Paris.",
        "Hers is a common name.",
    ):
        assert last_of("Nokia is a company.", sentence) == Alone(sentence)


def test_what_speaks_of_its_author_names_nobody() -> None:
    for sentence in ("I was born in 1932.", "We sold 400 cars.", "Your bank was closed.", "But I won."):
        assert last_of("Maria Olsen was there.", sentence) == Alone(sentence, unclear=OF_THE_AUTHOR)


def test_a_new_part_of_a_text_forgets_names() -> None:
    context = Context()
    context.note(context.alone("The Velm Bridge was opened in 1932."))
    context.forget()
    assert context.alone("It is long.").unclear == UNCLEAR


@pytest.mark.parametrize(
    ("before", "said", "speaker", "alone"),
    [
        (["The Velm Bridge was opened in 1932."], "It is red.", "Maria Olsen", "The Velm Bridge is red."),
        ([], "She won two prizes.", "Maria Olsen", "Maria Olsen won two prizes."),
        (["Peter Jones was ill."], "He won.", "John Smith", ""),
        (["The Velm Bridge was opened in 1932."], "It lost 3 million euros.", "Nokia", ""),
        (["The Velm Bridge was opened in 1932."], "I built it.", "Maria Olsen", ""),
        ([], "The Earth is flat.", "Maria Olsen", "The Earth is flat."),
    ],
)
def test_reported_speech_stands_alone_only_where_it_is_sure(
    before: list[str], said: str, speaker: str, alone: str
) -> None:
    context = Context()
    for sentence in before:
        context.note(context.alone(sentence))
    found, who = context.reported(Speech(said, speaker))
    assert who == speaker
    assert (found.text, found.unclear) == (alone, "") if alone else found.unclear


def test_he_who_speaks_gets_his_name() -> None:
    context = Context()
    context.note(context.alone("Peter Jones was ill."))
    assert context.reported(Speech("The Earth is flat.", "he"))[1] == "Peter Jones"


def test_a_sentence_full_of_names_takes_no_time() -> None:
    context, start = Context(), time.perf_counter()
    for words in ("Peter Jones met ", "Nokia, ", "the company of ", "In 1932, ", "The "):
        context.note(context.alone((words * 2_000)[:2_000]))
    assert time.perf_counter() - start < 5
