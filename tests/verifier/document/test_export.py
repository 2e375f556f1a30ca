"""The forms of a checked text, read back by real parsers: whatever the text, each gives it back character for character."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from markdown_it import MarkdownIt

from errors import InputError
from tests.verifier.document.document_cases import TEXT, at_random, hostile, mark, small
from tests.verifier.report.report_cases import ADDRESSES, ATTACK, QUOTE, result
from verifier.document.export import FORMAT_NAMES
from verifier.document.export.as_html import document_to_html
from verifier.document.export.as_jsonl import document_to_json, document_to_jsonl
from verifier.document.export.as_markdown import document_to_markdown
from verifier.document.export.formats import FORMATS, document_to_claim_reviews, save_document
from verifier.document.export.from_jsonl import read_result, result_of
from verifier.document.export.pieces import gravest, how_checked, segments, summary_line
from verifier.document.schema import DocumentResult, Outcome
from verifier.document.summary import Side, side_of, to_check
from verifier.report.formats import chosen
from verifier.schema import Verdict

MARK = re.compile(r"`[^`\\]`((?:\[\^\d+\])+)")
TOKEN = re.compile(rf"{MARK.pattern}|&#x(?P<code>[0-9A-F]+);|\\(?P<sign>[\s\S])|(?P<plain>[\s\S])")


def page_of(made: DocumentResult) -> Any:  # noqa: ANN401
    return lxml.html.document_fromstring(document_to_html(made))


def text_in(element: Any) -> str:  # noqa: ANN401
    """The text of an element, with the characters that stand as codes in it."""
    found = element.text or ""
    for child in element:
        found += chr(int(child.get("data-c"), 16)) if child.get("data-c") else text_in(child)
        found += child.tail or ""
    return found


def text_in_markdown(source: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """The text between its two headings as the module says, and where marks stood with the numbers of their footnotes."""
    start = source.index("\n## The text\n\n") + len("\n## The text\n\n")
    inside = source[start : source.rindex("\n\n## Statements\n\n")]
    text, marks = "", []
    for token in TOKEN.finditer(inside):
        if token[1]:
            marks.append((len(text), [int(number) for number in re.findall(r"\d+", token[1])]))
        text += chr(int(token["code"], 16)) if token["code"] else token["sign"] or token["plain"] or ""
    return text, marks


def lines_of(source: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in source.split("\n")[:-1]]


def marked_spans(made: DocumentResult) -> list[tuple[int, int, int]]:
    """Start, end and number of the sentences that a form marks: those with a claim that was not left out that do not overlap an earlier one."""
    with_marks = {mark.claim.sentence for mark in made.marks if mark.outcome is not Outcome.LEFT_OUT}
    found = segments(made.document.text, made.sentences)
    return [(start, end, number) for start, end, number in found if number is not None and number in with_marks]


@pytest.mark.parametrize("seed", range(400))
def test_whatever_the_text_every_form_gives_it_back_with_its_marks_in_place(seed: int) -> None:
    made = at_random(seed)
    text, expected = made.document.text, marked_spans(made)
    (holder,) = page_of(made).find_class("text")
    assert text_in(holder) == text
    anchors = [(int(a.get("href")[2:]), text_in(a)) for a in holder.iter("a")]
    assert anchors == [(number, text[start:end]) for start, end, number in expected]
    back, marks = text_in_markdown(document_to_markdown(made))
    assert back == text and [at for at, _ in marks] == [end for _, end, _ in expected]
    head, *rows = lines_of(document_to_jsonl(made))
    assert head["text"] == text and head["characters"] == len(text)
    assert all(row["text"] == text[row["start"] : row["end"]] for row in rows if row["type"] != "end")
    assert "".join(text[start:end] for start, end, _ in segments(text, made.sentences)) == text


@pytest.mark.parametrize("seed", range(0, 400, 7))
def test_every_form_can_be_written_to_a_file_as_utf_8(seed: int, tmp_path: Path) -> None:
    made = at_random(seed)
    for form in FORMATS.values():
        save_document(made, form, tmp_path / f"a{form.suffix}")
    page = lxml.html.document_fromstring((tmp_path / "a.html").read_bytes())
    assert text_in(page.find_class("text")[0]) == made.document.text
    assert lines_of((tmp_path / "a.jsonl").read_text("utf-8"))[0]["text"] == made.document.text
    assert text_in_markdown((tmp_path / "a.md").read_bytes().decode())[0] == made.document.text


@pytest.mark.parametrize("seed", range(0, 400, 5))
def test_a_site_that_shows_the_markdown_shows_the_words_and_no_markup_of_the_text(seed: int) -> None:
    made = at_random(seed)
    source = document_to_markdown(made)
    inside = source[source.index("\n## The text\n\n") : source.rindex("\n\n## Statements\n\n")]
    written = MarkdownIt("commonmark", {"html": True}).enable("table").render(inside)
    shown = lxml.html.document_fromstring(re.sub(r"<code>[^<]*</code>(?:\[\^\d+\])+", "", written))
    assert {element.tag for element in shown.iter(lxml.etree.Element)} <= {"html", "body", "p", "h2", "br"}
    (heading,) = shown.iter("h2")
    assert heading.text == "The text"
    words, seen = (re.findall(r"[a-z]{2,}", text) for text in (made.document.text, shown.text_content()))
    assert words == seen[2:]  # of the heading are "he" and "text"


def test_the_page_leads_from_each_mark_to_its_card_and_back() -> None:
    page = page_of(small())
    (holder,) = page.find_class("text")
    for link in holder.iter("a"):
        card = page.get_element_by_id(link.get("href")[1:])
        assert card.tag == "article" and card.find(".//blockquote").text == link.text_content()
        assert page.get_element_by_id(card.find_class("back")[0].get("href")[1:]) is link
    (first, *_) = page.iter("article")
    assert [found.text_content() for found in first.iter("mark")] == [QUOTE]
    assert [link.get("class") for link in holder.iter("a")] == ["s false", "s unchecked", "s true"]
    assert [place.get("data-place") for place in holder.find_class("place")] == ["page 1", "page 2"]


def test_the_page_says_first_what_came_out_and_shows_each_side_by_colour_and_sign() -> None:
    page, source = page_of(small()), document_to_html(small())
    assert page.find(".//main")[0].text == summary_line(small())
    legend = {item.get("class").split()[1]: item.text for item in page.find_class("legend")[0].iter("span")}
    assert legend == {
        "true": "supported",
        "false": "contradicted",
        "mixed": "partly right or misleading",
        "open": "not settled",
        "unchecked": "not checked",
    }
    signs = {name: re.findall(rf'\.s\.{name}::before {{ content: "([^"]+)"', source) for name in legend}
    assert all(signs.values()) and len({tuple(sign) for sign in signs.values()}) == 5
    assert len({re.findall(rf"\.s\.{name} {{[^}}]*}}", source)[0] for name in legend}) == 5
    said = " ".join(page.text_content().split())
    for words in (
        *("On brains", "2026-01-02 03:04 UTC", "its tables were not read", "the web was not asked", "93% (high)"),
        *(
            "Checked in our words, which name what the sentence is about; said by Ada Vale: checked is what was said",
            "the model gave no answer",
        ),
        *("1 more piece of evidence read, not quoted", "False", "Confidence is an estimate"),
    ):
        assert words in said


def test_the_page_asks_no_server_and_runs_nothing_and_an_attack_is_text() -> None:
    for made in (small(), hostile()):
        page, source = page_of(made), document_to_html(made)
        tags = "html head meta title style body main p h1 h2 h3 dl dt dd time ul ol li span div a i article b blockquote mark bdi"
        assert {element.tag for element in page.iter(lxml.etree.Element)} <= set(tags.split())
        assert "url(" not in source.split("</style>")[0] and "default-src 'none'" in source
        for element in page.iter(lxml.etree.Element):
            assert not [name for name in element.attrib if name.startswith("on") or name in {"src", "style"}]
            assert element.get("href", "#s").startswith(("http://", "https://", "#s", "#t"))
    assert {a.get("href") for a in page.iter("a")} <= {*ADDRESSES, "#s0", "#t0"}
    assert page.find(".//h1").text_content() == " ".join(ATTACK.split())


def test_an_attack_is_text_in_markdown() -> None:
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(document_to_markdown(hostile()))
    page = lxml.html.document_fromstring(shown)
    assert not page.xpath("//script | //img | //iframe | //svg | //table | //pre")
    assert [heading.text for heading in page.iter("h2")] == ["The text", "Statements", "How to read this"]
    assert all(element.get("href", "https:").startswith(("http://", "https://")) for element in page.iter("a"))


def test_a_claim_that_was_left_out_is_marked_and_has_no_card() -> None:
    left = replace(small().marks[0], outcome=Outcome.LEFT_OUT, result=None, reason="only the 1 most checkworthy")
    made = replace(small(), marks=(left, small().marks[2]))
    page = page_of(made)
    (span,) = page.find_class("text")[0].xpath("span[contains(@class, 'unchecked')]")
    assert (
        span.text_content() == "People use 10% of their brains." and span.get("title") == f"not checked: {left.reason}"
    )
    assert [card.get("id") for card in page.iter("article") if card.get("id")] == ["s3"]
    assert text_in_markdown(document_to_markdown(made))[1] == [(len(TEXT), [1])]
    assert "\u2013" not in FORMATS["text"].render(made) and "1 not checked" in FORMATS["text"].render(made)
    assert [row["outcome"] for row in lines_of(document_to_jsonl(made)) if row["type"] == "claim"] == [
        "left out",
        "checked",
    ]


def test_markdown_has_a_footnote_for_each_statement() -> None:
    source = document_to_markdown(small())
    back, marks = text_in_markdown(source)
    assert back == TEXT and [numbers for _, numbers in marks] == [[1], [2], [3]]
    notes = re.findall(r"^\[\^(\d+)\]: (.*)$", source, re.MULTILINE)
    assert [number for number, _ in notes] == ["1", "2", "3"]
    assert notes[0][1].startswith("\u2717 **Contradicted**: False, 93% (high), page 1. Claim: Humans use")
    assert f"\u201c{QUOTE}\u201d [BMJ](<https://www.bmj.com/a?b=1&amp;copy;=2>)" in notes[0][1]
    assert "Checked in our words" in notes[1][1] and "said by Ada Vale" in notes[1][1] and ", page 2. " in notes[2][1]
    assert "People use 10% of their brains.`\u2717`[^1] I love that! She said" in source


def test_json_lines_are_read_back_as_they_were() -> None:
    for made in (small(), hostile(), at_random(3)):
        ordered = replace(made, marks=tuple(sorted(made.marks, key=lambda found: found.claim.sentence)))
        read = result_of(lines_of(document_to_jsonl(made)), "a.jsonl")
        assert (read.document, read.sentences, read.warnings) == (made.document, made.sentences, made.warnings)
        assert [found.claim for found in read.marks] == [found.claim for found in ordered.marks]
        assert document_to_jsonl(read) == document_to_jsonl(ordered)
    whole = json.loads(document_to_json(small()))
    assert (
        whole["text"] == TEXT
        and len(whole["sentences"]) == 4
        and [c["side"] for c in whole["claims"]][0] == "contradicted"
    )
    assert whole["claims"][0]["result"]["citations"][0]["quote"] == QUOTE and whole["summary"] == summary_line(small())


def test_lines_that_were_changed_or_are_something_else_are_refused() -> None:
    head, *rest = lines_of(document_to_jsonl(small()))
    for rows in ([], [{"type": "row"}], [{**head, "text": "other"}, *rest], [head | {"places": 3}, *rest]):
        with pytest.raises(InputError, match="a.jsonl: it is no checked text"):
            result_of(rows, "a.jsonl")
    with pytest.raises(InputError, match="a line of it is damaged"):
        result_of([head, {"type": "sentence"}, *rest], "a.jsonl")
    with pytest.raises(InputError, match="a line of it is damaged"):
        result_of([head, *(row for row in rest if row["type"] == "claim")], "a.jsonl")
    with pytest.raises(InputError, match="no claim of it was checked"):
        result_of([head, rest[0]], "a.jsonl")
    stopped = result_of([head, *rest[:-1]], "a.jsonl")
    assert stopped.marks and "stopped before its end" in stopped.warnings[0]


def test_a_file_of_lines_is_read_back_and_any_other_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    save_document(small(), FORMATS["jsonl"], path)
    assert document_to_html(read_result(path)) == document_to_html(result_of(lines_of(document_to_jsonl(small())), "a"))
    path.write_bytes(path.read_bytes()[:-20])  # as a crash leaves it
    assert read_result(path).warnings == ("the check was stopped before its end",)
    for content in ("", "words\n", "[1]\n", '{"row": 1}\n', "[" * 100_000 + "\n"):
        path.write_text(content)
        with pytest.raises(InputError, match="^a.jsonl: it (?:is no checked text|holds something else)"):
            read_result(path)
    with pytest.raises(InputError, match="cannot read"):
        read_result(tmp_path)


def test_claim_reviews_are_written_for_what_is_contradicted_alone() -> None:
    written = json.loads(document_to_claim_reviews(small()))
    (review,) = written["@graph"]
    assert written["@context"] == "https://schema.org" and "@context" not in review
    assert review["itemReviewed"] == {
        "@type": "Claim",
        "text": "People use 10% of their brains.",
        "appearance": {"@type": "WebPage", "url": "https://orlo.example/brains?a=1&b=2"},
    }
    assert review["reviewRating"]["alternateName"] == "False" and review["claimReviewed"] == result().claim
    assert "<" not in document_to_claim_reviews(hostile())
    assert json.loads(document_to_claim_reviews(replace(small(), marks=())))["@graph"] == []


def test_the_summary_and_the_marks_name_the_same_sides() -> None:
    verdicts = [*Verdict, None]
    marks = tuple(mark(0, result(verdict=verdict) if verdict else None) for verdict in verdicts)
    counted = Counter(map(side_of, marks))
    assert summary_line(replace(small(), marks=marks)).split("; ")[0] == "7 statements: " + ", ".join(
        f"{counted[side]} {side}" for side in Side
    )


def test_a_claim_without_a_verdict_is_on_no_side() -> None:
    failed = mark(0, result(), outcome=Outcome.FAILED, result=None)
    assert side_of(failed) is Side.UNCHECKED
    sides = {verdict: side_of(mark(0, result(verdict=verdict))) for verdict in Verdict}
    assert sides[Verdict.TRUE] is Side.SUPPORTED and sides[Verdict.FALSE] is Side.CONTRADICTED
    assert sides[Verdict.PARTIALLY_TRUE] is sides[Verdict.MISLEADING] is Side.MIXED
    assert sides[Verdict.NOT_ENOUGH_EVIDENCE] is sides[Verdict.NOT_VERIFIABLE] is Side.OPEN


def test_every_format_is_named_and_chosen_by_its_ending(tmp_path: Path) -> None:
    assert tuple(FORMATS) == FORMAT_NAMES and len({made.suffix for made in FORMATS.values()}) == len(FORMATS)
    assert chosen(FORMATS, None, tmp_path / "a.JSONL").name == "jsonl" and chosen(FORMATS, None, None).name == "text"
    shown = FORMATS["text"].render(small())
    assert shown.startswith(summary_line(small()) + "\n! its tables were not read\n! the web was not asked\n")
    assert "\u2717 False, 93% (high)   page 1\n  Humans use 10% of their brains\n" in shown


def test_a_file_that_is_there_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    out.write_text("before")
    broken = replace(FORMATS["html"], render=lambda made: "\ud800")
    with pytest.raises(UnicodeEncodeError):
        save_document(small(), broken, out)
    assert out.read_text() == "before"
    with pytest.raises(InputError, match="cannot write"):
        save_document(small(), FORMATS["html"], tmp_path / "none" / "a.html")


def test_that_something_was_said_is_told_apart_and_seldom_stands_for_its_sentence() -> None:
    made = small()
    said = replace(made.marks[1].claim, text="Ada Vale said that the Earth is flat.", was_said=True)
    open_said = replace(made.marks[2], claim=said, result=result(verdict=Verdict.NOT_ENOUGH_EVIDENCE))
    assert "checked is whether Ada Vale said it" in how_checked(open_said)
    true, false = (replace(made.marks[2], result=result(verdict=verdict)) for verdict in (Verdict.TRUE, Verdict.FALSE))
    assert gravest([true, open_said]) is Side.SUPPORTED and gravest([open_said]) is Side.OPEN
    assert gravest([true, replace(false, claim=said)]) is Side.CONTRADICTED
    sentences = tuple(replace(one, said=number == 2) for number, one in enumerate(made.sentences))
    whole = replace(made, sentences=sentences, marks=(*made.marks[:2], open_said, made.marks[2]))
    read = result_of(lines_of(document_to_jsonl(whole)), "a.jsonl")
    assert (read.sentences, [one.claim for one in read.marks]) == (sentences, [one.claim for one in whole.marks])
    assert to_check(whole.sentences, 50) == 4
