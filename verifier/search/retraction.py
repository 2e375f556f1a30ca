"""Ask OpenAlex and Crossref which works were retracted.

OpenAlex is asked about many at once, Crossref about those that OpenAlex flags or does not know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from kb.publishers.urls import doi_of
from kb.upkeep.news import MAX_PROBLEMS, Stopped
from kb.upkeep.retractions import Retractions
from verifier.search.base import Outcome, Provider, Query, SearchAnswer

MOST_SINGLE = 200
"""Works that one refresh asks about singly; with more, the choice changes every day."""
_TOGETHER = 25
"""DOIs per request to OpenAlex: half of its limit, because address length is limited."""
_SECONDS = 20.0
_SAID = frozenset({Outcome.ANSWERED, Outcome.EMPTY})
_FAILURES = 3
"""Failed requests in a row after which a service is no longer asked."""


class RetractionCheck:
    """Tells which works were retracted; a `RetractionsOf`. Either service may be missing."""

    def __init__(self, many: Provider | None, single: Provider | None) -> None:
        """Make the check.

        Args:
            many: takes DOIs joined by |.
            single: takes one DOI.
        """
        self._many, self._single = many, single

    def __call__(self, dois: Sequence[str], stopped: Stopped) -> Retractions:
        """Return what is known about these works; unknown ones are left out."""
        ratings: dict[str, str] = {}
        problems: dict[str, None] = {}
        plain = [doi for doi in dois if not set(doi) & set("|,")] if self._many else []
        asked = [plain[start : start + _TOGETHER] for start in range(0, len(plain), _TOGETHER)]
        self._ask(self._many, ["|".join(some) for some in asked], ratings, problems, stopped)
        open_ = [doi for doi in dois if ratings.get(doi, "unknown")]
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        turn = sorted(open_, key=lambda doi: hashlib.sha256(f"{day} {doi}".encode()).digest())
        found: dict[str, str] = {}
        self._ask(self._single, turn[:MOST_SINGLE], found, problems, stopped)
        ratings |= {doi: rating for doi, rating in found.items() if rating or doi not in ratings}
        left = len(dois) - len(ratings)
        if left:
            problems[f"it is not known whether they were retracted: {left} of {len(dois)} works with a DOI"] = None
        return Retractions(ratings, tuple(problems)[:MAX_PROBLEMS])

    def _ask(
        self,
        provider: Provider | None,
        queries: Sequence[str],
        ratings: dict[str, str],
        problems: dict[str, None],
        stopped: Stopped,
    ) -> None:
        """Send the queries one after the other, and note the answer for each DOI."""
        failed = 0
        for text in queries if provider else ():
            assert provider is not None
            if stopped() or failed == _FAILURES:
                return
            answer: SearchAnswer = provider.search(Query(text, _TOGETHER), _SECONDS)
            if answer.outcome in _SAID:
                failed = 0
                ratings |= {doi_of(found.url): found.rating for found in answer.results}
            else:
                failed += 1
                problems[f"{provider.name}: {answer.outcome}{f' ({answer.detail})' * bool(answer.detail)}"] = None
