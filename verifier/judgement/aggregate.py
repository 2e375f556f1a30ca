"""Join the verdicts and the evidence of the parts of a compound claim.

| parts | whole |
|---|---|
| any Misleading | Misleading |
| supported and refuted ones, or any Partially True | Partially True |
| all True | True |
| refuted ones, no supported one | False: a claim that joins statements is false where one of them is |
| supported ones and gaps, or gaps alone | Not Enough Evidence |

A part that was not checked is a gap. The evidence becomes one numbered list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from verifier.judgement.verdict import tier_of
from verifier.schema import Evidence, Judgement, Tier, Verdict

MAX_EVIDENCE = 25
"""Maximum pieces of evidence in a result, over all parts."""
UNKNOWN = 0.5
"""Probability that an open or unchecked part does not hold. Of 14 development claims with one false and one open part,
three were False as a whole."""
_STATES = {
    Verdict.TRUE: "true",
    Verdict.PARTIALLY_TRUE: "true in part",
    Verdict.MISLEADING: "misleading",
    Verdict.FALSE: "false",
    Verdict.NOT_ENOUGH_EVIDENCE: "not settled",
}
_NUMBERS = "no one two three four five six seven eight nine ten".split()


def aggregate(parts: Sequence[Judgement], unchecked: int = 0) -> Judgement:
    """Judge a claim from the judgements of its parts and the number of unchecked parts.

    Needs at least one judged part. Confidences are multiplied as if independent, since the whole is right only if every
    part is. A gap next to a false part halves the result: if the open part holds, the claim is Partially True. Where
    one part is enough (Misleading), the surest one decides.
    """
    found = _judged(parts, unchecked)
    open_ = found.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    held_back = "; ".join(dict.fromkeys(part.held_back for part in parts if part.held_back)) if open_ else ""
    return replace(found, told=told_of(parts, unchecked), held_back=held_back)


def told_of(parts: Sequence[Judgement], unchecked: int = 0) -> str:
    """Say what became of the parts.

    For example: "one part is false, two are not settled, one was not checked".
    """
    verdicts = [part.verdict for part in parts]
    counts = [(verdicts.count(verdict), state) for verdict, state in _STATES.items() if verdict in verdicts]
    said = [
        f"{_number(count)}{(' part' if count == 1 else ' parts') if first else ''} {'is' if count == 1 else 'are'} {state}"
        for first, (count, state) in zip((True, *[False] * len(counts)), counts, strict=False)
    ]
    if unchecked:
        said.append(f"{_number(unchecked)} {'was' if unchecked == 1 else 'were'} not checked")
    return ", ".join(said)


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _judged(parts: Sequence[Judgement], unchecked: int) -> Judgement:
    verdicts = {part.verdict for part in parts}
    decided = [part for part in parts if part.verdict is not Verdict.NOT_ENOUGH_EVIDENCE]
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    gaps = len(parts) - len(decided)
    if gaps:
        notes = (f"for {gaps} of its {len(parts)} parts there is not enough evidence", *notes)
    if Verdict.MISLEADING in verdicts:
        return _whole(Verdict.MISLEADING, [p for p in parts if p.verdict is Verdict.MISLEADING], max, notes)
    if Verdict.PARTIALLY_TRUE in verdicts or {Verdict.TRUE, Verdict.FALSE} <= verdicts:
        return _whole(Verdict.PARTIALLY_TRUE, decided, math.prod, notes)
    if Verdict.FALSE in verdicts:
        return _whole(
            Verdict.FALSE, decided, lambda confidences: math.prod(confidences) * UNKNOWN ** (gaps + unchecked), notes
        )
    if gaps:
        open_ = [part for part in parts if part.verdict is Verdict.NOT_ENOUGH_EVIDENCE]
        return _whole(Verdict.NOT_ENOUGH_EVIDENCE, open_, max, notes)
    if unchecked:
        return Judgement(Verdict.NOT_ENOUGH_EVIDENCE, UNKNOWN, Tier.LOW, notes)
    return _whole(Verdict.TRUE, decided, math.prod, notes)


def _whole(
    verdict: Verdict, parts: Sequence[Judgement], joined: Callable[[list[float]], float], notes: tuple[str, ...]
) -> Judgement:
    tiers = [Tier.LOW, Tier.MEDIUM, Tier.HIGH]
    confidence = round(float(joined([part.confidence for part in parts])), 4)
    plain = round(float(joined([part.confidence if part.plain is None else part.plain for part in parts])), 4)
    tier = min((tier_of(confidence), *(part.tier for part in parts)), key=tiers.index)
    return Judgement(verdict, confidence, tier, notes, plain=plain)


def merge(parts: Sequence[Sequence[Evidence]]) -> tuple[list[Evidence], list[list[int]]]:
    """Merge the evidence of all parts; return it with each part's positions in it.

    Each text appears once. A text that is evidence for two parts keeps the stance towards the part it says more about.
    """
    merged: dict[str, Evidence] = {}
    for piece in (piece for part in parts for piece in part):
        if piece.text not in merged or _settled(piece) > _settled(merged[piece.text]):
            merged[piece.text] = piece
    where = {text: position for position, text in enumerate(merged)}
    return list(merged.values()), [[where[piece.text] for piece in part] for part in parts]


def _settled(piece: Evidence) -> float:
    return max(piece.stance.supports, piece.stance.refutes) if piece.stance else 0.0


def unanswered(parts: Sequence[Judgement]) -> bool:
    """Return whether some parts are open and none is refuted.

    The claim as a whole may then be settled even though its parts are not.
    """
    return any(p.verdict is Verdict.NOT_ENOUGH_EVIDENCE for p in parts) and all(
        p.verdict in {Verdict.NOT_ENOUGH_EVIDENCE, Verdict.TRUE} for p in parts
    )
