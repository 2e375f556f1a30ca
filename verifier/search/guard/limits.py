"""Set each search engine's limits: rate, concurrent requests, and how long answers are kept.

The numbers are the engines' free plans and courtesy limits as far as they are known. They may have changed, and a paid
plan allows more: a user who has one changes the row. An engine's own refusal is always obeyed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from verifier.settings import SearchSettings

_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one provider. Times are in seconds; None means no limit.

    At most `calls` requests within any `window`, `concurrent` at once, `per_day` and `per_month` (UTC). One request
    takes at most `timeout`. Answers are kept for `keep`. One request adds `units` to the month's cost. After `failures`
    failed searches in a row, the provider is paused for `cool_down`. After the n-th rate limit, the n-th `backoff`
    passes before the next request.
    """

    calls: int = 30
    window: float = 60.0
    concurrent: int = 2
    timeout: float = 5.0
    keep: float = 24 * _HOUR
    per_day: int | None = None
    per_month: int | None = None
    units: int = 0
    failures: int = 3
    cool_down: float = 600.0
    backoff: tuple[float, ...] = (2.0, 5.0, 10.0)

    @property
    def rate(self) -> str:
        """The rate in words: "60 a minute"."""
        window = {1.0: "a second", 60.0: "a minute"}.get(self.window, f"in {self.window:g} s")
        return f"{self.calls} {window}"


_TABLE = {
    "wikipedia": Limits(calls=20, concurrent=1, timeout=10.0),  # no published limit; "in series", 2 or 3 requests each
    "wikidata": Limits(calls=20, concurrent=1, timeout=10.0),  # like Wikipedia; up to 4 requests each
    "yacy": Limits(calls=60, concurrent=4, timeout=10.0),  # the user's own machine; asks peers, which takes time
    "searxng": Limits(calls=60, concurrent=4, timeout=10.0),  # the user's own; it asks other engines in turn
    "duckduckgo": Limits(calls=20),  # no published limit; more than this was refused
    "duckduckgonews": Limits(calls=20),
    "gdelt": Limits(calls=1, window=5.0, concurrent=1),  # "one every 5 seconds", says its refusal
    "eventregistry": Limits(per_month=2000, units=1),  # free: 2,000 tokens to try it out, one a search
    "newsapi": Limits(per_day=100, units=1),  # developer plan: 100 requests a day
    "brave": Limits(calls=1, window=1.0, concurrent=1, per_month=2000, units=1),  # free plan: 1 a second, 2,000 a month
    "serpapi": Limits(per_month=100, units=1),  # free plan: 100 searches a month
    "europepmc": Limits(calls=60, timeout=8.0),  # no published limit; others keep to 10 a second
    "openalex": Limits(calls=60, timeout=8.0, per_day=2_000),  # 10 a second and 100,000 a day are published
    "crossref": Limits(
        calls=5, window=1.0, concurrent=1, timeout=8.0
    ),  # its answers state the current limit, 5 a second or more
    "googlefactcheck": Limits(calls=60, concurrent=4, keep=48 * _HOUR),  # free with a key, hence no units
    "feeds": Limits(calls=60, concurrent=4, timeout=10.0, keep=0.25 * _HOUR),
}
_OTHER_NAMES = {"googlefactchecktools": "googlefactcheck", "rss": "feeds", "duckduckgotext": "duckduckgo"}
_OWN_TIME = frozenset({"googlefactcheck", "feeds"})
"""Providers with their own time to live; for the others the user's setting applies."""


def known(name: str) -> str | None:
    """Return the table's name for a provider, however spelt; None if it has no row."""
    plain = "".join(character for character in name.casefold() if character.isalnum())
    plain = _OTHER_NAMES.get(plain, plain)
    return plain if plain in _TABLE else None


def limits_for(name: str, settings: SearchSettings) -> Limits:
    """Return the limits of the provider called `name`; cautious ones if it is unknown."""
    plain = known(name)
    found = _TABLE[plain] if plain else Limits()
    return replace(
        found,
        timeout=max(found.timeout, settings.timeout),
        keep=found.keep if plain in _OWN_TIME else settings.cache_hours * _HOUR,
        failures=settings.failures,
        cool_down=settings.cool_down,
        backoff=settings.backoff,
    )
