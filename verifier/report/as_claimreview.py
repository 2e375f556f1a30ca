"""Write a result as schema.org ClaimReview in JSON-LD, for search engines and fact-check collections.

The scale is 1 False, 2 Misleading, 3 Partially True, 5 True. 4 is not used, since no verdict here means "mostly true".
Not Enough Evidence and Not Verifiable have no place on the scale: their rating has a name and no number. Search engines
require only the name, and some would read a number outside the stated scale, such as -1, as worse than false.
"""

from __future__ import annotations

import json
from typing import Any

from verifier.report.markup import confidence_in_words, one_line, web_address
from verifier.schema import Citation, Evidence, Verdict, VerificationResult

SOFTWARE = "Claim verifier"
"""Who states the rating. It is software, and its name says so."""
BEST, WORST = 5, 1
RATINGS = {Verdict.FALSE: 1, Verdict.MISLEADING: 2, Verdict.PARTIALLY_TRUE: 3, Verdict.TRUE: 5}
SCALE = "Scale: 1 False, 2 Misleading, 3 Partially True, 4 not used, 5 True"
_IN_MARKUP = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def result_to_claim_review(result: VerificationResult) -> dict[str, Any]:
    """Write the result as a ClaimReview of plain values.

    It names no page of its own: the publisher adds `url`, without which Google shows no review.
    """
    return {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "identifier": result.session_id,
        "claimReviewed": one_line(result.claim),
        "itemReviewed": {"@type": "Claim", "text": one_line(result.original_claim)},
        "author": {"@type": "Organization", "name": SOFTWARE},
        "datePublished": result.checked_at.isoformat(timespec="seconds"),
        "reviewRating": _rating(result),
        "reviewBody": one_line(result.reasoning),
        "citation": [_quotation(citation, result.evidence) for citation in result.citations],
    }


def result_to_claim_review_text(result: VerificationResult) -> str:
    """Write the ClaimReview as JSON safe in a <script>: nothing in it ends the element."""
    return as_markup(result_to_claim_review(result))


def as_markup(value: dict[str, Any]) -> str:
    """Write plain values as JSON that is safe in a <script> as it is."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.translate(_IN_MARKUP) + "\n"  # these characters occur only within strings


def _rating(result: VerificationResult) -> dict[str, Any]:
    confidence = confidence_in_words(result.verdict, result.confidence, result.tier)
    said = f"Confidence {confidence}. {SCALE}." if confidence else f"{SCALE}; no number where nothing was decided."
    rating: dict[str, Any] = {
        "@type": "Rating",
        "alternateName": str(result.verdict),
        "ratingExplanation": f"Checked by software on one machine. {said}",
    }
    number = RATINGS.get(result.verdict)
    return rating if number is None else rating | {"ratingValue": number, "bestRating": BEST, "worstRating": WORST}


def _quotation(citation: Citation, evidence: tuple[Evidence, ...]) -> dict[str, Any]:
    """Write a source's words, with their page if it has an address."""
    piece = evidence[citation.number - 1]
    page: dict[str, Any] = {"@type": "WebPage", "name": one_line(citation.title or piece.domain or citation.source)}
    if web_address(citation.source):
        page["url"] = citation.source
    if piece.published_at:
        page["datePublished"] = f"{piece.published_at:%Y-%m-%d}"
    return {"@type": "Quotation", "text": citation.quote, "isPartOf": page}
