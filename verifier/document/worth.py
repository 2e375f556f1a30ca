"""Rate how much a sentence deserves a check.

This is a logistic regression on its claim type and its words. `worth.json` was fitted by `python -m lab.training.worth`
on 249 sentences of our own in November 2026; no third party's rows were used for it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from verifier.schema import ClaimType
from verifier.text.figures import figures
from verifier.text.names import names_of

FILE = Path(__file__).parent / "worth.json"
FEATURES = (
    "factual",
    "opinion",
    "unclear",
    "figures",
    "amounts",
    "names",
    "compared",
    "changed",
    "of_the_public",
    "past",
    "first_person",
    "of_ones_life",
    "addressed",
    "planned",
    "length",
)
_FLOOR = 0.01
_AMOUNT = re.compile(
    r"\d|%|\b(?:per ?cent|hundreds?|thousands?|millions?|billions?|trillions?|half|third|quarters?|double[ds]?|tripled?|twice|dozens?|majority|most of|one in)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:more|less|fewer|higher|lower|larger|smaller|longer|greater|better|worse|most|least|\w{3,}est|than|as many|as much|first|only|never|every|no other|record|ever|rank\w*)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:rose|risen|rise|fell|fallen|fall|dropp?ed|increas\w+|decreas\w+|declin\w+|grew|grown|cuts?|lost|lose|gain\w*|raised|reduc\w+|doubled|tripled"
    r"|went (?:up|down)|gone (?:up|down)|clos\w+|created|spen[dt]\w*|paid|cost\w*|voted|signed|banned|passed|opposed|supported|killed|died)\b",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"\b(?:tax\w*|jobs?|deficit|debt|budget|unemploy\w+|econom\w+|health|insurance|crime|prison\w*|schools?|students|war|troops|weapons|nuclear|"
    r"immigra\w+|border|energy|oil|gas|trade|wages?|workers|income|poverty|poor|social security|medicare|medicaid|pensions?|law|bill|act|treaty|court|"
    r"veto\w*|government|congress|senate|parliament|federal|states?|nations?|countr(?:y|ies)|world|population|people|citizens|women|children|vaccin\w*|"
    r"virus|disease|cancer|drug\w*|climate|emissions|inflation|prices?|rates?|dollars|companies|company|military|police|election|votes?|record|"
    r"administration|program(?:me)?s?|spending|policy)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|had|did|has|have|been|since|ago|last|\w{2,}ed)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|myself|we'll|let's|let)\b", re.IGNORECASE)
_LIFE = re.compile(
    r"\b(?:my|our) (?:wife|husband|father|mother|parents?|sons?|daughters?|kids|friends?|family|brothers?|sisters?|life|heart|home)\b|\bi (?:was born|grew up|met|remember)\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:you|you're|your|thank|thanks|please|welcome|sir|senator|governor|mr|president|question|answer|let me)\b|\?",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:will|would|won't|i'll|we'll|should|must|ought|going to|need to|needs to|have to|has to|got to|could|can|can't|cannot|want|wants|hope|think|believe|feel|"
    r"know|say|mean|try|agree|if|maybe|perhaps)\b",
    re.IGNORECASE,
)
_MOST = 3


def features_of(sentence: str, probabilities: Mapping[str, float]) -> tuple[float, ...]:
    """Return the values of `FEATURES` for a sentence with these probabilities from the claim-type model."""

    def log_of(*kinds: ClaimType) -> float:
        return math.log(_FLOOR + sum(probabilities.get(kind, 0.0) for kind in kinds))

    def count(pattern: re.Pattern[str]) -> float:
        return float(min(_MOST, len(pattern.findall(sentence))))

    return (
        log_of(ClaimType.FACTUAL, ClaimType.MIXED),
        log_of(ClaimType.OPINION),
        log_of(ClaimType.AMBIGUOUS),
        float(min(_MOST, sum(1 for _ in figures(sentence)))),
        count(_AMOUNT),
        float(min(_MOST, len(names_of(sentence)))),
        count(_COMPARED),
        count(_CHANGED),
        count(_PUBLIC),
        count(_PAST),
        count(_FIRST),
        count(_LIFE),
        count(_ADDRESSED),
        count(_PLANNED),
        math.log(1 + min(40, len(sentence.split()))),
    )


def worth_of(sentence: str, probabilities: Mapping[str, float]) -> float:
    """Return how much a sentence deserves a check, 0 to 1.

    That is the probability that a fact-checker would choose it.
    """
    weights, bias = _fitted()
    score = bias + sum(
        weights[name] * value for name, value in zip(FEATURES, features_of(sentence, probabilities), strict=True)
    )
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), 4)


@lru_cache(maxsize=1)
def _fitted() -> tuple[dict[str, float], float]:
    """Return the weight of each feature, and the bias."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return found["weights"], found["bias"]
