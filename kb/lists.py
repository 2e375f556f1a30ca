"""E9: the user's own lists of domains: who may decide (allow), and who is never shown, stored or cited (deny).

The list is a small CSV file, which people may edit by hand too: domain, rule, source_type, credibility, note. A plain domain
("example.org") covers that site and all beneath it, "*.example.org" only what is beneath it; the narrowest rule counts. The file is
read anew whenever it changes, by whichever process changed it.

An allowed domain counts as listed. Its type and credibility replace those of kb/domains.csv; where they are left out, a
low credibility rises to that of an unknown site, and a social medium becomes one that may decide. The list never makes
one organisation two voices.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from errors import InputError, StoreError
from kb.credibility import UNKNOWN, Publisher, SourceType, publisher_of
from kb.urls import host_of

COLUMNS = ("domain", "rule", "source_type", "credibility", "note")
MAX_BYTES, MAX_NOTE = 2_000_000, 200
_LOCK_SECONDS = 10.0
_HOST_CHARACTERS = 253
_DOMAIN = re.compile(r"(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:[a-z][a-z0-9-]*[a-z0-9]|\d{1,3})")


class Rule(StrEnum):
    """What the user says of a domain."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class ListedDomain:
    """A line of the list; made by `parse_line`, which checks it. None: as it is in the table that ships."""

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
class _Content:
    """What stood in the file at one moment; `rows` are all its rows, those that cannot be used and comments among them."""

    stamp: tuple[int, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    entries: dict[str, ListedDomain] = field(default_factory=dict)
    problems: tuple[BadLine, ...] = ()


class DomainLists:
    """The user's lists over the table that ships. Safe to share between threads and processes."""

    def __init__(self, path: Path) -> None:
        """`path` need not exist: the first `add` makes it."""
        self.path = path
        self._content = _Content()

    def publisher_of(self, url: str) -> Publisher:
        """The publisher behind a web address, as the user's list has it, and the shipped table where that says nothing.

        Raises:
            StoreError: the file is there and cannot be read. What it denies would be heard if this passed.
        """
        known = publisher_of(url)
        entries = self._read().entries
        entry = _rule_for(host_of(url), entries) if entries else None
        return _applied(known, entry) if entry else known

    def rows(self) -> tuple[ListedDomain, ...]:
        """The list, by domain.

        Raises:
            StoreError: the file cannot be read.
        """
        return tuple(sorted(self._read().entries.values(), key=lambda entry: entry.domain.removeprefix("*.")))

    def preferred(self, source_type: SourceType) -> tuple[str, ...]:
        """The domains that the user allows as sources of one type, in the order of the list.

        Raises:
            StoreError: the list cannot be read.
        """
        return tuple(
            row.domain.removeprefix("*.")
            for row in self.rows()
            if row.rule is Rule.ALLOW and row.source_type is source_type
        )

    def problems(self) -> tuple[BadLine, ...]:
        """The lines of the file that were passed over.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._read().problems

    def add(self, entry: ListedDomain) -> None:
        """Put a domain on the list, in place of what the list says of that very domain.

        Raises:
            StoreError: the file cannot be read or written.
        """
        self._edit(lambda rows: [*(row for row in rows if not _is_of(row, entry.domain)), entry.cells])

    def remove(self, domain: str) -> bool:
        """Take a domain off the list; returns whether it was on it.

        Raises:
            InputError: this is no domain.
            StoreError: the file cannot be read or written.
        """
        name = domain_name(domain)
        there = name in self._read().entries
        if there:
            self._edit(lambda rows: [row for row in rows if not _is_of(row, name)])
        return there

    def _read(self) -> _Content:
        """What stands in the file now; read anew only where its time, size or place on the disk changed."""
        try:
            found = self.path.stat()
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._content.stamp:
                if found.st_size > MAX_BYTES:
                    raise StoreError(
                        f"the list of domains {self.path} has {found.st_size:,} bytes, at most {MAX_BYTES:,} are read; shorten it"
                    )
                self._content = _parse(self.path.read_text(encoding="utf-8-sig"), stamp)
        except FileNotFoundError:
            self._content = _Content()
        except (OSError, UnicodeDecodeError, csv.Error) as exc:
            raise StoreError(
                f"cannot read the list of domains {self.path}: {exc}; mend the file or move it away"
            ) from exc
        return self._content

    def _edit(self, change: Callable[[Sequence[tuple[str, ...]]], Iterable[tuple[str, ...]]]) -> None:
        """Replace the rows; one process at a time, and no reader ever sees half a file."""
        path = self.path.resolve()
        with self._locked(path):
            rows = list(change(self._read().rows))
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
            _replace(path, text.getvalue())

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
                yield
        except Timeout as exc:
            raise StoreError(
                f"the list of domains {path} is being written by another process for over {_LOCK_SECONDS:g} s; try again"
            ) from exc
        except OSError as exc:
            raise StoreError(
                f"cannot write the list of domains {path}: {exc.strerror or exc}; choose another place with VERIFIER_DOMAINS"
            ) from exc


def domain_name(text: str) -> str:
    """A domain, or "*." and a domain, in one spelling: lower case, without "www.", other alphabets as in addresses.

    An address is taken for its host.

    Raises:
        InputError: this is no domain.
    """
    given = text.strip().lower()
    if "://" in given:
        given = host_of(given)
    star = "*." if given.startswith("*.") else ""
    name = star + _ascii(given.removeprefix("*.").rstrip(".").removeprefix("www."))
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


def _parse(text: str, stamp: tuple[int, ...]) -> _Content:
    """The rows of the file. A line that cannot be used is told and skipped; one that begins with # is a comment."""
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
    return _Content(stamp, tuple(rows), entries, tuple(problems))


def _is_of(row: Sequence[str], domain: str) -> bool:
    """Whether a row of the file is about this domain, however it is spelt."""
    try:
        return domain_name(row[0]) == domain
    except InputError:
        return False


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _ascii(host: str) -> str:
    """A host as it stands in addresses: "m\u00fcnchen.example" -> "xn--mnchen-3ya.example"."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _rule_for(host: str, entries: dict[str, ListedDomain]) -> ListedDomain | None:
    """The narrowest rule that covers a host: its own, then those of what it lies beneath, nearest first."""
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


def _applied(known: Publisher, entry: ListedDomain) -> Publisher:
    if entry.rule is Rule.DENY:
        return replace(known, credibility=0.0, listed=False, denied=True)
    kind = SourceType.UNKNOWN if known.source_type is SourceType.SOCIAL else known.source_type
    credibility = max(known.credibility, UNKNOWN) if entry.credibility is None else entry.credibility
    return replace(known, source_type=entry.source_type or kind, credibility=credibility, listed=True)
