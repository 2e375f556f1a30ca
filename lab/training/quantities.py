"""Make pairs on amounts, units, dates, shares and names, which small stance models overlook.

As in `contrasts`, every label follows from how the pair was made.
"""

from __future__ import annotations

import random
import re

from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, TRAIN, Pair

NUMBER = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w,-]|\.\d)")
_IN_YEAR = re.compile(r"\b[Ii]n ((?:1[5-9]|20)\d\d)\b")
_MONTHS = "January,February,March,April,May,June,July,August,September,October,November,December".split(",")
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})(?= \d|,? (?:1[5-9]|20)\d\d)")
_WORDS = "zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve".split(",")
_SMALL = re.compile(rf"(?<=\s)(\d\d?|{'|'.join(_WORDS[2:])})(?= [a-z]{{3,}})")
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+){1,2}\b")
_UNITS = {  # unit -> (smaller unit, how many of it)
    "kilometres": ("metres", 1_000),
    "kilometers": ("meters", 1_000),
    "km": ("m", 1_000),
    "metres": ("centimetres", 100),
    "meters": ("centimeters", 100),
    "tonnes": ("kilograms", 1_000),
    "kilograms": ("grams", 1_000),
    "kg": ("g", 1_000),
    "litres": ("millilitres", 1_000),
    "hours": ("minutes", 60),
    "minutes": ("seconds", 60),
    "days": ("hours", 24),
    "weeks": ("days", 7),
    "years": ("months", 12),
    "decades": ("years", 10),
    "centuries": ("years", 100),
    "miles": ("feet", 5_280),
    "feet": ("inches", 12),
}
_UNIT = re.compile(rf"(?<![\w.,-])(\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?)([ -])({'|'.join(_UNITS)})\b")
_MEASURES = (
    "the price of bread,the number of visitors,the town's population,unemployment,exports of steel,the rent,the share price,"
    "the number of cases,rainfall in the valley,the school's enrolment,electricity use,the army's budget,traffic on the bridge,"
    "the number of wolves,ticket sales,the company's debt,wheat production,the crime rate,average wages,bus ridership,"
    "the size of the herd,carbon emissions,the minimum wage,hospital admissions,the number of subscribers,sugar consumption"
).split(",")
_GROUPS = (
    "voters,teachers,patients,households,the members,students,drivers,farmers,customers,nurses,the ships,the islands,companies,"
    "the samples,children,tenants,the species,the villages,employees,the songs,commuters,the prisoners,donors,tourists"
).split(",")
_ACTS = (
    "backed the plan,had been vaccinated,owned a car,reported side effects,worked from home,were destroyed,spoke two languages,"
    "passed the test,lost money,smoked,voted,were women,recovered within a week,lived in cities,had no internet,took part,"
    "were sold,received a refund,could not read,paid in cash,were over sixty,carried the gene,used public transport"
).split(",")


def made(claim: str, evidence: str, label: str, kind: str) -> Pair:
    """A training pair whose source says which maker made it."""
    return Pair(claim, evidence, label, f"made_{kind}", TRAIN)


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def passage(sentence: str, whole: str, kept: str, rng: random.Random) -> str:
    """Return the sentence or, half the time, the longer one that it is part of.

    The longer one must state `kept` too.
    """
    return whole if kept in whole and rng.random() < 0.5 else sentence


def value_of(text: str) -> float:
    """The number that `1,250` or `3.5` stands for."""
    return float(text.replace(",", ""))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def date_bound(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """A year against "before", "after", a decade or a century."""
    hit = _IN_YEAR.search(sentence)
    if not hit:
        return None
    year = int(hit.group(1))
    other = year + rng.choice((-40, -15, -6, -2, 2, 6, 15, 40))
    decade, century = other // 10 * 10, (other - 1) // 100 + 1
    phrase, holds = rng.choice(
        (
            (f"before {other}", year < other),
            (f"after {other}", year > other),
            (f"in the {decade}s", year // 10 * 10 == decade),
            (f"in the {year // 10 * 10}s", True),
            (f"in the {century}th century", (year - 1) // 100 + 1 == century),
            (f"no later than {other}", year <= other),
        )
    )
    phrase = phrase.replace("21th", "21st")
    phrase = phrase[0].upper() + phrase[1:] if hit.start() == 0 else phrase
    claim = sentence[: hit.start()] + phrase + sentence[hit.end() :]
    return made(claim, passage(sentence, whole, hit.group(1), rng), SUPPORTS if holds else REFUTES, "date")


def other_month(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """The same date in another month is refuted."""
    hit = _MONTH.search(sentence)
    if not hit:
        return None
    month = rng.choice([name for name in _MONTHS if name != hit.group(1)])
    claim = sentence[: hit.start()] + month + sentence[hit.end() :]
    return made(claim, passage(sentence, whole, hit.group(1), rng), REFUTES, "month")


def unit(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """Convert a length, mass or time to a smaller unit: supported if right, else refuted."""
    hit = _UNIT.search(sentence)
    if not hit or value_of(hit.group(1)) == 0:
        return None
    smaller, factor = _UNITS[hit.group(3)]
    value = value_of(hit.group(1))
    amount, label = rng.choice(
        ((value * factor, SUPPORTS), (value, REFUTES), (value * factor * rng.choice((0.1, 10)), REFUTES))
    )
    claim = f"{sentence[: hit.start()]}{_shown(amount)} {smaller}{sentence[hit.end() :]}"
    return made(claim, passage(sentence, whole, hit.group(1), rng), label, "unit")


def approximate(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """A rounded number is supported, one far off is refuted, "about" or not."""
    hits = [
        h
        for h in NUMBER.finditer(sentence)
        if value_of(h.group(1)) >= 20
        and not 1000 <= value_of(h.group(1)) <= 2100
        and not sentence[h.end() :].lstrip().startswith(tuple(_MONTHS))
    ]
    if not hits:
        return None
    hit = rng.choice(hits)
    value = value_of(hit.group(1))
    digits = 10 ** (len(str(int(value))) - (2 if value >= 100 else 1))
    near = round(value / digits) * digits
    if abs(near / value - 1) > 0.06:
        return None
    amount, label = rng.choice(((near, SUPPORTS), (near * rng.choice((0.5, 0.7, 1.4, 2.0)), REFUTES)))
    phrase = rng.choice(("about", "around", "roughly", "approximately", "some"))
    claim = f"{sentence[: hit.start(1)]}{phrase} {_shown(amount)}{sentence[hit.end(1) :]}"
    return made(claim, passage(sentence, whole, hit.group(1), rng), label, "approximate")


def number_word(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """Write a small number as a word or digit: supported. Another number is refuted."""
    hit = _SMALL.search(sentence)
    if not hit:
        return None
    text = hit.group(1)
    value = _WORDS.index(text) if text in _WORDS else int(text)
    if not 2 <= value <= 12:
        return None
    other = rng.choice([n for n in range(2, 13) if n != value])
    number, label = rng.choice(((value, SUPPORTS), (other, REFUTES)))
    shown = str(number) if text in _WORDS else _WORDS[number]
    claim = sentence[: hit.start()] + shown + sentence[hit.end() :]
    return made(claim, passage(sentence, whole, text, rng), label, "number_word")


def renamed(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """Another name in the object's place refutes; a sentence about another subject says nothing."""
    hits = list(_NAME.finditer(sentence))
    strangers = [name for name in _NAME.findall(whole) if name not in sentence]
    if not hits or not strangers:
        return None
    hit = rng.choice(hits)
    claim = sentence[: hit.start()] + rng.choice(strangers) + sentence[hit.end() :]
    return made(claim, sentence, NOT_ENOUGH_INFO if hit.start() == 0 else REFUTES, "name")


def change(_: str, __: str, rng: random.Random) -> Pair:
    """Claim a change from one amount to another, in words and per cent.

    Examples are "doubled", "halved", "rose by a quarter" and "fell".
    """
    what, year = rng.choice(_MEASURES), rng.randint(1950, 2022)
    start = rng.choice((8, 12, 20, 40, 60, 80, 120, 200, 400, 1_200, 2_400, 8_000))
    factor = rng.choice((0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 3.0, 4.0))
    end = start * factor
    readings = {
        "fell to a quarter": 0.25,
        "halved": 0.5,
        "fell by half": 0.5,
        "fell by a quarter": 0.75,
        "rose by a quarter": 1.25,
        "rose by 50 per cent": 1.5,
        "doubled": 2.0,
        "rose by 100%": 2.0,
        "tripled": 3.0,
        "quadrupled": 4.0,
    }
    loose = {"rose": factor > 1, "fell": factor < 1, "more than doubled": factor > 2, "at least doubled": factor >= 2}
    right = [words for words, value in readings.items() if value == factor] + [words for words in loose if loose[words]]
    wrong = [words for words, value in readings.items() if value != factor] + [
        words for words in loose if not loose[words]
    ]
    phrase, label = rng.choice(((rng.choice(right), SUPPORTS), (rng.choice(wrong), REFUTES)))
    span = rng.randint(1, 12)
    evidence = rng.choice(
        (
            f"{what} went from {_shown(start)} in {year} to {_shown(end)} in {year + span}.",
            f"In {year} {what} stood at {_shown(start)}; {span} years later it was {_shown(end)}.",
            f"Figures show {what} at {_shown(end)} in {year + span}, against {_shown(start)} in {year}.",
        )
    )
    claim = rng.choice((f"{what} {phrase} between {year} and {year + span}.", f"{what} {phrase} after {year}."))
    return made(claim[0].upper() + claim[1:], evidence[0].upper() + evidence[1:], label, "change")


def share(_: str, __: str, rng: random.Random) -> Pair:
    """A percentage against "most", "a minority", "about a third", "all", "none" and bounds."""
    group, act, percent = (
        rng.choice(_GROUPS),
        rng.choice(_ACTS),
        rng.choice((0, 4, 9, 21, 26, 33, 41, 58, 66, 74, 83, 92, 100)),
    )
    of_group = group if group.startswith("the ") else f"the {group}"
    bound = rng.choice([n for n in (5, 10, 20, 30, 50, 70, 90) if n != percent])
    plural = group.removeprefix("the ")
    readings = (
        (f"Most {plural} {act}.", percent > 50),
        (f"A majority of {of_group} {act}.", percent > 50),
        (f"Only a minority of {of_group} {act}.", 0 < percent < 50),
        (f"All {plural} {act}.", percent == 100),
        (f"None of {of_group} {act}.", percent == 0),
        (f"Some {plural} {act}.", percent > 0),
        (f"Nearly all {plural} {act}.", percent > 90),
        (f"Fewer than half of {of_group} {act}.", percent < 50),
        (f"About a third of {of_group} {act}.", percent == 33),
        (f"Two thirds of {of_group} {act}.", percent == 66),
        (f"About three quarters of {of_group} {act}.", percent == 74),
        (f"More than {bound}% of {of_group} {act}.", percent > bound),
        (f"Less than {bound} per cent of {of_group} {act}.", percent < bound),
        (f"At least {bound}% of {of_group} {act}.", percent >= bound),
    )
    claim, holds = rng.choice(readings)
    evidence = rng.choice(
        (
            f"According to the survey, {percent}% of {of_group} {act}.",
            f"The report found that {percent} per cent of {of_group} {act}.",
            f"Of 100 {plural} examined, {percent} {act}.",
        )
    )
    return made(claim, evidence, SUPPORTS if holds else REFUTES, "share")
