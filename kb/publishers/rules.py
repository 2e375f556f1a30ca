"""Parse the user's rules for domains, look them up by host, apply them to publishers.

A plain domain ("example.org") covers that site and its subdomains, "*.example.org" only the subdomains; the narrowest
rule counts. An allowed domain counts as listed. Its type and credibility replace those of kb/publishers/domains.csv. If
they are left out, a low credibility rises to that of an unknown site, and a social medium becomes one that may decide.
A rule never gives one organisation two voices.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from errors import InputError
from kb.publishers.credibility import UNKNOWN, Publisher, SourceType
from kb.publishers.urls import host_of

COLUMNS = ("domain", "rule", "source_type", "credibility", "note")
MAX_NOTE = 200
_HOST_CHARACTERS = 253
_DOMAIN = re.compile(r"(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:[a-z][a-z0-9-]*[a-z0-9]|\d{1,3})")


class Rule(StrEnum):
    """What the user says about a domain."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ListedDomain:
    """A list line, made and checked by `parse_line`. None: as in the shipped table."""

    domain: str
    rule: Rule
    source_type: SourceType | None = None
    credibility: float | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as text, in the order of `COLUMNS`."""
        credibility = "" if self.credibility is None else f"{self.credibility:g}"
        return self.domain, self.rule.value, self.source_type.value if self.source_type else "", credibility, self.note


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of the file that cannot be used, by its number (from 1)."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedList:
    """A parsed list; `rows` are all its rows, including unusable ones and comments."""

    rows: tuple[tuple[str, ...], ...] = ()
    entries: Mapping[str, ListedDomain] = field(default_factory=dict)
    problems: tuple[BadLine, ...] = ()


def domain_name(text: str) -> str:
    """Return a domain, or "*." and a domain, in one spelling.

    It is in lower case, without "www.", other alphabets as in addresses.

    An address is taken for its host.

    Raises:
        InputError: this is no domain.
    """
    host = text.strip().lower()
    if "://" in host:
        host = host_of(host)
    star = "*." if host.startswith("*.") else ""
    name = star + _ascii(host.removeprefix("*.").rstrip(".").removeprefix("www."))
    if len(name) > _HOST_CHARACTERS or not _DOMAIN.fullmatch(name):
        raise InputError(
            f'{text[:80]!r} is no domain; write it as "example.org", or "*.example.org" for what is beneath'
        )
    return name


def parse_line(domain: str, rule: str, source_type: str = "", credibility: str = "", note: str = "") -> ListedDomain:
    """Make a line of the list from what a person wrote.

    A denied domain's type and credibility are not read.

    Raises:
        InputError: one of them cannot be used; the message says which, and what it may be.
    """
    name = domain_name(domain)
    said = " ".join("".join(sign if sign.isprintable() else " " for sign in note).split())[:MAX_NOTE]
    if rule.strip().lower() not in list(Rule):
        raise InputError(f"rule must be allow or deny, not {rule[:40]!r}")
    if Rule(rule.strip().lower()) is Rule.DENY:
        return ListedDomain(name, Rule.DENY, note=said)
    kind = source_type.strip().lower()
    if kind and kind not in list(SourceType):
        raise InputError(f"source_type must be one of {', '.join(SourceType)}, not {source_type[:40]!r}")
    return ListedDomain(name, Rule.ALLOW, SourceType(kind) if kind else None, _credibility(credibility), said)


def _credibility(text: str) -> float | None:
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = 0.0
    if value is not None and not 0 < value <= 1:
        raise InputError(f"credibility must be above 0 and at most 1, not {text[:40]!r}; to shut a site out, deny it")
    return value


def _ascii(host: str) -> str:
    """Return a host as addresses spell it: "m\u00fcnchen.example" -> "xn--mnchen-3ya.example"."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def parse_list(text: str) -> ParsedList:
    """Parse a list's CSV text. An unusable line is a problem; # begins a comment."""
    rows: list[tuple[str, ...]] = []
    entries: dict[str, ListedDomain] = {}
    problems: list[BadLine] = []
    reader = csv.reader(io.StringIO(text))
    for cells in reader:
        if not any(cell.strip() for cell in cells) or (reader.line_num == 1 and cells[0].strip().lower() == "domain"):
            continue
        rows.append(tuple(cells))
        if cells[0].startswith("#"):
            continue
        try:
            entry = parse_line(*[*cells, "", "", "", ""][:5])
        except InputError as exc:
            problems.append(BadLine(reader.line_num, str(exc)))
            continue
        if entry.domain in entries:
            problems.append(BadLine(reader.line_num, f"{entry.domain} stands above too; what this line says counts"))
        entries[entry.domain] = entry
    return ParsedList(tuple(rows), entries, tuple(problems))


def is_of(row: Sequence[str], domain: str) -> bool:
    """Return whether a row of a list is about this domain, in whatever spelling."""
    try:
        return domain_name(row[0]) == domain
    except InputError:
        return False


def rule_for(host: str, entries: Mapping[str, ListedDomain]) -> ListedDomain | None:
    """Find the narrowest rule that covers a host: its own, then its parents', nearest first."""
    labels = _ascii(host)[-_HOST_CHARACTERS:].split(".")
    own = entries.get(".".join(labels))
    if own:
        return own
    for start in range(1, len(labels)):
        above = ".".join(labels[start:])
        found = entries.get(f"*.{above}") or entries.get(above)
        if found:
            return found
    return None


def applied(known: Publisher, entry: ListedDomain) -> Publisher:
    """Apply the user's rule to a publisher."""
    if entry.rule is Rule.DENY:
        return replace(known, credibility=0.0, listed=False, denied=True)
    kind = SourceType.UNKNOWN if known.source_type is SourceType.SOCIAL else known.source_type
    credibility = max(known.credibility, UNKNOWN) if entry.credibility is None else entry.credibility
    return replace(known, source_type=entry.source_type or kind, credibility=credibility, listed=True)
