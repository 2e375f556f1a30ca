"""Judge whether each piece of evidence supports the claim, refutes it, or leaves it open.

A logistic regression with fitted coefficients combines what was read in a text (`reading`). The result is limited by
what code knows better (`held`). A small model takes a merely retold rumour for support; the signals correct that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.claim.parsed import ParsedClaim
from verifier.interfaces import Reranker, StanceModel
from verifier.judgement.closest import closest_sentence, closest_sentences
from verifier.judgement.coefficients import coefficients
from verifier.judgement.held import held_against, held_by_denial, held_by_figures, held_for, held_open
from verifier.judgement.reading import CLAIM, Parted, parted, read_parted
from verifier.judgement.signals import NEGATION
from verifier.judgement.superlative import Rank
from verifier.schema import Basis, Evidence, Stance
from verifier.text.language import foreign_language
from verifier.text.sanitise import readable

_UNSETTLED = Stance(0.0, 0.0, 1.0)


def stance_of(claim: ParsedClaim, text: str, classifier: StanceModel) -> tuple[Stance, str]:
    """Judge one text; return its stance and a note on how it presents the claim.

    A text in a foreign language is left open. If the claim denies a statement ("It is a myth that ..."), the text is
    read for that statement.

    Args:
        claim: what is checked, in English.
        text: a piece of evidence.
        classifier: the stance model.

    Raises:
        ModelError: the model failed.
    """
    text = readable(text)
    found = _judged(claim, parted(claim.statement, text, closest_sentence(claim.statement, text)), classifier)
    return found.stance, found.note


@dataclass(frozen=True, slots=True)
class _Judged:
    """A text's stance and note, with the model's readings (whole, closest sentence) and that sentence."""

    stance: Stance
    note: str
    readings: tuple[Stance, Stance] | None = None
    closest: str = ""
    basis: Basis = Basis.READING


def _judged(claim: ParsedClaim, text: Parted, classifier: StanceModel) -> _Judged:
    language = foreign_language(text.text)
    if language:
        return _Judged(
            _UNSETTLED, f"it is written in another language ({language}), which the bundled models do not read"
        )
    reading = read_parted(claim.statement, text, classifier)
    readings = Stance(*reading.whole), Stance(*reading.sentence)
    found = coefficients().stance.probabilities(reading.features())
    stance = Stance(**found)
    stance = held_by_figures(stance, reading.figures, bool(NEGATION.search(reading.here)))
    if reading.beside or reading.rank is Rank.OF_ANOTHER_KIND:
        stance = held_open(stance)
    if reading.opposite:
        stance = held_by_denial(stance)
    told = (reading.stated, reading.measured)
    if False in told:
        stance = denied(held_for(denied(stance)))
    elif reading.roles_swapped or reading.rank is Rank.HELD_BY_ANOTHER:
        stance = held_against(stance)
    elif True in told or reading.rank is Rank.HELD:
        stance = held_for(stance)
    if not claim.denied:
        return _Judged(stance, reading.note, readings, text.here, reading.basis)
    note = reading.note.replace(CLAIM, "what the claim denies")
    return _Judged(denied(stance), note, (denied(readings[0]), denied(readings[1])), text.here, reading.basis)


def denied(stance: Stance) -> Stance:
    """Swap the sides, for a claim that denies the statement."""
    return Stance(stance.refutes, stance.supports, stance.neutral)


def judge_stances(
    claim: ParsedClaim, evidence: Sequence[Evidence], classifier: StanceModel, reranker: Reranker | None = None
) -> list[Evidence]:
    """Give each piece its stance; a piece that has one keeps it.

    Args:
        claim: what is checked, in English.
        evidence: pieces of evidence.
        classifier: the stance model.
        reranker: chooses the sentence of each that is read separately; without it, shared words do.

    Raises:
        ModelError: a model failed.
    """
    fresh = list(dict.fromkeys(readable(piece.text) for piece in evidence if piece.stance is None))
    spans = closest_sentences(claim.statement, fresh, reranker)
    apart = {text: parted(claim.statement, text, span) for text, span in zip(fresh, spans, strict=True)}
    classifier.prefetch([pair for each in apart.values() for pair in each.pairs])
    judged = []
    for piece in evidence:
        if piece.stance is None:
            found = _judged(claim, apart[readable(piece.text)], classifier)
            piece = replace(
                piece,
                stance=found.stance,
                note=found.note,
                readings=found.readings,
                closest=found.closest,
                basis=found.basis,
            )
        judged.append(piece)
    return judged
