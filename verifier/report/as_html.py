"""Write a result as one HTML page to keep, send or print.

It contains everything it shows, and requests nothing from any server.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from verifier.report.languages import MISSING, TRANSLATION, phrases_of
from verifier.report.markup import (
    HOW_TO_READ,
    ORIGINS,
    confidence_in_words,
    dates_of,
    graded,
    marked,
    minute,
    newest,
    one_line,
    remarks,
    stance_of,
    web_address,
)
from verifier.schema import Citation, Evidence, PartResult, Status, Step, Verdict, VerificationResult
from verifier.text.phrases import Phrases

STYLE = Path(__file__).parent / "report.css"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""If markup ever got past the escaping, it could load, run or send nothing."""
TONES = {
    Verdict.TRUE: "true",
    Verdict.FALSE: "false",
    Verdict.PARTIALLY_TRUE: "mixed",
    Verdict.MISLEADING: "mixed",
    Verdict.NOT_ENOUGH_EVIDENCE: "open",
    Verdict.NOT_VERIFIABLE: "open",
}


def result_to_html(result: VerificationResult) -> str:
    """Write the whole page. Foreign text is escaped; only http(s) sources are linked."""
    phrases = phrases_of(result.language)
    return page_html(
        f"{phrases.say(result.verdict)}: {one_line(result.original_claim if result.translation else result.claim)}",
        f"""{_verdict(result, phrases)}
{_parts(result.parts, result.unchecked, phrases)}
{_evidence(result.evidence, result.citations)}
{_steps(result.steps)}
<h2>How to read this</h2>
<p>{escape(HOW_TO_READ)}</p>""",
    )


def page_html(title: str, body: str, style: str = "") -> str:
    """Write a self-contained page: `title` is plain text, `body` is HTML, `style` is CSS.

    `style` is added to the report's own.
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>
{STYLE.read_text(encoding="utf-8")}{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _verdict(result: VerificationResult, phrases: Phrases) -> str:
    confidence = confidence_in_words(result.verdict, result.confidence, result.tier, phrases)
    translated = phrases.say(TRANSLATION, translation=result.claim) if result.translation else ""
    claim = result.original_claim if translated else result.claim
    asked = _row("Asked", result.original_claim) if claim != result.original_claim else ""
    missing = result.missing.told_in(phrases) if result.missing else ""
    status = "" if result.status is Status.OK else _row("Status", result.status)
    tested = _row("How often such verdicts are wrong", graded(result)) if graded(result) else ""
    unsaid = [warning for warning in result.warnings if warning not in result.reasoning]
    warnings = "".join(f"<li>{_text(warning)}</li>" for warning in unsaid)
    return f"""<p class="verdict {TONES[result.verdict]}" dir="auto">{escape(phrases.say(result.verdict))}</p>
<h1 dir="auto">{_text(claim)}</h1>
{f'<p class="translation" dir="auto">{_text(translated)}</p>' if translated else ""}
<dl>
{asked}{_row("Confidence", confidence)}{tested}{_row("Kind of claim", result.claim_type)}{status}
<dt>Checked</dt><dd><time datetime="{result.checked_at.isoformat()}">{minute(result.checked_at)}</time></dd>
{_row("Newest evidence", newest(result.evidence) or "none with a date")}
</dl>
<p class="reason" dir="auto">{_text(result.reasoning)}</p>
{f'<p class="missing" dir="auto"><b>{escape(phrases.say(MISSING))}</b> {_text(missing)}</p>' if missing else ""}
{f'<ul class="warnings">{warnings}</ul>' if warnings else ""}"""


def _row(name: str, value: str) -> str:
    return f'<dt>{name}</dt><dd dir="auto">{_text(value)}</dd>'


def _text(text: str) -> str:
    return escape(one_line(text))


def _parts(parts: Sequence[PartResult], unchecked: Sequence[str], phrases: Phrases) -> str:
    if not parts and not unchecked:
        return ""
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("Part of the claim", "Verdict", "Confidence", "Evidence")
    )
    rows = "".join(
        f'<tr><td dir="auto">{_text(part.claim)}</td><td class="{TONES[part.verdict]}">{escape(phrases.say(part.verdict))}</td>'
        f"<td>{escape(confidence_in_words(part.verdict, part.confidence, part.tier, phrases))}</td>"
        f"<td>{' '.join(f'[{number}]' for number in part.numbers)}</td></tr>"
        for part in parts
    )
    rows += "".join(
        f'<tr><td dir="auto">{_text(claim)}</td><td>not checked</td><td></td><td></td></tr>' for claim in unchecked
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _evidence(evidence: Sequence[Evidence], citations: Sequence[Citation]) -> str:
    if not evidence:
        return ""
    pieces = "\n".join(piece_html(number, piece, citations) for number, piece in enumerate(evidence, start=1))
    return f"<h2>Evidence</h2>\n{pieces}"


def piece_html(number: int, piece: Evidence, citations: Sequence[Citation]) -> str:
    """Write one numbered piece of evidence with its quoted words marked."""
    says = (
        stance_of(piece),
        f"relevance {piece.relevance:.1f}",
        f"credibility {piece.credibility:.2f}",
        dates_of(piece),
    )
    said = ", ".join(filter(None, says))
    notes = "".join(f'<p class="small" dir="auto">{_text(remark)}</p>' for remark in remarks(piece))
    return f"""<article>
<p class="small"><b>[{number}]</b> {said} ({ORIGINS[piece.origin]})</p>
<blockquote dir="auto">{marked(piece.text, [citation for citation in citations if citation.number == number])}</blockquote>
{notes}<p class="small">{_source(piece)}</p>
</article>"""


def _source(piece: Evidence) -> str:
    """Write the title as a link, then the site's name; a non-http(s) address is text."""
    title = f"<bdi>{_text(piece.title or piece.domain or piece.source) or 'no source given'}</bdi>"
    address = web_address(piece.source)
    if address:
        return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{title}</a> {_text(piece.domain)}'
    return f"{title} <bdi>{_text(piece.source)}</bdi>" if piece.title or piece.domain else title


def _steps(steps: Sequence[Step]) -> str:
    if not steps:
        return ""
    items = "".join(f"<li>{_text(step.message)} <span>{step.seconds * 1000:.0f} ms</span></li>" for step in steps)
    return f'<h2>How this was checked</h2>\n<ol class="small">{items}</ol>'
