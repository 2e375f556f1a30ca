"""Make pairs on what a sentence's structure decides: roles, subjects, comparison, rank, order, and exclusion.

Invented names fill sentences whose parts are known, so the label follows from how the pair was made. Each maker draws
one passage and one claim. The same words come with every label, so only the structure tells them apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from lab.training import denials
from lab.training.invented import (
    ASIDES,
    DEEDS,
    EVENTS,
    EXCLUSIVE,
    FACTS,
    FILLERS,
    KINDS,
    PAST,
    RANKS,
    firm,
    person,
    place,
)
from lab.training.quantities import as_sentence, made
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair


def _in_passage(sentence: str, other: str, rng: random.Random) -> str:
    """The sentence alone, or with a filler that may name someone else."""
    if rng.random() < 0.5:
        return sentence
    filler = rng.choice(FILLERS).format(c=other)
    return f"{sentence} {filler}" if rng.random() < 0.7 else f"{filler} {sentence}"


def _claim(text: str, rng: random.Random) -> str:
    return text if rng.random() < 0.4 else as_sentence(text)


def roles(rng: random.Random) -> Pair:
    """Claim who did it to whom.

    The claim is the fact from either side (S), turned round (R), or with someone else in one place (N).
    """
    deed = rng.choice(DEEDS)
    a, b, c = (deed.names(rng) for _ in range(3))
    when = rng.choice(PAST).format(y=rng.randint(1800, 2024))
    told = as_sentence(f"{rng.choice(deed.told).format(a=a, b=b)} {when}".strip())
    label, (x, y) = rng.choice(
        (
            (SUPPORTS, (a, b)),
            (REFUTES, (b, a)),
            (REFUTES, (b, a)),
            (NOT_ENOUGH_INFO, rng.choice(((a, c), (c, b), (c, a)))),
        )
    )
    return made(_claim(rng.choice(deed.told).format(a=x, b=y), rng), _in_passage(told, c, rng), label, "roles")


def _named(kind: str, rng: random.Random) -> str:
    return f"the {place(rng)} {kind}" if kind != "town" and rng.random() < 0.6 else place(rng)


def _measured(plain: str, unit: str) -> str:
    """Return the words that state a figure of the quality `plain`.

    `{n}` and `{u}` stand for number and unit.
    """
    if unit.startswith("visit") or plain in {"populous", "large"}:
        return "has {n} {u}"
    if plain in {"fast", "hot"}:
        return "reaches {n} {u}"
    others = {"tall": "stands {n} {u} tall", "expensive": "costs {n} {u}", "old": "is {n} {u} old"}
    return others.get(plain, "measures {n} {u}")


def comparison(rng: random.Random) -> Pair:
    """Compare two things by words, by the converse adjective, or by figures.

    A third one is not settled.
    """
    kind, plain, more, _, less, _, unit, low, high = rng.choice(KINDS)
    a, b, c = (_named(kind, rng) for _ in range(3))
    small = rng.randint(low, high)
    large = round(small * rng.choice((1.05, 1.2, 1.6, 2, 3))) + 1
    shape = _measured(plain, unit)
    told = rng.choice(
        (
            f"{a} is {more} than {b}",
            f"{b} is {less} than {a}",
            f"{b} is not as {plain} as {a}",
            f"{a} {shape.format(n=f'{large:,}', u=unit)}, {b} {shape.format(n=f'{small:,}', u=unit)}",
            f"{b} {shape.format(n=f'{small:,}', u=unit)}, while {a} {shape.format(n=f'{large:,}', u=unit)}",
            f"with {large:,} {unit}, {a} is ahead of {b}, which has {small:,}",
        )
    )
    label, x, y = rng.choice(
        (
            (SUPPORTS, a, b),
            (SUPPORTS, a, b),
            (REFUTES, b, a),
            (REFUTES, b, a),
            (NOT_ENOUGH_INFO, *rng.choice(((a, c), (c, a), (b, c), (c, b)))),
        )
    )
    said = rng.choice((f"{x} is {more} than {y}", f"{y} is {less} than {x}", f"{y} is not as {plain} as {x}"))
    return made(_claim(said, rng), _in_passage(as_sentence(told), c, rng), label, "comparison")


def rank(rng: random.Random) -> Pair:
    """The superlative against second places, "one of the", narrower areas, equals and former holders."""
    kind, _, more, most, _, least, *_ = rng.choice(KINDS)
    a, b = _named(kind, rng), _named(kind, rng)
    land, province = place(rng), place(rng)
    here = f"the {most} {kind} in {land}"
    second = rng.choice(RANKS)
    claim, told, label = rng.choice(
        (
            (f"{a} is {here}", f"no other {kind} in {land} is {more} than {a}", SUPPORTS),
            (f"{a} is {here}", f"among the {kind}s of {land}, {a} is the {most}", SUPPORTS),
            (f"{a} is {here}", f"{a} is {here}, followed by {b}", SUPPORTS),
            (f"{b} is {here}", f"{a} is {here}, followed by {b}", REFUTES),
            (f"{a} is {here}", f"{a} is the {second} {most} {kind} in {land}", REFUTES),
            (f"{a} is {here}", f"{a} was {here} until {b} overtook it", REFUTES),
            (f"{b} is {here}", f"{a} was {here} until {b} overtook it", SUPPORTS),
            (f"{a} was once {here}", f"{a} was {here} until {b} overtook it", SUPPORTS),
            (f"{a} is {here}", f"{a} is one of the {most} {kind}s in {land}", NOT_ENOUGH_INFO),
            (f"{a} is {here}", f"{a} is the {most} {kind} in {province}, a province of {land}", NOT_ENOUGH_INFO),
            (
                f"{a} is the {most} {kind} in {province}",
                f"{a} is {here}; {province}, where it lies, is proud of it",
                SUPPORTS,
            ),
            (f"{a} is {here}", f"{a} is the {least} {kind} in {land}", REFUTES),
            (f"{a} is {here}", f"only {b} is {more} than {a} among the {kind}s of {land}", REFUTES),
            (f"{a} is the {second} {most} {kind} in {land}", f"{a} is the {second} {most} {kind} in {land}", SUPPORTS),
            (
                f"{a} is the second {most} {kind} in {land}",
                f"only {b} is {more} than {a} among the {kind}s of {land}",
                SUPPORTS,
            ),
            (f"{a} is the {second} {most} {kind} in {land}", f"{a} is {here}", REFUTES),
            (f"{a} is {here}", f"{b} is {here}", REFUTES),
            (f"{b} is {here}", f"{a} is a well-known {kind} in {land}, near {b}", NOT_ENOUGH_INFO),
        )
    )
    return made(_claim(claim, rng), _in_passage(as_sentence(told), place(rng), rng), label, "rank")


def order(rng: random.Random) -> Pair:
    """Before and after, by dates, by spans, or by words."""
    first, second, third = (rng.choice(EVENTS).format(p=place(rng), n=person(rng), f=firm(rng)) for _ in range(3))
    year, span = rng.randint(1850, 2000), rng.randint(1, 24)
    told = rng.choice(
        (
            f"{first} in {year}, and {second} in {year + span}",
            f"{second} in {year + span}; {first} in {year}",
            f"{span + 1} years after {first}, {second}",
            f"{first} in {year}. {as_sentence(f'{span + 1} years later, {second}')[:-1]}",
            f"when {second}, it was already {span + 1} years since {first}",
            f"{first} before {second}",
            f"only after {first}, {second}",
        )
    )
    label, (x, y) = rng.choice(
        (
            (SUPPORTS, (first, second)),
            (REFUTES, (second, first)),
            (NOT_ENOUGH_INFO, rng.choice(((first, third), (third, second)))),
        )
    )
    said = rng.choice((f"{x} before {y}", f"{y} after {x}"))
    return made(_claim(said, rng), _in_passage(as_sentence(told), place(rng), rng), label, "order")


def exclusion(rng: random.Random) -> Pair:
    """State what excludes the claim without any copied word of denial, or something irrelevant."""
    one, other = rng.choice(EXCLUSIVE)
    words = {"p": place(rng), "n": person(rng), "f": firm(rng), "y": rng.randint(1850, 2020)}
    claimed, against = (one, other) if rng.random() < 0.5 else (other, one)
    claim = rng.choice(claimed)
    told, label = rng.choice(
        (
            (rng.choice([text for text in claimed if text != claim]), SUPPORTS),
            (rng.choice(against), REFUTES),
            (rng.choice(against), REFUTES),
            (rng.choice(ASIDES), NOT_ENOUGH_INFO),
        )
    )
    passage = _in_passage(as_sentence(told.format(**words)), place(rng), rng)
    return made(_claim(claim.format(**words), rng), passage, label, "exclusion")


def subject(rng: random.Random) -> Pair:
    """State facts about two subjects, and claim one of them.

    Swapped subjects refute (R); the same predicate for a third is open (N).
    """
    fact = rng.choice(FACTS)
    namer = rng.choice((place, firm))
    a, b, c = (namer(rng) for _ in range(3))
    y, k = rng.randint(1850, 2020), rng.randint(2, 990)
    other_y, other_k = y + rng.choice((-31, -7, -2, 3, 12, 40)), k + rng.choice((3, 11, 45, 160))
    first, second = fact.format(x=a, y=y, k=k), fact.format(x=b, y=other_y, k=other_k)
    both = rng.choice((f"{first}, while {second}", f"{second}; {first}", f"{first}. {as_sentence(second)[:-1]}"))
    claim, told, label = rng.choice(
        (
            (first, both, SUPPORTS),
            (second, both, SUPPORTS),
            (fact.format(x=b, y=y, k=k), both, REFUTES),
            (fact.format(x=a, y=other_y, k=other_k), both, REFUTES),
            (fact.format(x=c, y=y, k=k), both, NOT_ENOUGH_INFO),
            (second, first, NOT_ENOUGH_INFO),
            (fact.format(x=c, y=other_y, k=other_k), first, NOT_ENOUGH_INFO),
            (rng.choice([other for other in FACTS if other != fact]).format(x=a, y=y, k=k), first, NOT_ENOUGH_INFO),
        )
    )
    return made(_claim(claim, rng), as_sentence(told), label, "subject")


MAKERS: tuple[Callable[[random.Random], Pair], ...] = (
    roles,
    comparison,
    rank,
    order,
    exclusion,
    subject,
    *denials.MAKERS,
)


def make_structures(count: int, seed: int) -> list[Pair]:
    """Make `count` pairs, as many by each maker."""
    rng = random.Random(seed)
    return [MAKERS[i % len(MAKERS)](rng) for i in range(count)]
