"""Write a check as HTML: verdict, steps, failures.

Pure functions; all foreign text is escaped, here and in ui/pieces.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from ui.pieces import STANCE_SIGNS, piece_id, source_link
from ui.repeat import repeat
from ui.tables import Row, table
from verifier.judgement.explain import opening
from verifier.report.grounds import named, other_sides, publishers, reason, unsound
from verifier.report.languages import CONFIDENCE, MISSING, OPEN, TRANSLATION, phrases_of
from verifier.report.markup import graded, minute, newest, visible
from verifier.report.public import public
from verifier.schema import (
    ClaimType,
    Evidence,
    Judgement,
    StanceLabel,
    Tier,
    Verdict,
    VerificationResult,
)
from verifier.text.phrases import ENGLISH, Phrases

TONES = {
    Verdict.TRUE: "true",
    Verdict.FALSE: "false",
    Verdict.PARTIALLY_TRUE: "partial",
    Verdict.MISLEADING: "misleading",
    Verdict.NOT_ENOUGH_EVIDENCE: "unknown",
    Verdict.NOT_VERIFIABLE: "unknown",
}
SIGNS = {"true": "\u2713", "false": "\u2717", "partial": "\u2248", "misleading": "!", "unknown": "?"}
_TYPES = {
    ClaimType.FACTUAL: "A statement of fact",
    ClaimType.OPINION: "An opinion",
    ClaimType.MIXED: "Fact and opinion",
    ClaimType.AMBIGUOUS: "Unclear",
}
_NUMBER = re.compile(r"\[(\d{1,2})\]")


def verdict_card(result: VerificationResult, within: str = "", kept: bool = False) -> str:
    """Write the card of a verdict.

    It shows why and the verdict, large, with what was checked; then confidence, quotations, the other side, parts and
    warnings. `within` separates its links from those of other cards on the page; `evidence_cards` takes the same.
    `kept`: the check has an address.
    """
    unsaid = [warning for warning in result.warnings if warning not in result.reasoning]
    warnings = "".join(f"<li>{escape(warning)}</li>" for warning in unsaid)
    why, quoted = reason(result.reasoning)
    phrases = phrases_of(result.language)
    claim = result.original_claim if result.translation else result.claim
    return f"""
<section class="cv-card cv-result cv-{TONES[result.verdict]}" aria-label="Verdict" data-check="{escape(result.session_id)}">
  <p class="cv-why" dir="auto">{with_links(why, result.evidence, within)}</p>
  {_headline(result.verdict, claim, result.confidence, result.tier, graded(result), phrases)}
  {_translation(result, phrases) or _asked(result)}
  {f'<p class="cv-reason" dir="auto">{with_links(quoted, result.evidence, within)}</p>' if quoted else ""}
  {_others(result, within)}
  {_missing(result, phrases)}
  {_parts(result, within, phrases)}
  {_fact_checks(result.evidence, within)}
  {f'<ul class="cv-warnings">{warnings}</ul>' if warnings else ""}
  {_dates(result)}
  {repeat(result, kept)}
</section>"""


_SIDES = {
    StanceLabel.SUPPORTS: ("Strongest for it", "nothing that was read supports the claim"),
    StanceLabel.REFUTES: ("Strongest against it", "nothing that was read contradicts the claim"),
}

_OUTWEIGHED = "Nothing says so in plain words; only the model reads it out of this: "


def _others(result: VerificationResult, within: str) -> str:
    """Write the strongest words of the sides not taken, and how many publishers there are."""
    lines, sides = list[str](), other_sides(result)
    if len(sides) > 1 and not any(side.strongest for side in sides):
        lines, sides = ["<b>Strongest on either side.</b> None found: nothing that was read takes a side."], ()
    for side in sides:
        name, none = _SIDES[side.label]
        said = f"None found: {none}."
        if side.strongest:
            number, words = side.strongest.number, f"\u201c{escape(visible(side.strongest.quote))}\u201d"
            who = escape(named(result.evidence[number - 1]))
            told = f"{who}, quoted above" if side.strongest in result.citations else f"{who} says {words}"
            said = f"{_OUTWEIGHED * side.outweighed}{told} {_cited(number, result.evidence, within)}."
        lines.append(f'<b class="cv-{side.label}">{_signed(side.label, name)}.</b> {said}')
    told = publishers(result.evidence)
    lines += [f"<b>Sources.</b> {escape(told)}"] if told else []
    return "".join(f'<p class="cv-other">{line}</p>' for line in lines)


def _signed(label: StanceLabel, words: str) -> str:
    return f'<span aria-hidden="true">{STANCE_SIGNS[label]}</span> {words}'


def _translation(result: VerificationResult, phrases: Phrases) -> str:
    """Write the English that was checked for a claim in another language, or ""."""
    if not result.translation:
        return ""
    told = phrases.say(TRANSLATION, translation=result.claim)
    return f'<p class="cv-asked cv-translation" dir="auto">{escape(visible(told))}</p>'


def _missing(result: VerificationResult, phrases: Phrases) -> str:
    """Write what would settle a claim that was left open, or ""."""
    if result.missing is None:
        return ""
    told = escape(visible(result.missing.told_in(phrases)))
    return f'<p class="cv-missing" dir="auto"><b>{escape(phrases.say(MISSING))}</b> {told}</p>'


def _asked(result: VerificationResult) -> str:
    if result.claim_type is not ClaimType.MIXED:
        return ""
    return (
        f'<p class="cv-asked"><b>You asked:</b> {escape(visible(result.original_claim))}<br>'
        f"<b>Checked:</b> {escape(visible(result.claim))}</p>"
    )


def _dates(result: VerificationResult) -> str:
    said = [f'<span class="cv-badge" title="{escape(result.type_reason)}">{_TYPES[result.claim_type]}</span>']
    said.append(f"<span>Checked {minute(result.checked_at)}</span>")
    latest = newest(result.evidence)
    if latest:
        said.append(f"<span>Newest evidence {latest}</span>")
    elif result.evidence:
        said.append("<span>Evidence without dates</span>")
    return f'<p class="cv-small cv-dates">{" ".join(said)}</p>'


def _fact_checks(evidence: Sequence[Evidence], within: str) -> str:
    """List the fact-checks among the evidence, with their ratings; "" for none."""
    lines = [
        f"<li>{source_link(piece.source, piece.title or piece.domain)} {_cited(number, evidence, within)}{f': {escape(visible(piece.rating))}' if piece.rating else ''}</li>"
        for number, piece in enumerate(evidence, start=1)
        if (piece.rating and not piece.retracted) or piece.source_type == "fact_checker"
    ]
    if not lines:
        return ""
    return f'<div class="cv-related"><b>Related fact-check{"s" * (len(lines) > 1)}</b><ul>{"".join(lines)}</ul></div>'


def with_links(text: str, evidence: Sequence[Evidence], within: str = "") -> str:
    """Escape a text, and link each [N] to the Nth piece of evidence."""
    return _NUMBER.sub(
        lambda found: _cited(int(found[1]), evidence, within) if 1 <= int(found[1]) <= len(evidence) else found[0],
        escape(visible(text)),
    )


def _cited(number: int, evidence: Sequence[Evidence], within: str) -> str:
    """Link a number to its piece, which the browser opens over the text.

    It is struck through if its source is no longer valid.
    """
    gone = unsound(evidence[number - 1])
    shown = f"<s>[{number}]</s>" if gone else f"[{number}]"
    name = f"evidence {number}{f': {gone}' if gone else ''}"
    return f'<a class="cv-cite" href="#{piece_id(number, within)}" aria-haspopup="dialog" aria-label="{escape(name)}">{shown}</a>'


def _parts(result: VerificationResult, within: str, phrases: Phrases) -> str:
    """Write the parts of a compound claim as a table, or "" without parts.

    Those not checked come last.
    """
    parts, pieces = result.parts, result.evidence
    if not parts:
        return ""
    rows = [
        Row(
            (
                escape(visible(part.claim)),
                f'<span aria-hidden="true">{SIGNS[TONES[part.verdict]]}</span> {escape(phrases.say(part.verdict))}',
                with_links("".join(f"[{number}]" for number in part.numbers), pieces, within) or "none",
            ),
            f"cv-{TONES[part.verdict]}",
            ((1, "cv-part"),),
        )
        for part in parts
    ]
    rows += [
        Row((escape(visible(claim)), "not checked", "none"), "cv-unknown", ((1, "cv-part"),))
        for claim in result.unchecked
    ]
    return (
        f'<div class="cv-parts">{table("Parts of the claim", ("Part of the claim", "Verdict", "Evidence"), rows)}</div>'
    )


def settled_card(judgement: Judgement, claim: str = "") -> str:
    """Show a verdict that is final while its reasons are being written."""
    return f"""
<section class="cv-card cv-result cv-{TONES[judgement.verdict]}" aria-label="Verdict">
  <p class="cv-why">{escape(visible(opening(judgement)))}</p>
  {_headline(judgement.verdict, claim, judgement.confidence, judgement.tier)}
  <p class="cv-reason" role="status">The reasons are being written \u2026</p>
</section>"""


def _headline(
    verdict: Verdict, claim: str, confidence: float, tier: Tier, tested: str = "", phrases: Phrases = ENGLISH
) -> str:
    """Write verdict, claim, confidence (a bar and words) and what was tested.

    A check that decided nothing shows no confidence.
    """
    sign = f'<span class="cv-sign" aria-hidden="true">{SIGNS[TONES[verdict]]}</span>'
    said = f'<h2 class="cv-verdict">{sign}<span dir="auto">{escape(phrases.say(verdict))}</span></h2>'
    about = f'<p class="cv-about" dir="auto">{escape(visible(claim))}</p>' if claim else ""
    if verdict is Verdict.NOT_ENOUGH_EVIDENCE:
        return f'{said}{about}<p class="cv-small" dir="auto">{escape(phrases.say(OPEN))}</p>'
    percent = round(confidence * 100)
    sure = escape(phrases.say(CONFIDENCE, percent=f"{percent}%", tier=phrases.say(tier)))
    bar = f'<i style="width:{percent}%"></i>'
    return (
        f'{said}{about}<div class="cv-bar" role="img" aria-label="Confidence {percent} percent, {tier}">{bar}</div>'
        f'<p class="cv-small"><bdi>{sure}.</bdi>{f" {escape(tested)}." if tested else ""}</p>'
    )


def spoken(result: VerificationResult) -> str:
    """Write the verdict for a screen reader."""
    sure = (
        ""
        if result.verdict is Verdict.NOT_ENOUGH_EVIDENCE
        else f", confidence {round(result.confidence * 100)} percent"
    )
    count = len(result.evidence)
    verdict = phrases_of(result.language).say(result.verdict)
    return escape(f"Verdict: {verdict}{sure}. {count} piece{'s' * (count != 1)} of evidence.")


def error_card(message: str) -> str:
    """Show a failure as a failure, without paths of this server."""
    return f'<section class="cv-card cv-error" role="alert"><h2 class="cv-verdict">This could not be checked</h2><p>{escape(public(message))}</p></section>'


def note_card(message: str) -> str:
    """Show a message that is not a failure."""
    return f'<section class="cv-card cv-unknown" role="status"><p>{escape(message)}</p></section>'
