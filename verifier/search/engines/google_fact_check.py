"""Search Google Fact Check Tools for what fact-checkers have said about claims.

Needs a key, which is free. A short claim matches unrelated fact-checks, so only claims of forty characters or more are
sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from errors import FetchError
from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.http import UNREADABLE, Call, ask, part, rows
from verifier.search.pages import rating_sentence
from verifier.search.results import plain, result, shortened

PUBLIC = "https://factchecktools.googleapis.com"

_MOST_QUERY = 500


class GoogleFactCheck:
    """The claim search of Google Fact Check Tools."""

    name, kind = "Google Fact Check", Kind.FACT_CHECKS

    def __init__(
        self,
        key: str,
        url: str = "",
        most_results: int = 3,
        shortest_claim: int = 40,
    ) -> None:
        """Take the key and the limits; `shortest_claim` is in characters."""
        self._key, self._url = key, (url or PUBLIC).rstrip("/")
        self._most, self._shortest = most_results, shortest_claim

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to three reviews of similar claims; see `Provider`."""
        if len(query.text.strip()) < self._shortest:
            return SearchAnswer(Outcome.NOT_ASKED, detail=f"shorter than {self._shortest} characters")
        limit = min(query.limit, self._most)
        params: dict[str, str | int] = {
            "query": shortened(query.text, _MOST_QUERY),
            "languageCode": LANGUAGE,
            "pageSize": limit,
            "key": self._key,
        }
        if len(query.sites) == 1:  # the service filters by one site at most
            params["reviewPublisherSiteFilter"] = query.sites[0]
        wanted = Query(query.text, limit, query.sites)
        return ask(Call(f"{self._url}/v1alpha1/claims:search", params, keyed=True), wanted, timeout, _read)


def _read(answer: object) -> Iterator[SearchResult | None]:
    if answer == {}:  # its answer when nothing is found
        return
    if part(answer, "error") is not None:
        raise FetchError(UNREADABLE)
    for claim in rows(answer, "claims"):
        reviews = claim.get("claimReview")
        for review in reviews[:10] if isinstance(reviews, list) else [None]:
            yield _review(plain(claim.get("text"), 500), review) if isinstance(review, dict) else None


def _review(claim: str, review: Mapping[str, object]) -> SearchResult | None:
    """Return a review as a quotable sentence; None without a rating, which would say nothing."""
    publisher = plain(part(review.get("publisher"), "name") or part(review.get("publisher"), "site"), 100)
    rating = plain(review.get("textualRating"), 100).rstrip(".")
    if not claim or not publisher or not rating:
        return None
    sentence = rating_sentence(publisher, claim.rstrip("."), rating)
    title = review.get("title") or sentence
    return result(review.get("url"), title, sentence, review.get("reviewDate"), publisher, rating=rating, claim=claim)
