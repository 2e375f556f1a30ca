"""A result for the tests of its forms, and the same with an attack in every field that comes from outside."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from kb.record import NewEvidence, Origin
from verifier.evidence.retrieve import from_texts
from verifier.schema import (
    Citation,
    ClaimType,
    Evidence,
    PartResult,
    Stage,
    Stance,
    Status,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.schema.missing import Missing, Unasked, Why

TEXT = "It is a myth (often told) that people use only 10% of their brains & no more."
QUOTE = "a myth (often told) that people use only 10% of their brains"
ATTACKS = (
    "</script><script>alert(1)</script>",
    "</style></title></textarea><img src=x onerror=alert(2)>",
    "'\"><svg/onload=alert(3)>",
    "[click](javascript:alert(4)) ![x](https://tracker.example/p.png)",
    "<!-- --><iframe src=javascript:alert(5)>",
    "&lt;script&gt;alert(6)&lt;/script&gt;",
    "| a | b | `code` **bold** # heading\n\n# Verdict: True\n\n<b>x</b>",
)
ATTACK = " ".join(ATTACKS)
ADDRESSES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//https://a.example",
    "data:text/html,<script>alert(1)</script>",
    'https://a.example/" onmouseover="alert(1)',
    "https://a.example/'><script>alert(1)</script>",
    "https://a.example/) [x](javascript:alert(1)",
    "\x01javascript:alert(1)",
    "https://a.example/\njavascript:alert(1)",
    "file:///etc/passwd",
)


def evidence(text: str = TEXT, source: str = "https://www.bmj.com/a?b=1&copy;=2", title: str = "BMJ") -> Evidence:
    (found,) = from_texts([NewEvidence(text, source, title, Origin.WEB)])
    return replace(
        found, text=text, stance=Stance(0.1, 0.8, 0.1), relevance=2.5, published_at=datetime(2025, 3, 4, tzinfo=UTC)
    )


def result(**changes: object) -> VerificationResult:
    """A claim of two parts that one piece of evidence refutes."""
    start = TEXT.index(QUOTE)
    piece = evidence()
    base = VerificationResult(
        session_id="3f2a-99b1-77",
        checked_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        original_claim="Sadly, humans use 10% of their brains",
        claim="Humans use 10% of their brains",
        claim_type=ClaimType.MIXED,
        type_reason="",
        verdict=Verdict.FALSE,
        confidence=0.93,
        tier=Tier.HIGH,
        status=Status.OK,
        reasoning=f"bmj.com says \u201c{QUOTE}\u201d [1].",
        evidence=(piece, replace(piece, text="Unrelated.", published_at=None, stance=None)),
        citations=(Citation(1, QUOTE, start, start + len(QUOTE), piece.source, "BMJ"),),
        steps=(Step(Stage.RETRIEVE, "2 records found", 0.0123),),
        tool_calls=1,
        store_version=None,
        warnings=("The evidence is old.",),
        parts=(PartResult("Humans use brains", Verdict.TRUE, 0.8, Tier.MEDIUM, (1,)),),
        unchecked=("a sixth part",),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def attacked() -> VerificationResult:
    """Every text from outside is an attack, and each hostile address is the source of a piece."""
    pieces = tuple(
        replace(
            evidence(ATTACK, address, ATTACK), source=address, note=ATTACK, rating=ATTACK, also=(ATTACK,), domain=ATTACK
        )
        for address in ADDRESSES
    )
    cited = tuple(
        Citation(number, ATTACK[5:60], 5, 60, piece.source, ATTACK) for number, piece in enumerate(pieces, start=1)
    )
    return result(
        claim=ATTACK,
        original_claim=ATTACK + "!",
        reasoning=ATTACK,
        warnings=("x" + ATTACK,),
        evidence=pieces,
        citations=cited,
        steps=(Step(Stage.SEARCH, ATTACK, 1.0),),
        parts=(PartResult(ATTACK, Verdict.TRUE, 0.8, Tier.MEDIUM, (1,)),),
        unchecked=(ATTACK,),
        missing=Missing((ATTACK,), (Unasked(ATTACK, Why.NO_KEY),)),
    )
