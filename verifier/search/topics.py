"""Search for standing topics on the web at every refresh of the store."""

from __future__ import annotations

from errors import RefreshStopped
from kb.upkeep.news import MAX_PROBLEMS, Brought, Known, Stopped
from verifier.search.base import Kind
from verifier.search.reports import NO_ENGINE, StageReport, attempts_told
from verifier.search.staged import StagedSearch

_SECONDS = 30.0
"""For one stage of one topic. No user waits for it, and slow engines may answer too."""


class TopicSource:
    """What the web says of one topic: trusted news first, and the open web where that brings nothing."""

    def __init__(self, topic: str, search: StagedSearch) -> None:
        """`search` keeps to the limits of every engine; the topic is all that they receive."""
        self.name = topic
        self._topic, self._search = topic, search

    def read(self, known: Known, stopped: Stopped) -> Brought:
        """Return the passages that share most words with the topic; see `NewsSource`. Every page that is found is read."""
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
