"""What the bundled models read for themselves, where rules once held them to it."""

from __future__ import annotations

import pytest

from verifier.check.gather import Models
from verifier.claim.parsed import parse_claim
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel
from verifier.settings import RetrievalSettings

NOVEL = "Frankenstein is a novel by the English writer Mary Shelley, first published in 1818."
SPIDERS = "A spider has eight legs and no antennae, while an insect has six legs."
VOLCANOES = "Mount Vesuvius is not on Sicily; Mount Etna is."
CAPITALS = "Tbilisi is the capital of Georgia, Yerevan of Armenia and Baku of Azerbaijan."
SUPPORTED = [
    ("Mary Shelley wrote Frankenstein", NOVEL),
    ("The author of Frankenstein is Mary Shelley", NOVEL),
    ("Tolkien wrote The Hobbit", "The Hobbit is a book by J. R. R. Tolkien."),
    ("Vivaldi composed The Four Seasons", "The Four Seasons is a set of concertos by Antonio Vivaldi."),
    ("Spiders have eight legs", SPIDERS),
    ("Python is named after Monty Python", "Python is named after Monty Python, not after the snake."),
    ("Malaria is spread by mosquitoes", "Mosquitoes, not tsetse flies, spread malaria."),
    ("Mount Etna is on Sicily", VOLCANOES),
    ("Baku is the capital of Azerbaijan", CAPITALS),
    ("Yerevan is the capital of Armenia", CAPITALS),
]
OF_ANOTHER_MAKER = [
    ("Jane Austen wrote Frankenstein.", NOVEL),
    ("Frankenstein was written by Jane Austen", NOVEL),
    ("J. K. Rowling wrote The Hobbit", "The Hobbit is a book by J. R. R. Tolkien."),
    ("Monet painted The Scream", "The Scream was painted in 1893 by the Norwegian artist Edvard Munch."),
    ("Mark Twain wrote Emma", "Jane Austen wrote Persuasion, Emma and Sense and Sensibility."),
    ("Tolstoy wrote Gone with the Wind", "Gone with the Wind is a novel by Margaret Mitchell."),
]
DENIED = [
    ("The Mars rover failed", "The Mars rover never failed."),
    ("The Mars rover never failed", "The Mars rover failed."),
    ("The bridge is not closed to lorries", "The bridge is closed to lorries."),
    ("The law has been repealed", "The law has not been repealed."),
]
SAID_OF_ANOTHER = [
    ("Spiders have six legs", SPIDERS),
    ("A leap year has 365 days", "A common year has 365 days, and a leap year has 366 days."),
    ("Python is named after a snake", "Python is named after Monty Python, not after the snake."),
    ("Tsetse flies spread malaria", "Mosquitoes, not tsetse flies, spread malaria."),
    ("Whales are fish", "Whales are mammals, not fish: they breathe air with lungs."),
    ("Mount Vesuvius is on Sicily", VOLCANOES),
    ("Yerevan is the capital of Georgia", CAPITALS),
]
DENIED_OF_ANOTHER = [
    ("Mozart was born in Salzburg", "Mozart was not born in Vienna."),
    ("India became independent in 1947", "Independence did not come in 1945 or in 1950."),
    ("The Danube flows through Vienna", "The Danube does not flow through Prague."),
    ("The tower has 12 floors", "The tower doesn't have 14 floors."),
    ("Birds are descended from dinosaurs", "Birds are not descended from pterosaurs."),
    ("Koalas eat eucalyptus leaves", "Koalas do not eat meat."),
    ("John Lennon was a member of the Beatles", "Mick Jagger was never a member of the Beatles."),
    ("Valentina Tereshkova was the first woman in space", "Sally Ride was not the first woman in space."),
]
CALLED_A_MYTH = [
    (
        "People before Columbus thought the Earth was flat",
        "That people before Columbus thought the Earth was flat is a misconception",
    ),
    ("Hair grows faster once it is cut", "The idea that hair grows faster once it is cut is an old wives' tale."),
    (
        "The Great Wall can be seen from the Moon",
        "It is a common myth that the Great Wall can be seen from the Moon.",
    ),
    (
        "People use only a tenth of their brains",
        "It is a medical myth that people use only a tenth of their brains.",
    ),
]


@pytest.mark.parametrize(("claim", "text"), SUPPORTED)
def test_what_a_text_says_in_one_clause_of_several_supports(claim: str, text: str, models: Models) -> None:
    assert stance_of(parse_claim(claim), text, models.stance)[0].label is StanceLabel.SUPPORTS


@pytest.mark.parametrize(("claim", "text"), [*OF_ANOTHER_MAKER, *DENIED, *SAID_OF_ANOTHER, *CALLED_A_MYTH])
def test_another_maker_a_denial_a_contrast_and_a_myth_refute(claim: str, text: str, models: Models) -> None:
    assert stance_of(parse_claim(claim), text, models.stance)[0].label is StanceLabel.REFUTES


@pytest.mark.parametrize(("claim", "text"), DENIED_OF_ANOTHER)
def test_the_denial_of_another_value_settles_nothing(claim: str, text: str, models: Models) -> None:
    stance = stance_of(parse_claim(claim), text, models.stance)[0]
    (relevance,) = models.reranker.scores(claim, [text])
    assert stance.label is StanceLabel.NEUTRAL or relevance < RetrievalSettings().min_relevance
