"""A piece of evidence, what it says about a claim, and words quoted from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from kb.publishers.credibility import SourceType
from kb.record import Origin, Standing, is_retracted
from verifier.schema.choices import Basis, StanceLabel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Stance:
    """Probabilities that a text supports, refutes, or does not settle a claim.

    They sum to 1.
    """

    supports: float
    refutes: float
    neutral: float

    @property
    def label(self) -> StanceLabel:
        """The likeliest of the three."""
        ranked = (
            (self.supports, StanceLabel.SUPPORTS),
            (self.refutes, StanceLabel.REFUTES),
            (self.neutral, StanceLabel.NEUTRAL),
        )
        return max(ranked, key=lambda pair: pair[0])[1]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that may speak for or against the claim.

    `relevance` is the cross-encoder's score on the common logit-like scale, `score` adds the source's credibility.
    `voice` names the organisation behind it: two pieces of one organisation are not independent. `record_id` is empty
    for a text that is not in the store; `current` says whether it is in the store's news collection. `rating` is a
    fact-checker's own, `note` says how the text speaks of the claim, and `also` names the other sites that report the
    same. `retrieved_at` is when the text was retrieved, None if the user handed it over. `standing` is how its page
    compared with it when a refresh looked, at `looked_at`. `readings` are what the stance models alone say about the
    whole text and about `closest`, its sentence closest to the claim; None and "" if they read neither. `basis` is what
    the stance rests on. `vector` is its unit vector, shape (384,), if it comes from the store.
    """

    text: str
    source: str
    title: str
    origin: Origin
    source_type: SourceType
    credibility: float
    domain: str
    voice: str
    published_at: datetime | None = None
    record_id: str = ""
    similarity: float = 0.0
    relevance: float = 0.0
    score: float = 0.0
    listed: bool = False
    current: bool = False
    stance: Stance | None = None
    rating: str = ""
    note: str = ""
    also: tuple[str, ...] = ()
    retrieved_at: datetime | None = None
    standing: Standing = Standing.AS_STORED
    looked_at: datetime | None = None
    readings: tuple[Stance, Stance] | None = None
    closest: str = ""
    basis: Basis = Basis.READING
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    @property
    def retracted(self) -> bool:
        """Whether its publisher has withdrawn the work: it is shown but decides nothing."""
        return is_retracted(self.rating, self.origin)


@dataclass(frozen=True, slots=True)
class Advice:
    """An instruct model's reading of the evidence: the stance of each of the first pieces.

    The least relevant pieces, `left_out` of them, were not reached in time.
    """

    stances: tuple[Stance, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence about one piece of evidence, with the span of words it rests on."""

    sentence: str
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """The deciding words of a piece of evidence.

    `quote` is `evidence[number - 1].text[start:end]`, word for word.
    """

    number: int
    quote: str
    start: int
    end: int
    source: str
    title: str
