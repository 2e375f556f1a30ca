"""Make pairs that small stance models get wrong first: numbers, negation, direction, causes, and retelling.

Every pair is made from one plain sentence of a corpus and the templates below, so the label follows from how it was
made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from lab.training.quantities import (
    NUMBER,
    approximate,
    change,
    date_bound,
    made,
    number_word,
    other_month,
    passage,
    renamed,
    share,
    unit,
)
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair

DENIALS = (
    "A post shared thousands of times says that {c}. That is false.",
    "It is not true that {c}.",
    "There is no evidence that {c}, experts said.",
    "The claim that {c} is a myth.",
    "Contrary to what many people think, it is not the case that {c}.",
    "A video claims that {c}. The agency named in it called the story fabricated.",
    "The rumour that {c} was debunked by several news agencies.",
    "Claim: {c}. Rating: False.",
    "Some websites say that {c}, but records show otherwise.",
    "Officials denied reports that {c}.",
    "Fact check: no, {c} is wrong.",
    "Scientists reject the idea that {c}.",
)
CONFIRMATIONS = (
    "Officials confirmed that {c}.",
    "Records show that {c}.",
    "A post says that {c}. We checked, and this is correct.",
    "Claim: {c}. Rating: True.",
    "It is well established that {c}.",
    "Two independent studies found that {c}.",
    "Despite doubts on social media, documents prove that {c}.",
    "The court heard evidence showing that {c}, and accepted it as fact.",
)
MENTIONS = (
    "A post shared thousands of times says that {c}.",
    "Some people believe that {c}.",
    "Rumours that {c} spread on social media this week.",
    "Is it true that {c}?",
    "Reporters asked whether {c}; the spokesman declined to comment.",
    "It is not yet known whether {c}.",
    "An anonymous blog claimed that {c}, without giving a source.",
    "In the novel, a character says that {c}.",
    "The committee will examine whether {c}.",
    "Claim under review: {c}.",
)
_CAUSES = (
    "coffee,sugar,vaccination,aspirin,screen time,red meat,smoking,alcohol,air pollution,mobile phones,power lines,garlic,"
    "green tea,vitamin D,exercise,fluoride,artificial sweeteners,microwave ovens,noise,shift work,fasting,cold weather,"
    "processed food,salt,stress,video games,deforestation,volcanic eruptions,solar activity,fertiliser,wind turbines,"
    "immigration,higher taxes,automation,tourism,daylight saving time,homework,school uniforms,speed cameras,cycling"
).split(",")
_EFFECTS = (
    "cancer,heart disease,autism,diabetes,asthma,headaches,weight gain,memory loss,depression,high blood pressure,hair loss,"
    "infertility,tooth decay,arthritis,insomnia,kidney damage,the common cold,influenza,dementia,allergies,road deaths,"
    "unemployment,crime,flooding,droughts,bird deaths,inflation,traffic jams,lower test scores,violence,birth defects"
).split(",")
_CAUSE_CLAIMS = (
    "{x} causes {y}",
    "{x} leads to {y}",
    "{x} increases the risk of {y}",
    "{X} can cause {y}.",
    "{X} is a cause of {y}.",
)
_CAUSE_DENIALS = (
    "{X} does not cause {y}.",
    "Researchers found no link between {x} and {y}.",
    "Large studies have shown that {x} is not associated with {y}.",
    "There is no evidence that {x} causes {y}.",
    "The review concluded that {y} is not caused by {x}.",
    "A widely shared article blamed {x} for {y}; the study it cites found no such effect.",
    "{X} was ruled out as a cause of {y}.",
    "{X} lowers the risk of {y}, the trial found.",
)
_CAUSE_SUPPORT = (
    "{X} causes {y}, according to the health agency.",
    "People exposed to {x} were twice as likely to develop problems with {y}, and the trial showed that {x} was the cause.",
    "The review concluded that {x} raises the risk of {y}.",
    "{X} is a well-known cause of {y}.",
)
_CAUSE_OPEN = (
    "Researchers are studying whether {x} causes {y}.",
    "Many people worry about {x} and {y}.",
    "{X} and {y} were both discussed at the conference.",
    "A blogger wrote that {x} causes {y}.",
    "It is not known whether {x} has any effect on {y}.",
)
_OPPOSITES = (
    "increased/decreased,rose/fell,higher/lower,more/less,largest/smallest,first/last,before/after,north/south,northern/southern,"
    "east/west,eastern/western,won/lost,victory/defeat,oldest/newest,longest/shortest,highest/lowest,accepted/rejected,"
    "supported/opposed,approved/blocked,opened/closed,started/ended,began/ended,joined/left,bought/sold,male/female,"
    "married/divorced,public/private,legal/illegal,guilty/innocent,hot/cold,warm/cool,wet/dry,inside/outside,above/below,"
    "major/minor,many/few,majority/minority,always/never,all/none,allowed/banned,gained/lost,growth/decline,strong/weak,"
    "positive/negative,success/failure,successful/unsuccessful,safe/dangerous,early/late,older/younger,bigger/smaller,faster/slower"
).split(",")
_SWAPS = {a: b for pair in _OPPOSITES for a, b in (pair.split("/"), pair.split("/")[::-1])}
_VERB = re.compile(r"\b(is|was|are|were|has been|have been|can|will)\b(?! not)")
_PRONOUN = re.compile(
    r"^(he|she|it|they|his|her|its|their|this|that|these|those|there|who|which|also|however|and|but|in)\b",
    re.IGNORECASE,
)

Maker = Callable[[str, str, random.Random], Pair | None]


def _clause(sentence: str) -> str:
    """Fit the sentence into "... that {c}": no full stop, leading article in lower case."""
    bare = sentence.rstrip(" .!?")
    first, _, rest = bare.partition(" ")
    return f"{first.lower()} {rest}" if first in {"The", "A", "An", "In", "All", "Some", "Most", "Many"} else bare


def retelling(sentence: str, _: str, rng: random.Random) -> Pair:
    """A passage that denies, confirms or merely repeats the claim."""
    templates, label = rng.choice(((DENIALS, REFUTES), (CONFIRMATIONS, SUPPORTS), (MENTIONS, NOT_ENOUGH_INFO)))
    return made(sentence, rng.choice(templates).format(c=_clause(sentence)), label, "retelling")


def causes(_: str, __: str, rng: random.Random) -> Pair:
    """Does x cause y? Passages that deny, affirm or leave open a causal link."""
    x, y = rng.choice(_CAUSES), rng.choice(_EFFECTS)
    words = {"x": x, "X": x[0].upper() + x[1:], "y": y}
    claim = rng.choice(_CAUSE_CLAIMS).format(**words)
    denial, support, left_open = (rng.choice(t).format(**words) for t in (_CAUSE_DENIALS, _CAUSE_SUPPORT, _CAUSE_OPEN))
    if rng.random() < 0.2:  # a claim that denies the link, so that "no link" does not always refute
        claim = rng.choice(("{X} does not cause {y}.", "There is no link between {x} and {y}.")).format(**words)
        denial, support = support, denial
        if "lowers the risk" in support:
            return made(claim, denial, REFUTES, "cause")
    evidence, label = rng.choice(((denial, REFUTES), (support, SUPPORTS), (left_open, NOT_ENOUGH_INFO)))
    return made(claim, evidence, label, "cause")


def changed_number(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """The same sentence with one number changed is refuted."""
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    hit = rng.choice(found)
    text = hit.group(1)
    value = float(text.replace(",", ""))
    if value == 0:
        return None
    year = text.isdigit() and 1000 <= value <= 2100
    new = (
        value + rng.choice((-30, -10, -3, -1, 1, 2, 5, 10, 20))
        if year
        else value * rng.choice((0.1, 0.5, 0.8, 1.25, 1.5, 2, 3, 10))
    )
    shown = f"{new:.1f}" if "." in text else f"{round(new):,}" if "," in text else f"{round(new)}"
    if shown == text:
        return None
    claim = sentence[: hit.start(1)] + shown + sentence[hit.end(1) :]
    return made(claim, passage(sentence, whole, text, rng), REFUTES, "number")


def compared_number(sentence: str, whole: str, rng: random.Random) -> Pair | None:
    """A bound ("more than", "at least", "fewer than") against the number in the passage."""
    hits = [h for h in NUMBER.finditer(sentence) if not (h.group(1).isdigit() and 1000 <= int(h.group(1)) <= 2100)]
    if not hits:
        return None
    hit = rng.choice(hits)
    value = float(hit.group(1).replace(",", ""))
    if value < 10:
        return None
    bound = round(value * rng.choice((0.5, 0.7, 0.9, 1.1, 1.5, 2)))
    if bound == value:
        return None
    phrase, holds = rng.choice(
        (
            ("more than", value > bound),
            ("over", value > bound),
            ("at least", value >= bound),
            ("fewer than", value < bound),
            ("under", value < bound),
        )
    )
    claim = f"{sentence[: hit.start(1)]}{phrase} {bound:,}{sentence[hit.end(1) :]}"
    return made(claim, passage(sentence, whole, hit.group(1), rng), SUPPORTS if holds else REFUTES, "comparison")


def negated(sentence: str, _: str, rng: random.Random) -> Pair | None:
    """One side negated refutes; both sides negated support: "not" alone decides nothing."""
    if not _VERB.search(sentence):
        return None
    denied = _VERB.sub(
        lambda m: f"{m.group(1)} not" if " " not in m.group(1) else m.group(1).replace(" ", " not "), sentence, count=1
    )
    claim, evidence, label = rng.choice(
        ((denied, sentence, REFUTES), (sentence, denied, REFUTES), (denied, denied, SUPPORTS))
    )
    return made(claim, evidence, label, "negation")


def opposite(sentence: str, _: str, rng: random.Random) -> Pair | None:
    """A word turned into its opposite ("rose" -> "fell") refutes."""
    words = sentence.split(" ")
    spots = [i for i, word in enumerate(words) if word in _SWAPS]
    if not spots:
        return None
    spot = rng.choice(spots)
    swapped = " ".join([*words[:spot], _SWAPS[words[spot]], *words[spot + 1 :]])
    claim, evidence = (swapped, sentence) if rng.random() < 0.5 else (sentence, swapped)
    return made(claim, evidence, REFUTES, "opposite")


def part(sentence: str, whole: str, _: random.Random) -> Pair:
    """A part follows from the whole."""
    return made(sentence, whole, SUPPORTS, "part")


MAKERS: tuple[tuple[Maker, float], ...] = (
    (retelling, 0.18),
    (causes, 0.08),
    (changed_number, 0.12),
    (compared_number, 0.12),
    (negated, 0.1),
    (opposite, 0.14),
    (date_bound, 0.08),
    (other_month, 0.02),
    (unit, 0.03),
    (approximate, 0.06),
    (number_word, 0.04),
    (renamed, 0.1),
    (change, 0.05),
    (share, 0.05),
)


def plain_sentences(complex_and_parts: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, str]]:
    """Return (sentence, whole) for every part that makes sense alone.

    Such a part has 6-25 words, no leading pronoun, and a capital first.
    """
    kept = []
    for whole, parts in complex_and_parts:
        for part in parts:
            if 6 <= len(part.split()) <= 25 and part[0].isupper() and not _PRONOUN.match(part):
                kept.append((part, whole))
    return kept


def make_contrasts(sentences: Sequence[tuple[str, str]], count: int, seed: int = 0) -> list[Pair]:
    """Make `count` pairs, with the makers by their shares.

    Of the pairs, 15% are plain "a part follows from the whole" pairs.
    """
    rng = random.Random(seed)
    makers, shares = zip(*MAKERS, strict=True)
    pairs: list[Pair] = []
    while len(pairs) < count:
        maker = rng.choices(makers, shares)[0] if rng.random() < 0.85 else part
        for _ in range(200):  # a rare maker tries more sentences, so that it still gets its share
            pair = maker(*rng.choice(sentences), rng)
            if pair:
                pairs.append(pair)
                break
    return pairs
