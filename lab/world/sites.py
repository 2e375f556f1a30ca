"""The sites of the invented web.

Their names end in ".localhost", which is reserved for one's own machine (RFC 6761).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a site does."""

    NEWS = "news"
    AGENCY = "agency"
    FACT_CHECKER = "fact-checker"
    STATISTICS = "statistics"
    ENCYCLOPEDIA = "encyclopedia"
    BLOG = "blog"
    SOCIAL = "social"
    TRAP = "trap"


@dataclass(frozen=True, slots=True)
class Site:
    """One site.

    `source_type` and `credibility` (0 to 1) are what a user would write into the list of domains; `atom`: its feed is
    Atom, not RSS.
    """

    domain: str
    name: str
    role: Role
    source_type: str
    credibility: float
    author: str
    atom: bool = False


def _news(domain: str, name: str, author: str, atom: bool = False) -> Site:
    return Site(domain, name, Role.NEWS, "news", 0.8, author, atom)


def _checker(domain: str, name: str, author: str, atom: bool = False) -> Site:
    return Site(domain, name, Role.FACT_CHECKER, "fact_checker", 0.95, author, atom)


def _blog(domain: str, name: str, author: str, role: Role = Role.BLOG) -> Site:
    return Site(domain, name, role, "unknown", 0.2, author)


SITES: tuple[Site, ...] = (
    _news("north-courier.localhost", "North Courier", "Agnes Thole"),
    _news("harbour-gazette.localhost", "Harbour Gazette", "Rune Castel", atom=True),
    _news("evening-ledger.localhost", "The Evening Ledger", "Priya Lindqvist-Bray"),
    _news("capital-herald.localhost", "Capital Herald", "Domenic Ashe", atom=True),
    _news("valley-times.localhost", "Valley Times", "Solveig Marr"),
    _news("meridian-post.localhost", "Meridian Post", "Ife Castellan"),
    Site("orbis-wire.localhost", "Orbis Wire", Role.AGENCY, "news", 0.9, "Orbis Wire desk"),
    Site("transmeridian.localhost", "Transmeridian News Agency", Role.AGENCY, "news", 0.85, "TNA desk", atom=True),
    _checker("factline.localhost", "Factline", "Judit Overby"),
    _checker("claimwatch.localhost", "Claimwatch", "Samir Holt", atom=True),
    _checker("truth-desk.localhost", "The Truth Desk", "Nell Varga"),
    Site("statistics-office.localhost", "Joint Statistics Office", Role.STATISTICS, "government", 0.95, "Press unit"),
    Site("open-almanac.localhost", "Open Almanac", Role.ENCYCLOPEDIA, "academic", 0.8, "The editors"),
    _blog("daily-whisper.localhost", "Daily Whisper", "TruthHound"),
    _blog("wake-up-now.localhost", "Wake Up Now", "admin"),
    _blog("real-insider.localhost", "Real Insider", "insider77"),
    _blog("they-wont-say.localhost", "What They Won’t Say", "anon"),
    Site("chatterbox.localhost", "Chatterbox", Role.SOCIAL, "social", 0.2, "@passer_by"),
    _blog("bargain-news.localhost", "Bargain News", "staff", Role.TRAP),
)
BY_DOMAIN = {site.domain: site for site in SITES}


def with_role(*roles: Role) -> tuple[Site, ...]:
    """Return the sites that have one of these roles."""
    return tuple(site for site in SITES if site.role in roles)
