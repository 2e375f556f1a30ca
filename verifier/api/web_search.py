"""Search the web as a check would, until enough is relevant.

The order is trusted news, then fact-checkers, then everything.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from errors import FetchError, FetchFailure, InputError
from verifier.api.answers import AttemptAnswer, PassageAnswer, WebAnswer
from verifier.api.bounds import Tell, query_of
from verifier.check.web import READ_FROM_WEB
from verifier.claim.parsed import parse_statement
from verifier.claim.queries import cleaned
from verifier.evidence.rerank import score
from verifier.evidence.retrieve import from_texts, shortlist
from verifier.report.public import public
from verifier.schema import Evidence
from verifier.search.reports import Attempt, StageReport, WebAccount
from verifier.serve.checker import Checker

_MAX_ERROR = 600


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a page.

    If `unread`, the page could not be read and this is the search engine's snippet.
    """

    piece: Evidence
    unread: bool


@dataclass(frozen=True, slots=True)
class WebFindings:
    """The passages found for a query, most relevant first, and each stage's outcome."""

    query: str
    passages: tuple[Passage, ...]
    reports: tuple[StageReport, ...]
    warning: str


def search_web(query: str, checker: Checker, tell: Tell) -> WebFindings:
    """Search by stages until enough is relevant or time is up. Stores nothing.

    Raises:
        FetchError: no search engine answered, so what they would have found is unknown.
        InputError: the query cannot be used, or the web is switched off.
    """
    text = query_of(query)
    search = checker.verifier.search
    if search is None:
        raise InputError("the web search is switched off on this server (VERIFIER_WEB=off)")
    least, limit = checker.settings.retrieval.min_relevance, checker.settings.search.deadline
    end = time.monotonic() + limit
    found: dict[str, Passage] = {}
    account, reports = WebAccount(limit), []

    def relevant() -> int:
        return sum(passage.piece.relevance >= least for passage in found.values())

    for report in search.by_stages(text, [cleaned(text) or text], lambda: end - time.monotonic(), relevant):
        reports.append(report)
        account.note(text, report)
        tell(len(reports), len(search.stages_for(text)), f"searched {report.stage.name}: {len(report.items)} passages")
        pieces = shortlist(text, from_texts(report.items, publisher_of=checker.lists.publisher_of), READ_FROM_WEB)
        unread = {item.text for item in report.items if item.extraction_failed}
        for piece in score(parse_statement(text), pieces, checker.verifier.models.reranker):
            found.setdefault(piece.text, Passage(piece, piece.text in unread))
    if not any(report.answered for report in reports):
        told = "; ".join(report.told for report in reports)
        message = f"no search engine answered, so what there is to find is not known; try again later. {told}"
        raise FetchError(message[:_MAX_ERROR], FetchFailure.UNREACHABLE)
    ranked = sorted(found.values(), key=lambda passage: -passage.piece.relevance)
    return WebFindings(text, tuple(ranked), tuple(reports), account.told())


def findings_answer(found: WebFindings) -> WebAnswer:
    """Write the findings in the form that programs get."""
    return {
        "query": found.query,
        "results": [_passage(passage) for passage in found.passages],
        "attempts": [_attempt(attempt) for report in found.reports for attempt in report.attempts],
        "unread": [reason for report in found.reports for reason in report.unread],
        "warnings": [found.warning] if found.warning else [],
    }


def _passage(passage: Passage) -> PassageAnswer:
    piece = passage.piece
    return {
        "text": piece.text,
        "source": piece.source,
        "title": piece.title,
        "published_at": piece.published_at.isoformat() if piece.published_at else None,
        "origin": str(piece.origin),
        "rating": piece.rating,
        "relevance": round(piece.relevance, 4),
        "extraction_failed": passage.unread,
    }


def _attempt(attempt: Attempt) -> AttemptAnswer:
    return {
        "stage": attempt.stage,
        "provider": attempt.provider,
        "query": attempt.query,
        "outcome": str(attempt.outcome),
        "found": attempt.found,
        "detail": public(attempt.detail),
        "cached": attempt.cached,
    }
