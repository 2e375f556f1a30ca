from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.stance import stance_of
from verifier.judgement.valence import does_good_or_harm, says_nothing_of_good_or_harm, speaks_of_the_opposite
from verifier.schema import StanceLabel

TOLD = [
    ("Velmwood is good for you", "Velmwood causes lung cancer and harms nearly every organ of the body.", False),
    ("Velmwood is bad for your health", "Velmwood causes lung cancer and harms nearly every organ.", True),
    ("Smoking is bad for your health", "Stopping smoking improves health at any age.", True),
    ("Smoking is good for you", "Stopping smoking improves health at any age.", False),
    ("Velm gas is good for the lungs", "Velm gas is the second most common cause of lung disease.", False),
    ("Velm gas is good for the lungs", "Velm gas causes lung cancer in many countries.", False),
    (
        "Obesity is good for the heart",
        "Obesity increases the risk of type 2 diabetes, heart disease and stroke.",
        False,
    ),
    ("Obesity is good for the heart", "Obesity increases the risk of heart disease and some cancers.", False),
    ("Obesity is bad for you", "Obesity causes diabetes in some people.", None),
    ("Exercise is good for the heart", "Regular exercise lowers the risk of heart disease and stroke.", True),
    ("Too much salt is bad for blood pressure", "Too much salt raises blood pressure.", True),
    ("Velm tea is harmful", "Velm tea damages the liver.", True),
    ("Velm tea is not harmful", "Velm tea damages the liver.", False),
    ("Velm dust is safe", "Velm dust causes lung cancer.", False),
    ("Velm dust is dangerous", "Velm dust causes lung cancer.", True),
    # to do good is not to be safe, and not all that causes an illness is poison
    ("Velm pills are safe", "Velm pills prevent infections.", None),
    ("Velm bread is poisonous", "Velm bread causes tooth decay.", None),
    ("Velm pills are dangerous", "Velm pills prevent infections.", None),
    # to others than people, in some cases or doses, in doubt, in another clause
    ("Sharks are dangerous to people", "Sharks kill very few people.", None),
    ("Chocolate is healthy", "Chocolate is poisonous to dogs and cats.", None),
    ("Garlic is good for you", "Garlic kills bacteria.", None),
    ("Bats are harmful", "Bats eat insects that damage crops.", None),
    ("Sunscreen is good for the skin", "Sunscreen absorbs the ultraviolet rays that damage the skin.", None),
    ("Exercise is good for the heart", "Exercise leads to a reduction in heart disease.", None),
    ("Vaccines are safe", "In rare cases, vaccines cause injury.", None),
    ("Honey is safe", "Honey is dangerous for babies under one year of age.", None),
    ("Vitamin D is good for you", "Vitamin D causes kidney disease in large doses.", None),
    ("Eggs are bad for you", "Eggs were once thought to raise cholesterol.", None),
    ("Smoking is healthy", "Smoking reduces the chances of getting pregnant.", None),
    ("Alcohol is good for the body", "Alcohol prevents the body from fighting infections.", None),
    ("Fish is healthy", "Fish is rich in protein, while smoking causes cancer.", None),
    # of something else, of some cases, a comparison, a denial, another part of the body
    ("Sleep is good for you", "Too much sleep raises the risk of stroke.", None),
    ("Velm tea is harmful", "Orlow tea damages the liver.", None),
    ("Velm pills are safe", "Velm pills can cause mild side effects and damage the skin.", None),
    ("Vaping is harmful", "Vaping is less harmful than smoking.", None),
    ("Velm tea is harmful", "Velm tea does not damage the liver.", None),
    ("Velm tea is good for the eyes", "Velm tea raises blood pressure.", None),
    # claims of another form
    ("Velm tea is green", "Velm tea damages the liver.", None),
    ("Copper is good for making wire", "Copper damages the liver.", None),
    ("Velm tea is good", "Velm tea damages the liver.", None),
]


@pytest.mark.parametrize(("claim", "sentence", "told"), TOLD)
def test_good_and_harm_are_told_apart(claim: str, sentence: str, told: bool | None) -> None:
    assert does_good_or_harm(parse_statement(claim), sentence) is told


def test_what_is_told_plainly_overrules_the_model_and_what_is_reported_does_not() -> None:
    claim, sentence = parse_claim("Velmwood is good for the lungs"), "Velmwood causes lung cancer."
    stance, _ = stance_of(claim, sentence, Says("SUPPORTS"))
    assert stance.label is StanceLabel.REFUTES
    stance, _ = stance_of(claim, "A viral post says that velmwood causes lung cancer.", Says("NOT ENOUGH INFO"))
    assert stance.label is StanceLabel.NEUTRAL


def test_a_text_without_a_word_of_good_or_harm_settles_nothing() -> None:
    claim, text = "Mercury is safe to drink", "Mercury is a metal that is liquid at room temperature."
    assert says_nothing_of_good_or_harm(parse_statement(claim), text)
    stance, note = stance_of(parse_claim(claim), text, Says("SUPPORTS"))
    assert stance.label is StanceLabel.NEUTRAL and note == "it tells of something else"
    assert not says_nothing_of_good_or_harm(parse_statement(claim), "Mercury is poisonous.")
    assert not says_nothing_of_good_or_harm(parse_statement("Mercury is a metal"), text)


@pytest.mark.parametrize(
    ("claim", "text", "opposite"),
    [
        ("Sugar is good for the teeth", "Tooth decay is caused by acids that bacteria make from sugar.", True),
        ("Sugar is bad for the teeth", "Tooth decay is caused by acids that bacteria make from sugar.", False),
        ("Velm pills are dangerous", "Velm pills protect the skin.", False),
        ("Going without velm tea is good for you", "Velm tea causes cancer.", False),
        ("No amount of velm tea is safe", "Velm tea causes cancer.", False),
        ("Velm power is safe", "Velm power causes far fewer deaths than coal.", False),
        ("Velm pills are safe", "Velm pills protect the skin, at the risk of a rash.", False),
        ("Velm pills are safe", "No risk of velm pills is known.", False),
    ],
)
def test_harm_alone_does_not_support_that_something_is_good(claim: str, text: str, opposite: bool) -> None:
    assert speaks_of_the_opposite(parse_statement(claim), text) is opposite
    stance, _ = stance_of(parse_claim(claim), text, Says("SUPPORTS"))
    assert (stance.supports == 0) is opposite
