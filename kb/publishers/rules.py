"""Rules for domains as the user writes them: parsed, looked up for a host, and applied to a publisher.

A plain domain ("example.org") covers that site and its subdomains, "*.example.org" the subdomains alone; the narrowest rule counts. An allowed
domain counts as listed. Its type and credibility replace those of kb/publishers/domains.csv; where they are left out, a low
credibility rises to that of an unknown site, and a social medium becomes one that may decide. A rule never makes one
organisation two voices.
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
    """What the user says of a domain."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ListedDomain:
    """A line of the list; made by `parse_line`, which checks it. None: as in the table that ships."""

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
    """What a list's text holds; `rows` are all its rows, those that cannot be used and comments among them."""

    rows: tuple[tuple[str, ...], ...] = ()
    entries: Mapping[str, ListedDomain] = field(default_factory=dict)
    problems: tuple[BadLine, ...] = ()


def domain_name(text: str) -> str:
    """A domain, or "*." and a domain, in one spelling: lower case, without "www.", other alphabets as in addresses.

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
    """A line of the list from what a person wrote. Of a denied domain, type and credibility are not read.

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
    """A host as it stands in addresses: "m\u00fcnchen.example" -> "xn--mnchen-3ya.example"."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def parse_list(text: str) -> ParsedList:
    """Parse the CSV text of a list. A line that cannot be used is a problem; one that begins with # is a comment."""
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
    """Tell whether a row of a list is about this domain, in whatever spelling."""
    try:
        return domain_name(row[0]) == domain
    except InputError:
        return False


def rule_for(host: str, entries: Mapping[str, ListedDomain]) -> ListedDomain | None:
    """Find the narrowest rule that covers a host: its own, then those of its parent domains, nearest first."""
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
