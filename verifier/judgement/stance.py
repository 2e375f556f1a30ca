"""Judge whether each piece of evidence supports the claim, refutes it, or leaves it open.

The stance model reads a text twice: whole, and its sentence closest to the claim (`closest`), since a small model is led
astray by what else a text says. The model's probabilities, the way in which the text speaks of the claim (`signals`), and whether figures and
names agree are joined by a logistic regression with the fitted coefficients. A small model takes a rumour that is merely
retold for support; the signals are what it is corrected by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.claim.parsed import ParsedClaim, Statement
from verifier.evidence.maker import is_by_claimed_maker
from verifier.evidence.restated import has_same_words, said_outright, without_asides
from verifier.interfaces import Reranker, StanceModel
from verifier.judgement.beside import tells_of_something_else
from verifier.judgement.closest import closest_sentence, closest_sentences, own_clause, without_others, words_shared
from verifier.judgement.coefficients import coefficients
from verifier.judgement.compare import Agreement, compare
from verifier.judgement.denial import denies_another
from verifier.judgement.held import held_against, held_by_denial, held_by_figures, held_for, held_open, is_called_a_myth
from verifier.judgement.majority import has_most
from verifier.judgement.period import is_in_period, tells_other_end
from verifier.judgement.roles import are_roles_swapped
from verifier.judgement.signals import NAMES, NEGATION, Signals, signals_of
from verifier.judgement.subject import is_namesake, is_other_subject
from verifier.judgement.superlative import Rank, rank_told
from verifier.schema import Basis, Evidence, Stance
from verifier.text.language import foreign_language
from verifier.text.sanitise import readable

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
"""The stance model's labels, in the order supports, refutes, neutral."""
FEATURES = (
    *(f"{part}_{label}" for part in ("whole", "sentence") for label in ("supports", "refutes", "neutral")),
    *NAMES,
    "figures_same",
    "figures_other",
    "names_missing",
    "other_subject",
    "words_shared",
    "restated",
)
"""What a stance is computed from: log-probabilities of the model's two readings, cues, and agreement of facts."""
CLAIM = "the claim"
_FLOOR = 1e-4
_UNSETTLED = Stance(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """One text read for a claim: what the model said of the whole and of the closest sentence, and what code found.

    `whole` and `sentence` are probabilities in the order supports, refutes, neutral; `here` is the closest sentence.
    `restated_otherwise`: it states the claim in its words with a denial more or less. `denies_another`: what it denies is
    another value than the claim's. `roles_swapped`: it tells the claim's deed the other way round. `rank`: what it says of the
    claim's superlative. `stated`: it states the claim outright, or rules it out (False). `measured`: the share or the period that it gives makes
    the claim true, or not (False). `by_claimed_maker`: it names the claim's maker of the claim's work, or another (False). `beside`: it says something else of the claim's subject, or tells of its namesake.
    """

    whole: tuple[float, ...]
    sentence: tuple[float, ...]
    signals: Signals
    figures: Agreement
    names_missing: float
    other_subject: bool
    words_shared: float
    restated: bool
    restated_otherwise: bool = False
    denies_another: bool = False
    roles_swapped: bool = False
    rank: Rank | None = None
    stated: bool | None = None
    measured: bool | None = None
    by_claimed_maker: bool | None = None
    beside: bool = False
    here: str = ""

    def features(self) -> tuple[float, ...]:
        """The values of `FEATURES`."""
        logs = [math.log(max(value, _FLOOR)) for value in (*self.whole, *self.sentence)]
        figures = float(bool(self.figures.same)), float(bool(self.figures.other))
        names = self.names_missing, float(self.other_subject)
        return (*logs, *self.signals.values(), *figures, *names, self.words_shared, float(self.restated))

    @property
    def basis(self) -> Basis:
        """What the stance rests on; see `Basis`."""
        ranked = self.rank in {Rank.HELD, Rank.HELD_BY_ANOTHER}
        read_out = (self.stated, self.measured, self.by_claimed_maker)
        if any(told is not None for told in read_out) or self.roles_swapped or ranked:
            return Basis.WORDS
        signed = any(self.signals.values()) or self.figures.other or self.figures.same
        return Basis.SIGN if signed else Basis.READING

    @property
    def note(self) -> str:
        """What a reader should know of how the text speaks; "" where nothing is special."""
        if self.figures.other:
            asked, found = self.figures.other[0]
            return f"it says {found}, {CLAIM} {asked}"
        if self.figures.unlike:
            return f"it gives {self.figures.unlike[0]} for something else than the claim does"
        if self.roles_swapped:
            return "it says so the other way round"
        if self.rank is Rank.HELD_BY_ANOTHER or self.by_claimed_maker is False:
            return "it says so of another"
        if self.rank is Rank.OF_ANOTHER_KIND:
            return f"it tells of another rank than {CLAIM} does"
        if self.beside:
            return "it tells of something else"
        if self.denies_another:
            return f"it denies another name or figure than {CLAIM} gives"
        if self.signals.imagined:
            return "it speaks of something imagined"
        if self.signals.told_here and not (self.signals.confirmed_elsewhere or self.signals.denied_here):
            return "it reports what somebody said"
        return "it asks the question" if self.signals.asked_here else ""


def read(claim: Statement, text: str, classifier: StanceModel, reranker: Reranker | None = None) -> Reading:
    """Read a text for a claim.

    Args:
        claim: what is checked.
        text: a piece of evidence.
        classifier: the stance model.
        reranker: chooses the closest sentence; without it, shared words do.

    Raises:
        ModelError: a model failed.
    """
    text = readable(text)
    return _read(claim, _shown(claim, text, closest_sentence(claim, text, reranker)), classifier)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A text, its closest sentence and the rest, and what the model is shown of both: without what they say of others."""

    text: str
    sentence: str
    rest: str
    whole: str
    here: str

    def pairs(self, claim: Statement) -> list[tuple[str, str]]:
        """The claim with the text and with the sentence, as the stance model is asked."""
        return [(claim.text, self.whole), (claim.text, self.here)]


def _shown(claim: Statement, text: str, closest: tuple[int, int]) -> _Shown:
    start, end = closest
    sentence, rest = text[start:end], f"{text[:start]} {text[end:]}".strip()
    return _Shown(text, sentence, rest, without_others(claim, text), own_clause(claim, sentence))


def _read(claim: Statement, shown: _Shown, classifier: StanceModel) -> Reading:
    text, here, rest = shown.text, shown.here, shown.rest
    of_whole, of_sentence = shown.pairs(claim)
    whole = classifier.probabilities(*of_whole)
    part = classifier.probabilities(*of_sentence) if rest else whole
    names, there = claim.name_words, text.lower()
    signals, figures = signals_of(claim.text, here, rest), compare(claim, shown.whole, here)
    plain = _is_plain(signals, figures)
    rank = rank_told(claim, here)
    other_subject = is_other_subject(claim, here)
    return Reading(
        whole=tuple(whole[label] for label in LABELS),
        sentence=tuple(part[label] for label in LABELS),
        signals=signals,
        figures=Agreement(figures.same) if other_subject else figures,
        names_missing=sum(name not in there for name in names) / len(names) if names else 0.0,
        other_subject=other_subject,
        words_shared=words_shared(claim, text),
        denies_another=denies_another(claim, here),
        roles_swapped=are_roles_swapped(claim, here),
        rank=rank if plain or rank is Rank.OF_ANOTHER_KIND else None,
        stated=_stated(claim, here, rest, figures),
        measured=_measured(claim, here),
        by_claimed_maker=is_by_claimed_maker(claim, here),
        beside=is_namesake(claim, here) or tells_of_something_else(claim, here, text) or tells_other_end(claim, here),
        restated_otherwise=bool(signals.negations_differ) and has_same_words(claim, here),
        restated=plain and has_same_words(claim, here),
        here=here,
    )


def _measured(claim: Statement, here: str) -> bool | None:
    """Whether the share or the period that a sentence gives makes the claim true; None where it gives none."""
    told = has_most(claim, here)
    return is_in_period(claim, here) if told is None else told


def _stated(claim: Statement, here: str, rest: str, figures: Agreement) -> bool | None:
    """Whether a sentence states the claim outright and as a fact, or rules it out so (False); None where it does neither."""
    told = said_outright(claim, here)
    signals = replace(signals_of(claim.text, without_asides(here), rest), confirmed_here=0.0, confirmed_elsewhere=0.0)
    if told is False:  # in other words, of which a denial may be one
        signals = replace(signals, negations_differ=0.0)
    return told if _is_plain(signals, figures) else None


def _is_plain(signals: Signals, figures: Agreement) -> bool:
    """Whether a sentence speaks of the claim as of a fact, and gives no other figure."""
    return not any(signals.values()) and not (figures.other or figures.unlike)


def pairs_to_read(claim: Statement, text: str, reranker: Reranker | None = None) -> list[tuple[str, str]]:
    """Pair the claim with the whole text and with its closest sentence, as the stance model is asked.

    Raises:
        ModelError: the reranker failed.
    """
    text = readable(text)
    return _shown(claim, text, closest_sentence(claim, text, reranker)).pairs(claim)


def stance_of(claim: ParsedClaim, text: str, classifier: StanceModel) -> tuple[Stance, str]:
    """The stance of one text, and a note on how it speaks of the claim. A text in a foreign language is left open.

    Of a claim that denies a statement ("It is a myth that ..."), the text is read for the statement.

    Args:
        claim: what is checked, in English.
        text: a piece of evidence.
        classifier: the stance model.

    Raises:
        ModelError: the model failed.
    """
    text = readable(text)
    shown = _shown(claim.statement, text, closest_sentence(claim.statement, text))
    found = _judged(claim, shown, classifier)
    return found.stance, found.note


@dataclass(frozen=True, slots=True)
class _Judged:
    """The stance of a text, the note, what the model alone says of the whole and of the closest sentence, and that sentence."""

    stance: Stance
    note: str
    readings: tuple[Stance, Stance] | None = None
    closest: str = ""
    basis: Basis = Basis.READING


def _judged(claim: ParsedClaim, shown: _Shown, classifier: StanceModel) -> _Judged:
    language = foreign_language(shown.text)
    if language:
        return _Judged(
            _UNSETTLED, f"it is written in another language ({language}), which the bundled models do not read"
        )
    reading = _read(claim.statement, shown, classifier)
    readings = Stance(*reading.whole), Stance(*reading.sentence)
    found = coefficients().stance.probabilities(reading.features())
    stance = Stance(**found)
    stance = held_by_figures(stance, reading.figures, bool(NEGATION.search(reading.here)))
    if reading.restated_otherwise or is_called_a_myth(claim.statement.text, reading.here):
        stance = held_by_denial(stance)
    if reading.denies_another or reading.beside or reading.rank is Rank.OF_ANOTHER_KIND:
        stance = held_open(stance)
    told = (reading.stated, reading.measured, reading.by_claimed_maker)
    if False in told:
        stance = denied(held_for(denied(stance)))
    elif reading.roles_swapped or reading.rank is Rank.HELD_BY_ANOTHER:
        stance = held_against(stance)
    elif True in told or reading.rank is Rank.HELD:
        stance = held_for(stance)
    if not claim.denied:
        return _Judged(stance, reading.note, readings, shown.sentence, reading.basis)
    note = reading.note.replace(CLAIM, "what the claim denies")
    return _Judged(denied(stance), note, (denied(readings[0]), denied(readings[1])), shown.sentence, reading.basis)


def denied(stance: Stance) -> Stance:
    """The stance towards a claim that denies the statement."""
    return Stance(stance.refutes, stance.supports, stance.neutral)


def judge_stances(
    claim: ParsedClaim, evidence: Sequence[Evidence], classifier: StanceModel, reranker: Reranker | None = None
) -> list[Evidence]:
    """The pieces, each with its stance; a piece that has one keeps it.

    Args:
        claim: what is checked, in English.
        evidence: pieces of evidence.
        classifier: the stance model.
        reranker: chooses the sentence of each that is read by itself; without it, shared words do.

    Raises:
        ModelError: a model failed.
    """
    fresh = list(dict.fromkeys(readable(piece.text) for piece in evidence if piece.stance is None))
    spans = closest_sentences(claim.statement, fresh, reranker)
    shown = {text: _shown(claim.statement, text, span) for text, span in zip(fresh, spans, strict=True)}
    classifier.prefetch([pair for each in shown.values() for pair in each.pairs(claim.statement)])
    judged = []
    for piece in evidence:
        if piece.stance is None:
            found = _judged(claim, shown[readable(piece.text)], classifier)
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
