from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import pytest

from errors import InputError, ModelError, StoreError
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from verifier.check.pipeline import Verifier
from verifier.document.check import MAX_CLAIMS, WEB_SECONDS, WebBudget, check_document
from verifier.document.schema import DocumentResult, DocumentText, Marked, Outcome, Sentence, SentenceKind
from verifier.evaluation.documents import GivenChecker
from verifier.schema import Stage, Step, Verdict, VerificationResult
from verifier.serve.checker import Checker
from verifier.settings import Settings

TEXT = """Facts about the Earth

The Earth is flat. Water boils at 100 degrees Celsius at sea level. Pizza tastes better than burgers.
Who said so? Mount Everest is the highest mountain on Earth. According to a book, humans use only 10% of their brains.
"""
DOCUMENT = DocumentText(TEXT, "facts.txt")


@pytest.fixture(scope="module")
def checker(base: Settings, seeded: EvidenceStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    folder = tmp_path_factory.mktemp("document")
    shutil.copytree(seeded.uri, folder / "kb")
    with Checker(replace(base, kb_uri=str(folder / "kb"), log_path=folder / "log.jsonl")) as made:
        yield made


Steps = Generator[Sequence[Sentence] | Marked, None, DocumentResult]


def to_end(steps: Steps) -> tuple[list[Sequence[Sentence] | Marked], DocumentResult]:
    """What a check yields, and what it returns."""
    news = []
    while True:
        try:
            news.append(next(steps))
        except StopIteration as end:
            return news, end.value


def marks_in(news: list[Sequence[Sentence] | Marked]) -> list[Marked]:
    return [one for one in news if isinstance(one, Marked)]


class Breaking(Checker):
    """A checker that fails on claims about something."""

    def __init__(self, checker: Checker, about: str, error: InputError | ModelError | StoreError) -> None:
        self.__dict__.update(checker.__dict__)
        self._about, self._raised = about, error

    def stream(
        self,
        claim: str,
        web: bool = True,
        given: Sequence[NewEvidence] | None = None,
        verifier: Verifier | None = None,
    ) -> Generator[Step, None, VerificationResult]:
        if self._about in claim:
            raise self._raised
        return super().stream(claim, web, given, verifier)


def test_the_sentences_come_first_and_each_claim_has_the_verdict_that_it_has_alone(checker: Checker) -> None:
    news, result = to_end(check_document(DOCUMENT, checker, web=False))
    assert news[0] == result.sentences and len(marks_in(news)) == len(news) - 1 == 4
    worth = [mark.claim.worth for mark in marks_in(news)]
    assert worth == sorted(worth, reverse=True)
    assert [mark.claim.sentence for mark in result.marks] == sorted(mark.claim.sentence for mark in marks_in(news))
    for mark in result.marks:
        alone = checker.verify(mark.claim.text, web=False)
        assert mark.result and mark.outcome is Outcome.CHECKED and mark.seconds > 0
        assert (mark.result.verdict, mark.result.confidence) == (alone.verdict, alone.confidence)
        assert [piece.text for piece in mark.result.evidence] == [piece.text for piece in alone.evidence]
        assert mark.result.reasoning == alone.reasoning
    verdicts = {
        TEXT[result.sentences[m.claim.sentence].start :][:11]: m.result.verdict for m in result.marks if m.result
    }
    assert verdicts["The Earth i"] is Verdict.FALSE
    kinds = [sentence.kind for sentence in result.sentences]
    assert (
        kinds.count(SentenceKind.OPINION) == kinds.count(SentenceKind.QUESTION) == kinds.count(SentenceKind.SPEECH) == 1
    )
    assert result.document is DOCUMENT and result.seconds > 0 and result.warnings == ()


def test_only_so_many_claims_are_checked_and_the_others_are_left_out_with_the_reason(checker: Checker) -> None:
    news, result = to_end(check_document(DOCUMENT, checker, web=False, max_claims=1))
    (checked,) = marks_in(news)
    left = [mark for mark in result.marks if mark.outcome is Outcome.LEFT_OUT]
    assert len(left) == 3 and max(mark.claim.worth for mark in left) <= checked.claim.worth
    assert (
        {mark.reason for mark in left}
        == set(result.warnings)
        == {"only the 1 most checkworthy of 4 statements are checked"}
    )
    assert all(mark.result is None for mark in left) and MAX_CLAIMS > 1


def test_what_was_stopped_goes_on_where_it_stopped(checker: Checker) -> None:
    steps = check_document(DOCUMENT, checker, web=False)
    next(steps)
    first, second = next(steps), next(steps)
    steps.close()
    assert isinstance(first, Marked) and isinstance(second, Marked)
    failed = replace(second, outcome=Outcome.FAILED, result=None, reason="the store failed")
    news, result = to_end(check_document(DOCUMENT, checker, web=False, done=[first, failed]))
    again = [mark.claim for mark in marks_in(news)]
    assert first.claim not in again and second.claim in again and len(again) == 3
    assert first in result.marks and len(result.marks) == 4


@pytest.mark.parametrize("error", [ModelError("the reader\nfailed"), StoreError("the store is gone"), InputError("no")])
def test_a_claim_that_fails_is_no_verdict_and_the_others_go_on(
    checker: Checker, error: InputError | ModelError | StoreError
) -> None:
    _, result = to_end(check_document(DOCUMENT, Breaking(checker, "Everest", error), web=False))
    (failed,) = [mark for mark in result.marks if mark.outcome is Outcome.FAILED]
    assert failed.result is None and failed.reason == " ".join(str(error).split())
    assert sum(mark.outcome is Outcome.CHECKED for mark in result.marks) == 3


def test_turns_are_taken_for_a_few_claims_at_a_time_and_given_back_on_stop(checker: Checker) -> None:
    taken: list[str] = []

    @contextmanager
    def turn() -> Iterator[None]:
        taken.append("taken")
        try:
            yield
        finally:
            taken.append("given back")

    told: list[tuple[int, int]] = []
    steps = check_document(DOCUMENT, checker, web=False, turn=turn, tell=lambda done, of: told.append((done, of)))
    next(steps)
    assert taken == ["taken", "given back"] and told[-1] == (7, 7)
    next(steps)
    steps.close()
    assert taken == ["taken", "given back"] * 2


def test_a_text_that_cannot_be_read_is_an_error_before_anything_is_checked(checker: Checker) -> None:
    for text, says in (("", "holds no words"), ("a" * 1_000_001, "at most 1,000,000")):
        with pytest.raises(InputError, match=says):
            next(check_document(DocumentText(text, "x"), checker, web=False))


def test_a_text_without_claims_is_a_result_without_marks(checker: Checker) -> None:
    news, result = to_end(check_document(DocumentText("Who said so? Please sit down.", "x"), checker, web=False))
    assert len(news) == 1 and result.marks == () and len(result.sentences) == 2


def test_the_claims_of_a_text_share_the_time_for_the_web(checker: Checker) -> None:
    budget = WebBudget(checker.settings)
    result = checker.verify("The Earth is flat", web=False)
    assert budget.settings() == checker.settings
    for seconds, left in ((WEB_SECONDS - 5, 5.0), (4.0, 1.0), (9.0, 0.0)):
        budget.spend(replace(result, steps=(Step(Stage.SEARCH, "asked", seconds), Step(Stage.STANCE, "read", 70.0))))
        assert budget.settings().search.deadline == pytest.approx(left)


def test_whether_somebody_said_so_is_judged_by_what_tells_it_alone(checker: Checker) -> None:
    text = DocumentText("Maria Olsen said that the Velm Bridge carries 40,000 cars a day.", "a.txt")

    def sides(*evidence: str) -> dict[bool, Verdict]:
        given = [NewEvidence(text, source=f"https://a{n}.example/x") for n, text in enumerate(evidence)]
        judge = GivenChecker(checker.verifier, checker.settings, given)
        _, result = to_end(check_document(text, cast(Checker, judge), web=False))
        return {mark.claim.was_said: mark.result.verdict for mark in result.marks if mark.result}

    count = "The Velm Bridge carries 12,000 cars a day, as a count shows."
    told = "Maria Olsen told reporters that 40,000 cars a day cross the Velm Bridge."
    assert sides(count) == {False: Verdict.FALSE, True: Verdict.NOT_ENOUGH_EVIDENCE}
    assert sides(count, told)[True] is Verdict.TRUE
