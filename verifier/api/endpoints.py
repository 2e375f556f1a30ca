"""Answer programs in typed JSON. Gradio serves these methods and publishes their docstrings.

Every input is bounded before it reaches a model or the store. No answer names a path on this machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from typing import Literal, cast

from errors import InputError, VerifierError
from kb.record import NewEvidence
from kb.store.fusion import hit_to_dict
from verifier.api.answers import AddedAnswer, ArticleAnswer, FoundAnswer, HealthAnswer, WebAnswer
from verifier.api.bounds import Serving, Tell, check_may_change, quiet
from verifier.api.knowledge import MAX_RESULTS, Added, KnowledgeBase
from verifier.api.web_search import findings_answer, search_web
from verifier.claim.classify import classify
from verifier.claim.intake import clean_claim
from verifier.claim.parsed import parse_claim
from verifier.document.answer import ended, so_far
from verifier.document.check import check_document
from verifier.document.schema import DocumentText, Marked, Sentence
from verifier.document.summary import to_check
from verifier.report.answers import CheckedRow, ExportAnswer, FailedRow, ResultAnswer, TextAnswer, TypeAnswer
from verifier.report.as_json import classification_to_dict, result_to_dict
from verifier.report.public import public
from verifier.schema import Step, VerificationResult
from verifier.serve.batch import CLAIM_FIELD, checked_row, one_row

MAX_BATCH = 50
MAX_ADDED = 50_000
"""Characters in a text that is added."""
MAX_RESULT = 500_000
MAX_TEXT = 200_000
"""Characters in a text that is checked as a whole: some 100 pages."""
MAX_TEXT_CLAIMS = 50


class Endpoints:
    """The calls. Each raises a one-line VerifierError that strangers may read after `public`."""

    def __init__(
        self, service: Serving, tell: Tell = quiet, turn: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Take `service` for the work; `tell` reports progress, and may raise to end it.

        Each row of a batch waits for a `turn`. So do the claims of a text, a few at a time.
        """
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
        """Run one check and report each step; with `given`, judge by these texts alone."""
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

    def verify_batch(self, claims: list[str | dict[str, str]], web: bool = True) -> list[CheckedRow | FailedRow]:
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
        alone = Endpoints(self._service)

        def work(fields: dict[str, str]) -> ResultAnswer:
            with self._turn():
                return alone.verify(fields[CLAIM_FIELD], web)

        answers: list[CheckedRow | FailedRow] = []
        for number, item in enumerate(claims, start=1):
            row = checked_row(number, {CLAIM_FIELD: item} if isinstance(item, str) else item)
            found = one_row(row, work, (VerifierError,))
            if "error" in found:
                found["error"] = public(found["error"])
            answers.append(cast(CheckedRow | FailedRow, found))
            self._tell(number, len(claims), f"checked {number} of {len(claims)}")
        return answers

    def verify_text(self, text: str, web: bool = True, max_claims: int = MAX_TEXT_CLAIMS) -> Iterator[TextAnswer]:
        """Check every claim of a whole text: first its sentences with their kinds, then claim after claim, the most checkworthy first.

        Args:
            text: The text, up to 200,000 characters.
            web: Whether the web may be searched, for two minutes in all.
            max_claims: How many claims are checked at most, from 1 to 50.

        Returns:
            The text as far as it is checked, again after each claim; the last answer also names the claims that were left out.
        """
        if len(text) > MAX_TEXT:
            raise InputError(
                f"a text may have at most {MAX_TEXT:,} characters, this one has {len(text):,}; check it in parts"
            )
        if not 1 <= max_claims <= MAX_TEXT_CLAIMS:
            raise InputError(f"max_claims must be from 1 to {MAX_TEXT_CLAIMS}, not {max_claims}")
        return self._text(DocumentText(text, "text"), web, max_claims)

    def _text(self, document: DocumentText, web: bool, most: int) -> Iterator[TextAnswer]:
        started = time.monotonic()
        steps = check_document(
            document, self._service.checker(), max_claims=most, web=web, tell=self._tell_reading, turn=self._turn
        )
        with closing(steps):
            sentences, marks = cast(Sequence[Sentence], next(steps)), list[Marked]()
            total = to_check(sentences, most)
            while True:
                yield so_far(document, sentences, marks, total, time.monotonic() - started)
                try:
                    marks.append(cast(Marked, next(steps)))
                except StopIteration as end:
                    yield ended(end.value, marks, total)
                    return
                self._tell(len(marks), total, f"checked {len(marks)} of {total} statements")

    def _tell_reading(self, done: int, total: int) -> None:
        self._tell(done, total, f"read {done} of {total} sentences")

    def classify(self, claim: str) -> TypeAnswer:
        """Say whether a text can be checked, without checking it.

        Args:
            claim: A statement, headline or snippet of up to 2,000 characters.

        Returns:
            The type, the reason, what of it would be checked, and the probabilities of the types.
        """
        text = clean_claim(claim)
        return classification_to_dict(text, classify(parse_claim(text), self._service.checker().verifier.claim_type))

    def search_kb(self, query: str, limit: int = 10) -> list[FoundAnswer]:
        """Find records of the evidence store, by meaning and by words. The web is not asked.

        Args:
            query: Words or a sentence, up to 2,000 characters.
            limit: How many records at most, from 1 to 50.

        Returns:
            The records, most similar first.
        """
        if not 1 <= limit <= MAX_RESULTS:
            raise InputError(f"limit must be from 1 to {MAX_RESULTS}, not {limit}")
        return [cast(FoundAnswer, hit_to_dict(hit)) for hit in self._knowledge().search(query, limit)]

    def search_web(self, query: str) -> WebAnswer:
        """Search the web as a check would (trusted news, fact-checkers, then the open web), without a verdict. Nothing is stored.

        Args:
            query: A claim or a query, up to 2,000 characters.

        Returns:
            The passages that bear on it, most relevant first, and how every query to a search engine ended.
        """
        return findings_answer(search_web(query, self._service.checker(), self._tell))

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
        check_may_change(self._service.settings)
        words, address = text.strip(), url.strip()
        if bool(words) == bool(address):
            raise InputError("give either a text or a url")
        if len(text) > MAX_ADDED:
            raise InputError(
                f"a text may have at most {MAX_ADDED:,} characters, this one has {len(text):,}; add it in parts"
            )
        if source and not source.lower().startswith(("http://", "https://")):
            raise InputError(f"source must be an http or https address, not {source[:80]!r}")
        store = self._knowledge()
        if words:
            return _added(store.add_text(words, source[:2_000], title[:300]), store)
        return _added(store.add_page(self._service.checker().page(address)), store)

    def _knowledge(self) -> KnowledgeBase:
        return KnowledgeBase(self._service.checker(), self._service.settings)

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
        self,
        result: ResultAnswer,
        format: Literal["text", "json", "markdown", "html", "csv", "claimreview"] = "markdown",
    ) -> ExportAnswer:
        """Write a result in another form: as text, JSON, CSV, Markdown, a page to print, or schema.org ClaimReview. Nothing is kept.

        Args:
            result: The answer of a check, unchanged.
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
    """Write a result for programs, without paths of this machine in its warnings."""
    return result_to_dict(replace(result, warnings=tuple(public(warning) for warning in result.warnings)))


def _added(done: Added, store: KnowledgeBase) -> AddedAnswer:
    return {
        "added": done.added,
        "merged": done.known,
        "denied": done.denied,
        "ids": list(done.ids),
        "kb_size": store.store.count(),
    }
