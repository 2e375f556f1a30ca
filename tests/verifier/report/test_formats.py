"""The forms of a report, read back by real parsers: lxml, markdown-it, and this project's own reader of ClaimReview."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from markdown_it import MarkdownIt

from errors import InputError
from tests.verifier.report.report_cases import ADDRESSES, ATTACK, QUOTE, TEXT, attacked, evidence, result
from verifier.report import FORMAT_NAMES
from verifier.report.as_claimreview import result_to_claim_review, result_to_claim_review_text
from verifier.report.as_html import result_to_html
from verifier.report.as_markdown import result_to_markdown
from verifier.report.formats import FORMATS, choose_format, save
from verifier.report.markup import newest, quoted_spans
from verifier.schema import Citation, PartResult, Status, Tier, Verdict, VerificationResult
from web.claim_review import claim_ratings
from web.linked_data import linked_data

TAGS = set(
    "html head meta title style body main p h1 h2 dl dt dd time ul ol li span table thead tbody tr th td article b "
    "blockquote mark a bdi".split()
)
PROPERTIES = {
    "ClaimReview": {
        *("@context", "identifier", "claimReviewed", "itemReviewed", "author", "datePublished"),
        *("reviewRating", "reviewBody", "citation", "url"),
    },
    "Claim": {"text"},
    "Organization": {"name"},
    "Rating": {"alternateName", "ratingExplanation", "ratingValue", "bestRating", "worstRating"},
    "Quotation": {"text", "isPartOf"},
    "WebPage": {"name", "url", "datePublished"},
}
"""What schema.org gives each of these types, as far as it is used here."""


def html_of(made: VerificationResult) -> Any:  # noqa: ANN401
    return lxml.html.document_fromstring(result_to_html(made))


def rendered(made: VerificationResult) -> Any:  # noqa: ANN401
    """The Markdown as a site shows it that lets HTML through."""
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(result_to_markdown(made))
    return lxml.html.document_fromstring(shown)


def inert(page: Any) -> None:  # noqa: ANN401
    for element in page.iter(lxml.etree.Element):
        assert not [name for name in element.attrib if name.startswith("on")], lxml.html.tostring(element)
        for name in ("href", "src", "action"):
            assert element.get(name, "https://").startswith(("http://", "https://"))


def test_the_page_says_all_of_the_check() -> None:
    page = html_of(result())
    text = " ".join(page.text_content().split())
    for said in (
        *(
            "False",
            "Humans use 10% of their brains",
            "Sadly, humans use 10%",
            "93% (high)",
            "MIXED",
            "2026-01-02 03:04 UTC",
        ),
        *("2025-03-04", "The evidence is old.", "Humans use brains", "80% (medium)", "a sixth part", "not checked"),
        *("contradicts the claim", "not judged", "2 records found", "12 ms", "Confidence is an estimate"),
    ):
        assert said in text
    assert [mark.text_content() for mark in page.iter("mark")] == [QUOTE]
    assert page.find(".//blockquote").text_content() == TEXT
    assert page.find(".//article//a").get("href") == result().evidence[0].source


def test_the_page_asks_no_server_for_anything() -> None:
    page, source = html_of(result()), result_to_html(result())
    assert {element.tag for element in page.iter(lxml.etree.Element)} <= TAGS
    assert "url(" not in source and "@import" not in source and "default-src 'none'" in source
    assert not page.xpath("//*[@src or @srcset or @background]") and not page.xpath("//link")
    assert len(source.encode()) < 20_000


def test_an_attack_is_text_on_the_page() -> None:
    page = html_of(attacked())
    inert(page)
    assert {element.tag for element in page.iter(lxml.etree.Element)} <= TAGS
    assert page.find(".//blockquote").text_content() == ATTACK
    assert {a.get("href") for a in page.iter("a")} <= set(ADDRESSES)


def test_an_attack_is_text_in_markdown() -> None:
    page = rendered(attacked())
    inert(page)
    assert not page.xpath("//script | //img | //iframe | //svg | //code | //em")
    assert len(page.xpath("//h1")) == 1 and len(page.xpath("//table/tbody/tr")) == 2
    assert all(len(row) == 4 for row in page.xpath("//tr"))
    quoted = page.xpath("//blockquote")[1].text_content().replace("\u200b", "")
    assert " ".join(quoted.split()) == " ".join(ATTACK.split())


def test_markdown_shows_the_quoted_words_in_bold() -> None:
    page = rendered(result())
    assert QUOTE in [bold.text_content() for bold in page.xpath("//blockquote//strong")]
    assert page.xpath("//a")[0].get("href") == "https://www.bmj.com/a?b=1&copy;=2"
    text = page.text_content()
    for said in ("Confidence: 93% (high)", "Newest evidence: 2025-03-04", "a sixth part", "2 records found"):
        assert said in text


def test_any_quotation_is_bold_in_markdown() -> None:
    text = f"He said\u201cso\u201d and: {TEXT}"
    for quote in ("(often told)", "myth (often", "10%", "yth", "\u201cso\u201d", " a myth "):
        start = text.index(quote)
        cited = Citation(1, quote, start, start + len(quote), "", "")
        bold = rendered(result(evidence=(evidence(text),), citations=(cited,))).xpath("//blockquote//strong")
        assert [found.text_content() for found in bold] == [quote.strip()]


def test_evidence_that_begins_like_markdown_stays_a_sentence() -> None:
    for start in ("- ", "1. ", "1) ", "# ", "> ", "+ ", "=== ", "--- ", "```", "    ", "~~~", "* * *"):
        page = rendered(result(evidence=(evidence(f"{start} a b"),), citations=(), claim=f"{start} a b"))
        block = page.xpath("//blockquote")[-1]
        assert [child.tag for child in block] == ["p"] and "a b" in block.text_content(), start
        assert start.strip() in block.text_content()


def test_nothing_decided_shows_no_confidence() -> None:
    unsure = result(
        verdict=Verdict.NOT_ENOUGH_EVIDENCE, confidence=0.4, status=Status.DEGRADED, evidence=(), citations=()
    )
    for text in (result_to_markdown(unsure), html_of(unsure).text_content()):
        assert "40%" not in text and "degraded" in text and "none with a date" in text


def test_quoted_spans_join_to_the_text_and_skip_overlaps() -> None:
    cited = [Citation(1, "", start, end, "", "") for start, end in ((5, 9), (0, 3), (2, 6))]
    pieces = list(quoted_spans("0123456789", cited))
    assert "".join(piece for piece, _ in pieces) == "0123456789"
    assert [piece for piece, quoted in pieces if quoted] == ["012", "5678"]


def test_the_newest_evidence_is_found_among_dates_with_and_without_a_zone() -> None:
    naive = evidence().published_at.replace(tzinfo=None, year=2026)  # type: ignore[union-attr]
    assert newest([evidence(), replace(evidence(), published_at=naive)]) == "2026-03-04"


def check_shape(value: dict[str, Any]) -> None:
    kind = value["@type"]
    assert set(value) - {"@type"} <= PROPERTIES[kind]
    for child in value.values():
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, dict):
                check_shape(item)
            else:
                assert isinstance(item, str | int) and item != ""


def test_claim_review_has_the_shape_of_schema_org() -> None:
    numbers = {Verdict.FALSE: 1, Verdict.MISLEADING: 2, Verdict.PARTIALLY_TRUE: 3, Verdict.TRUE: 5}
    for verdict in Verdict:
        review = result_to_claim_review(result(verdict=verdict))
        check_shape(review)
        rating, expected = review["reviewRating"], numbers.get(verdict)
        assert rating["alternateName"] == verdict.value and rating.get("ratingValue") == expected
        assert ("bestRating" in rating) == ("worstRating" in rating) == (expected is not None)
        assert "5 True" in rating["ratingExplanation"]
    assert review["@context"] == "https://schema.org" and review["claimReviewed"] == "Humans use 10% of their brains"
    assert review["itemReviewed"]["text"].startswith("Sadly") and review["author"]["name"]
    assert review["citation"][0]["text"] == QUOTE
    assert review["citation"][0]["isPartOf"]["url"] == result().evidence[0].source


def test_claim_review_names_no_page_that_has_no_address() -> None:
    urls = [cited["isPartOf"].get("url", "https://") for cited in result_to_claim_review(attacked())["citation"]]
    assert all(re.fullmatch(r"https?://\S*", url) for url in urls)


def in_a_page(made: VerificationResult) -> Any:  # noqa: ANN401
    script = f'<script type="application/ld+json">{result_to_claim_review_text(made)}</script>'
    return lxml.html.document_fromstring(f"<html><head>{script}</head><body><p>x</p></body></html>")


def test_claim_review_cannot_end_the_script_that_holds_it() -> None:
    assert "<" not in result_to_claim_review_text(attacked())
    (element,) = in_a_page(attacked()).iter("script")
    assert json.loads(element.text_content()) == result_to_claim_review(attacked())


def test_the_projects_own_reader_understands_its_claim_review() -> None:
    url = "https://desk.example/checks/1"
    (rating,) = claim_ratings(linked_data(in_a_page(result())), url)
    assert (rating.claim, rating.rating, rating.url) == ("Humans use 10% of their brains", "False", url)


def test_every_format_is_named_once_and_writes_its_kind() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES and len({made.suffix for made in FORMATS.values()}) == len(FORMATS)
    assert all(made.render(result()).endswith("\n") for made in FORMATS.values())
    assert json.loads(FORMATS["json"].render(result()))["verdict"] == "False"
    assert FORMATS["text"].render(result()).startswith("False   confidence 0.93")


def test_a_file_name_is_safe_whatever_the_claim() -> None:
    assert FORMATS["html"].file_name(result()) == "claim-humans-use-10-of-their-brains-3f2a99b1.html"
    for claim in ("../../etc/passwd\0", ATTACK, "\u5730\u7403\u662f\u5e73\u7684", "a" * 2_000):
        assert re.fullmatch(r"[a-z0-9-]{1,80}\.md", FORMATS["markdown"].file_name(result(claim=claim)))


def test_the_format_is_the_one_named_or_told_by_the_ending(tmp_path: Path) -> None:
    assert choose_format(None, None).name == "text"
    assert choose_format(None, tmp_path / "a.HTML").name == "html"
    assert choose_format("json", tmp_path / "a.html").name == "json"
    with pytest.raises(InputError, match=r"use one of \.txt, .*--format"):
        choose_format(None, tmp_path / "a.pdf")
    for bad in (tmp_path, tmp_path / "none" / "a.md"):
        with pytest.raises(InputError, match="name a file in a folder that exists"):
            choose_format("markdown", bad)


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    save(result(), FORMATS["claimreview"], tmp_path / "r.jsonld")
    assert json.loads((tmp_path / "r.jsonld").read_text(encoding="utf-8"))["@type"] == "ClaimReview"
    with pytest.raises(InputError, match="cannot write"):
        save(result(), FORMATS["text"], tmp_path)


def test_a_claim_that_stays_open_is_called_left_open_and_shows_no_confidence() -> None:
    part = PartResult("The sky is green", Verdict.NOT_ENOUGH_EVIDENCE, 0.87, Tier.LOW, ())
    open_ = replace(result(), verdict=Verdict.NOT_ENOUGH_EVIDENCE, confidence=0.94, tier=Tier.LOW, parts=(part,))
    for form in ("text", "markdown", "html"):
        shown = FORMATS[form].render(open_)
        assert shown.count("left open") == 2, form
        assert not re.search(r"0\.94|94%|0\.87|87%", shown), form
