"""The tab for whole texts, over the real service: what is asked, what comes, what is kept, and who pays for it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.verifier.report.report_cases import result
from ui.guard.starts import _most_claims
from ui.running import ticking
from ui.tab_text import _writer, card_of, stop
from ui.text_check import Asked, Checked, Frame, ended, frames, stopped
from ui.text_marks import news_html, statement_card, text_html
from verifier.document.export.formats import FORMATS
from verifier.document.schema import (
    DocumentClaim,
    DocumentText,
    Marked,
    Outcome,
    Place,
    Sentence,
    SentenceKind,
)
from verifier.schema import Verdict
from verifier.serve.service import Service

TEXT = "5G towers spread COVID-19. Water boils at 100 degrees Celsius at sea level. Is that so? <b>India</b> became independent in 1947."
EVIL = '<img src=x onerror=alert(1)>"'


def checked(service: Service, asked: Asked, before: Checked | None = None) -> list[Frame]:
    async def collect() -> list[Frame]:
        return [frame async for frame in frames(service, asked, before)]

    return asyncio.run(collect())


def document(text: str = TEXT) -> DocumentText:
    return DocumentText(text, "a.txt", places=(Place(0, "page 1"), Place(text.index("Water"), "page 2")))


def sentences() -> tuple[Sentence, ...]:
    kinds = (SentenceKind.FACT, SentenceKind.FACT, SentenceKind.QUESTION, SentenceKind.SPEECH)
    starts = [TEXT.index(word) for word in ("5G", "Water", "Is that", "<b>")]
    ends = [*(start - 1 for start in starts[1:]), len(TEXT)]
    return tuple(Sentence(a, b, kind, EVIL) for a, b, kind in zip(starts, ends, kinds, strict=True))


def mark(sentence: int, verdict: Verdict = Verdict.FALSE, **claim: object) -> Marked:
    stated = DocumentClaim(sentence, "5G towers spread COVID-19.", 0.9, **claim)  # type: ignore[arg-type]
    return Marked(stated, Outcome.CHECKED, replace(result(), verdict=verdict), seconds=1.0)


def test_a_text_is_sent_once_and_each_statement_as_it_is_done(service: Service) -> None:
    shown = checked(service, Asked(TEXT.replace("<b>", "").replace("</b>", "")))
    assert [frame.text is not None for frame in shown].count(True) == 1
    numbers = [len(re.findall("data-n", frame.news)) for frame in shown if frame.news is not None]
    assert numbers == [0, 1, 2, 3, 3]
    last = shown[-1]
    assert last.kept and last.kept.result and "3 statements: " in last.told and "1 sentence is a question" in last.told
    first = next(one for one in last.kept.result.marks if one.claim.sentence == 0)
    assert first.result and first.result.verdict is Verdict.FALSE and 'data-tone="false"' in str(last.news)
    assert not last.kept.goes_on and "Go on" not in last.told


def test_what_was_left_out_is_checked_when_one_goes_on(service: Service) -> None:
    text = "5G towers spread COVID-19. Water boils at 100 degrees Celsius at sea level."
    before = checked(service, Asked(text, most=1))[-1].kept
    assert before and before.checked == 1 and before.goes_on and "Go on" in ended(before)
    (done,) = [one for one in before.marks if one.outcome is Outcome.CHECKED]
    shown = checked(service, Asked(most=1), before)
    after = shown[-1].kept
    assert after and after.checked == 2 and done in after.marks and not after.goes_on
    assert all(frame.text is None for frame in shown)


def test_a_check_that_is_left_keeps_what_is_done(service: Service) -> None:
    async def leave() -> Checked | None:
        async with aclosing(
            frames(service, Asked("5G towers spread COVID-19. India became independent in 1947."))
        ) as shown:
            async for frame in shown:
                if frame.kept and frame.kept.marks:
                    return frame.kept
        return None

    kept = asyncio.run(leave())
    assert kept and kept.checked == 1 and "1 of 2 statements are checked" in stopped(kept)
    told = FORMATS["jsonl"].render(kept.so_far())
    assert "stopped after 1 of 2" in told and told.count('"type": "claim"') + told.count('"type":"claim"') == 1
    assert "Stopped." in stopped(None)


def test_stop_ends_a_run_which_then_writes_the_last_frame(service: Service) -> None:
    async def press() -> list[Frame]:
        shown = []
        claims = " ".join(f"The Eiffel Tower is {number} metres high." for number in range(200, 220))
        async for frame in frames(service, Asked(claims)):
            shown.append(frame)
            if frame.kept and frame.kept.marks:
                stop(shown[0].halt)
        return shown

    last = asyncio.run(press())[-1]
    assert "Stopped." in last.told and last.kept and 0 < last.kept.checked < 20 and last.kept.goes_on


def test_files_are_read_by_their_kind(service: Service, tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text("1\n00:00:01,000 --> 00:00:04,000\n5G towers spread COVID-19.\n")
    shown = checked(service, Asked(path=str(tmp_path / "talk.srt")))
    text = next(frame.text for frame in shown if frame.text)
    assert "00:00:01" in text and "1 statement: 1 contradicted" in shown[-1].told


def test_what_cannot_be_checked_is_told_in_a_line(service: Service, tmp_path: Path) -> None:
    (tmp_path / "a.exe").write_text("x")
    wrong = {
        "empty": Asked("  "),
        "remove one of them": Asked("x", str(tmp_path / "a.exe")),
        "must end in": Asked(path=str(tmp_path / "a.exe")),
        "up to 200,000 can be pasted": Asked("a " * 100_001),
        "from 1 to 200 statements": Asked("5G towers spread COVID-19.", most=0),
    }
    for words, asked in wrong.items():
        told = checked(service, asked)[-1].told
        assert words in told and 'role="alert"' in told and str(tmp_path) not in told, words


def test_all_that_is_foreign_is_escaped() -> None:
    hostile = replace(document(), name=EVIL, url="https://a.example/x", warnings=(EVIL,))
    text = text_html(hostile, sentences())
    card = statement_card(
        hostile, sentences()[3], 3, [mark(3, speaker=EVIL), Marked(mark(3).claim, Outcome.FAILED, reason=EVIL)]
    )
    left = statement_card(hostile, sentences()[3], 3, [Marked(mark(3).claim, Outcome.LEFT_OUT, reason=EVIL)])
    for html in (text, card, left):
        assert "<img" not in html and "&lt;img" in html and "<b>India" not in html
    assert text.count('class="cv-s cv-s-wait" data-n=') == 3 and "&lt;b&gt;India" in text
    assert 'data-place="page 2"' in text


def test_no_two_cards_share_a_place_and_links_stay_in_their_card() -> None:
    card = statement_card(document(), sentences()[0], 0, [mark(0), mark(0)])
    names = re.findall(r'id="([^"]+)"', card)
    assert len(names) == len(set(names)) > 1
    assert {link for link in re.findall(r'href="#([^"]+)"', card)} <= set(names)


def test_a_card_says_in_whose_words_it_was_checked() -> None:
    card = statement_card(document(), sentences()[1], 1, [mark(1, resolved=True, speaker="Ada")])
    assert "Checked in our words" in card and "said by Ada" in card and "page 2" in card


def test_a_sentence_is_marked_by_the_gravest_of_its_claims() -> None:
    news = news_html([mark(0, Verdict.TRUE), mark(0, Verdict.FALSE), mark(1, Verdict.NOT_ENOUGH_EVIDENCE)])
    assert re.findall(r'data-tone="(\w+)"', news) == ["false", "unknown"]


def test_only_a_sentence_with_a_claim_has_a_card() -> None:
    kept = Checked(document(), 5, sentences(), (mark(0),))
    assert "cv-result" in card_of(0, kept)
    assert [card_of(number, kept) for number in (None, -1, 2, 99, float("inf"))] == [""] * 5 and card_of(0, None) == ""


@pytest.mark.parametrize(
    ("values", "claims"),
    [
        (["x", None, False, 12], 12),
        ({"text": "x", "max_claims": 7}, 7),
        ({"text": "x"}, 50),
        (["x", None, False, 1e9], 50),
        (None, 50),
    ],
)
def test_every_statement_of_a_text_counts_for_its_visitor(values: object, claims: int) -> None:
    assert _most_claims(values) == claims


def test_time_passes_between_what_comes_and_the_work_ends_with_its_reader() -> None:
    closed: list[bool] = []

    async def slow() -> AsyncGenerator[int, None]:
        try:
            for number in range(3):
                await asyncio.sleep(0.2)
                yield number
        finally:
            closed.append(True)

    async def read(most: int) -> list[int | None]:
        seen: list[int | None] = []
        async with aclosing(ticking(slow(), 0.05)) as news:
            async for one in news:
                seen.append(one)
                if one == most:
                    break
        return seen

    seen = asyncio.run(read(5))
    assert [one for one in seen if one is not None] == [0, 1, 2] and seen.count(None) >= 3
    assert asyncio.run(read(0))[-1] == 0 and closed == [True, True]


def test_stop_ends_a_run_that_has_not_read_its_text(service: Service) -> None:
    async def press() -> list[str]:
        shown = []
        async for frame in frames(service, Asked("India became independent in 1947. " * 2_000)):
            shown.append(frame.told)
            stop(frame.halt)
        return shown

    assert len(told := asyncio.run(press())) <= 3 and "Stopped." in told[-1]
    stop(None)


def test_what_was_done_before_a_stop_is_in_the_order_of_the_text() -> None:
    kept = Checked(document(), 5, sentences(), (mark(1), mark(0)))
    so_far = kept.so_far()
    assert [one.claim.sentence for one in so_far.marks] == [0, 1] and so_far.checked_at <= datetime.now(UTC)


def test_claim_reviews_are_saved_only_where_something_is_contradicted() -> None:
    kept = Checked(document(), 5, sentences(), (mark(0, Verdict.TRUE),))
    assert _writer("claimreview")(kept) == _writer("html")(None) == "" and _writer("html")(kept)
    assert "5G towers" in _writer("claimreview")(replace(kept, marks=(mark(0),)))
