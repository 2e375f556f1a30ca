"""Keep the user's own list of domains: allowed sources and the blocklist.

Allowed domains may decide; denied ones are never shown, stored or cited. The list is a small CSV file, which people may
also edit by hand: domain, rule, source_type, credibility, note; see rules.py. It is read again whenever any process
changes it.
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from atomic import atomic_write
from errors import StoreError
from kb.publishers.credibility import Publisher, SourceType, publisher_of
from kb.publishers.rules import (
    COLUMNS,
    BadLine,
    ListedDomain,
    ParsedList,
    Rule,
    applied,
    domain_name,
    is_of,
    parse_list,
    rule_for,
)
from kb.publishers.urls import host_of

MAX_BYTES = 2_000_000
_LOCK_SECONDS = 10.0


class DomainLists:
    """The user's lists over the shipped table. Safe to share between threads and processes."""

    def __init__(self, path: Path) -> None:
        """`path` need not exist: the first `add` creates it."""
        self.path = path
        self._kept: tuple[tuple[int, ...], ParsedList] = (), ParsedList()  # one value: threads replace both at once

    def publisher_of(self, url: str) -> Publisher:
        """Return a web address's publisher from the user's list, else from the shipped table.

        Raises:
            StoreError: the file exists but cannot be read; going on would find what it blocks.
        """
        known = publisher_of(url)
        entries = self._read().entries
        entry = rule_for(host_of(url), entries) if entries else None
        return applied(known, entry) if entry else known

    def rows(self) -> tuple[ListedDomain, ...]:
        """Return the list, by domain.

        Raises:
            StoreError: the file cannot be read.
        """
        return tuple(sorted(self._read().entries.values(), key=lambda entry: entry.domain.removeprefix("*.")))

    def preferred(self, source_type: SourceType) -> tuple[str, ...]:
        """Return the domains that the user allows as sources of one type, in list order.

        Raises:
            StoreError: the list cannot be read.
        """
        return tuple(
            row.domain.removeprefix("*.")
            for row in self.rows()
            if row.rule is Rule.ALLOW and row.source_type is source_type
        )

    def problems(self) -> tuple[BadLine, ...]:
        """Return the lines of the file that were skipped.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._read().problems

    def add(self, entry: ListedDomain) -> None:
        """Put a domain on the list, replacing its earlier entry.

        Raises:
            StoreError: the file cannot be read or written.
        """
        self._edit(lambda rows: [*(row for row in rows if not is_of(row, entry.domain)), entry.cells])

    def remove(self, domain: str) -> bool:
        """Remove a domain from the list; return whether it was there.

        Raises:
            InputError: this is no domain.
            StoreError: the file cannot be read or written.
        """
        name = domain_name(domain)
        there = name in self._read().entries
        if there:
            self._edit(lambda rows: [row for row in rows if not is_of(row, name)])
        return there

    def _read(self) -> ParsedList:
        """Parse the file; reread it only if its time, size or place on disk changed."""
        try:
            found = self.path.stat()
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._kept[0]:
                if found.st_size > MAX_BYTES:
                    raise StoreError(
                        f"the list of domains {self.path} has {found.st_size:,} bytes, at most {MAX_BYTES:,} are read; shorten it"
                    )
                self._kept = stamp, parse_list(self.path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            self._kept = (), ParsedList()
        except (OSError, UnicodeDecodeError, csv.Error) as exc:
            raise StoreError(
                f"cannot read the list of domains {self.path}: {exc}; mend the file or move it away"
            ) from exc
        return self._kept[1]

    def _edit(self, change: Callable[[Sequence[tuple[str, ...]]], Iterable[tuple[str, ...]]]) -> None:
        """Replace the rows, one process at a time; no reader ever sees half a file."""
        path = self.path.resolve()
        with self._locked(path):
            rows = list(change(self._read().rows))
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
            with atomic_write(path) as fresh:
                fresh.write_text(text.getvalue(), encoding="utf-8", newline="")

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
