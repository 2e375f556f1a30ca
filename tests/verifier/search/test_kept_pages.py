"""Pages that the search keeps: each fetched once a day, a failure not tried again for ten minutes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from errors import FetchError
from tests.verifier.search.test_resilience import Clock
from verifier.search.guard.kept_pages import KEEP, KEEP_FAILURE, KeptPage, KeptPages, KeptRating
from verifier.search.guard.shared import Shared

URL = "https://www.reuters.com/bridge"
PAGE = KeptPage(
    "It opened ☂ in 1931.", "Bridge", URL, datetime(2024, 1, 31, tzinfo=UTC), (KeptRating("It fell", "False"),), True
)


def test_a_page_is_fetched_once_a_day_and_a_failure_once_in_ten_minutes(tmp_path: Path) -> None:
    clock, fetched = Clock(), list[str]()

    def load(url: str, seconds: float) -> KeptPage:
        fetched.append(url)
        if url != URL:
            raise FetchError("HTTP 503")
        return PAGE

    pages = KeptPages(load, Shared(tmp_path, clock))
    assert [pages(URL, 5), pages(URL + "?utm_source=x", 5)] == [PAGE, PAGE] and fetched == [URL]
    for _ in range(2):
        with pytest.raises(FetchError, match="HTTP 503"):
            pages("https://www.bbc.com/gone", 5)
    assert len(fetched) == 2
    clock.sleep(KEEP_FAILURE)
    with pytest.raises(FetchError, match="HTTP 503"):
        pages("https://www.bbc.com/gone", 5)
    clock.sleep(KEEP - KEEP_FAILURE)
    assert pages(URL, 5) == PAGE and len(fetched) == 4
