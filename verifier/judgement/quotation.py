"""Choose what to quote: a piece's words about the claim, with its rating or denial."""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.judgement.closest import closest_sentence, sentence_spans
from verifier.judgement.compare import compare
from verifier.schema import StanceLabel

MAX_QUOTE = 240
_MAX_WITH_DENIAL = 2 * MAX_QUOTE
"""Maximum length of a quotation that would otherwise end before the words that turn its sense."""
_FALSE = (
    r"(?:false|fake|untrue|incorrect|inaccurate|wrong|a hoax|a myth|misleading|fabricated|baseless|unfounded|debunked|pants on fire|nonsense|"
    r"satire|invented|doctored|out of context|(?:not|never) (?:true|correct|accurate|so|the case|quite|real|happen\w*))"
)
_TURNING = re.compile(
    rf"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|but|however|{_FALSE})\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What may turn the sense of the words before it in a sentence."""
_DENIES = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|nobody|nothing|cannot)\b|n['\u2019]t\b", re.IGNORECASE
)
_VERDICT_FOLLOWS = re.compile(
    rf"^\W*(?:(?:(?:our|the|final|overall|fact[- ]check\w*) ){{0,2}}(?:rating|verdict|ruling|conclusion|assessment|rated)\b"
    rf"|(?:mostly |partly |half )?(?:true|correct)\b|(?:mostly |partly |completely |entirely )?{_FALSE}\b|pants on fire"
    rf"|(?:but |in fact,? |however,? |yet )?(?:(?:this|that|it|all of this|none of this|(?:the|this|that|these|those) [\w-]+(?: [\w-]+)?)(?: is| was| are| were|['\u2019]s| has been| have been| did| does)"
    rf"[^.!?]{{0,40}}\b{_FALSE}|(?:it|this|that) (?:did not|didn['\u2019]t|never) happen\w*|there (?:is|was) no (?:evidence|truth|basis|record)|not (?:so|true|quite)))\b",
    re.IGNORECASE,
)
"""How a sentence begins that rates or denies the one before it."""


def quoted_span(claim: Statement, text: str, label: StanceLabel | None = None, closest: str = "") -> tuple[int, int]:
    """Return start and end of the quotation from a text.

    It is the sentence closest to the claim, with a rating or denial that follows it. `closest` is the sentence that was
    read separately, "" if none; if it is not in the text word for word, it is chosen again. From a text that supports
    the claim, a sentence that denies the claim's statement is quoted only if no other is as near, and one without the
    claim's figure only if no other has it. A long sentence is cut at a space, not before a word that turns its sense;
    the final full stop is dropped.
    """
    start = text.find(closest) if closest else -1
    start, end = (start, start + len(closest)) if start >= 0 else closest_sentence(claim, text)
    if label is StanceLabel.SUPPORTS and _is_turned(claim, text[start:end]):
        start, end = _unturned(claim, text) or (start, end)
    elif label is StanceLabel.SUPPORTS and not _holds_figure(claim, text[start:end]):
        start, end = _with_figure(claim, text) or (start, end)
    for following, after in sentence_spans(text):
        if following >= end and _VERDICT_FOLLOWS.match(text[following:after]) and after - start <= _MAX_WITH_DENIAL:
            end = after
        elif following >= end:
            break
    return _shortened(text, start, end)


def _is_turned(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence denies what the claim says, or says what it denies."""
    return len(_DENIES.findall(sentence)) % 2 != len(_DENIES.findall(claim.text)) % 2


def _unturned(claim: Statement, text: str) -> tuple[int, int] | None:
    """Find the nearest undenied sentence, if at least half as close as the nearest."""
    near = {span: claim.closeness(text[slice(*span)]) for span in sentence_spans(text)}
    fitting = [span for span in near if not _is_turned(claim, text[slice(*span)])]
    best = max(fitting, key=lambda span: near[span], default=None)
    return best if best and 2 * near[best] >= max(near.values()) > 0 else None


def _holds_figure(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence holds one of the claim's figures, or the claim has none."""
    return not claim.figures or bool(compare(claim, sentence, sentence).same)


def _with_figure(claim: Statement, text: str) -> tuple[int, int] | None:
    """Find the nearest sentence with a figure of the claim that does not deny it."""
    fitting = [
        (start, end)
        for start, end in sentence_spans(text)
        if _holds_figure(claim, text[start:end]) and not _is_turned(claim, text[start:end])
    ]
    return max(fitting, key=lambda span: claim.closeness(text[slice(*span)]), default=None)


def _shortened(text: str, start: int, end: int) -> tuple[int, int]:
    if end - start > MAX_QUOTE:
        turns = [match.end() for match in _TURNING.finditer(text, start, end)]
        last = end if turns and turns[-1] > start + MAX_QUOTE else start + MAX_QUOTE
        if last - start > _MAX_WITH_DENIAL:  # keep the denial and what it denies, from as far back as there is room
            last = min(end, max(turns[-1] + MAX_QUOTE // 2, start + _MAX_WITH_DENIAL))
            space = text.find(" ", last - _MAX_WITH_DENIAL, last)
            start = space + 1 if space >= 0 else last - _MAX_WITH_DENIAL
        if last < end:
            space = text.rfind(" ", start, last)
            end = space if space > start else last
    while end > start + 1 and text[end - 1] in ".,;: ":
        end -= 1
    return start, end
