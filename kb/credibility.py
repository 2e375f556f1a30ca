"""How far a publisher can be relied on, by its domain: kb/domains.csv first, then the rules for public top-level domains.

Scores are the editors' judgement on a scale of 0 to 1, not a measurement: 0.95 fact-checkers and official science,
0.85-0.9 news agencies and public broadcasters, 0.8 major papers, 0.8-0.9 academic, 0.75 international, 0.5 unknown,
lower where a publisher is known for unreliable reports.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from kb.urls import domain_of, host_of

UNKNOWN = 0.5
OFFICIAL = 0.95
UNIVERSITY = 0.85
_TABLE = Path(__file__).parent / "domains.csv"
_OFFICIAL = re.compile(r"(?:^|\.)(?:gov|mil|int|govt|gouv|gob|go)(?:\.[a-z]{2})?$")
_UNIVERSITY = re.compile(r"\.(?:edu|ac)(?:\.[a-z]{2})?$")


class SourceType(StrEnum):
    """What kind of publisher a source is."""

    NEWS = "news"
    ACADEMIC = "academic"
    FACT_CHECKER = "fact_checker"
    GOVERNMENT = "government"
    SOCIAL = "social"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who stands behind an address. `voice` is equal for two domains of one organisation; `listed`: in domains.csv."""

    domain: str
    voice: str
    name: str
    source_type: SourceType
    credibility: float
    listed: bool


@lru_cache(maxsize=1)
def _table() -> dict[str, Publisher]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            row["domain"]: Publisher(
                row["domain"],
                row["same_voice_as"] or row["domain"],
                row["publisher"],
                SourceType(row["source_type"]),
                float(row["credibility"]),
                True,
            )
            for row in csv.DictReader(file)
        }


@lru_cache(maxsize=4096)
def publisher_of(url: str) -> Publisher:
    """The publisher behind a web address; unknown and unaddressed sources get 0.5.

    A listed subdomain ("abcnews.go.com") goes before its registered domain.
    """
    domain = domain_of(url)
    known = _table().get(host_of(url)) or _table().get(domain)
    if known:
        return known
    if _OFFICIAL.search(domain):
        return Publisher(domain, domain, domain, SourceType.GOVERNMENT, OFFICIAL, True)
    if _UNIVERSITY.search(domain):
        return Publisher(domain, domain, domain, SourceType.ACADEMIC, UNIVERSITY, True)
    return Publisher(domain, domain, domain, SourceType.UNKNOWN, UNKNOWN, False)


def domains_of_type(source_type: SourceType, at_least: float) -> tuple[str, ...]:
    """Listed domains of one type with at least that credibility, best first, in the table's order."""
    found = [
        p
        for p in _table().values()
        if p.source_type is source_type and p.credibility >= at_least and p.voice == p.domain
    ]
    return tuple(p.domain for p in sorted(found, key=lambda p: -p.credibility))
