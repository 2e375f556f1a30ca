"""Write a result as Markdown, to paste into notes, an issue or an article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from verifier.report.languages import MISSING, TRANSLATION, phrases_of
from verifier.report.markup import (
    HOW_TO_READ,
    ORIGINS,
    confidence_in_words,
    dates_of,
    graded,
    minute,
    newest,
    one_line,
    quoted_spans,
    remarks,
    stance_of,
    web_address,
)
from verifier.schema import Citation, Evidence, PartResult, Status, VerificationResult
from verifier.text.phrases import Phrases

_INLINE = re.compile(r"([\\`*_\[\]<>&~|!#$])")
_LINE_START = re.compile(r"^(?:([-+=:])|(\d{1,9})([.)]))")


def result_to_markdown(result: VerificationResult) -> str:
    """Write verdict, reasons, parts, evidence, steps and dates.

    Quoted words are bold. Foreign text is escaped.
    """
    phrases = phrases_of(result.language)
    blocks = [
        f"# {phrases.say(result.verdict)}: {plain(result.original_claim if result.translation else result.claim)}",
        "\n".join(_facts(result, phrases)),
        plain(result.reasoning),
        f"**{phrases.say(MISSING)}** {plain(result.missing.told_in(phrases))}" if result.missing else "",
        *(f"> {plain(warning)}" for warning in result.warnings if warning not in result.reasoning),
        "\n".join(_parts(result.parts, result.unchecked, phrases)),
        "## Evidence" if result.evidence else "",
        *(_piece(number, piece, result.citations) for number, piece in enumerate(result.evidence, start=1)),
        "## How this was checked",
        "\n".join(f"{number}. {plain(step.message)}" for number, step in enumerate(result.steps, start=1)),
        "## How to read this",
        HOW_TO_READ,
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def plain(text: str) -> str:
    """Put the text on one line, escaped so that Markdown treats no character as markup."""
    escaped = _INLINE.sub(r"\\\1", one_line(text))
    return _LINE_START.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", escaped)


def _facts(result: VerificationResult, phrases: Phrases) -> Iterator[str]:
    confidence = confidence_in_words(result.verdict, result.confidence, result.tier, phrases)
    yield f"- Confidence: {confidence}"
    if graded(result):
        yield f"- {graded(result)}"
    if result.translation:
        yield f"- {plain(phrases.say(TRANSLATION, translation=result.claim))}"
    elif result.claim != result.original_claim:
        yield f"- Asked: {plain(result.original_claim)}"
    yield f"- Kind of claim: {result.claim_type}"
    yield f"- Checked: {minute(result.checked_at)}"
    yield f"- Newest evidence: {newest(result.evidence) or 'none with a date'}"
    if result.status is not Status.OK:
        yield f"- Status: {result.status}"


def _parts(parts: Sequence[PartResult], unchecked: Sequence[str], phrases: Phrases) -> Iterator[str]:
    if not parts and not unchecked:
        return
    yield "| Part of the claim | Verdict | Confidence | Evidence |"
    yield "| --- | --- | --- | --- |"
    for part in parts:
        cited = " ".join(f"\\[{number}\\]" for number in part.numbers)
        confidence = confidence_in_words(part.verdict, part.confidence, part.tier, phrases)
        yield f"| {plain(part.claim)} | {phrases.say(part.verdict)} | {confidence} | {cited} |"
    for claim in unchecked:
        yield f"| {plain(claim)} | not checked | | |"


def _piece(number: int, piece: Evidence, citations: Sequence[Citation]) -> str:
    own = [citation for citation in citations if citation.number == number]
    dates = dates_of(piece)
    title = plain(piece.title or piece.domain or piece.source) or "no title"
    lines = [
        f"**\\[{number}\\]** {stance_of(piece)}, relevance {piece.relevance:.1f}, credibility {piece.credibility:.2f}{f', {dates}' if dates else ''}",
        f"> {_emphasised(piece.text, own)}",
        f"{link(piece.source, title)} ({ORIGINS[piece.origin]})",
        *(plain(remark) for remark in remarks(piece)),
    ]
    return "\n\n".join(lines)


def link(source: str, title: str) -> str:
    """Write the escaped title as a link to its source; a non-http(s) address is text."""
    address = web_address(source)
    if address:
        return f"[{title}](<{address.replace('&', '&amp;')}>)"
    return f"{title}, {plain(source)}" if source and plain(source) != title else title


def _emphasised(text: str, citations: Sequence[Citation]) -> str:
    """Return the text with the quoted words in bold."""
    shown = ""
    for piece, quoted in quoted_spans(text, citations):
        words = one_line(piece)
        if not words:
            shown += " " if piece else ""
            continue
        before, after = " " * piece[0].isspace(), " " * piece[-1].isspace()
        inner = _INLINE.sub(r"\\\1", words)
        shown += f"{before}{_bold(inner, shown + before) if quoted else inner}{after}"
    return _LINE_START.sub(
        lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", " ".join(shown.split())
    )


def _bold(words: str, before: str) -> str:
    """Make words bold.

    After a letter, an opening mark would be read as two plain stars, so a zero-width character separates them.
    """
    gap = "&#8203;" if before and before[-1].isalnum() and not words[0].isalnum() else ""
    return f"{gap}**{words}**"
