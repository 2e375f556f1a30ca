"""A check as the page shows it: the steps grow, then verdict and evidence appear. A failure is shown as a failure."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass

from errors import VerifierError
from ui.cards import error_card, note_card, settled_card, spoken, trace, verdict_card
from ui.pace import Pace
from ui.pieces import evidence_cards
from ui.running import heard
from verifier.claim.article import Article
from verifier.kept import find_check, handed_in
from verifier.schema import Step, VerificationResult
from verifier.service import Service

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the page shows at a moment, as HTML; `spoken` is for screen readers. `result` and `article` come last, if at all."""

    verdict: str = ""
    steps: str = ""
    evidence: str = ""
    spoken: str = ""
    result: VerificationResult | None = None
    article: Article | None = None


def is_address(text: str) -> bool:
    """Whether a text is nothing but a web address."""
    return bool(_ADDRESS.fullmatch(text.strip()))


def result_frame(result: VerificationResult) -> Frame:
    """A whole result."""
    steps = [step for step in result.steps if not step.passing]
    return Frame(
        verdict_card(result),
        trace(steps, running=False),
        evidence_cards(result.evidence, result.citations),
        spoken(result),
        result,
    )


async def frames(service: Service, claim: str, web: bool, pace: Pace | None = None) -> AsyncGenerator[Frame, None]:
    """A check from its first step to its result. An address instead of a claim brings the article behind it.

    `pace` tells how much longer it takes, and learns from it.
    """
    done: list[Step] = []
    verdict = ""
    pace = pace or Pace()
    yield Frame(steps=trace(done, True, pace.left(done, web)), spoken="Checking")
    try:
        if is_address(claim):
            async for article in heard(lambda: _article(service, claim.strip()), "read article", service.turns.checks):
                yield Frame(spoken=f"{len(article.sentences)} sentences can be checked", article=article)
            return
        async for news in heard(lambda: _check(service, claim, web), "check", service.turns.checks):
            if isinstance(news, VerificationResult):
                pace.note(news.steps, web)
                yield result_frame(news)
                return
            done = [*(step for step in done if not step.passing), news]
            verdict = settled_card(news.settled, claim) if news.settled else verdict
            yield Frame(verdict, trace(done, True, pace.left(done, web)))
    except VerifierError as exc:
        yield Frame(error_card(str(exc)), trace(done, running=False))


def _check(service: Service, claim: str, web: bool) -> Generator[Step | VerificationResult, None, None]:
    yield (yield from service.checker().stream(claim, web))


def _article(service: Service, url: str) -> Generator[Article, None, None]:
    yield service.article(url)


def linked(service: Service, session_id: str) -> Frame:
    """The check that a link names, or what a reader should know where it cannot be shown."""
    try:
        found = find_check(service.settings, session_id)
        told = handed_in(found)
        return Frame(note_card(told)) if told else result_frame(found)
    except VerifierError as exc:
        return Frame(note_card(str(exc)))
