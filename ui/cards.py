"""Results as HTML. Pure functions; everything that came from outside is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from verifier.schema import (
    Citation,
    ClaimType,
    Evidence,
    Judgement,
    PartResult,
    Stance,
    StanceLabel,
    Step,
    Tier,
    Verdict,
    VerificationResult,
)

_TONES = {
    Verdict.TRUE: "true",
    Verdict.FALSE: "false",
    Verdict.PARTIALLY_TRUE: "partial",
    Verdict.MISLEADING: "misleading",
    Verdict.NOT_ENOUGH_EVIDENCE: "unknown",
    Verdict.NOT_VERIFIABLE: "unknown",
}
_SIGNS = {"true": "\u2713", "false": "\u2717", "partial": "\u2248", "misleading": "!", "unknown": "?"}
_ORIGINS = {"kb": "Evidence store", "web": "Web", "fact_check": "Fact-checker", "user": "Added by you"}
_STANCES = {
    StanceLabel.SUPPORTS: "supports the claim",
    StanceLabel.REFUTES: "contradicts the claim",
    StanceLabel.NEUTRAL: "does not settle it",
}


def verdict_card(result: VerificationResult) -> str:
    """The verdict, large; then confidence, what was checked, the reasoning and the warnings."""
    tone = _TONES[result.verdict]
    asked = ""
    if result.claim_type is ClaimType.MIXED:
        asked = (
            f'<p class="cv-asked"><b>You asked:</b> {escape(result.original_claim)}<br>'
            f"<b>Checked:</b> {escape(result.claim)}</p>"
        )
    unsaid = [warning for warning in result.warnings if warning not in result.reasoning]
    warnings = "".join(f"<li>{escape(warning)}</li>" for warning in unsaid)
    return f"""
<section class="cv-card cv-{tone}" aria-label="Verdict">
  {_headline(result.verdict, result.confidence, result.tier)}
  <p class="cv-small"><span class="cv-badge">{escape(result.claim_type)}</span>
  <span>checked {result.checked_at:%Y-%m-%d %H:%M} UTC</span></p>
  {asked}
  <p class="cv-reason">{escape(result.reasoning)}</p>
  {_parts(result.parts, result.unchecked)}
  {f'<ul class="cv-warnings">{warnings}</ul>' if warnings else ""}
</section>"""


def _parts(parts: Sequence[PartResult], unchecked: Sequence[str]) -> str:
    """The parts of a compound claim as a table, those that were not checked at its end; nothing for a claim without parts."""
    if not parts:
        return ""
    rows = "".join(
        f'<tr class="cv-{_TONES[part.verdict]}"><td>{escape(part.claim)}</td>'
        f'<td class="cv-part"><span aria-hidden="true">{_SIGNS[_TONES[part.verdict]]}</span> {escape(part.verdict)}</td>'
        f"<td>{''.join(f'[{number}]' for number in part.citations)}</td></tr>"
        for part in parts
    )
    rows += "".join(
        f'<tr class="cv-unknown"><td>{escape(claim)}</td><td class="cv-part">not checked</td><td></td></tr>'
        for claim in unchecked
    )
    head = '<tr><th scope="col">Part of the claim</th><th scope="col">Verdict</th><th scope="col">Evidence</th></tr>'
    return f'<table class="cv-parts"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def settled_card(judgement: Judgement) -> str:
    """A verdict that stands, while its reasons are being written."""
    return f"""
<section class="cv-card cv-{_TONES[judgement.verdict]}" aria-label="Verdict">
  {_headline(judgement.verdict, judgement.confidence, judgement.tier)}
  <p class="cv-reason" role="status">The reasons are being written \u2026</p>
</section>"""


def _headline(verdict: Verdict, confidence: float, tier: Tier) -> str:
    """The verdict, and the confidence as a bar and in words; a check that decided nothing has none to show."""
    sign = f'<span class="cv-sign" aria-hidden="true">{_SIGNS[_TONES[verdict]]}</span>'
    said = f'<p class="cv-verdict">{sign} {escape(verdict)}</p>'
    if verdict is Verdict.NOT_ENOUGH_EVIDENCE:
        return said
    percent = round(confidence * 100)
    bar = f'<i style="width:{percent}%"></i>'
    return (
        f'{said}<div class="cv-bar" role="img" aria-label="Confidence {percent} percent, {tier}">{bar}</div>'
        f'<p class="cv-small">Confidence {percent}% ({tier})</p>'
    )


def error_card(message: str) -> str:
    """A failure, shown as one."""
    return f'<section class="cv-card cv-error" role="alert"><p class="cv-verdict">This could not be checked</p><p>{escape(message)}</p></section>'


def evidence_cards(evidence: Sequence[Evidence], citations: Sequence[Citation]) -> str:
    """A card for each piece of evidence, with the quoted words marked."""
    if not evidence:
        return ""
    cards = "".join(_evidence_card(number, piece, citations) for number, piece in enumerate(evidence, start=1))
    return f'<section aria-label="Evidence"><h2 class="cv-heading">Evidence</h2><ol class="cv-evidence">{cards}</ol></section>'


def _evidence_card(number: int, piece: Evidence, citations: Sequence[Citation]) -> str:
    label = piece.stance.label if piece.stance else StanceLabel.NEUTRAL
    published = f"<span>published {piece.published_at:%Y-%m-%d}</span>" if piece.published_at else ""
    return f"""
<li class="cv-card cv-piece cv-{label}">
  <p class="cv-small"><b>[{number}]</b> <span class="cv-badge">{_ORIGINS[piece.origin]}</span> <b>{_STANCES[label]}</b>
  <span>relevance {piece.relevance:.1f}</span> {stars(piece.credibility)} {published}</p>
  <p class="cv-text">{marked(piece.text, [c for c in citations if c.number == number])}</p>
  {_stance_bar(piece.stance)}
  {_remarks(piece)}
  <p class="cv-small">{source_link(piece.source, piece.title or piece.domain)}</p>
</li>"""


def _remarks(piece: Evidence) -> str:
    """How the text speaks of the claim, what a fact-checker rated, and who reports the same."""
    said = [
        f"Note: {piece.note}" if piece.note else "",
        f"Rated: {piece.rating}" if piece.rating else "",
        f"Also reported by {', '.join(piece.also)}" if piece.also else "",
    ]
    return "".join(f'<p class="cv-small">{escape(remark)}</p>' for remark in said if remark)


def marked(text: str, citations: Sequence[Citation]) -> str:
    """The text, escaped, with the quoted spans in <mark>."""
    parts, end = [], 0
    for citation in sorted(citations, key=lambda c: c.start):
        if citation.start >= end:
            parts += [escape(text[end : citation.start]), f"<mark>{escape(text[citation.start : citation.end])}</mark>"]
            end = citation.end
    return "".join([*parts, escape(text[end:])])


def stars(credibility: float) -> str:
    """Credibility of 0 to 1 as one to five stars, with words for those who do not see them."""
    count = max(1, min(5, round(credibility * 5)))
    shown = "\u2605" * count + "\u2606" * (5 - count)
    return f'<span class="cv-stars" role="img" aria-label="source credibility {credibility:.2f} of 1" title="source credibility {credibility:.2f} of 1">{shown}</span>'


def _stance_bar(stance: Stance | None) -> str:
    if stance is None:
        return ""
    shares = (("supports", stance.supports), ("refutes", stance.refutes), ("neutral", stance.neutral))
    words = ", ".join(f"{name} {share:.0%}" for name, share in shares)
    bars = "".join(f'<i class="cv-{name}" style="width:{share:.1%}"></i>' for name, share in shares)
    return f'<div class="cv-stance" role="img" aria-label="Stance: {words}" title="{words}">{bars}</div>'


def source_link(url: str, title: str) -> str:
    """A link that opens elsewhere; an address that is not http(s) is shown as text and cannot be followed."""
    if url.startswith(("http://", "https://")):
        return f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer nofollow">{escape(title or url)}</a>'
    return escape(" ".join(part for part in (title, url) if part) or "no source given")


def trace(steps: Sequence[Step], running: bool) -> str:
    """What has been done so far, with the time each step took."""
    items = "".join(
        f"<li><span>{escape(step.message)}</span> <time>{step.seconds * 1000:.0f} ms</time></li>" for step in steps
    )
    busy = '<li class="cv-busy">working \u2026</li>' if running else ""
    if not items and not busy:
        return ""
    return f'<section aria-label="How this was checked"><h2 class="cv-heading">How this was checked</h2><ol class="cv-trace">{items}{busy}</ol></section>'
