"""Read one text for a claim, with the stance model and in code.

The stance model reads a text twice: whole, and its sentence closest to the claim (`closest`), since the rest of a text
misleads a small model. Code adds how the text speaks of the claim (`signals`), whether figures and names agree, and
what a plain sentence says outright.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from verifier.claim.calculation import is_of_other_numbers
from verifier.claim.parsed import Statement
from verifier.evidence.restated import said_outright, without_asides
from verifier.interfaces import Reranker, StanceModel
from verifier.judgement.beside import tells_of_something_else
from verifier.judgement.closest import closest_sentence, holds_all_words, words_shared
from verifier.judgement.compare import Agreement, compare
from verifier.judgement.majority import has_most
from verifier.judgement.period import is_in_period, tells_other_end
from verifier.judgement.roles import are_roles_swapped
from verifier.judgement.rounding import with_figures_of
from verifier.judgement.signals import NAMES, NEGATION, Signals, signals_of
from verifier.judgement.subject import is_namesake, is_other_subject
from verifier.judgement.superlative import Rank, rank_told
from verifier.judgement.valence import does_good_or_harm, says_nothing_of_good_or_harm, speaks_of_the_opposite
from verifier.schema import Basis
from verifier.text.framing import unframed
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
)
"""Inputs of a stance: log-probabilities of the model's two readings, cues, and agreement of facts."""
CLAIM = "the claim"
_FLOOR = 1e-4
_JOINED = re.compile(r"[,:;]| (?:and|but|while|as|because|or) ")


@dataclass(frozen=True, slots=True)
class Reading:
    """One text read for a claim: the model's two readings, and what code found.

    `whole` and `sentence` are probabilities in the order supports, refutes, neutral; `here` is the closest sentence.
    `roles_swapped`: it reverses the claim's deed. `rank`: what it says about the claim's superlative.
    `stated`: it states the claim outright, or rules it out (False).
    `measured`: the share, period, or good or harm that it gives makes the claim true, or not (False).
    `beside`: it says something else about the claim's subject, is about its namesake, or calculates with other numbers.
    `opposite`: it speaks only of harm where the claim speaks of good or safety.
    `holds_all_words`: it holds every meaningful word of the claim.
    """

    whole: tuple[float, ...]
    sentence: tuple[float, ...]
    signals: Signals
    figures: Agreement
    names_missing: float
    other_subject: bool
    words_shared: float
    roles_swapped: bool = False
    rank: Rank | None = None
    stated: bool | None = None
    measured: bool | None = None
    beside: bool = False
    opposite: bool = False
    holds_all_words: bool = False
    here: str = ""

    def features(self) -> tuple[float, ...]:
        """Return the values of `FEATURES`."""
        logs = [math.log(max(value, _FLOOR)) for value in (*self.whole, *self.sentence)]
        figures = float(bool(self.figures.same)), float(bool(self.figures.other))
        names = self.names_missing, float(self.other_subject)
        return (*logs, *self.signals.values(), *figures, *names, self.words_shared)

    @property
    def basis(self) -> Basis:
        """What the stance is based on; see `Basis`."""
        ranked = self.rank in {Rank.HELD, Rank.HELD_BY_ANOTHER}
        read_out = (self.stated, self.measured)
        if any(told is not None for told in read_out) or self.roles_swapped or ranked:
            return Basis.WORDS
        if any(self.signals.values()) or self.figures.other:
            return Basis.SIGN
        if self.holds_all_words:
            return Basis.ALL_WORDS
        return Basis.SIGN if self.figures.same else Basis.READING

    @property
    def note(self) -> str:
        """What a reader should know about how the text speaks; "" if nothing is special."""
        if self.figures.other:
            asked, found = self.figures.other[0]
            return f"it says {found}, {CLAIM} {asked}"
        if self.figures.unlike:
            return f"it gives {self.figures.unlike[0]} for something else than the claim does"
        if self.roles_swapped:
            return "it says so the other way round"
        if self.rank is Rank.HELD_BY_ANOTHER:
            return "it says so of another"
        if self.rank is Rank.OF_ANOTHER_KIND:
            return f"it tells of another rank than {CLAIM} does"
        if self.beside:
            return "it tells of something else"
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
    return read_parted(claim, parted(claim, text, closest_sentence(claim, text, reranker)), classifier)


@dataclass(frozen=True, slots=True)
class Parted:
    """A text, its closest sentence, the rest, and (claim, text) pairs for the stance model."""

    text: str
    here: str
    rest: str
    pairs: tuple[tuple[str, str], tuple[str, str]]


def parted(claim: Statement, text: str, closest: tuple[int, int]) -> Parted:
    """Split a text at its closest sentence, which starts and ends at `closest`.

    Where the claim rounds a figure, it is asked with the text's.
    """
    start, end = closest
    here, rest = text[start:end], f"{text[:start]} {text[end:]}".strip()
    whole = (with_figures_of(claim, text), text)
    return Parted(text, here, rest, (whole, (with_figures_of(claim, here), here) if rest else whole))


def read_parted(claim: Statement, found: Parted, classifier: StanceModel) -> Reading:
    """Read a text that is already split; see `read`."""
    text, here, rest = found.text, found.here, found.rest
    of_whole, of_sentence = found.pairs
    whole = classifier.probabilities(*of_whole)
    part = classifier.probabilities(*of_sentence) if rest else whole
    names, there = claim.name_words, text.lower()
    signals, figures = signals_of(claim.text, here, rest), compare(claim, text, here)
    holds_all, rank, other_subject = holds_all_words(claim, here), rank_told(claim, here), is_other_subject(claim, here)
    # If the sentence holds all of the claim's words, the other rank may belong to another clause.
    kept = not holds_all if rank is Rank.OF_ANOTHER_KIND else _is_plain(signals, figures)
    return Reading(
        whole=tuple(whole[label] for label in LABELS),
        sentence=tuple(part[label] for label in LABELS),
        signals=signals,
        figures=Agreement(figures.same) if other_subject else figures,
        names_missing=sum(name not in there for name in names) / len(names) if names else 0.0,
        other_subject=other_subject,
        words_shared=words_shared(claim, text),
        roles_swapped=are_roles_swapped(claim, here),
        rank=rank if kept else None,
        stated=_stated(claim, here, rest, figures),
        measured=_measured(claim, here, signals),
        beside=is_namesake(claim, here)
        or tells_of_something_else(claim, here, text)
        or tells_other_end(claim, here)
        or is_of_other_numbers(claim, text)
        or says_nothing_of_good_or_harm(claim, text),
        opposite=speaks_of_the_opposite(claim, text),
        holds_all_words=holds_all,
        here=here,
    )


def _measured(claim: Statement, here: str, signals: Signals) -> bool | None:
    """Return whether a share, period, good or harm stated as fact makes the claim true.

    None if the sentence states none.
    """
    if any(replace(signals, confirmed_here=0.0, confirmed_elsewhere=0.0).values()):
        return None
    found = (reading(claim, here) for reading in (has_most, is_in_period, does_good_or_harm))
    return next((told for told in found if told is not None), None)


def _stated(claim: Statement, here: str, rest: str, figures: Agreement) -> bool | None:
    """Return whether a sentence states the claim outright, as a fact.

    False if it rules the claim out so; None if it does neither.
    """
    said, denied = unframed(here)  # "It is a myth that ..."
    if denied and _JOINED.search(said) and not _JOINED.search(claim.text):  # the myth is only part of it
        said, denied = here, False
    told = said_outright(claim, said)
    # The claim itself may set something aside: "Bats are mammals, not birds".
    own = said if NEGATION.search(claim.text) else without_asides(said)
    signals = replace(signals_of(claim.text, own, rest), confirmed_here=0.0, confirmed_elsewhere=0.0)
    if told is False:  # other words may include a denial
        signals = replace(signals, negations_differ=0.0)
    return told is not denied if told is not None and _is_plain(signals, figures) else None


def _is_plain(signals: Signals, figures: Agreement) -> bool:
    """Return whether a sentence treats the claim as fact, and gives no other figure."""
    return not any(signals.values()) and not (figures.other or figures.unlike)


def pairs_to_read(claim: Statement, text: str, reranker: Reranker | None = None) -> tuple[tuple[str, str], ...]:
    """Pair the claim with the whole text and its closest sentence, for the stance model.

    Raises:
        ModelError: the reranker failed.
    """
    text = readable(text)
    return parted(claim, text, closest_sentence(claim, text, reranker)).pairs
