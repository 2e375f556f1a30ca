"""Explain the verdict in 2 to 4 sentences that quote the decisive words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.claim.parsed import ParsedClaim
from verifier.judgement.quotation import quoted_span
from verifier.judgement.verdict import CONFLICT
from verifier.judgement.votes import shown_strengths, yielding
from verifier.schema import SIDE_OF, Citation, Evidence, Judgement, Reason, StanceLabel, Verdict
from verifier.text.phrases import ENGLISH, Phrases

MAX_PER_SIDE = 2
MAX_TOLD = 3
"""Parts of a compound claim that the reasoning covers; the result lists all of them."""
_MIN_LISTED, _MIN_LISTED_SHARE = 3, 0.3
_NOT_A_MARK = re.compile(r"[][\u201c\u201d]")
"""Characters that mark citations in the reasoning, so a title or claim must not bring them in."""
_OPENING = {
    Verdict.TRUE: "The evidence supports the claim",
    Verdict.FALSE: "The evidence contradicts the claim",
    Verdict.PARTIALLY_TRUE: "The evidence supports the claim only in part",
    Verdict.MISLEADING: "The claim misleads",
    Verdict.NOT_ENOUGH_EVIDENCE: "The evidence found does not settle the claim",
}
_OPENING_OF_PARTS = {
    Verdict.TRUE: "All parts of the claim are supported",
    Verdict.FALSE: "The claim is contradicted",
    Verdict.PARTIALLY_TRUE: "The claim is supported only in part",
    Verdict.MISLEADING: "A part of the claim misleads",
    Verdict.NOT_ENOUGH_EVIDENCE: "The evidence found does not settle all of the claim",
}
NOTHING_FOUND = "No relevant evidence was found. Without evidence there is no verdict."


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim or part with its judgement and evidence; `numbers` are the pieces' displayed numbers.

    `sought` is what was looked for and not found, for a claim left open.
    """

    claim: ParsedClaim
    judgement: Judgement
    evidence: Sequence[Evidence]
    numbers: Sequence[int]
    sought: tuple[str, ...] = ()


def opening(judgement: Judgement, frames: Mapping[Verdict, str] = _OPENING, phrases: Phrases = ENGLISH) -> str:
    """Write the reasoning's first sentence: what the evidence says, and how many sources decided it."""
    said, told = phrases.say(frames[judgement.verdict]), phrases.retell(judgement.told)
    if not told:
        return phrases.say("{opening}.", opening=said)
    return phrases.say("{opening}: {told}.", opening=said, told=told)


def explain(finding: Finding, phrases: Phrases = ENGLISH) -> tuple[str, tuple[Citation, ...]]:
    """Write the reasoning in the language of `phrases`; return it with its citations."""
    if not finding.evidence:
        return phrases.say(NOTHING_FOUND), ()
    judgement, citations = finding.judgement, list[Citation]()
    sentences = [opening(judgement, phrases=phrases)]

    def quote(frame: str, positions: Sequence[int]) -> None:
        sentences.append(phrases.say(frame, quotations=_quotations(finding, positions, citations, phrases)))

    if not _has_sides(judgement):
        quote("The nearest text: {quotations}.", [0])
    elif judgement.rated_by is not None:
        quote("In its words, {quotations}.", [judgement.rated_by])
    elif judgement.compared:
        quote("In figures, {quotations}.", range(len(finding.evidence)))
    else:
        for label in _sides(judgement.verdict):
            cited = _cited(finding, label)
            if cited:
                against = label is StanceLabel.REFUTES
                quote("Against it, {quotations}." if against else "For it, {quotations}.", cited)
    sentences += [phrases.say("Note: {note}.", note=phrases.retell(note)) for note in judgement.notes[:1]]
    return " ".join(sentences), tuple(citations)


def explain_by(finding: Finding, reasons: Sequence[Reason]) -> tuple[str, tuple[Citation, ...]]:
    """Write the reasoning in an instruct model's sentences; return it with its citations.

    The opening comes from code.
    """
    sentences, citations = [opening(finding.judgement)], list[Citation]()
    for reason in reasons:
        piece, number = finding.evidence[reason.position], finding.numbers[reason.position]
        quote = piece.text[reason.start : reason.end]
        citations.append(Citation(number, quote, reason.start, reason.end, piece.source, piece.title))
        sentences.append(f"{reason.sentence}: \u201c{quote}\u201d [{number}].")
    return " ".join(sentences), tuple(dict.fromkeys(citations))


def explain_parts(
    whole: Judgement, parts: Sequence[Finding], phrases: Phrases = ENGLISH
) -> tuple[str, tuple[Citation, ...], list[tuple[int, ...]]]:
    """Write a compound claim's reasoning; return it, its citations, and each part's cited numbers.

    The reasoning covers three parts, settled ones first, with a quotation each. The others cite nothing.
    """
    order = sorted(range(len(parts)), key=lambda i: parts[i].judgement.verdict is Verdict.NOT_ENOUGH_EVIDENCE)[
        :MAX_TOLD
    ]
    citations: list[Citation] = []
    cited: list[tuple[int, ...]] = [()] * len(parts)
    sentences = [opening(whole, _OPENING_OF_PARTS, phrases)]
    for i in sorted(order):
        found: list[Citation] = []
        sentences.append(_part_sentence(parts[i], found, phrases))
        cited[i] = tuple(citation.number for citation in found)
        citations += [citation for citation in found if citation not in citations]
    return " ".join(sentences), tuple(citations), cited


def _part_sentence(part: Finding, citations: list[Citation], phrases: Phrases) -> str:
    """Write a part's verdict and who says so: `(The tower is 90 metres tall) True: ...`."""
    name = _NOT_A_MARK.sub("", part.claim.text).rstrip(".!?")
    verdict = phrases.say(part.judgement.verdict)
    positions: list[int] = []
    if part.judgement.rated_by is not None:
        positions = [part.judgement.rated_by]
    elif part.judgement.compared:
        positions = list(range(len(part.evidence)))
    elif _has_sides(part.judgement):
        positions = [at for label in _sides(part.judgement.verdict) for at in _cited(part, label)[:1]]
        one_side = part.judgement.verdict in {Verdict.TRUE, Verdict.FALSE, Verdict.MISLEADING}
        positions = positions[:1] if one_side else positions
    if not positions:
        return phrases.say("({part}) {verdict}.", part=name, verdict=verdict)
    quotations = _quotations(part, positions, citations, phrases)
    return phrases.say("({part}) {verdict}: {quotations}.", part=name, verdict=verdict, quotations=quotations)


def _has_sides(judgement: Judgement) -> bool:
    """Return whether to quote sides: those of a verdict, or of a conflict left open."""
    return judgement.verdict is not Verdict.NOT_ENOUGH_EVIDENCE or judgement.held_back == CONFLICT


def _sides(verdict: Verdict) -> tuple[StanceLabel, StanceLabel]:
    """Return the side to quote first, then the other."""
    if verdict is Verdict.FALSE:
        return StanceLabel.REFUTES, StanceLabel.SUPPORTS
    return StanceLabel.SUPPORTS, StanceLabel.REFUTES


def _cited(finding: Finding, label: StanceLabel) -> list[int]:
    """Choose a side's weightiest pieces, one per publisher; return their positions.

    Listed publishers come first if there are enough. A text against the verdict is not quoted if only the model gives
    it that side and another says the opposite outright.
    """
    evidence, against = finding.evidence, SIDE_OF.get(finding.judgement.verdict, label) is not label
    yields = yielding(evidence) if against else [False] * len(evidence)
    pieces = [i for i, piece in enumerate(evidence) if piece.stance and piece.stance.label is label and not yields[i]]
    listed = [i for i in pieces if evidence[i].listed]
    if len(listed) >= _MIN_LISTED and len(listed) / len(pieces) >= _MIN_LISTED_SHARE:
        pieces = listed
    best: dict[str, int] = {}
    strengths = shown_strengths(evidence, label)
    for i in sorted(pieces, key=lambda i: -strengths[i]):
        best.setdefault(evidence[i].voice or f"text {i}", i)
    return list(best.values())[:MAX_PER_SIDE]


def _quotations(finding: Finding, positions: Sequence[int], citations: list[Citation], phrases: Phrases) -> str:
    """Quote pieces and append their citations: `nasa.gov says "..." [1] and who.int says "..." [2]`."""
    said = ""
    for position in positions:
        piece = finding.evidence[position]
        label = piece.stance.label if piece.stance else None
        start, end = quoted_span(finding.claim.whole, piece.text, label, piece.closest)
        citation = Citation(finding.numbers[position], piece.text[start:end], start, end, piece.source, piece.title)
        citations.append(citation)
        speaker = piece.domain or _NOT_A_MARK.sub("", piece.title) or phrases.say("the text")
        quotation = f"\u201c{citation.quote}\u201d [{citation.number}]"
        one = phrases.say("{speaker} says {quotation}", speaker=speaker, quotation=quotation)
        said = phrases.say("{first} and {second}", first=said, second=one) if said else one
    return said
