"""Checked texts for the tests of their forms: a small one, hostile ones, and any number made at random."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

from tests.verifier.report.report_cases import ADDRESSES, ATTACK, attacked, result
from verifier.document.schema import (
    DocumentClaim,
    DocumentResult,
    DocumentText,
    Marked,
    Outcome,
    Place,
    Sentence,
    SentenceKind,
)
from verifier.schema import Verdict, VerificationResult

TEXT = "People use 10% of their brains. I love that! She said the Earth is flat.\n\nWater boils at 100 \u00b0C."
WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
# of the halves of a character only the second: after a first one it would make a whole character in JSON, as it should
HOSTILE = [
    *"\x00\x01\x08\t\n\n\r\x0b\x0c\x1b\x7f\x85\x9f\xa0 \u00ad\u200b\u200d\u200e\u2028\u2029\u202d\u202e\u2066\u2069\ufeff\ufdd0\ufffe\uffff\udfff\U0001f600",
    *"\u05d0\u0627\u4e2dab1\\`*_[]<>&~|!#$^@(){}:;.,-+='\"/",
    *("\n\n", "\r\n", "   ", "\n    x", "\n\n\n", "</div>", "<!--", "-->", "&amp;", "&#0;", "&lt;", "]]>", "[^1]", "[^1]: ", "`\u2713`[^1]"),
    *("\n- ", "\n1. ", "\n12) ", "\n# ", "\n## Statements\n", "\n> ", "\n---\n", "\n===\n", "\n```\n", "https://a.example", "www.a.example", "a@b.example"),
    *("\\n", "\\\n", "&#x41;", "(x)", "<script>alert(1)</script>", "</a><a href=javascript:alert(1)>", '" onclick="x', "| a | b |"),
]  # fmt: skip


def spans(text: str, *sentences: tuple[str, SentenceKind]) -> tuple[Sentence, ...]:
    found, at = [], 0
    for words, kind in sentences:
        at = text.index(words, at)
        found.append(Sentence(at, at + len(words), kind, f"a {kind}"))
        at += len(words)
    return tuple(found)


def mark(sentence: int, checked: VerificationResult | None, text: str = "", **changes: object) -> Marked:
    claim = DocumentClaim(sentence, text or (checked.claim if checked else "a claim"), 0.75)
    made = Marked(claim, Outcome.CHECKED if checked else Outcome.LEFT_OUT, checked, "", 0.5)
    return replace(made, **changes)  # type: ignore[arg-type]


def small() -> DocumentResult:
    """A false statement, an opinion, a reported claim in our words, a true statement on another page."""
    sentences = spans(
        TEXT,
        ("People use 10% of their brains.", SentenceKind.FACT),
        ("I love that!", SentenceKind.OPINION),
        ("She said the Earth is flat.", SentenceKind.SPEECH),
        ("Water boils at 100 \u00b0C.", SentenceKind.FACT),
    )
    reported = replace(mark(2, None).claim, text="The Earth is flat", resolved=True, speaker="Ada Vale")
    marks = (
        mark(0, result()),
        replace(mark(2, None), claim=reported, outcome=Outcome.FAILED, reason="the model gave no answer"),
        mark(3, result(verdict=Verdict.TRUE, claim="Water boils at 100 \u00b0C")),
    )
    places = (Place(0, "page 1"), Place(TEXT.index("Water"), "page 2"))
    document = DocumentText(
        TEXT, "On brains", "https://orlo.example/brains?a=1&b=2", places, ("its tables were not read",)
    )
    return DocumentResult(document, WHEN, sentences, marks, 1.5, ("the web was not asked",))


def hostile() -> DocumentResult:
    """Every text from outside is an attack, in the document and in what was found about it."""
    sentences = (
        Sentence(0, len(ATTACK), SentenceKind.FACT, ATTACK),
        Sentence(len(ATTACK), len(ATTACK) * 2, SentenceKind.OPINION, ATTACK),
    )
    checked = replace(attacked(), verdict=Verdict.FALSE)
    first = mark(0, checked, reason=ATTACK)
    claim = replace(first.claim, text=ATTACK, resolved=True, speaker=ATTACK)
    document = DocumentText(ATTACK * 3, ATTACK, ADDRESSES[0], (Place(3, ATTACK),), (ATTACK,))
    return DocumentResult(document, WHEN, sentences, (replace(first, claim=claim),), 1.0, ("!" + ATTACK,))


def at_random(seed: int) -> DocumentResult:
    """Any text of hostile pieces, with any sentences, some of which overlap or lie outside, and any marks."""
    dice = random.Random(seed)
    text = "".join(dice.choices(HOSTILE, k=dice.randrange(1, 60)))
    sentences = []
    for _ in range(dice.randrange(6)):
        start = dice.randrange(len(text))
        end = start + dice.randrange(1, 20)
        sentences.append(Sentence(start, min(end, len(text)), dice.choice(list(SentenceKind)), "why"))
    sentences.sort(key=lambda sentence: sentence.start)
    verdicts = [None, *Verdict]
    marks = list[Marked]()
    for position in range(len(sentences)):
        for _ in range(dice.randrange(3)):
            verdict = dice.choice(verdicts)
            outcome = Outcome.CHECKED if verdict else dice.choice((Outcome.FAILED, Outcome.LEFT_OUT))
            checked = result(verdict=verdict) if verdict else None
            marks.append(mark(position, checked, f"claim {len(marks)}", outcome=outcome))
    places = tuple(
        Place(at, f"page {at}") for at in sorted(dice.sample(range(len(text)), min(len(text), dice.randrange(4))))
    )
    return DocumentResult(DocumentText(text, "at random", "", places), WHEN, tuple(sentences), tuple(marks), 1.0)
