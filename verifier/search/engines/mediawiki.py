"""Query a wiki's interface (MediaWiki's api.php) as Wikipedia's operators ask it to be used.

Requests go one after the other, name the sender, and are refused by a server that lags behind (`maxlag`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from urllib.parse import quote

from verifier.search.base import LANGUAGE, Outcome, SearchAnswer
from verifier.search.http import MOST_BYTES, UNREADABLE, Call, part, received, user_agent
from verifier.search.results import plain

MAX_LAG = 5
"""Seconds that the server's database copies may lag behind."""
_LIMITED = frozenset({"maxlag", "ratelimited", "readonly"})
_LEAST_SECONDS = 0.2
_LANGUAGE = re.compile(r"[a-z]{2,3}")

Params = Mapping[str, str | int]


class MediaWiki:
    """The requests of one search to one kind of wiki, within one timeout.

    Not shared between searches.
    """

    def __init__(self, contact: str, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take `contact`, an address for the wiki's operators, and `timeout` in seconds for all requests."""
        self._headers = {**user_agent(contact), "Accept": "application/json"}
        self._clock, self._timeout = clock, timeout
        self._end = clock() + timeout

    def get(self, base: str, params: Params, most: int = MOST_BYTES) -> Mapping[str, object] | SearchAnswer:
        """Query the wiki at `base` and return its JSON object, of at most `most` bytes.

        On failure, return the answer that says why.
        """
        left = self._end - self._clock()
        if left < _LEAST_SECONDS < self._timeout:
            return SearchAnswer(Outcome.UNREACHABLE, detail=f"no answer within {self._timeout:g} s")
        common: Params = {"format": "json", "formatversion": 2, "maxlag": MAX_LAG}
        value = received(
            Call(f"{base}/w/api.php", {**params, **common}, self._headers, most=most), max(0.0, round(left, 1))
        )
        if isinstance(value, SearchAnswer):
            return value
        if not isinstance(value, dict):
            return SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
        return _error(value["error"]) if "error" in value else value


def _error(error: object) -> SearchAnswer:
    """Return what an error in the JSON means; such an answer has status 200."""
    code = plain(part(error, "code"), 40) or "unknown"
    outcome = Outcome.RATE_LIMITED if code in _LIMITED else Outcome.UNREACHABLE
    return SearchAnswer(outcome, detail=f"it reports the error {code}")


def address_of(base: str, title: str) -> str:
    """Return the address of the page called `title` on the wiki at `base`."""
    return f"{base}/wiki/{quote(title.replace(' ', '_'), safe=':_(),-.!~*')}"


def language_of(code: str) -> str:
    """Return the language code if it can be part of an address, else English."""
    return code if _LANGUAGE.fullmatch(code) and code != "und" else LANGUAGE
