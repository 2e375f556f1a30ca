"""What programs may ask of a verifier, whichever way they ask: Gradio's endpoints and the MCP tools stand on this.

Every input is bounded here, and no answer names a path of this machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Literal, Protocol, cast

from errors import FetchError, FetchFailure, InputError, VerifierError
from kb.chunk import MAX_CHARACTERS, passages
from kb.formats.pages import page_passages
from kb.formats.rows import parse_fields
from kb.fusion import Hit, hit_to_dict
from kb.record import NewEvidence
from kb.store import EvidenceStore
from verifier.answers import (
    AddedAnswer,
    ArticleAnswer,
    AttemptAnswer,
    BatchAnswer,
    ExportAnswer,
    FoundAnswer,
    HealthAnswer,
    PassageAnswer,
    ResultAnswer,
    TypeAnswer,
    WebAnswer,
)
from verifier.batch import CLAIM_FIELD, checked_row, one_row
from verifier.claim.classify import classify
from verifier.claim.intake import MAX_CHARACTERS as MAX_QUERY
from verifier.claim.intake import clean_claim
from verifier.claim.queries import cleaned
from verifier.evidence.rerank import score
from verifier.evidence.retrieve import from_texts, shortlist
from verifier.gather import READ_FROM_WEB
from verifier.public import public
from verifier.report.as_json import classification_to_dict, result_to_dict
from verifier.schema import Evidence, Step, VerificationResult
from verifier.search.reports import Attempt, StageReport, WebAccount
from verifier.search.staged import StagedSearch
from verifier.service import Checker, Health
from verifier.settings import Settings

MAX_BATCH = 50
MAX_FOUND = 50
MAX_ADDED = 50_000
"""Characters of a text that is added."""
MAX_RESULT = 500_000
_MAX_ERROR = 600

Tell = Callable[[int, int | None, str], None]
"""Is told how far a call is: steps done, of how many (None: nobody knows), and what was done last."""


class Serving(Protocol):
    """What is asked: a `Service`, which may still be loading."""

    @property
    def settings(self) -> Settings:
        """All of them."""

    def checker(self) -> Checker:
        """The checker; waits until it is loaded, raises VerifierError where it cannot be."""

    def health(self) -> Health:
        """The state; never waits."""


def quiet(done: int, total: int | None, message: str) -> None:
    """Tells nobody."""


class Tools:
    """The calls. Each raises VerifierError, in one line that a stranger may read after `public`."""

    def __init__(
        self, service: Serving, tell: Tell = quiet, turn: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """`service` does the work; `tell` is told how far it is, and may raise to end it; each row of a batch waits for a `turn`."""
        self._service, self._tell, self._turn = service, tell, turn

    def verify(self, claim: str, web: bool = True) -> ResultAnswer:
        """Check a claim against the evidence store and, if that is not enough, the web.

        Args:
            claim: A statement, headline or snippet of up to 2,000 characters.
            web: Whether the web may be searched.

        Returns:
            The verdict with confidence, reasoning, citations, evidence, steps and timings.
        """
        return answer_of(self.run(claim, web))

    def run(self, claim: str, web: bool = True, given: Sequence[NewEvidence] | None = None) -> VerificationResult:
        """One check, each of its steps told; with `given`, by these texts alone."""
        steps = self._service.checker().stream(claim, web, given)
        done = 0
        try:
            while True:
                step: Step = next(steps)
                done += 1
                self._tell(done, None, f"{step.stage}: {step.message}")
        except StopIteration as end:
            return cast(VerificationResult, end.value)
        finally:
            steps.close()

    def verify_batch(self, claims: list[str | dict[str, str]], web: bool = True) -> list[BatchAnswer]:
        """Check up to 50 claims, one after the other. A row that cannot be checked has an error; the others go on.

        Args:
            claims: Claims, or rows with the field "claim".
            web: Whether the web may be searched.

        Returns:
            One answer for each row, in order.
        """
        if not isinstance(claims, list) or not 1 <= len(claims) <= MAX_BATCH:
            told = f"{len(claims):,} were" if isinstance(claims, list) else "something else was"
            raise InputError(
                f"claims must be a list of 1 to {MAX_BATCH} claims, {told} given; send more in several calls"
            )
        alone = Tools(self._service)

        def work(fields: dict[str, str]) -> ResultAnswer:
            with self._turn():
                return alone.verify(fields[CLAIM_FIELD], web)

        answers: list[BatchAnswer] = []
        for number, item in enumerate(claims, start=1):
            row = checked_row(number, {CLAIM_FIELD: item} if isinstance(item, str) else _object(item))
            found = one_row(row, work, (VerifierError,))
            if "error" in found:
                found["error"] = public(found["error"])
            answers.append(cast(BatchAnswer, found))
            self._tell(number, len(claims), f"checked {number} of {len(claims)}")
        return answers

    def classify(self, claim: str) -> TypeAnswer:
        """Say whether a text can be checked, without checking it.

        Args:
            claim: A statement, headline or snippet of up to 2,000 characters.

        Returns:
            The type, the reason, what of it would be checked, and the probabilities of the types.
        """
        text = clean_claim(claim)
        return classification_to_dict(text, classify(text, self._service.checker().verifier.claim_type))

    def search_kb(self, query: str, limit: int = 10) -> list[FoundAnswer]:
        """Find records of the evidence store, by meaning and by words. The web is not asked.

        Args:
            query: Words or a sentence, up to 2,000 characters.
            limit: How many records at most, from 1 to 50.

        Returns:
            The records, most similar first.
        """
        if not 1 <= limit <= MAX_FOUND:
            raise InputError(f"limit must be from 1 to {MAX_FOUND}, not {limit}")
        return [cast(FoundAnswer, hit_to_dict(hit)) for hit in self.find(query, limit)]

    def find(self, query: str, limit: int) -> list[Hit]:
        """The records that lie nearest to a query."""
        text = query_of(query)
        checker = self._service.checker()
        return _store(checker).look_up(text, checker.verifier.models.embedder.embed([text])[0], limit)

    def search_web(self, query: str) -> WebAnswer:
        """Search the web as a check would (trusted news, fact-checkers, then the open web), without a verdict. Nothing is stored.

        Args:
            query: A claim or a query, up to 2,000 characters.

        Returns:
            The passages that bear on it, most relevant first, and how every query to a search engine ended.
        """
        text = query_of(query)
        checker = self._service.checker()
        search = checker.verifier.search
        if search is None:
            raise InputError("the web search is switched off on this server (VERIFIER_WEB=off)")
        found, reports = self._by_stages(text, checker, search)
        account = WebAccount(checker.settings.search.deadline)
        for report in reports:
            account.note(text, report)
        return {
            "query": text,
            "results": [_passage(piece, failed) for piece, failed in found],
            "attempts": [_attempt(attempt) for report in reports for attempt in report.attempts],
            "unread": [reason for report in reports for reason in report.unread],
            "warnings": [told] if (told := account.told()) else [],
        }

    def _by_stages(
        self, text: str, checker: Checker, search: StagedSearch
    ) -> tuple[list[tuple[Evidence, bool]], list[StageReport]]:
        """Ask stage by stage until enough is relevant or the time is over; pieces with whether their page was not read.

        Raises:
            FetchError: no search engine answered. What they would have found is not known.
        """
        least = checker.settings.retrieval.min_relevance
        end = time.monotonic() + checker.settings.search.deadline
        found: dict[str, tuple[Evidence, bool]] = {}
        reports: list[StageReport] = []

        def relevant() -> int:
            return sum(piece.relevance >= least for piece, _ in found.values())

        def left() -> float:
            return end - time.monotonic()

        for report in search.by_stages(text, [cleaned(text) or text], left, relevant):
            reports.append(report)
            self._tell(len(reports), len(search.stages), f"searched {report.stage.name}: {len(report.items)} passages")
            pieces = shortlist(text, from_texts(report.items, publisher_of=checker.lists.publisher_of), READ_FROM_WEB)
            unread = {item.text for item in report.items if item.extraction_failed}
            for piece in score(text, pieces, checker.verifier.models.reranker):
                found.setdefault(piece.text, (piece, piece.text in unread))
        if not any(report.answered for report in reports):
            told = "; ".join(report.told for report in reports)
            message = f"no search engine answered, so nobody knows what there is to find; try again later. {told}"
            raise FetchError(message[:_MAX_ERROR], FetchFailure.UNREACHABLE)
        return sorted(found.values(), key=lambda pair: -pair[0].relevance), reports

    def add_evidence(self, text: str = "", url: str = "", source: str = "", title: str = "") -> AddedAnswer:
        """Put a text, or the article at an address, into the evidence store. Off on public servers.

        Args:
            text: The text, up to 50,000 characters; a long one is cut into passages.
            url: In place of a text, the address of a page that is fetched and read.
            source: The address where the text was published.
            title: The title of the text.

        Returns:
            How many passages are new and how many were known, and their ids.
        """
        if not self._service.settings.allow_add:
            raise InputError("this server takes in no evidence; its owner can allow it with VERIFIER_ALLOW_ADD=1")
        if bool(text.strip()) == bool(url.strip()):
            raise InputError("give either a text or a url")
        return self.add_url(url.strip()) if url.strip() else self.add_text(text, source, title)

    def add_text(self, text: str, source: str = "", title: str = "") -> AddedAnswer:
        """Put a text into the store.

        Raises:
            InputError: it has no letters, is too long, or its source is no web address.
            StoreError: the store cannot be written.
        """
        if len(text) > MAX_ADDED:
            raise InputError(
                f"a text may have at most {MAX_ADDED:,} characters, this one has {len(text):,}; add it in parts"
            )
        if source and not source.lower().startswith(("http://", "https://")):
            raise InputError(f"source must be an http or https address, not {source[:80]!r}")
        cut = [text.strip()] if len(text.strip()) <= MAX_CHARACTERS else passages(text)
        worded = [part for part in cut if any(sign.isalpha() for sign in part)] or cut[:1]
        return self._added(
            [parse_fields({"text": part, "source": source[:2_000], "title": title[:300]}) for part in worded]
        )

    def add_url(self, url: str) -> AddedAnswer:
        """Fetch a page, with all checks of the fetcher, and put its article into the store.

        Raises:
            FetchError: the page cannot be had.
            InputError: the web is switched off.
            StoreError: the store cannot be written.
        """
        page = self._service.checker().page(url)
        return self._added(list(page_passages(page, page.url)))

    def _added(self, items: Sequence[NewEvidence]) -> AddedAnswer:
        store = _store(self._service.checker())
        report = store.add(items)
        return {
            "added": report.added,
            "merged": report.merged,
            "denied": report.denied,
            "ids": [key for key in dict.fromkeys(report.ids) if key],
            "kb_size": store.count(),
        }

    def article(self, url: str) -> ArticleAnswer:
        """List the sentences of an article that can be checked; an article as a whole is neither true nor false.

        Args:
            url: The address of the article.

        Returns:
            Its title, its date where it states one, and up to 8 sentences in reading order.
        """
        found = self._service.checker().article(url.strip())
        published = found.published_at.isoformat() if found.published_at else None
        return {
            "url": found.url,
            "title": found.title,
            "published_at": published,
            "sentences": list(found.sentences),
        }

    def export(
        self, result: ResultAnswer, format: Literal["text", "json", "markdown", "html", "claimreview"] = "markdown"
    ) -> ExportAnswer:
        """Write a result in another form: as text, JSON, Markdown, a page to print, or schema.org ClaimReview. Nothing is kept.

        Args:
            result: The answer of a check, as it came.
            format: Which form.

        Returns:
            The content, with its media type and a name for a file.
        """
        from verifier.report.formats import FORMATS
        from verifier.report.from_json import result_from_dict

        chosen = FORMATS.get(str(format))
        if chosen is None:
            raise InputError(f"format must be one of {', '.join(FORMATS)}, not {str(format)[:40]!r}")
        if not isinstance(result, dict) or len(json.dumps(result)) > MAX_RESULT:
            raise InputError(f"result must be the answer of a check, of at most {MAX_RESULT:,} characters")
        try:
            read = result_from_dict(result)
        except InputError as exc:
            raise InputError(f"result is not the whole answer of a check: {exc.__cause__!r:.200}") from exc
        return {
            "format": chosen.name,
            "file_name": chosen.file_name(read),
            "mime": chosen.mime,
            "content": chosen.render(read),
        }

    def health(self) -> HealthAnswer:
        """Say whether the models are loaded and how many records the evidence store holds."""
        found = self._service.health()
        return cast(HealthAnswer, {"status": found.status, "kb_size": found.kb_size, "error": public(found.error)})


def answer_of(result: VerificationResult) -> ResultAnswer:
    """A result as programs get it."""
    return result_to_dict(replace(result, warnings=tuple(public(warning) for warning in result.warnings)))


def query_of(query: str) -> str:
    """A query, its white space collapsed.

    Raises:
        InputError: it has no words, or is too long.
    """
    text = " ".join(query[: 2 * MAX_QUERY].split())
    if not any(sign.isalnum() for sign in text):
        raise InputError("the query is empty: give some words to look for")
    if len(query) > MAX_QUERY:
        raise InputError(f"the query has {len(query):,} characters, at most {MAX_QUERY:,} are allowed: shorten it")
    return text


def _object(item: Any) -> Any:  # noqa: ANN401
    """A row that is no object is told as such by `checked_row`."""
    return item if isinstance(item, dict) else None


def _store(checker: Checker) -> EvidenceStore:
    if checker.store is None:
        raise InputError("this verifier was started without an evidence store")
    return checker.store


def _passage(piece: Evidence, failed: bool) -> PassageAnswer:
    return {
        "text": piece.text,
        "source": piece.source,
        "title": piece.title,
        "published_at": piece.published_at.isoformat() if piece.published_at else None,
        "origin": str(piece.origin),
        "rating": piece.rating,
        "relevance": round(piece.relevance, 4),
        "extraction_failed": failed,
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
