"""Ask the web during a check, stage by stage, and store what it returns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from errors import StoreError
from kb.publishers.credibility import PublisherOf, publisher_of
from kb.record import NewEvidence
from verifier.check.trace import Steps, Trace
from verifier.claim.plan import Plan
from verifier.evidence.retrieve import from_texts, shortlist
from verifier.interfaces import Store
from verifier.schema import Evidence, Stage
from verifier.schema.missing import Unasked, Why
from verifier.search.base import LANGUAGE
from verifier.search.reports import StageReport, WebAccount
from verifier.search.staged import StagedSearch
from verifier.search.unasked import unasked
from verifier.settings import Settings

READ_FROM_WEB = 12
"""Passages read from one stage of the web search.

They are those that share most words with the claim.
"""
_LOG = logging.getLogger(__name__)

Weigh = Callable[[Sequence[Evidence]], Steps[bool]]
"""Weighs new pieces together with those known; returns whether they are enough."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where evidence comes from.

    It is the user's texts alone, or a store and, if allowed, the web. `publisher_of` says who is behind an address and
    whom the user excludes; `web_off` says why there is no `search`. `only` says which texts may count; None means all.
    """

    given: Sequence[NewEvidence] | None = None
    store: Store | None = None
    search: StagedSearch | None = None
    publisher_of: PublisherOf = publisher_of
    web_off: Why = Why.OFF
    only: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """What a check asked.

    That is its store, the records it added from the web, and the sources it did not ask.
    """

    store: Store | None
    added: tuple[str, ...]
    unasked: tuple[Unasked, ...]


class WebSearch:
    """Asks the web for one check, whose parts share the time for it.

    Not shared between checks.
    """

    def __init__(self, sources: Sources, settings: Settings, trace: Trace) -> None:
        self._sources, self._settings, self._trace = sources, settings, trace
        self._left = settings.search.deadline
        self._failed = self._looked_up = False
        self._account = WebAccount(settings.search.deadline)
        self._reports: list[StageReport] = []
        self._claims: dict[str, bool] = {}
        self.added: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether this check may ask the web at all."""
        return self._sources.search is not None

    @property
    def open(self) -> bool:
        """Whether the web may still be asked, can be reached, and has time left."""
        return self.allowed and not self._failed and self._left > 0

    @property
    def unasked(self) -> tuple[Unasked, ...]:
        """The sources not asked so far in this check, and why."""
        search, left = self._sources.search, min(self._trace.left, self._left)
        if search is None or (left <= 0 and not self._reports):
            return (Unasked("the web", Why.NO_TIME if search else self._sources.web_off),)
        return unasked(self._reports, search, self._claims, self._settings.search.providers)

    def ask(self, plan: Plan, number: int, pool: Mapping[str, Evidence], weigh: Weigh) -> Steps[bool]:
        """Ask the web in round `number` and weigh what each stage returns.

        Return whether that is enough. Every passage is stored. If the web cannot be reached, that is a warning, never
        an absence of evidence. `pool` holds all known pieces by text; `weigh` adds to it.
        """
        search = self._sources.search
        if search is None and number == 2:
            yield self._trace.step(Stage.SEARCH, "Web search is switched off for this check")
        if search is None or self._failed:
            return False
        self._claims[plan.claim.text] = plan.lasting
        queries = plan.queries[:2] if number == 2 else plan.queries[2:] or plan.queries[1:]
        brought: set[str] = set()
        asked = answered = False

        def relevant() -> int:
            pieces = (pool[text] for text in brought & pool.keys())
            return sum(piece.relevance >= self._settings.retrieval.min_relevance for piece in pieces)

        def left() -> float:
            return min(self._trace.left, self._left)

        for report in search.by_stages(plan.claim.text, queries, left, relevant, self._reference(plan)):
            self._left -= report.seconds
            asked, answered = asked or bool(report.attempts), answered or report.answered
            yield from self._tell(plan.claim.text, report)
            fresh = yield from self._stored(plan.claim.text, report, pool)
            if fresh and (yield from weigh(fresh)):
                return True
            brought |= {item.text for item in report.items}
        self._failed = asked and not answered
        return False

    def _reference(self, plan: Plan) -> str:
        """Return the language for asking reference works about a claim.

        It is "" if they are not asked. They are asked only about lasting facts and once per check: what they say is
        stored, where the check's other parts find it.
        """
        if self._looked_up or not plan.lasting:
            return ""
        self._looked_up = True
        return plan.claim.foreign or LANGUAGE

    def _tell(self, claim: str, report: StageReport) -> Steps[None]:
        """Record the stage as a step, and all failures and cut-offs as one warning."""
        self._trace.tool_calls += len(report.attempts)
        yield self._trace.step(Stage.SEARCH, report.told)
        self._account.note(claim, report)
        self._reports.append(report)
        if warning := self._account.told():
            self._trace.warn(warning, "web")

    def _stored(self, claim: str, report: StageReport, pool: Mapping[str, Evidence]) -> Steps[list[Evidence]]:
        """Store the passages of a stage if possible; choose those for the cross-encoder."""
        if not report.items:
            return []
        assert self._sources.store is not None
        ids: Sequence[str] = ()
        self._trace.tool_calls += 1
        try:
            stored = self._sources.store.add(report.items)
            self.added += stored.new
            ids, told = stored.ids, f"Stored {stored.added} new pieces of evidence, {stored.merged} were known"
        except StoreError as exc:  # what was read can still be judged
            told = "What the web brought could not be stored, and is judged all the same"
            self._trace.warn(f"{told[0].lower()}{told[1:]}: {exc}")
            _LOG.warning("what the web brought to a check could not be stored: %s", exc)
        yield self._trace.step(Stage.STORE, told)
        pieces = from_texts(report.items, ids, self._sources.publisher_of)
        fresh = [piece for piece in pieces if piece.text not in pool or _newly_retracted(piece, pool[piece.text])]
        return shortlist(claim, fresh, READ_FROM_WEB)


def _newly_retracted(piece: Evidence, known: Evidence) -> bool:
    """Return whether the web knows of a retraction that the store does not."""
    return piece.retracted and not known.retracted and piece.source == known.source
