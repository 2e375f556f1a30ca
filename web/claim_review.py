"""Read ClaimReview markup: which claim a fact-checker reviewed, and how it rated it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from web.linked_data import Thing, plain
from web.site import on_same_site, site_of
from web.times import moment
from web.words import one_line

MAX_RATINGS = 50
_NUMBER = 12
"""Characters of a number that is worth showing."""


@dataclass(frozen=True, slots=True)
class ClaimRating:
    """One rating as a page states it.

    Anyone may write any name into a page, so `publisher` alone counts for nothing: `url` is always on the site that was
    fetched, and `site` names it.
    """

    claim: str
    rating: str
    """In words where the page has them ("Mostly false"), else the number with its scale ("2 on a scale from 1 to 5")."""
    publisher: str
    url: str
    published_at: datetime | None

    @property
    def site(self) -> str:
        """The registered domain behind the rating."""
        return site_of(self.url)


def claim_ratings(things: Iterable[Thing], page_url: str) -> tuple[ClaimRating, ...]:
    """Return the ratings among a page's objects, without repetitions.

    One that lacks its claim or its rating is no rating.
    """
    found: dict[tuple[str, str], ClaimRating] = {}
    for thing in things:
        if "ClaimReview" not in thing.types or len(found) >= MAX_RATINGS:
            continue
        claim, rating = one_line(thing.text("claimReviewed"), 1_000), _rating(thing.child("reviewRating"))
        if claim and rating:
            publisher = thing.text("author") or thing.text("publisher")
            found.setdefault(
                (claim, rating),
                ClaimRating(
                    claim,
                    rating,
                    one_line(publisher, 200) or site_of(page_url),
                    on_same_site(thing.values.get("url"), page_url) or page_url,
                    moment(thing.values.get("datePublished")),
                ),
            )
    return tuple(found.values())


def _rating(rating: Thing | None) -> str:
    if rating is None:
        return ""
    words = one_line(rating.text("alternateName") or rating.text("name"), 200)
    value, worst, best = (_number(rating.values.get(name)) for name in ("ratingValue", "worstRating", "bestRating"))
    if words or not value:
        return words or one_line(rating.text("ratingValue"), 200)  # some write "False" where the number belongs
    return f"{value} on a scale from {worst or '1'} to {best}" if best else ""


def _number(value: object) -> str:
    """Return a finite number as it is written, or ""."""
    text = plain(value).strip()[:_NUMBER]
    return text if text.replace(".", "", 1).removeprefix("-").isdecimal() else ""
