"""Record and describe what a web search did in a query, stage or whole check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kb.record import NewEvidence, Origin
from verifier.search.base import Kind, Outcome

NO_TIME = "the time was over"
NO_ENGINE = "no search engine for it is configured"
DENIED = "your list of domains denies all of its sites"
"""Reasons why a stage asked no provider."""
_SAID = frozenset({Outcome.ANSWERED, Outcome.EMPTY})
UNCHARGED = frozenset({Outcome.NOT_ASKED, Outcome.OVER_BUDGET})
"""Outcomes of queries that never left this machine."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One query: its destination, words and outcome, and whether the answer was cached."""

    stage: str
    provider: str
    query: str
    outcome: Outcome
    found: int
    detail: str
    cached: bool = False


@dataclass(frozen=True, slots=True)
class SearchStage:
    """A stage: its sites (none: all), kinds of search, and how many results it wants."""

    name: str
    sites: tuple[str, ...]
    kinds: frozenset[Kind]
    limit: int
    origin: Origin

    @property
    def open(self) -> bool:
        """Whether it asks the open web."""
        return self.of_web and not self.sites

    @property
    def of_web(self) -> bool:
        """Whether it asks web search engines, not a service that holds the texts itself."""
        return Kind.WEB in self.kinds

    @property
    def reference(self) -> bool:
        """Whether it asks reference works."""
        return Kind.REFERENCE in self.kinds


@dataclass(frozen=True, slots=True)
class StageReport:
    """The results of one stage: passages, every attempt, pages read and unread, and its time.

    `idle` says why a stage without attempts asked no provider.
    """

    stage: SearchStage
    items: tuple[NewEvidence, ...]
    attempts: tuple[Attempt, ...]
    read: int = 0
    unread: tuple[str, ...] = ()
    seconds: float = 0.0
    idle: str = ""

    @property
    def answered(self) -> bool:
        """Whether any query was answered, even with no results."""
        return any(attempt.outcome in _SAID for attempt in self.attempts)

    @property
    def failed(self) -> tuple[Attempt, ...]:
        """The attempts that may have missed something."""
        return tuple(a for a in self.attempts if a.outcome not in {*_SAID, Outcome.NOT_ASKED})

    @property
    def offline(self) -> bool:
        """Whether no provider could be reached at all."""
        asked = [a.outcome for a in self.attempts if a.outcome is not Outcome.NOT_ASKED]
        return bool(asked) and all(outcome is Outcome.UNREACHABLE for outcome in asked)

    @property
    def told(self) -> str:
        """The stage in a sentence."""
        if not self.attempts:
            return f"Did not search {self.stage.name}: {self.idle or NO_ENGINE}"
        pages = f"; read {self.read} page{'s' * (self.read != 1)}" if self.read else ""
        pages += f", could not read {len(self.unread)} ({'; '.join(self.unread)})" if self.unread else ""
        begin = "Searched" if self.answered else "Web search unavailable:"
        return f"{begin} {self.stage.name}: {'; '.join(attempts_told(self.attempts))}{pages}"


class WebAccount:
    """The account of one check's web search, in one line for the reader.

    It is not shared between checks.
    """

    def __init__(self, seconds: float) -> None:
        """Take `seconds`, the time limit for all searches of the check together."""
        self._seconds = seconds
        self._answered: dict[str, None] = {}  # a dict keeps the order and holds each name once
        self._failed: dict[str, dict[str, None]] = {}
        self._idle: dict[str, None] = {}
        self._searched: set[str] = set()
        self._cut: dict[str, dict[str, None]] = {}

    def note(self, claim: str, report: StageReport) -> None:
        """Add a stage to the account; `claim` is what it was asked about."""
        if report.idle == NO_TIME:
            self._cut.setdefault(claim, {})[report.stage.name] = None
        elif report.idle:
            self._idle[report.idle] = None
        for attempt in report.attempts:
            self._searched.add(claim)
            if attempt.outcome in _SAID:
                self._answered[attempt.provider] = None
        for attempt in report.failed:
            self._failed.setdefault(attempt.provider, {})[str(attempt.outcome)] = None

    def told(self) -> str:
        """Say what failed and what was no longer asked; "" if all went well."""
        failed = joined(f"{name} ({', '.join(ends)})" for name, ends in self._failed.items())
        said = []
        if self._answered and failed:
            said.append(f"a part of the web search failed: {failed}; {joined(self._answered)} answered")
        elif failed:
            said.append(f"web search unavailable: {failed} did not answer; the verdict rests on the store alone")
        elif self._idle and not self._answered:
            why = f"no search engine was asked, because {joined(self._idle)}"
            said.append(f"web search unavailable: {why}; the verdict rests on the store alone")
        if self._cut:
            over = f"the {self._seconds:g} s for searching the web were over before this was asked"
            said.append(f"{over}: {joined(self._cut_off())}")
        return "; ".join(said)

    def _cut_off(self) -> Iterator[str]:
        yield from dict.fromkeys(
            stage for claim, stages in self._cut.items() if claim in self._searched for stage in stages
        )
        yield from (f"anything about \u201c{claim}\u201d" for claim in self._cut if claim not in self._searched)


def joined(names: Iterable[str]) -> str:
    """Join names: "A", "A and B", "A, B and C"."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def attempts_told(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Yield attempts in words, grouped if only queries differ: "SearxNG: answered, 8 results (“a”, “b”)"."""
    grouped: dict[tuple[str, Outcome, str, bool], list[Attempt]] = {}
    for attempt in attempts:
        grouped.setdefault((attempt.provider, attempt.outcome, attempt.detail, attempt.cached), []).append(attempt)
    for (provider, outcome, detail, cached), group in grouped.items():
        found = sum(attempt.found for attempt in group)
        told = f", {found} result{'s' * (found != 1)}" if outcome is Outcome.ANSWERED else f" ({detail})" * bool(detail)
        queries = ", ".join(f"\u201c{attempt.query}\u201d" for attempt in group)
        yield f"{provider}: {outcome}{told}{', kept from before' if cached else ''}, asked {queries}"
