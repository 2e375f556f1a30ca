"""Make pairs on what a denial settles, and on what a statement leaves open.

A sentence that denies one value says nothing for or against another ("was not born in Vienna" about a birth in
Salzburg). A sentence that states something else about the same subject says nothing about the claim ("sold a horse"
about a mayor with parrots).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from lab.training.invented import FILLERS, Namer, firm, person, place
from lab.training.quantities import as_sentence, made
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair


@dataclass(frozen=True, slots=True)
class _Fact:
    """One statement about a subject `{x}` with a value `{v}`, and its denial.

    Where only one value can hold, another refutes.
    """

    subject: Namer
    value: Namer
    stated: str
    denied: str
    only_one: bool = True


def _year(rng: random.Random) -> str:
    return str(rng.randint(1700, 2024))


def _count(rng: random.Random) -> str:
    return f"{rng.randint(2, 9_900):,}"


_FACTS = (
    _Fact(person, place, "{x} was born in {v}", "{x} was not born in {v}"),
    _Fact(person, place, "{x} died in {v}", "{x} did not die in {v}"),
    _Fact(person, place, "{x} moved to {v}", "{x} never moved to {v}", only_one=False),
    _Fact(person, place, "{x} won the race in {v}", "{x} did not win the race in {v}", only_one=False),
    _Fact(person, place, "{x} designed the {v} bridge", "{x} did not design the {v} bridge", only_one=False),
    _Fact(person, person, "{x} studied with {v}", "{x} did not study with {v}", only_one=False),
    _Fact(person, person, "{x} is the eldest child of {v}", "{x} is not the eldest child of {v}"),
    _Fact(person, firm, "{x} works for {v}", "{x} does not work for {v}", only_one=False),
    _Fact(person, _year, "{x} was elected in {v}", "{x} was not elected in {v}", only_one=False),
    _Fact(firm, _year, "{x} was founded in {v}", "{x} was not founded in {v}"),
    _Fact(firm, _count, "{x} has {v} employees", "{x} does not have {v} employees"),
    _Fact(firm, place, "the head office of {x} is in {v}", "the head office of {x} is not in {v}"),
    _Fact(firm, firm, "{x} supplies {v}", "{x} does not supply {v}", only_one=False),
    _Fact(firm, firm, "{x} belongs to {v}", "{x} does not belong to {v}"),
    _Fact(place, _year, "{x} became independent in {v}", "independence did not come to {x} in {v}"),
    _Fact(place, place, "the capital of {x} is {v}", "{v} is not the capital of {x}"),
    _Fact(place, place, "the road from {x} leads to {v}", "no road leads from {x} to {v}", only_one=False),
    _Fact(place, _count, "{x} has {v} inhabitants", "{x} does not have {v} inhabitants"),
)
_OF_ONE: tuple[tuple[Namer, tuple[tuple[str, str], ...]], ...] = (
    (person, (
        ("{x} keeps bees", "{x} keeps no bees"), ("{x} sold a horse last spring", "{x} did not sell the horse"),
        ("{x} owns four parrots", "{x} does not own any parrots"), ("{x} plays the piano", "{x} does not play the piano"),
        ("{x} studied law in {p}", "{x} did not study law in {p}"), ("{x} has three children", "{x} has no children"),
        ("{x} was once a sailor", "{x} was never a sailor"), ("{x} won a prize for baking", "{x} did not win a prize"),
        ("{x} speaks Portuguese", "{x} speaks no Portuguese"), ("{x} opposed the new tax", "{x} did not oppose the new tax"),
    )),
    (place, (
        ("{x} lies on a river", "{x} does not lie on a river"), ("{x} has a university", "{x} has no university"),
        ("{x} is known for its cheese", "{x} is not known for its cheese"), ("{x} hosted the games", "{x} never hosted the games"),
        ("a railway runs from {x} to {p}", "no railway runs from {x} to {p}"), ("{x} exports timber", "{x} exports no timber"),
        ("{x} was flooded in {y}", "{x} was not flooded in {y}"), ("{x} is twinned with {p}", "{x} is not twinned with {p}"),
    )),
    (firm, (
        ("{x} has an office in {p}", "{x} has no office in {p}"), ("{x} raised its prices in {y}", "{x} did not raise its prices"),
        ("{x} makes bicycles", "{x} does not make bicycles"), ("{x} pays its trainees", "{x} does not pay its trainees"),
        ("{x} was sold in {y}", "{x} was not sold in {y}"), ("{x} hired {k} people", "{x} hired nobody"),
        ("{x} sponsors a rowing club", "{x} sponsors no rowing club"), ("{x} was fined in {y}", "{x} was not fined in {y}"),
    )),
)  # fmt: skip
"""A kind of subject, and independent statements about it, each with its denial."""


def _passage(told: str, rng: random.Random) -> str:
    filler = rng.choice(FILLERS).format(c=person(rng))
    return rng.choice((told, told, f"{told} {filler}", f"{filler} {told}"))


def _both(fact: _Fact, x: str, value: str, other: str, rng: random.Random) -> str:
    """One value stated and the other denied, in one passage."""
    stated, denied = fact.stated.format(x=x, v=value), fact.denied.format(x=x, v=other)
    return rng.choice(
        (
            f"{as_sentence(stated)} {as_sentence(denied)}",
            f"{as_sentence(denied)} {as_sentence(stated)}",
            as_sentence(f"{denied}, as is often read; {stated}"),
            as_sentence(f"{denied}; in fact {stated}"),
        )
    )


def denial(rng: random.Random) -> Pair:
    """State a value, deny a value, or both, and make a claim about it.

    The claim states or denies either value.
    """
    fact = rng.choice(_FACTS)
    x, value, other = fact.subject(rng), fact.value(rng), fact.value(rng)
    shape = rng.choice(("stated", "denied", "denied", "both"))
    if shape == "both":
        told = _both(fact, x, value, other, rng)
        labels = {(True, value): SUPPORTS, (False, value): REFUTES, (True, other): REFUTES, (False, other): SUPPORTS}
    elif shape == "stated":
        told = as_sentence(fact.stated.format(x=x, v=value))
        of_other = (REFUTES, SUPPORTS) if fact.only_one else (NOT_ENOUGH_INFO, NOT_ENOUGH_INFO)
        labels = {
            (True, value): SUPPORTS,
            (False, value): REFUTES,
            (True, other): of_other[0],
            (False, other): of_other[1],
        }
    else:
        told = as_sentence(fact.denied.format(x=x, v=other))
        labels = {(True, value): NOT_ENOUGH_INFO, (True, other): REFUTES, (False, other): SUPPORTS}
    (affirmed, claimed), label = rng.choice(list(labels.items()))
    claim = (fact.stated if affirmed else fact.denied).format(x=x, v=claimed)
    return made(as_sentence(claim), _passage(told, rng), label, "denial")


def another_statement(rng: random.Random) -> Pair:
    """Make one or two statements about a subject, and a claim.

    The claim is one of the statements (S), its denial (R), or a third (N).
    """
    namer, statements = rng.choice(_OF_ONE)
    words = {"x": namer(rng), "p": place(rng), "y": _year(rng), "k": _count(rng)}
    first, second, third = rng.sample(statements, 3)
    told = rng.choice(([first], [first, second], [second, first]))
    claim, label = rng.choice(
        ((first[0], SUPPORTS), (first[1], REFUTES), (third[0], NOT_ENOUGH_INFO), (third[0], NOT_ENOUGH_INFO),
         (third[1], NOT_ENOUGH_INFO))
    )  # fmt: skip
    passage = " ".join(as_sentence(stated.format(**words)) for stated, _ in told)
    return made(as_sentence(claim.format(**words)), _passage(passage, rng), label, "another_statement")


MAKERS: tuple[Callable[[random.Random], Pair], ...] = (denial, another_statement)
