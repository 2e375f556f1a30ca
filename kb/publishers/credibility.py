"""Judge how far a publisher can be relied on, by its domain.

kb/publishers/domains.csv comes first, then the zones of kb/publishers/zones.csv. A zone is a part of the name space
that a registry keeps for a state's bodies or for universities ("gov.au", "ac.uk"). It counts only where the public
suffix list cuts the host there, or where the zone is itself a state's own domain ("gov.sk"). Anyone may register a name
that merely looks like one ("go.eu", "mil.tv").

Scores are the editors' judgement on a scale of 0 to 1, not a measurement: 0.95 fact-checkers and official science,
0.85-0.9 news agencies and public broadcasters, 0.8 major papers, 0.8-0.9 academic, 0.75 international, 0.5 unknown,
lower for publishers known for unreliable reports. Where anyone may publish unreviewed (social networks, blogs, free
sites): 0.2 and type social, which is context and decides nothing. A domain written as "*.example.org" covers every site
under it, each with its own `voice`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from kb.publishers.urls import doi_of, domain_of, host_of, original_of, suffix_of

UNKNOWN = 0.5
OFFICIAL = 0.95
UNIVERSITY = 0.85
_DOI_HOST = "doi.org"
_DEEPEST = 6
"""Host labels that are looked up."""
_TABLE = Path(__file__).parent / "domains.csv"
_ZONES = Path(__file__).parent / "zones.csv"
_HOST = re.compile(r"[\w.-]+\.[\w-]+")
"""What the DNS can look up; a browser reads "evil.example\\.nasa.gov" as another host than we do."""


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
    """The publisher behind an address. `voice` is equal for two domains of one organisation.

    `listed`: in domains.csv, zones.csv or the user's list, and no less credible than an unknown site. `denied`: on the
    user's blocklist.
    """

    domain: str
    voice: str
    name: str
    source_type: SourceType
    credibility: float
    listed: bool
    denied: bool = False


PublisherOf = Callable[[str], Publisher]
"""Web address -> its publisher: by the shipped table, or by the user's list over it (kb/publishers/lists.py)."""


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
                float(row["credibility"]) >= UNKNOWN,
            )
            for row in csv.DictReader(file)
        }


@lru_cache(maxsize=1)
def _zones() -> dict[str, SourceType]:
    with _ZONES.open(encoding="utf-8", newline="") as file:
        return {row["zone"]: SourceType(row["source_type"]) for row in csv.DictReader(file)}


@lru_cache(maxsize=4096)
def publisher_of(url: str) -> Publisher:
    """Return the publisher of a web address; unknown and unaddressed sources get 0.5.

    A listed subdomain ("abcnews.go.com") comes before the levels above it, and those before the registered domain. A
    page kept at the Internet Archive still belongs to its publisher.
    """
    url = original_of(url)
    host, domain = host_of(url), domain_of(url)
    if not _HOST.fullmatch(host):
        return Publisher(domain, domain, domain, SourceType.UNKNOWN, UNKNOWN, False)
    known = _table().get(host) or _one_of_many(host) or _table().get(domain)
    if known:
        return _of_registrant(known, url) if domain == _DOI_HOST else known
    zone = _zones().get(suffix_of(url)) or _zones().get(domain)
    if zone:
        credibility = OFFICIAL if zone is SourceType.GOVERNMENT else UNIVERSITY
        return Publisher(domain, domain, domain, zone, credibility, True)
    return Publisher(domain, domain, domain, SourceType.UNKNOWN, UNKNOWN, False)


def _of_registrant(resolver: Publisher, url: str) -> Publisher:
    """Return a work's publisher at the DOI resolver: its registrant, with the resolver's credibility."""
    prefix = doi_of(url).partition("/")[0]
    return replace(resolver, voice=f"{resolver.voice}/{prefix}") if prefix else resolver


def _one_of_many(host: str) -> Publisher | None:
    """Return a site on a host open to anyone ("someone.blogspot.com"): own voice, host's credibility."""
    labels = host.split(".")[-_DEEPEST:]
    for start in range(1, len(labels) - 1):
        lender = _table().get("*." + ".".join(labels[start:]))
        if lender:
            site = ".".join(labels[start - 1 :])
            return replace(lender, domain=site, voice=site, name=f"{site} ({lender.name})")
    return None


def domains_of_type(source_type: SourceType, at_least: float) -> tuple[str, ...]:
    """Return a type's listed domains of at least that credibility, best first, then table order."""
    found = [
        p
        for p in _table().values()
        if p.source_type is source_type and p.credibility >= at_least and p.voice == p.domain
    ]
    return tuple(p.domain for p in sorted(found, key=lambda p: -p.credibility))
