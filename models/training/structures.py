"""Made pairs on what a sentence's structure decides: roles, subjects, comparison, rank, order, and exclusion.

Invented names stand in sentences whose parts are known, so the label follows from how the pair was made. Each maker draws
one passage and one claim; the same words come with every label, so that only the structure tells them apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from models.data.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair
from models.training.quantities import made

_FIRST = (
    "Anna,Jonas,Maria,Peter,Lucia,Omar,Ingrid,David,Fatima,Carlos,Elena,Hugo,Nadia,Samuel,Rosa,Viktor,Amara,Leon,Sofia,Marcus,"
    "Yuki,Daniel,Priya,Thomas,Helen,Ivan,Grace,Ahmed,Clara,Felix,Mei,Robert,Julia,Pavel,Ruth,Diego,Olga,Simon,Leila,Arthur"
).split(",")
_ONSETS = "b,br,c,cl,d,dr,f,g,gr,h,k,l,m,n,p,r,s,st,t,tr,v,w,sh,th,z,j".split(",")
_VOWELS = "a,e,i,o,u,ai,ea,ou,ie".split(",")
_CODAS = "n,r,l,m,s,nd,rt,ck,th,nn,ll,x,v,sk,".split(",")
_TAILS = "er,man,sen,ov,ini,ez,son,ard,ley,ski,a,o,ic,ton,well,en,ano,ides,uk,in".split(",")
_PLACE_TAILS = "burg,ford,ville,haven,stad,mouth,ton,field,borg,grad,pur,ia,ona,minster,wick,dal,bridge,holm".split(",")
_FIRM_TAILS = " Motors, Bank, Foods, Systems, Airlines, Steel, Media, Pharma, Energy, Group, Textiles, Shipping".split(
    ","
)


def _syllable(rng: random.Random) -> str:
    return rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)


def _person(rng: random.Random) -> str:
    last = (_syllable(rng) + rng.choice(_TAILS)).capitalize()
    return f"{rng.choice(_FIRST)} {last}" if rng.random() < 0.7 else last


def _place(rng: random.Random) -> str:
    return (_syllable(rng) + rng.choice(_PLACE_TAILS)).capitalize()


def _firm(rng: random.Random) -> str:
    return (_syllable(rng) + rng.choice(("", _syllable(rng)))).capitalize() + rng.choice(_FIRM_TAILS)


Namer = Callable[[random.Random], str]
_PAST = "in {y}|after a long dispute|last spring|on Tuesday|for the second time|in front of a large crowd||||".split(
    "|"
)


@dataclass(frozen=True, slots=True)
class _Deed:
    """A verb with the same fact told from both sides; `{a}` did it to `{b}`. A symmetric verb would not do."""

    names: Namer
    told: tuple[str, ...]


_DEEDS = (
    _Deed(
        _person,
        ("{a} defeated {b}", "{b} was defeated by {a}", "{b} lost to {a}", "{a} won against {b}", "{a} beat {b}"),
    ),
    _Deed(_place, ("{a} beat {b} in the final", "{b} lost the final to {a}", "{b} was beaten by {a} in the final")),
    _Deed(
        _firm,
        (
            "{a} bought {b}",
            "{b} was bought by {a}",
            "{b} was sold to {a}",
            "{a} took over {b}",
            "{a} is the new owner of {b}",
        ),
    ),
    _Deed(_firm, ("{a} sued {b}", "{b} was sued by {a}", "{a} took {b} to court", "{b} was taken to court by {a}")),
    _Deed(_firm, ("{a} supplies {b} with parts", "{b} gets its parts from {a}", "{b} is supplied with parts by {a}")),
    _Deed(_firm, ("{a} lent money to {b}", "{b} borrowed money from {a}", "{b} owes money to {a}")),
    _Deed(_person, ("{a} taught {b}", "{b} was taught by {a}", "{b} was a pupil of {a}", "{a} was the teacher of {b}")),
    _Deed(
        _person,
        (
            "{a} succeeded {b} as mayor",
            "{b} was succeeded by {a} as mayor",
            "{a} took over from {b} as mayor",
            "{b} was mayor before {a}",
        ),
    ),
    _Deed(_person, ("{a} hired {b}", "{b} was hired by {a}", "{a} gave {b} a job", "{b} worked for {a}")),
    _Deed(_person, ("{a} is the parent of {b}", "{b} is a child of {a}", "{b} was born to {a}")),
    _Deed(
        _person, ("{a} accused {b} of fraud", "{b} was accused of fraud by {a}", "it was {a} who accused {b} of fraud")
    ),
    _Deed(_person, ("{a} painted a portrait of {b}", "{b} was painted by {a}", "{b} sat for a portrait by {a}")),
    _Deed(
        _person, ("{a} rescued {b}", "{b} was rescued by {a}", "{b} owes {a} the rescue", "it was {a} who saved {b}")
    ),
    _Deed(
        _person, ("{a} inherited the estate from {b}", "{b} left the estate to {a}", "the estate went from {b} to {a}")
    ),
    _Deed(_place, ("{a} annexed {b}", "{b} was annexed by {a}", "{b} became part of {a}")),
    _Deed(_place, ("{a} exports wheat to {b}", "{b} imports wheat from {a}", "wheat from {a} is sold in {b}")),
    _Deed(
        _place,
        ("{a} declared war on {b}", "war was declared on {b} by {a}", "{b} was at war after a declaration by {a}"),
    ),
    _Deed(_person, ("{a} interviewed {b}", "{b} was interviewed by {a}", "{b} answered the questions of {a}")),
    _Deed(_person, ("{a} was promoted by {b}", "{b} promoted {a}", "{a} owes the promotion to {b}")),
    _Deed(_person, ("{a} wrote a letter to {b}", "{b} received a letter from {a}", "a letter from {a} reached {b}")),
)
_FILLERS = (
    "The matter was reported by two newspapers.",
    "Few people had expected it.",
    "The event drew little attention at the time.",
    "No figures were given.",
    "{c} was not available for comment.",
    "{c} had been mentioned as well.",
    "Both had known each other for years.",
    "A spokesman confirmed it a day later.",
)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _in_passage(sentence: str, other: str, rng: random.Random) -> str:
    """The sentence alone, or beside a filler that may name somebody else."""
    if rng.random() < 0.5:
        return sentence
    filler = rng.choice(_FILLERS).format(c=other)
    return f"{sentence} {filler}" if rng.random() < 0.7 else f"{filler} {sentence}"


def _claim(text: str, rng: random.Random) -> str:
    return text if rng.random() < 0.4 else _sentence(text)


def roles(rng: random.Random) -> Pair:
    """Who did it to whom: told from either side (S), turned round (R), or with somebody else in one place (N)."""
    deed = rng.choice(_DEEDS)
    a, b, c = (deed.names(rng) for _ in range(3))
    when = rng.choice(_PAST).format(y=rng.randint(1800, 2024))
    told = _sentence(f"{rng.choice(deed.told).format(a=a, b=b)} {when}".strip())
    label, (x, y) = rng.choice(
        (
            (SUPPORTS, (a, b)),
            (REFUTES, (b, a)),
            (REFUTES, (b, a)),
            (NOT_ENOUGH_INFO, rng.choice(((a, c), (c, b), (c, a)))),
        )
    )
    return made(_claim(rng.choice(deed.told).format(a=x, b=y), rng), _in_passage(told, c, rng), label, "roles")


_KINDS = (
    ("tower", "tall", "taller", "tallest", "shorter", "shortest", "metres", 20, 600),
    ("river", "long", "longer", "longest", "shorter", "shortest", "kilometres", 40, 5_000),
    ("bridge", "long", "longer", "longest", "shorter", "shortest", "metres", 80, 4_000),
    ("lake", "deep", "deeper", "deepest", "shallower", "shallowest", "metres", 5, 900),
    ("mountain", "high", "higher", "highest", "lower", "lowest", "metres", 700, 8_000),
    ("church", "old", "older", "oldest", "newer", "newest", "years", 60, 900),
    (
        "town",
        "populous",
        "more populous",
        "most populous",
        "less populous",
        "least populous",
        "inhabitants",
        900,
        900_000,
    ),
    ("ship", "heavy", "heavier", "heaviest", "lighter", "lightest", "tonnes", 300, 90_000),
    ("train", "fast", "faster", "fastest", "slower", "slowest", "kilometres an hour", 60, 400),
    ("stadium", "large", "larger", "largest", "smaller", "smallest", "seats", 2_000, 90_000),
    ("planet", "hot", "hotter", "hottest", "colder", "coldest", "degrees", 20, 900),
    ("island", "large", "larger", "largest", "smaller", "smallest", "square kilometres", 3, 90_000),
    ("hotel", "expensive", "more expensive", "most expensive", "cheaper", "cheapest", "euros a night", 40, 900),
    (
        "museum",
        "popular",
        "more popular",
        "most popular",
        "less popular",
        "least popular",
        "visitors a year",
        3_000,
        900_000,
    ),
)


def _named(kind: str, rng: random.Random) -> str:
    return f"the {_place(rng)} {kind}" if kind != "town" and rng.random() < 0.6 else _place(rng)


def comparison(rng: random.Random) -> Pair:
    """Which of two is more: by words, by the converse adjective, or by figures; a third one is not settled."""
    kind, plain, more, _, less, _, unit, low, high = rng.choice(_KINDS)
    a, b, c = (_named(kind, rng) for _ in range(3))
    small = rng.randint(low, high)
    large = round(small * rng.choice((1.05, 1.2, 1.6, 2, 3))) + 1
    figure = {
        "tall": "stands {n} {u} tall",
        "populous": "has {n} {u}",
        "large": "has {n} {u}",
        "expensive": "costs {n} {u}",
    }
    shape = figure.get(
        plain,
        "reaches {n} {u}"
        if plain in {"fast", "hot"}
        else "has {n} {u}"
        if unit.startswith("visit")
        else "measures {n} {u}",
    )
    shape = "is {n} {u} old" if plain == "old" else shape
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
    return made(_claim(said, rng), _in_passage(_sentence(told), c, rng), label, "comparison")


_RANKS = ("second", "third", "fourth")


def rank(rng: random.Random) -> Pair:
    """The superlative against second places, "one of the", narrower areas, equals and former holders."""
    kind, _, more, most, _, least, *_ = rng.choice(_KINDS)
    a, b = _named(kind, rng), _named(kind, rng)
    land, province = _place(rng), _place(rng)
    here = f"the {most} {kind} in {land}"
    second = rng.choice(_RANKS)
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
    return made(_claim(claim, rng), _in_passage(_sentence(told), _place(rng), rng), label, "rank")


_EVENTS = (
    "the {p} bridge opened",
    "{n} was elected mayor of {p}",
    "{f} was founded",
    "the {p} stadium was finished",
    "the fire of {p} broke out",
    "{n} published a first novel",
    "{f} went bankrupt",
    "the railway reached {p}",
    "the {p} museum closed",
    "{n} moved to {p}",
)


def order(rng: random.Random) -> Pair:
    """Before and after, by dates, by spans, or by words."""
    first, second, third = (rng.choice(_EVENTS).format(p=_place(rng), n=_person(rng), f=_firm(rng)) for _ in range(3))
    year, span = rng.randint(1850, 2000), rng.randint(1, 24)
    told = rng.choice(
        (
            f"{first} in {year}, and {second} in {year + span}",
            f"{second} in {year + span}; {first} in {year}",
            f"{span + 1} years after {first}, {second}",
            f"{first} in {year}. {_sentence(f'{span + 1} years later, {second}')[:-1]}",
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
    return made(_claim(said, rng), _in_passage(_sentence(told), _place(rng), rng), label, "order")


_EXCLUSIVE = (
    (("{p} station is closed for good", "trains have not stopped at {p} station for years"), ("passengers board trains at {p} station every day", "{p} station serves forty trains a day")),
    (("{n} died in {y}", "{n} was buried in {y}"), ("{n}, now retired, gave a talk last week", "{n} is still writing today")),
    (("the {p} church is built of wood", "the {p} church is a timber building"), ("the walls of the {p} church are solid granite", "masons built the {p} church from limestone blocks")),
    (("the lake at {p} is fed by rain alone", "no stream enters the lake at {p}"), ("a river flows into the lake at {p}", "two mountain streams fill the lake at {p}")),
    (("{f} belongs to the state", "{f} is a public company in full state ownership"), ("{f} is owned by one family", "private investors hold all shares of {f}")),
    (("entry to the {p} museum is free", "visitors pay nothing at the {p} museum"), ("a ticket for the {p} museum costs nine euros", "the {p} museum charges every visitor")),
    (("{n} was an only child", "{n} had no brothers or sisters"), ("{n} grew up with two sisters", "{n} shared a room with an older brother")),
    (("{n} never married", "{n} stayed single all life long"), ("{n} lived with a wife and three children", "{n} celebrated a silver wedding in {y}")),
    (("{p} lies on the coast", "{p} is a seaport"), ("{p} lies far inland, a day's drive from the sea", "{p} is a landlocked mountain town")),
    (("{f} makes a profit", "{f} earned more than it spent"), ("{f} has posted losses for three years", "{f} spends more than it earns")),
    (("the {p} bridge is for pedestrians only", "no vehicle may use the {p} bridge"), ("lorries cross the {p} bridge day and night", "the {p} bridge carries a four-lane road")),
    (("{n} works alone", "{n} has no staff"), ("{n} leads a team of thirty", "twelve assistants work for {n}")),
    (("{p} has no airport", "whoever flies to {p} must land in another town"), ("jets land in {p} every hour", "the airport of {p} has two runways")),
    (("the {p} factory stands empty", "nobody has worked in the {p} factory since {y}"), ("three shifts keep the {p} factory running", "the {p} factory turns out a thousand cars a week")),
    (("{n} is a vegetarian", "{n} eats no meat"), ("{n} has steak for dinner most days", "{n} likes nothing better than roast lamb")),
    (("the vote in {p} was unanimous", "every councillor in {p} voted yes"), ("nine councillors in {p} voted against it", "the council of {p} was split down the middle")),
    (("{n} speaks one language", "{n} knows no language but the mother tongue"), ("{n} translates from five languages", "{n} is fluent in three languages")),
    (("the {p} dam was never finished", "work on the {p} dam stopped halfway"), ("the {p} dam has held back the river since {y}", "the completed {p} dam feeds six turbines")),
    (("it is always dark in the {p} cave", "no daylight reaches the {p} cave"), ("sunlight floods the {p} cave at noon", "the roof of the {p} cave is open to the sky")),
    (("the road to {p} is paved", "asphalt covers the whole road to {p}"), ("the road to {p} is a dirt track", "cars reach {p} over bare earth and gravel")),
)  # fmt: skip
_ASIDES = (
    "{n} wrote about it in {y}",
    "{p} is known for its market",
    "{f} has an office nearby",
    "tourists have come to {p} since {y}",
    "a local paper printed a photograph from {p}",
    "{n} gave an interview about {p}",
)


def exclusion(rng: random.Random) -> Pair:
    """Two states that cannot both hold, told without any copied word of denial; or something beside the point."""
    one, other = rng.choice(_EXCLUSIVE)
    words = {"p": _place(rng), "n": _person(rng), "f": _firm(rng), "y": rng.randint(1850, 2020)}
    claimed, against = (one, other) if rng.random() < 0.5 else (other, one)
    claim = rng.choice(claimed)
    told, label = rng.choice(
        (
            (rng.choice([text for text in claimed if text != claim]), SUPPORTS),
            (rng.choice(against), REFUTES),
            (rng.choice(against), REFUTES),
            (rng.choice(_ASIDES), NOT_ENOUGH_INFO),
        )
    )
    passage = _in_passage(_sentence(told.format(**words)), _place(rng), rng)
    return made(_claim(claim.format(**words), rng), passage, label, "exclusion")


_FACTS = (
    "{x} was founded in {y}",
    "{x} opened in {y}",
    "{x} has {k} employees",
    "{x} won {k} awards",
    "{x} received {k} visitors in {y}",
    "{x} spent {k} million euros on repairs",
    "{x} was sold in {y}",
    "{x} burned down in {y}",
    "{x} lost {k} members in {y}",
    "{x} planted {k} trees",
)


def subject(rng: random.Random) -> Pair:
    """Two facts of two subjects: one claim about either, swapped (R); the same predicate of a third (N)."""
    fact = rng.choice(_FACTS)
    namer = rng.choice((_place, _firm))
    a, b, c = (namer(rng) for _ in range(3))
    y, k = rng.randint(1850, 2020), rng.randint(2, 990)
    other_y, other_k = y + rng.choice((-31, -7, -2, 3, 12, 40)), k + rng.choice((3, 11, 45, 160))
    first, second = fact.format(x=a, y=y, k=k), fact.format(x=b, y=other_y, k=other_k)
    both = rng.choice((f"{first}, while {second}", f"{second}; {first}", f"{first}. {_sentence(second)[:-1]}"))
    claim, told, label = rng.choice(
        (
            (first, both, SUPPORTS),
            (second, both, SUPPORTS),
            (fact.format(x=b, y=y, k=k), both, REFUTES),
            (fact.format(x=a, y=other_y, k=other_k), both, REFUTES),
            (fact.format(x=c, y=y, k=k), both, NOT_ENOUGH_INFO),
            (second, first, NOT_ENOUGH_INFO),
            (fact.format(x=c, y=other_y, k=other_k), first, NOT_ENOUGH_INFO),
            (rng.choice([other for other in _FACTS if other != fact]).format(x=a, y=y, k=k), first, NOT_ENOUGH_INFO),
        )
    )
    return made(_claim(claim, rng), _sentence(told), label, "subject")


MAKERS: tuple[Callable[[random.Random], Pair], ...] = (roles, comparison, rank, order, exclusion, subject)


def make_structures(count: int, seed: int) -> list[Pair]:
    """`count` pairs, as many of each maker."""
    rng = random.Random(seed)
    return [MAKERS[i % len(MAKERS)](rng) for i in range(count)]
