from __future__ import annotations

import time
from dataclasses import fields

import pytest

from verifier.judgement.signals import NAMES, Signals, denies, signals_of

CLAIM = "The bridge is open"


def cues(here: str, rest: str = "", claim: str = CLAIM) -> set[str]:
    found = signals_of(claim, here, rest)
    assert set(found.values()) <= {0.0, 1.0}
    return {name for name, value in zip(NAMES, found.values(), strict=True) if value}


TOLD = """
A post claims it. He alleged it. It is alleged. They say so. She said so. He insists. She asserted it. According to him it is.
Rumours go. It is rumoured. It went viral. He posted it. He shared it. The caption reads so. A message runs. A screenshot runs.
A leaflet runs. He is accused. This suggests it. Some believe it. He swears it. He swore it. It is purportedly so. It is
supposed to be. It is reportedly so. Word is it is. This is hearsay. Gossip has it. He told us. It is going round. It circulates,
circulating on. He forwarded it. A video runs. It was on TikTok. It was on Facebook. It was on WhatsApp. He tweeted it. It is a
theory. It is a legend. It is folklore. The story goes on.
"""
ASKED = "Is it open? They ask whether it is. He wondered. She asked if it was. It is unclear. It is unknown. The question of it."
PLANNED = """
They plan it. It was proposed. It would be. It will be. It aims to be. He hopes to. He intends to. The target is this. A forecast
has it. It is expected. He predicted it. It is projected. The projections are these. A draft has it. It could be. It might be. It may
be. He pledged it. She promised it. They consider it. He calls for it. A bid is made. A motion is made. The ambition is it. So if it is.
"""
IMAGINED = """
This is satire. A parody runs. A spoof runs. In a novel it is. It is fictional. Imagine it. Suppose so. Hypothetically so. In the
game it is. In the film it is. In the series it is. An April fool. A joke. A comedy. A comic. A screenplay. A thriller. A scenario.
He pretends. He invented it. A dream. A simulation. It was an exercise.
"""
DENIED = """
It is fake. It is incorrect. He was wrong. A hoax. A myth. It was debunked. Misinformation. It is unfounded. It is baseless. It was
fabricated. It was doctored. It is made up. A made-up tale. They deny it. He denies it. She denied it. A denial came. He refuted it.
It was retracted. It was withdrawn. A correction came. An erroneous one. A mistake. Contrary to this. In fact it is. In reality it is.
Actually it is. It is rather this. Instead it is.
"""
CONFIRMED = """
He confirmed it. It was verified. It proved right. It turned out to be true. That is true. It was true. Records show it. The records
confirm it. A document shows it. Data show it. The data shows it. Figures show it. It is officially so. It checks out. It is accurate.
This bears it out. It is borne out. Indeed. She was right. It was correctly so. It was signed. It was published. It was measured.
It was counted.
"""


def sentences(text: str) -> list[str]:
    found = [part.strip() for part in " ".join(text.split()).replace("?", "?.").split(".")]
    return [part for part in found if part]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((text, "told_here") for text in sentences(TOLD)),
        *((text, "asked_here") for text in sentences(ASKED)),
        *((text, "planned_here") for text in sentences(PLANNED)),
        *((text, "imagined") for text in sentences(IMAGINED)),
        *((text, "denied_here") for text in sentences(DENIED)),
        *((text, "confirmed_here") for text in sentences(CONFIRMED)),
    ],
)
def test_every_cue_is_recognised(text: str, name: str) -> None:
    assert name in cues(text)
    assert name in cues(text.upper().replace("MAY", "may"))


@pytest.mark.parametrize(
    "text",
    [
        "The bridge carries eight lanes of traffic",
        "In May 2024 the bridge was opened by the mayor",
        "Wilma Bidwell, the engineer, paid for the falsework",
        "The postal clerk and the planet",
        "Its length is 412 metres",
        "",
    ],
)
def test_plain_sentences_hold_no_cue(text: str) -> None:
    assert cues(text) == set()


@pytest.mark.parametrize("name", ["told", "denied", "confirmed"])
def test_cues_outside_the_closest_sentence_are_kept_apart(name: str) -> None:
    text = {"told": "He said so.", "denied": "It is a hoax.", "confirmed": "That was confirmed."}[name]
    assert f"{name}_elsewhere" in cues(CLAIM, text) and f"{name}_here" not in cues(CLAIM, text)
    assert f"{name}_here" in cues(text) and f"{name}_elsewhere" not in cues(text)


@pytest.mark.parametrize("text", ["Is it so?", "They plan it."])
def test_questions_and_plans_count_in_the_closest_sentence_only(text: str) -> None:
    assert cues(text) and cues(CLAIM, text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Water is made up of hydrogen and oxygen",
        "Women made up 40 per cent of the crew",
        "The crew is made up mainly of women",
        "France and Spain share a border",
        "The twins shared a room",
        "The theory of relativity is old",
        "She held the post of minister",
        "The firm posted a loss in May",
        "The flood claimed more than 200 lives",
        "A. S. Byatt's novel won the Booker Prize in 1990",
        "His thriller sold two million copies",
        "Edison invented the light bulb",
        "The telephone was invented by Bell",
        "Will Smith was born in Philadelphia",
        "They swore allegiance to the king in 1066",
        "He plays as a forward for Ajax",
        "Video games are sold in shops",
    ],
)
def test_a_word_in_another_sense_is_no_cue(text: str) -> None:
    assert cues(text) <= {"told_here"} - ({"told_here"} if "swore" not in text else set())


@pytest.mark.parametrize(
    "text", ["It is made up.", "They shared a video of it.", "A viral post says so.", "In the novel she wins."]
)
def test_the_word_in_its_sense_is_still_a_cue(text: str) -> None:
    assert cues(text)


def test_an_image_is_not_imagined() -> None:
    assert cues(CLAIM, "Brain imaging shows it.") == set()


def test_what_is_imagined_counts_wherever_it_is_said_so() -> None:
    assert cues(CLAIM, "So it goes in the novel.") == cues("In a novel it is open.") == {"imagined"}


@pytest.mark.parametrize(
    ("claim", "text", "name"),
    [
        ("Officials say that the bridge is open", "Officials say that the bridge is open", "told_here"),
        ("The bridge will open", "The bridge will open", "planned_here"),
        ("The moon landing is a hoax", "The moon landing is a hoax", "denied_here"),
        ("The bridge is officially open", "The bridge is officially open", "confirmed_here"),
        ("The novel is long", "The novel is long", "imagined"),
        ("It is unclear who built it", "It is unclear who built it", "asked_here"),
    ],
)
def test_a_cue_of_the_claim_itself_does_not_count(claim: str, text: str, name: str) -> None:
    assert name in cues(text)
    assert cues(text, claim=claim) == set()


def test_told_and_denied_needs_both_whichever_sentence_denies() -> None:
    assert "told_and_denied" in cues("They say it is open.", "That is a hoax.")
    assert "told_and_denied" in cues("They say it is open, a hoax.")
    assert "told_and_denied" not in cues("They say it is open.")
    assert "told_and_denied" not in cues("It is open.", "They say so. That is a hoax.")


@pytest.mark.parametrize(
    ("claim", "text", "differ"),
    [
        (CLAIM, "The bridge is not open", True),
        (CLAIM, "The bridge isn't open", True),
        (CLAIM, "The bridge isn\u2019t open", True),
        (CLAIM, "The bridge never failed to open", False),
        (CLAIM, "Nobody opened the bridge", True),
        (CLAIM, "They refused to open the bridge", True),
        ("The bridge is not open", "The bridge is not open", False),
        ("The bridge is not open", "The bridge is open", True),
        (CLAIM, "The bridge is noted and nothingness knots", False),
    ],
)
def test_negations_differ_where_one_side_has_an_odd_number(claim: str, text: str, differ: bool) -> None:
    assert ("negations_differ" in cues(text, claim=claim)) is differ


def test_the_names_are_those_of_the_fields_in_order() -> None:
    assert NAMES == tuple(field.name for field in fields(Signals))
    assert Signals(*range(len(NAMES))).values() == tuple(range(len(NAMES)))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "no ",
        "in the ",
        "april fool",
        "made-",
        " ",
        "proved ",
        "record ",
        "n't",
        "turned out to be ",
        "\n",
        "claimx ",
        "-",
        "word ",
        "that no ",
        "if a no ",
    ],
)
def test_fifty_thousand_characters_take_less_than_a_second(unit: str) -> None:
    text, start = unit * (50_000 // len(unit)), time.process_time()
    signals_of(text, text, text)
    denies(text)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("here", "expected"),
    [
        ("A person who does not get enough vitamin C for months can get scurvy.", False),
        ("If the valve never opens, the pump stops.", False),
        ("Birds that cannot fly run fast.", False),
        ("Children who don't sleep enough learn less.", False),
        ("The crew that left did not come back.", True),
        ("Whoever waters the plant finds that it grows.", False),
        ("The ship did not sink.", True),
        ("The ship, which was built in Hull, did not sink.", True),
        ("The Moon landing that people talk of is a myth.", True),
    ],
)
def test_a_negation_in_a_clause_denies_nothing(here: str, expected: bool) -> None:
    assert denies(here) is expected
