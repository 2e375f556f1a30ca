from __future__ import annotations

import random
import re
from collections.abc import Callable

from lab.training.contrasts import (
    MAKERS,
    causes,
    changed_number,
    compared_number,
    make_contrasts,
    negated,
    opposite,
    plain_sentences,
    retelling,
)
from lab.training.passages import long_passages, near_topic_negatives
from lab.training.quantities import approximate, change, date_bound, number_word, other_month, renamed, share, unit
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair

SENTENCE = "The Vasco bridge was opened in 1931 and is 412 metres long."


def with_thirty_seeds(test: Callable[[int], None]) -> Callable[[], None]:
    """Make one test of thirty, which differ in their seed."""

    def run() -> None:
        for seed in range(30):
            test(seed)

    return run


def value(text: str) -> float:
    return float(text.replace(",", ""))


@with_thirty_seeds
def test_made_labels_follow_from_how_a_pair_was_made(seed: int) -> None:
    rng = random.Random(seed)
    number = changed_number(SENTENCE, SENTENCE, rng)
    assert number and number.label == REFUTES and number.claim != number.evidence == SENTENCE
    compared = compared_number(SENTENCE, SENTENCE, rng)
    if compared:
        bound = value(compared.claim.split(" metres")[0].split()[-1])
        more = any(words in compared.claim for words in ("more than", "over", "at least"))
        assert (compared.label == SUPPORTS) == ((412 > bound) if more else (412 < bound))
    denied = negated(SENTENCE, SENTENCE, rng)
    assert denied and (denied.label == SUPPORTS) == (denied.claim == denied.evidence)
    assert retelling(SENTENCE, SENTENCE, rng).claim == SENTENCE
    assert causes("", "", rng).label in "SRN"
    turned = opposite(SENTENCE, SENTENCE, rng)
    assert turned and turned.label == REFUTES


@with_thirty_seeds
def test_a_year_is_before_after_or_in_what_the_claim_says(seed: int) -> None:
    pair = date_bound(SENTENCE, SENTENCE, random.Random(seed))
    assert pair and pair.evidence == SENTENCE
    said = pair.claim.removeprefix("The Vasco bridge was opened ").removesuffix(" and is 412 metres long.")
    number = int(re.findall(r"\d+", said)[0])
    true = {
        "before": 1931 < number,
        "after": 1931 > number,
        "no": 1931 <= number,
        "in": number == (20 if "century" in said else 1930),
    }
    assert (pair.label == SUPPORTS) == true[said.split()[0]]


@with_thirty_seeds
def test_a_length_in_a_smaller_unit_is_true_only_if_converted(seed: int) -> None:
    pair = unit(SENTENCE, SENTENCE, random.Random(seed))
    assert pair and (pair.label == SUPPORTS) == ("41,200 centimetres" in pair.claim)


@with_thirty_seeds
def test_about_is_near(seed: int) -> None:
    pair = approximate(SENTENCE, SENTENCE, random.Random(seed))
    assert pair
    said = value(re.findall(r"(\d+) metres", pair.claim)[0])
    assert (pair.label == SUPPORTS) == (abs(said / 412 - 1) < 0.06)


@with_thirty_seeds
def test_number_words_and_digits_are_the_same(seed: int) -> None:
    pair = number_word("It has three towers.", "It has three towers.", random.Random(seed))
    assert pair and (pair.label == SUPPORTS) == (pair.claim == "It has 3 towers.")
    pair = number_word("It has 3 towers.", "It has 3 towers.", random.Random(seed))
    assert pair and (pair.label == SUPPORTS) == (pair.claim == "It has three towers.")


@with_thirty_seeds
def test_another_month_and_another_name_are_not_the_same(seed: int) -> None:
    rng = random.Random(seed)
    month = other_month("It opened on May 3, 1931.", "It opened on May 3, 1931.", rng)
    assert month and month.label == REFUTES and "May" not in month.claim
    whole = "Jane Roe met John Doe, and Max Moe waited."
    name = renamed("Jane Roe met John Doe.", whole, rng)
    assert name and "Max Moe" in name.claim
    assert name.label == (NOT_ENOUGH_INFO if name.claim.startswith("Max Moe") else REFUTES)


@with_thirty_seeds
def test_changes_and_shares_agree_with_their_figures(seed: int) -> None:
    rng = random.Random(seed)
    pair = change("", "", rng)
    if "doubled" in pair.claim:
        amounts = [
            value(n) for n in re.findall(r"\d[\d,.]*\d|\d", pair.evidence) if not 1940 < value(n.strip(".")) < 2040
        ]
        start, end = sorted(amounts[:2])  # a fall never doubled, whichever figure comes first
        assert pair.label == REFUTES or end >= 2 * start
    pair = share("", "", rng)
    percent = (
        int(re.findall(r"(\d+)(?:%| per cent)", pair.evidence)[0])
        if "%" in pair.evidence or "cent" in pair.evidence
        else None
    )
    if percent is not None and pair.claim.startswith("Most"):
        assert (pair.label == SUPPORTS) == (percent > 50)


def test_contrasts_come_in_the_number_asked_and_always_the_same() -> None:
    sentences = plain_sentences([(SENTENCE, [SENTENCE, "It was long.", "short one"])] * 3)
    assert sentences == [(SENTENCE, SENTENCE)] * 3
    made = make_contrasts(sentences, 60, seed=1)
    assert len(made) == 60 and made == make_contrasts(sentences, 60, seed=1)
    assert sum(share for _, share in MAKERS) > 1


TOPICS = ("bridge", "castle", "railway", "museum", "harbour", "river")
PAIRS = [
    Pair(
        f"The {topic} of town {n} opened in {1900 + n}.",
        f"Visitors say that the {topic} in district {n} opened on a {day}, with a band and {n + 2} speeches.",
        SUPPORTS,
        "fever_dev_gold",
        "train",
    )
    for n in range(40)
    for topic, day in zip(TOPICS, ("Monday", "Tuesday", "Friday", "Sunday", "holiday", "birthday"), strict=True)
]


def test_negatives_pair_a_claim_with_a_passage_from_elsewhere() -> None:
    made = near_topic_negatives(PAIRS, 50, seed=0)
    texts = {pair.evidence for pair in PAIRS}
    assert len(made) > 30 and {pair.label for pair in made} == {NOT_ENOUGH_INFO}
    assert all(pair.evidence in texts for pair in made)
    assert made == near_topic_negatives(PAIRS, 50, seed=0)


def test_long_passages_keep_the_evidence_and_its_label() -> None:
    made = long_passages(PAIRS, 50, seed=0)
    evidence = {pair.claim: pair.evidence for pair in PAIRS}
    assert made and all(evidence[pair.claim] in pair.evidence and pair.label == SUPPORTS for pair in made)
    assert max(len(pair.evidence.split()) for pair in made) > 40
    assert all(len(pair.evidence.split()) <= 170 for pair in made)
