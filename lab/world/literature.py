"""The research literature of the invented world, as Europe PMC, OpenAlex and Crossref serve it.

Each health or science event has a review and a study that are right, a preprint that repeats the rumour, and a study
that repeats it too and was retracted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from urllib.parse import unquote

from lab.world.desk import Desk
from lab.world.exchange import Reply, Request, json_reply, page_reply
from lab.world.facts import Event, events

TOPICS = frozenset({"health", "science"})
_RETRACTED_AFTER = timedelta(days=20)
_MOST = 200
_LITTLE = 4
"""Words of fewer letters are not searched for."""
_STEM = 5
"""Letters of a word that count."""


@dataclass(frozen=True, slots=True)
class Work:
    """A work: `kind` as Europe PMC and OpenAlex call it, `retracted` the day of retraction."""

    doi: str
    title: str
    abstract: str
    published_at: datetime
    journal: str
    kind: tuple[str, str]
    event_id: str
    retracted: datetime | None = None


@lru_cache(maxsize=1)
def works() -> tuple[Work, ...]:
    """Return all works, in the order of the events."""
    return tuple(work for event in events() if event.topic in TOPICS for work in _of(event))


def _of(event: Event) -> tuple[Work, ...]:
    title, day = event.headlines[-1], event.happened
    said, again = f"{event.background[0]} {event.true[0]}", f"{event.true[1]} {event.background[-1]}"
    false = f"{event.wrong} {event.background[0]}"
    review, study, preprint = ("Systematic Review", "review"), ("research-article", "article"), ("Preprint", "preprint")
    withdrawn = day + _RETRACTED_AFTER
    return (
        Work(f"10.5081/rev.{event.id}", f"{title}: what is known", said, day, "Reviews of Talvoria", review, event.id),
        Work(f"10.5082/{event.id}", title, again, day, "Kesmar Journal of Research", study, event.id),
        Work(f"10.5083/{event.id}", f"{title}: early findings", false, day, "EarlyRead", preprint, event.id),
        Work(f"10.5084/{event.id}", f"{title}: a new look", false, day, "Open Findings", study, event.id, withdrawn),
    )


def europe_pmc(request: Request, desk: Desk) -> Reply:
    """Serve GET /search. Its answer to a query that it cannot read has status 200."""
    asked = re.search(r"TITLE_ABS:\(([^)]*)\)", request.query.get("query", ""))
    if request.query.get("format") != "json":
        return Reply(b'<?xml version="1.0"?><responseWrapper/>', "application/xml")
    if asked is None:
        return json_reply({"version": "6.9", "errCode": 404, "errMsg": "Invalid query"})
    found = _best(asked[1].split(" OR "), request.number("pageSize", 25, 1000))
    results = [_europe_pmc_result(work, desk) for work in found]
    return json_reply({"version": "6.9", "hitCount": len(results), "resultList": {"result": results}})


def _europe_pmc_result(work: Work, desk: Desk) -> dict[str, object]:
    return {
        "id": work.doi.rpartition("/")[2],
        "source": "PPR" if work.kind[1] == "preprint" else "MED",
        "doi": work.doi,
        "title": f"{work.title}.",
        "journalInfo": {"journal": {"title": work.journal}},
        "pubYear": f"{work.published_at:%Y}",
        "abstractText": f"<h4>Background</h4>{work.abstract} {desk.note}".strip(),
        "pubTypeList": {"pubType": [work.kind[0], *["Retracted Publication"] * (work.retracted is not None)]},
        "firstPublicationDate": f"{work.published_at:%Y-%m-%d}",
    }


def openalex(request: Request, desk: Desk) -> Reply:
    """Serve GET /works: a search, or works by their DOIs."""
    limit = request.number("per-page", 25, 200)
    by_doi = re.search(r"(?:^|,)doi:([^,]*)", request.query.get("filter", ""))
    if by_doi:
        wanted = {doi.lower().removeprefix("https://doi.org/") for doi in by_doi[1].split("|")}
        found: Sequence[Work] = [work for work in works() if work.doi in wanted][:limit]
    elif "search" in request.query:
        found = _best(request.query["search"].split(), limit)
    else:
        return json_reply({"error": "Invalid query parameters error."}, 403)
    results = [_openalex_work(work, desk) for work in found]
    return json_reply({"meta": {"count": len(results), "page": 1, "per_page": limit}, "results": results})


def _openalex_work(work: Work, desk: Desk) -> dict[str, object]:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(f"{work.abstract} {desk.note}".split()):
        index.setdefault(word, []).append(place)
    return {
        "doi": f"https://doi.org/{work.doi}",
        "display_name": work.title,
        "publication_date": f"{work.published_at:%Y-%m-%d}",
        "type": work.kind[1],
        "is_retracted": work.retracted is not None,
        "abstract_inverted_index": index,
        "primary_location": {"source": {"display_name": work.journal}},
    }


def crossref(request: Request, desk: Desk) -> Reply:
    """Serve GET /works/{doi}."""
    doi = unquote(request.path.partition("/works/")[2]).lower()
    work = next((work for work in works() if work.doi == doi), None)
    if work is None:
        return page_reply("Resource not found.", 404)
    day = work.retracted
    notice = (
        {"DOI": f"{doi}.r", "type": "retraction", "updated": {"date-parts": [[day.year, day.month, day.day]]}}
        if day
        else {}
    )
    message = {"DOI": doi, "title": [work.title], "updated-by": [notice] if notice else []}
    return json_reply({"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": message})


def _best(words: Sequence[str], limit: int) -> list[Work]:
    """Return the works whose title or abstract holds most of the words.

    A work must hold at least a third of them; endings do not count.
    """
    asked = {word.lower()[:_STEM] for word in words[:_MOST] if len(word) >= _LITTLE}
    counts = {work: len(asked & _stems(f"{work.title} {work.abstract}")) for work in works()}
    fitting = [work for work in works() if asked and counts[work] * 3 >= len(asked)]
    return sorted(fitting, key=lambda work: -counts[work])[:limit]


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower())}
