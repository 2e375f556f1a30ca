"""Write evidence and stored records as HTML. Pure functions; all foreign text is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from ui.repeat import addresses
from verifier.report.grounds import Side, unsound
from verifier.report.markup import ORIGINS, STANCES, dates_of, marked, remarks, visible, web_address
from verifier.schema import Citation, Evidence, Stance, StanceLabel

if TYPE_CHECKING:
    from verifier.api.knowledge import EvidenceRecord, Hit

KINDS = {
    "news": "News",
    "academic": "Academic",
    "fact_checker": "Fact-checker",
    "government": "Government",
    "social": "Social medium",
}


STANCE_SIGNS = {StanceLabel.SUPPORTS: "\u2713", StanceLabel.REFUTES: "\u2717", StanceLabel.NEUTRAL: "?"}


def piece_id(number: int, within: str = "") -> str:
    """Name the place of a piece on the page; `within` tells several results apart."""
    return f"cv-{within}piece-{number}"


def evidence_cards(
    evidence: Sequence[Evidence], citations: Sequence[Citation], within: str = "", others: Sequence[Side] = ()
) -> str:
    """Write a card for each piece.

    The quoted ones come first, then the strongest of the `others`; the rest are folded away.
    """
    if not evidence:
        return ""
    quoted = {citation.number for citation in citations}
    strongest = [side.strongest for side in others if side.strongest and side.strongest.number not in quoted]
    marks = [*citations, *strongest]
    cards = {number: _evidence_card(number, piece, marks, within) for number, piece in enumerate(evidence, start=1)}
    first = [card for number, card in cards.items() if number in quoted]
    if not first:
        return _section("What was found", _cards(list(cards.values())))
    opposed = {citation.number for citation in strongest}
    second = [card for number, card in cards.items() if number in opposed]
    rest = [card for number, card in cards.items() if number not in quoted | opposed]
    other = f'<h2 class="cv-heading">The other side</h2>{_cards(second)}' if second else ""
    folded = (
        f'<details class="cv-more"><summary>Also read <span class="cv-soft">{len(rest)}</span></summary>{_cards(rest)}</details>'
        if rest
        else ""
    )
    return _section("What decided it", _cards(first) + other + folded)


def _section(name: str, content: str) -> str:
    return f'<section aria-label="Evidence"><h2 class="cv-heading">{name}</h2>{content}</section>'


def _cards(cards: Sequence[str]) -> str:
    return f'<ol class="cv-evidence">{"".join(cards)}</ol>'


def _evidence_card(number: int, piece: Evidence, citations: Sequence[Citation], within: str) -> str:
    label, gone = piece.stance.label if piece.stance else StanceLabel.NEUTRAL, unsound(piece)
    said = "".join(f'<p class="cv-small">{escape(remark)}</p>' for remark in remarks(piece) if remark != gone)
    source = source_link(piece.source, piece.title or piece.domain)
    return f"""
<li class="cv-card cv-piece cv-{label}" id="{piece_id(number, within)}">
  <p class="cv-small cv-head"><b class="cv-number">{number}</b> <b class="cv-says"><span aria-hidden="true">{STANCE_SIGNS[label]}</span> {STANCES[label]}</b> {_stance_bar(piece.stance)}</p>
  <p class="cv-text">{marked(piece.text, [c for c in citations if c.number == number])}</p>
  <p class="cv-source">{f'<s>{source}</s> <b class="cv-gone">{escape(gone)}.</b>' if gone else source}</p>
  <p class="cv-small">{_origin(piece)} {stars(piece.credibility)} {_relevance(piece.relevance)} {_record(piece.record_id)}</p>
  {said}
</li>"""


def _origin(piece: Evidence) -> str:
    said = [f'<span class="cv-badge">{ORIGINS[piece.origin]}</span>']
    said += [f"<span>{escape(text)}</span>" for text in (piece.domain, KINDS.get(piece.source_type, "")) if text]
    dates = dates_of(piece)
    if dates:
        said.append(f"<span>{dates}</span>")
    return " ".join(said)


def _record(record_id: str) -> str:
    """Link the record behind a piece, if the store holds it."""
    return f'<a href="record/{escape(record_id)}">record</a>' if record_id else ""


def _relevance(score: float) -> str:
    return f'<span title="0 is as likely relevant as not">relevance {score:.1f}</span>'


def stars(credibility: float) -> str:
    """Show credibility of 0 to 1 as one to five stars, described for screen readers."""
    count = max(1, min(5, round(credibility * 5)))
    shown = "\u2605" * count + "\u2606" * (5 - count)
    return f'<span class="cv-stars" role="img" aria-label="source credibility {credibility:.2f} of 1" title="source credibility {credibility:.2f} of 1">{shown}</span>'


def _stance_bar(stance: Stance | None) -> str:
    if stance is None:
        return ""
    shares = (("supports", stance.supports), ("refutes", stance.refutes), ("neutral", stance.neutral))
    words = ", ".join(f"{name} {share:.0%}" for name, share in shares)
    bars = "".join(f'<i class="cv-{name}" style="width:{share:.1%}"></i>' for name, share in shares)
    return f'<span class="cv-stance" role="img" aria-label="Stance: {words}" title="{words}">{bars}</span>'


def source_link(url: str, title: str) -> str:
    """Write a link that opens in a new tab.

    An address that is not http(s) is shown as text and cannot be followed.
    """
    if web_address(url):
        return f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer nofollow">{escape(visible(title or url))}</a>'
    return escape(visible(" ".join(part for part in (title, url) if part)) or "no source given")


def record_cards(hits: Sequence[Hit], query: str) -> str:
    """Show what a search of the store found, most similar first."""
    if not hits:
        return f'<p role="status">The store holds nothing on {escape(visible(query[:200]))}.</p>'
    cards = "".join(_record_card(hit.record, f"<span>similarity {hit.similarity:.2f}</span>") for hit in hits)
    links = addresses("search", "address", f"?q={quote(query[:2_000], safe='')}")
    return f'<section aria-label="Records"><p role="status" class="cv-soft">{len(hits)} record{"s" * (len(hits) > 1)}, most similar first; {links}</p><ol class="cv-evidence">{cards}</ol></section>'


def _record_card(record: EvidenceRecord, more: str) -> str:
    published = f"<span>{record.published_at:%Y-%m-%d}</span>" if record.published_at else ""
    times = "once" if record.access_count == 1 else f"{record.access_count} times"
    used = f"<span>used {times}</span>" if record.access_count else ""
    told = "".join(
        f"<span>{escape(text)}</span> " for text in (record.domain, KINDS.get(record.source_type, "")) if text
    )
    return f"""
<li class="cv-card cv-piece">
  <p class="cv-text">{escape(visible(record.text))}</p>
  <p class="cv-source">{source_link(record.source, record.title or record.domain)}</p>
  <p class="cv-small"><span class="cv-badge">{ORIGINS[record.origin]}</span> {told}{published} {stars(record.source_credibility)} {more} {used} {_record(record.id)}</p>
</li>"""
