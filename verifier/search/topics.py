"""Search for standing topics on the web at every refresh of the store."""

from __future__ import annotations

from errors import RefreshStopped
from kb.upkeep.news import MAX_PROBLEMS, Brought, Known, Stopped
from verifier.search.base import Kind
from verifier.search.reports import NO_ENGINE, StageReport, attempts_told
from verifier.search.staged import StagedSearch

_SECONDS = 30.0
"""Seconds for one stage of a topic; no user waits, so slow engines may answer."""


class TopicSource:
    """The web's texts on one topic: from trusted news, or else the open web."""

    def __init__(self, topic: str, search: StagedSearch) -> None:
        """Take the topic, which is all that the engines receive; `search` keeps to their limits."""
        self.name = topic
        self._topic, self._search = topic, search

    def read(self, known: Known, stopped: Stopped) -> Brought:
        """Read every page found; return the passages sharing most words with the topic; see `NewsSource`."""
        reports: list[StageReport] = []
        for stage in (stage for stage in self._search.stages_for(self._topic) if Kind.NEWS in stage.kinds):
            if stopped():
                raise RefreshStopped("the refresh was stopped; the store is as it was")
            reports.append(self._search.ask(stage, self._topic, [self._topic], _SECONDS))
            if reports[-1].items or reports[-1].offline:
                break
        items = tuple(item for report in reports for item in report.items)
        unread = tuple(told for report in reports for told in report.unread)[:MAX_PROBLEMS]
        if any(report.answered for report in reports):
            return Brought(items, problems=unread)
        told = "; ".join(text for report in reports for text in attempts_told(report.attempts))
        why = told or next((report.idle for report in reports if report.idle), NO_ENGINE)
        return Brought(problems=(f"{self.name}: {why}",), failed=True)
