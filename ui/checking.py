"""Show a check on the page: steps appear, then verdict and evidence.

A failure is shown as a failure.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from errors import VerifierError
from ui.cards import error_card, note_card, settled_card, spoken, verdict_card
from ui.pace import Pace
from ui.pieces import evidence_cards
from ui.running import asked, streamed
from ui.trace import trace
from verifier.check.article import Article
from verifier.history.kept import find_check, handed_in
from verifier.report.grounds import other_sides
from verifier.schema import Step, VerificationResult
from verifier.serve.service import Service

Values = TypeVar("Values")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """The page at one moment, as HTML; `spoken` is for screen readers.

    Only the last frame has a `result` or an `article`.
    """

    verdict: str = ""
    steps: str = ""
    evidence: str = ""
    spoken: str = ""
    result: VerificationResult | None = None
    article: Article | None = None


def is_address(text: str) -> bool:
    """Whether a text is only a web address."""
    return bool(_ADDRESS.fullmatch(text.strip()))


def result_frame(result: VerificationResult, kept: bool) -> Frame:
    """Show a whole result; `kept`: whether this machine keeps it under an address."""
    steps = [step for step in result.steps if not step.passing]
    return Frame(
        verdict_card(result, kept=kept),
        trace(steps, running=False),
        evidence_cards(result.evidence, result.citations, others=other_sides(result)),
        spoken(result),
        result,
    )


@dataclass(frozen=True, slots=True)
class Checking(Generic[Values]):
    """The listener behind the Check button.

    `show` turns a frame into the values of the page's parts. Five calls lead from the button to the intake of a claim:
    `check`, `streamed`, its thread, `Checker.stream`, `Verifier.stream`.
    """

    service: Service
    show: Callable[[Frame], Values]
    pace: Pace = field(default_factory=Pace)

    async def check(self, claim: str, web: bool) -> AsyncGenerator[Values, None]:
        """Show a check from first step to result; for an address, show its article."""
        service, show, turns = self.service, self.show, self.service.turns.checks
        steps: list[Step] = []
        verdict, web = "", web and service.settings.web
        yield show(Frame(steps=trace(steps, True, self.pace.left(steps, web)), spoken="Checking"))
        try:
            if is_address(claim):
                article = await asked(lambda: service.checker().article(claim.strip()), "read article", turns)
                yield show(Frame(spoken=f"{len(article.sentences)} sentences can be checked", article=article))
                return
            check: AsyncGenerator[Step | VerificationResult, None] = streamed(
                lambda: service.checker().stream(claim, web), "check", turns
            )
            async with aclosing(check) as told:  # end it now when a visitor leaves, not when it is collected
                async for news in told:
                    if isinstance(news, VerificationResult):
                        self.pace.note(news.steps, web)
                        yield show(result_frame(news, service.settings.log))
                        return
                    steps = [*(step for step in steps if not step.passing), news]
                    verdict = settled_card(news.settled, claim) if news.settled else verdict
                    yield show(Frame(verdict, trace(steps, True, self.pace.left(steps, web))))
        except VerifierError as exc:
            yield show(Frame(error_card(str(exc)), trace(steps, running=False)))


def linked(service: Service, session_id: str) -> Frame:
    """Show the check that a link names, or say why it cannot be shown."""
    try:
        found = find_check(service.settings, session_id)
        told = handed_in(found)
        return Frame(note_card(told)) if told else result_frame(found, kept=True)
    except VerifierError as exc:
        return Frame(note_card(str(exc)))
