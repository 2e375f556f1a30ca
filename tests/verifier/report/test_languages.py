"""The telling in other languages: by the table alone, without a language model."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

from tests.verifier.report.report_cases import result
from ui.cards import verdict_card
from verifier.claim.comparison import Quantity
from verifier.claim.parsed import parse_claim
from verifier.judgement import aggregate, explain
from verifier.judgement.aggregate import told_of
from verifier.judgement.citations import problems
from verifier.judgement.explain import Finding, explain_parts
from verifier.judgement.explain import explain as explained
from verifier.report.as_html import result_to_html
from verifier.report.as_json import result_to_dict
from verifier.report.as_markdown import result_to_markdown
from verifier.report.as_text import result_to_text
from verifier.report.from_json import result_from_dict
from verifier.report.languages import languages, phrases_of
from verifier.schema import Judgement, Tier, Verdict
from verifier.schema.missing import Missing, Unasked, Why

ROOT = Path(__file__).parents[3]
TABLE = json.loads((ROOT / "verifier/report/languages.json").read_text(encoding="utf-8"))
CODES = ("es", "de", "fr", "pt", "it", "ru", "ar", "hi", "zh")
OTHER_LETTERS = ("ru", "ar", "hi", "zh")
SOUGHT = (
    "a relevant text on \u201cOslo\u201d, \u201c90 metres\u201d and \u201cthe Mayor\u201d",
    "a relevant text",
    "a relevant text that names \u201cOslo\u201d",
    "a figure to hold against \u201c90 metres\u201d",
    "a text that says whether it is so",
    "a source that decides between those that contradict each other",
    "a source other than social media: two independent ones, or one of credibility 0.9 or more",
    "a second independent source, or one of credibility 0.9 or more",
    "a source that says more clearly whether it is so",
    "a recent source: the newest found is of 2025-03-04",
    "a figure for the area of Oslo or figures for the height of Oslo that agree, from a source of credibility 0.9 or more",
    "more exact figures for their population, from a source of credibility 0.9 or more",
)
NOTES = (
    "a single source takes a side (a.example); a verdict needs two independent sources, or one of credibility 0.9 or more",
    "only social media take a side; a verdict needs two independent sources, or one of credibility 0.9 or more",
    "the sources contradict each other",
    "at least one source says the opposite",
    "only social media say so",
    "one source decides alone",
    "for 1 of its 2 parts there is not enough evidence",
)
TOLD = (
    "2 independent sources support it, 1 independent source contradicts it; the contradicting evidence is older",
    "no source takes a side; 1 piece that supports it counts for too little; 2 pieces that contradict it count for too little",
    "only social media take a side; 1 retracted work counts for nothing",
    "a fact-checker rates it so",
    "the area of Oslo is 454 km, that of Rome 1,285 km",
)


def frames_said() -> Iterator[str]:
    """Every frame that the code says by name, and the words of its choices."""
    for path in [*(ROOT / "verifier").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
                yield from (str(a.value) for a in node.args[:1] if isinstance(a, ast.Constant))
    yield from (*explain._OPENING.values(), *explain._OPENING_OF_PARTS.values(), explain.NOTHING_FOUND)
    yield from (*Verdict, *Tier, *Why, *Quantity, *aggregate._STATES.values())


@pytest.mark.parametrize("code", CODES)
def test_every_frame_is_told_with_the_same_places(code: str) -> None:
    frames = TABLE[code]
    assert [frame for frame in frames_said() if frame not in frames] == []
    assert frames.keys() == TABLE["es"].keys()
    places = re.compile(r"\{\w+\}")
    wrong = [frame for frame, told in frames.items() if sorted(places.findall(frame)) != sorted(places.findall(told))]
    assert wrong == [] and all(told.strip() for told in frames.values())


@pytest.mark.parametrize("code", OTHER_LETTERS)
@pytest.mark.parametrize("told", [*SOUGHT, *NOTES, *TOLD])
def test_what_other_stages_put_together_is_told_again(code: str, told: str) -> None:
    said = languages()[code].retell(told)
    kept = re.compile(r"\u201c[^\u201d]*\u201d|a\.example|Oslo|Rome|\d km|\d metres")
    assert re.findall(r"[A-Za-z]+", kept.sub("", said)) == []
    assert re.findall(r"\d+", said) == re.findall(r"\d+", told) or sorted(re.findall(r"\d+", said)) == sorted(
        re.findall(r"\d+", told)
    )


@pytest.mark.parametrize("code", OTHER_LETTERS)
def test_what_became_of_parts_is_told_again(code: str) -> None:
    language = languages()[code]
    for verdicts, unchecked in product(combinations_with_replacement(list(Verdict)[:5], 3), (0, 1, 2)):
        told = told_of([Judgement(verdict, 0.8, Tier.HIGH) for verdict in verdicts], unchecked)
        assert not re.search("[A-Za-z]", language.retell(told)), told


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.NOT_VERIFIABLE])
def test_the_reasoning_is_framed_in_the_language_and_its_citations_hold(code: str, verdict: Verdict) -> None:
    evidence = result().evidence[:1]
    judgement = Judgement(verdict, 0.93, Tier.HIGH, NOTES[:1], TOLD[0])
    finding = Finding(parse_claim("Humans use 10% of their brains"), judgement, evidence, [1])
    reasoning, citations = explained(finding, phrases_of(code))
    assert problems(reasoning, citations, evidence) == [] and len(citations) <= 1
    whole, in_parts, _ = explain_parts(judgement, [finding], phrases_of(code))
    assert problems(whole, in_parts, evidence) == []
    for text in (reasoning, whole):
        frame = re.sub(
            r"\u201c.*?\u201d \[1\]|bmj\.com|a\.example|\(Humans[^)]*\)|\uff08Humans[^\uff09]*\uff09", "", text
        )
        assert code not in OTHER_LETTERS or not re.search("[A-Za-z]", frame), frame


def test_a_language_without_a_table_is_told_in_english() -> None:
    evidence = result().evidence[:1]
    finding = Finding(parse_claim("x y"), Judgement(Verdict.FALSE, 0.9, Tier.HIGH), evidence, [1])
    assert explained(finding, phrases_of("pl")) == explained(finding) == explained(finding, phrases_of(""))


CLAIM = (
    "\u0627\u0644\u0634\u0645\u0633 \u062a\u062f\u0648\u0631 \u062d\u0648\u0644 <b>\u0627\u0644\u0623\u0631\u0636</b>"
)


@pytest.mark.parametrize(
    ("code", "verdict", "sure", "told"),
    [
        ("de", "Falsch", "(hoch)", "Auf Englisch gepr\u00fcft: "),
        ("ar", "\u062e\u0627\u0637\u0626", "(\u0645\u0631\u062a\u0641\u0639\u0629)", "\u062a\u0645 \u0627\u0644\u062a\u062d\u0642\u0642 \u0628\u0627\u0644\u0625\u0646\u062c\u0644\u064a\u0632\u064a\u0629: "),
        ("zh", "\u4e0d\u5b9e", "\u9ad8", "\u4ee5\u82f1\u6587\u6838\u67e5\uff1a"),
        ("pl", "False", "(high)", "Checked in English: "),
    ],
)  # fmt: skip
def test_every_form_shows_verdict_and_translation_in_the_language(
    code: str, verdict: str, sure: str, told: str
) -> None:
    english = "The Sun revolves around the Earth"
    found = result(language=code, translation=english, claim=english, original_claim=CLAIM)
    card, page = verdict_card(found), result_to_html(found)
    for text in (card, page, result_to_text(found), result_to_markdown(found)):
        assert verdict in text and sure in text and told + english in text.replace("\\", "")
    for markup in (card, page):
        assert "<b>\u0627\u0644\u0623\u0631\u0636" not in markup and "&lt;b&gt;" in markup
        assert f'dir="auto">{told}{english}<' in markup
    entry = result_to_dict(found)
    assert (entry["language"], entry["translation"], entry["verdict_told"]) == (code, english, verdict)
    assert entry["verdict"] == "False" and result_from_dict(json.loads(json.dumps(entry))) == result_from_dict(entry)
    read = result_from_dict(entry)
    assert (read.language, read.translation) == (code, english)


def test_a_result_of_an_older_version_has_no_language() -> None:
    entry = dict(result_to_dict(result()))
    for key in ("language", "translation", "verdict_told"):
        del entry[key]
    read = result_from_dict(entry)
    assert (read.language, read.translation) == ("", "")


def test_what_would_settle_an_open_claim_is_told_in_the_language() -> None:
    missing = Missing(SOUGHT[:1], (Unasked("Brave", Why.NO_KEY), Unasked("GDELT", Why.NO_ANSWER)))
    found = result(
        verdict=Verdict.NOT_ENOUGH_EVIDENCE,
        missing=missing,
        language="de",
        translation="x",
        checked_at=datetime.now(UTC),
    )
    line = (
        "Gesucht und nicht gefunden: ein einschl\u00e4giger Text \u00fcber \u201cOslo\u201d, \u201c90 metres\u201d und \u201cthe Mayor\u201d. "
        "Keine Antwort von: GDELT (leer oder abgelehnt). Nicht gefragt: Brave (kein Schl\u00fcssel)."
    )
    assert missing.told_in(phrases_of("de")) == line
    told = result_to_dict(found)["missing"]
    assert told and told["told"] == line and told["sought"] == list(SOUGHT[:1])
    for text in (verdict_card(found), result_to_html(found)):
        assert "Was es kl\u00e4ren w\u00fcrde." in text and line in text
    assert "Offen: Das sagt nichts dar\u00fcber, ob die Aussage wahr ist." in verdict_card(found)
