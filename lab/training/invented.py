"""Invent names, and hold the plain sentences that they fill in made pairs.

In the sentences `{a}`, `{b}`, `{x}`, `{n}` (a person), `{p}` (a place) and `{f}` (a firm) stand for names, `{y}` for a year
and `{k}` for a number.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

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


def person(rng: random.Random) -> str:
    """The name of a person, at times the last name alone."""
    last = (_syllable(rng) + rng.choice(_TAILS)).capitalize()
    return f"{rng.choice(_FIRST)} {last}" if rng.random() < 0.7 else last


def place(rng: random.Random) -> str:
    """The name of a town or a country."""
    return (_syllable(rng) + rng.choice(_PLACE_TAILS)).capitalize()


def firm(rng: random.Random) -> str:
    """The name of a firm."""
    return (_syllable(rng) + rng.choice(("", _syllable(rng)))).capitalize() + rng.choice(_FIRM_TAILS)


Namer = Callable[[random.Random], str]
PAST = "in {y}|after a long dispute|last spring|on Tuesday|for the second time|in front of a large crowd||||".split("|")


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb's fact, phrased from both sides: `{a}` did it to `{b}`.

    A symmetric verb would not do.
    """

    names: Namer
    told: tuple[str, ...]


DEEDS = (
    Deed(
        person,
        ("{a} defeated {b}", "{b} was defeated by {a}", "{b} lost to {a}", "{a} won against {b}", "{a} beat {b}"),
    ),
    Deed(place, ("{a} beat {b} in the final", "{b} lost the final to {a}", "{b} was beaten by {a} in the final")),
    Deed(
        firm,
        (
            "{a} bought {b}",
            "{b} was bought by {a}",
            "{b} was sold to {a}",
            "{a} took over {b}",
            "{a} is the new owner of {b}",
        ),
    ),
    Deed(firm, ("{a} sued {b}", "{b} was sued by {a}", "{a} took {b} to court", "{b} was taken to court by {a}")),
    Deed(firm, ("{a} supplies {b} with parts", "{b} gets its parts from {a}", "{b} is supplied with parts by {a}")),
    Deed(firm, ("{a} lent money to {b}", "{b} borrowed money from {a}", "{b} owes money to {a}")),
    Deed(person, ("{a} taught {b}", "{b} was taught by {a}", "{b} was a pupil of {a}", "{a} was the teacher of {b}")),
    Deed(
        person,
        (
            "{a} succeeded {b} as mayor",
            "{b} was succeeded by {a} as mayor",
            "{a} took over from {b} as mayor",
            "{b} was mayor before {a}",
        ),
    ),
    Deed(person, ("{a} hired {b}", "{b} was hired by {a}", "{a} gave {b} a job", "{b} worked for {a}")),
    Deed(person, ("{a} is the parent of {b}", "{b} is a child of {a}", "{b} was born to {a}")),
    Deed(
        person, ("{a} accused {b} of fraud", "{b} was accused of fraud by {a}", "it was {a} who accused {b} of fraud")
    ),
    Deed(person, ("{a} painted a portrait of {b}", "{b} was painted by {a}", "{b} sat for a portrait by {a}")),
    Deed(person, ("{a} rescued {b}", "{b} was rescued by {a}", "{b} owes {a} the rescue", "it was {a} who saved {b}")),
    Deed(
        person, ("{a} inherited the estate from {b}", "{b} left the estate to {a}", "the estate went from {b} to {a}")
    ),
    Deed(place, ("{a} annexed {b}", "{b} was annexed by {a}", "{b} became part of {a}")),
    Deed(place, ("{a} exports wheat to {b}", "{b} imports wheat from {a}", "wheat from {a} is sold in {b}")),
    Deed(
        place,
        ("{a} declared war on {b}", "war was declared on {b} by {a}", "{b} was at war after a declaration by {a}"),
    ),
    Deed(person, ("{a} interviewed {b}", "{b} was interviewed by {a}", "{b} answered the questions of {a}")),
    Deed(person, ("{a} was promoted by {b}", "{b} promoted {a}", "{a} owes the promotion to {b}")),
    Deed(person, ("{a} wrote a letter to {b}", "{b} received a letter from {a}", "a letter from {a} reached {b}")),
)
FILLERS = (
    "The matter was reported by two newspapers.",
    "Few people had expected it.",
    "The event drew little attention at the time.",
    "No figures were given.",
    "{c} was not available for comment.",
    "{c} had been mentioned as well.",
    "Both had known each other for years.",
    "A spokesman confirmed it a day later.",
)


KINDS = (
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


RANKS = ("second", "third", "fourth")


EVENTS = (
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


EXCLUSIVE = (
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
ASIDES = (
    "{n} wrote about it in {y}",
    "{p} is known for its market",
    "{f} has an office nearby",
    "tourists have come to {p} since {y}",
    "a local paper printed a photograph from {p}",
    "{n} gave an interview about {p}",
)


FACTS = (
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
