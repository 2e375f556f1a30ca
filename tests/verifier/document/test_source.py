"""Files, addresses and pasted texts that are to be checked as a whole: what is read of them, where it stood, what is refused."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from errors import InputError
from kb.intake.formats.pdf import PdfLimits, pdf_pages
from tests.kb.intake.tiny_pdf import pdf
from tests.verifier.document.tiny_docx import docx, locked, paragraph, table
from verifier.document.schema import Place
from verifier.document.source import MAX_TEXT_BYTES, read_address, read_document, read_pasted
from web.page import Page

PROSE = "The weir at Orlo was built in 1931. It holds to this day."
HTML = f"<html><head><title>The weir</title></head><body><article><h1>The weir</h1><p>{PROSE * 5}</p></article></body></html>"


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


Write = Callable[[str, bytes | str], Path]


def test_a_text_is_taken_as_it_is_but_for_its_line_ends(file: Write) -> None:
    text = "  One \u200bfact.\r\n\r\nTwo\tfacts \u05d0\u05d1.\rThree.  \n"
    read = read_document(file("a.txt", b"\xef\xbb\xbf" + text.encode()))
    assert read.text == "  One \u200bfact.\n\nTwo\tfacts \u05d0\u05d1.\nThree.  \n"
    assert (read.name, read.url, read.places, read.warnings) == ("a.txt", "", (), ())
    assert read_document(file("wide.txt", "Caf\u00e9 au lait.".encode("utf-16"))).text == "Caf\u00e9 au lait."
    assert read_pasted("half \ud800 sign, and more words to stand beside it.").text[5] == "\ufffd"


def test_markdown_gives_its_prose_and_says_what_is_none(file: Write) -> None:
    read = read_document(
        file("a.md", f"# The *weir*\n\n{PROSE}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n")
    )
    assert (read.name, read.text) == ("The weir", PROSE)
    assert read.warnings == ("its tables and code were not read",)
    assert read_document(file("b.MARKDOWN", PROSE)).warnings == ()


def test_a_saved_page_gives_its_article_in_whatever_encoding_it_states(file: Write) -> None:
    read = read_document(file("a.html", HTML))
    assert read.name == "The weir" and PROSE in read.text and "<" not in read.text
    page = HTML.replace("<head>", '<head><meta charset="iso-8859-1">').replace("Orlo", "Orl\u00f6")
    assert "Orl\u00f6" in read_document(file("b.htm", page.encode("latin-1"))).text


def test_the_pages_of_a_pdf_are_places_and_a_sentence_may_run_over_them(file: Write) -> None:
    pages = ("The weir at Orlo was exam-\nined in 1931 and", "", "found to be sound.", "It was rebuilt later.")
    read = read_document(file("report.pdf", pdf(*pages, title="The weir report")))
    assert read.name == "The weir report"
    assert read.text == "The weir at Orlo was examined in 1931 and found to be sound.\nIt was rebuilt later."
    assert [(place.label, read.text[place.start :][:5]) for place in read.places] == [
        ("page 1", "The w"),
        ("page 3", "found"),
        ("page 4", "It wa"),
    ]


def test_fifty_pages_are_read_within_bounds_and_tell_how_far_they_are(file: Write) -> None:
    words = "\n".join("The weir at Orlo was built in 1931 and holds to this day." for _ in range(45))
    path = file("long.pdf", pdf(*[words] * 50))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told: list[tuple[float, int]] = []
    start = time.monotonic()
    read = read_document(path, lambda pages: told.append((time.monotonic() - start, pages)))
    assert len(read.places) == 50 and read.places[-1].label == "page 50"
    assert told[0][0] < 2 and told[-1][1] == 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB


def test_what_of_a_pdf_is_not_read_is_said(file: Write) -> None:
    path = file("a.pdf", pdf("One page.", "Two pages.", "Three pages."))
    found = list(pdf_pages(path, PdfLimits(pages=2)))
    assert [getattr(page, "number", 0) for page in found] == [1, 2, 0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (pdf("", ""), "only pictures of text; run it through text recognition"),
        (pdf("Secret words.", password="hidden"), "protected by a password; save a copy without one"),
        (b"%PDF-1.7 and then nothing of use", "damaged"),
        (b"", "damaged"),
    ],
    ids=["scan", "locked", "damaged", "empty"],
)
def test_a_pdf_without_text_to_read_says_why(file: Write, content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=f"^a.pdf: .*{words}"):
        read_document(file("a.pdf", content))


def test_a_word_document_gives_what_its_reader_sees(file: Write) -> None:
    body = (
        paragraph("The weir "),
        "<w:p><w:r><w:t>One</w:t><w:tab/><w:t>line</w:t><w:br/><w:t>two &lt;b&gt;</w:t></w:r>"
        "<w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del></w:p>",
        paragraph("hidden", "<w:rPr><w:vanish/></w:rPr>"),
        paragraph("shown", '<w:rPr><w:vanish w:val="0"/></w:rPr>'),
        table(("a", "b"), ("c d", "e")),
        paragraph("The end."),
    )
    read = read_document(file("a.docx", docx(*body, footnotes="<x/>", comments="<x/>")))
    lines = [line.rstrip() for line in read.text.split("\n") if line.strip()]
    assert lines == ["The weir", "One\tline", "two <b>", "shown", "a \tb", "c d \te", "The end."]
    assert read.warnings == ("its footnotes and comments were not read",)


BILLION = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (docx(paragraph("a" * 60_000_000)), "unpacks to far more than a text needs"),
        (docx(paragraph(" " * 3_000_000)), "unpacks to far more than a text needs"),
        (docx(paragraph("words"), head=BILLION), "declares a document type"),
        (docx(paragraph("a word").replace("</w:p>", "")), "damaged"),
        (docx(paragraph("A whole document."))[:200], "damaged"),
        (locked(docx(paragraph("Secret words."))), "password"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "password, or an old .doc"),
        (b"PK\x05\x06" + bytes(18), "it is no Word document"),
        (b"no archive at all", "damaged"),
        (docx(paragraph("  ")), "it is empty"),
        (docx("<w:p>" * 5_000 + "</w:p>" * 5_000), "damaged"),
    ],
    ids=["huge", "ratio", "entities", "xml", "cut", "locked", "old", "other", "junk", "empty", "deep"],
)
def test_a_hostile_word_document_is_one_line(file: Write, content: bytes, words: str) -> None:
    start = time.monotonic()
    with pytest.raises(InputError, match=f"^a.docx: .*{words}") as caught:
        read_document(file("a.docx", content))
    assert time.monotonic() - start < 5 and "\n" not in str(caught.value)


SRT = """1
00:00:01,000 --> 00:00:03,000
<i>The weir at Orlo</i>

2
00:00:03,500 --> 00:00:05,000
was built in 1931.

3
00:01:02,500 --> 01:01:04,000 X1:10
It holds {\\an8}to this day.
"""


def test_subtitles_are_running_text_with_the_time_of_each_cue(file: Write) -> None:
    read = read_document(file("a.srt", SRT.replace("\n", "\r\n")))
    assert read.text == "The weir at Orlo was built in 1931.\nIt holds to this day." and read.warnings == ()
    assert read.places == (Place(0, "00:00:01"), Place(17, "00:00:03"), Place(36, "00:01:02"))


def test_subtitles_out_of_order_are_sorted_and_the_reader_is_told(file: Write) -> None:
    blocks = SRT.strip().split("\n\n")
    read = read_document(file("a.srt", "\n\n".join([blocks[2], "no time here", blocks[0], blocks[1], blocks[1]])))
    assert read.text == "The weir at Orlo was built in 1931.\nIt holds to this day."
    assert "were sorted" in read.warnings[0] and "1 of its blocks have no time code" in read.warnings[1]


def test_webvtt_is_read_without_its_notes_and_tags(file: Write) -> None:
    vtt = (
        "WEBVTT - a title\n\nNOTE not\nspoken\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:03.000 align:start\n"
        "<v Ada>Salt &amp; water <00:02.000><c>were\ncheap.</c>\n\n00:04.000 --> 00:05.000\nA < B holds.\n"
    )
    read = read_document(file("a.vtt", vtt))
    assert read.text == "Salt & water were cheap.\nA < B holds." and [p.label for p in read.places] == [
        "00:00:01",
        "00:00:04",
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", "", "it is empty"),
        ("a.txt", " \n\t\u00a0", "it is empty"),
        ("a.txt", "123 456 !?", "no letters"),
        ("a.txt", "word " * (MAX_TEXT_BYTES // 5 + 1), "at most 2 MB of text can be checked at once, this has 2.0 MB"),
        ("a.txt", "Caf\u00e9".encode("latin-1"), r"not UTF-8 text \(byte 3\); save it as UTF-8"),
        ("a.txt", b"some text\x00\x01\x02", r"it is no text \(byte 9 is zero\)"),
        ("a.txt", "a\x01\x02\x03\x04" * 30, "control characters"),
        ("a.txt", pdf("words"), "but a PDF: give its name the ending .pdf"),
        ("a.txt", docx(paragraph("words")), "but a ZIP archive, as .docx files are"),
        ("a.txt", b"\x89PNG\r\n", "but a picture"),
        ("a.md", "```\ncode only\n```\n", "it is empty"),
        ("a.html", "<html><body><script>x()</script></body></html>", "no readable text"),
        ("a.srt", "Just a text.", "no subtitles in it"),
        ("a.doc", "words", "must end in .txt, .md, .html, .pdf, .docx, .srt or .vtt"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_remedy(
    file: Write, name: str, content: bytes | str, words: str
) -> None:
    with pytest.raises(InputError, match=f"^{name}: .*{words}") as caught:
        read_document(file(name, content))
    assert len(str(caught.value)) < 300 and "\n" not in str(caught.value)


def test_no_bytes_whatever_do_more_than_refuse(file: Write) -> None:
    dice = random.Random(7)
    for name in ("a.txt", "a.md", "a.html", "a.docx", "a.srt", "a.vtt"):
        for _ in range(30):
            content = dice.randbytes(dice.randrange(1, 400))
            try:
                read = read_document(file(name, content))
            except InputError:
                continue
            assert any(sign.isalpha() for sign in read.text)


def test_a_missing_file_and_a_folder_are_one_line(tmp_path: Path) -> None:
    for name in ("none.txt", "none.docx", "none.pdf"):
        with pytest.raises(InputError, match="cannot read"):
            read_document(tmp_path / name)
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(InputError, match="cannot read"):
        read_document(tmp_path / "folder.txt")


def test_an_address_gives_its_article_and_a_list_is_refused() -> None:
    page = Page(PROSE, "The weir", "https://orlo.example/weir", datetime(2026, 1, 2))
    asked: list[tuple[str, float]] = []

    def load(url: str, seconds: float) -> Page:
        asked.append((url, seconds))
        return page

    read = read_address("https://orlo.example/weir?utm_source=x", load, 10)
    assert (read.text, read.name, read.url) == (PROSE, "The weir", "https://orlo.example/weir")
    assert asked == [("https://orlo.example/weir?utm_source=x", 10)]
    with pytest.raises(InputError, match="give the address of one article"):
        read_address("https://orlo.example/", lambda url, seconds: replace(page, is_article=False), 10)
