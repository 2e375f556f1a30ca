"""Write a result as text for a terminal."""

from __future__ import annotations

import textwrap

from errors import shown
from verifier.report.languages import CONFIDENCE, TRANSLATION, phrases_of
from verifier.report.markup import LEFT_OPEN, dates_of, graded, staleness
from verifier.schema import Verdict, VerificationResult
from verifier.text.phrases import Phrases

_WIDTH = 100


def result_to_text(result: VerificationResult) -> str:
    """Write verdict, reasoning, evidence with sources, and warnings."""
    phrases = phrases_of(result.language)
    sure = f"confidence {result.confidence:.2f} ({result.tier})"
    if result.translation:
        sure = phrases.say(CONFIDENCE, percent=f"{result.confidence:.2f}", tier=phrases.say(result.tier))
    lines = [f"{phrases.say(result.verdict)}   {_sure(result.verdict, sure, phrases)}"]
    lines += [graded(result), ""] if graded(result) else [""]
    if result.translation:
        lines += [result.original_claim, phrases.say(TRANSLATION, translation=result.claim), ""]
    elif result.claim != result.original_claim:
        lines += [f"Asked:   {result.original_claim}", f"Checked: {result.claim}", ""]
    lines += [*textwrap.wrap(result.reasoning, _WIDTH), ""]
    lines += [*textwrap.wrap(result.missing.told_in(phrases), _WIDTH), ""] if result.missing else []
    for number, part in enumerate(result.parts, start=1):
        cited = "".join(f" [{citation}]" for citation in part.citations)
        lines.append(
            f"Part {number}: {part.claim}: {phrases.say(part.verdict)} ({_sure(part.verdict, f'{part.confidence:.2f}', phrases)}){cited}"
        )
        found = ", ".join(f"[{piece.number}] {piece.stance or 'not judged'}" for piece in part.evidence)
        lines += [f"    Evidence: {found}"] if found else []
    lines += [f"Not checked: {claim}" for claim in result.unchecked]
    lines += [""] * bool(result.parts)
    for number, piece in enumerate(result.evidence, start=1):
        stance = piece.stance.label if piece.stance else "not judged"
        lines.append(
            f"[{number}] {stance}, relevance {piece.relevance:.1f}, credibility {piece.credibility:.2f}: {piece.title or piece.domain}"
        )
        lines += textwrap.wrap(piece.text, _WIDTH, initial_indent="    ", subsequent_indent="    ")
        dates = dates_of(piece)
        where = f"{piece.source} ({dates})" if dates else piece.source
        lines += [f"    {where.strip()}"] if where else []
        if piece.note:
            lines.append(f"    Note: {piece.note}")
        if piece.also:
            lines.append(f"    Also reported by {', '.join(piece.also)}")
        stale = staleness(piece)
        lines += [f"    {stale}"] if stale else []
    lines += [f"Note: {warning}" for warning in result.warnings if warning not in result.reasoning]
    return shown("\n".join(lines).rstrip())


def _sure(verdict: Verdict, confidence: str, phrases: Phrases) -> str:
    """Return the confidence; an undecided verdict has none to show."""
    return phrases.say(LEFT_OPEN) if verdict is Verdict.NOT_ENOUGH_EVIDENCE else confidence
