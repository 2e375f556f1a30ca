"""What would settle an open claim: what was not found, or not asked, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from verifier.text.phrases import ENGLISH, Phrases


class Why(StrEnum):
    """Why a source was not asked, or did not answer, in words."""

    OFF = "switched off"
    OFF_HERE = "switched off for this check"
    GIVEN = "only the texts that were given are judged"
    EARLIER = "only an earlier state of the store is asked"
    NO_KEY = "no key"
    NO_ENGINE = "no search engine for it is configured"
    BUDGET = "over budget"
    REFUSED = "too many requests"
    NO_ANSWER = "empty or refused"
    NO_NETWORK = "could not be reached"
    NO_TIME = "no time left"
    DENIED = "your list of domains denies all of its sites"
    PRESENT = "the claim speaks of the present"
    SPARED = "enough relevant texts were found before"


_SILENT = frozenset({Why.REFUSED, Why.NO_ANSWER, Why.NO_NETWORK})


@dataclass(frozen=True, slots=True)
class Unasked:
    """A source that was not asked, or did not answer, by its name."""

    source: str
    why: Why


@dataclass(frozen=True, slots=True)
class Missing:
    """What was looked for and not found, and the sources not asked.

    What weighs most is first.
    """

    sought: tuple[str, ...]
    unasked: tuple[Unasked, ...] = ()

    @property
    def askable(self) -> bool:
        """Whether the same check with the web on may ask more.

        That is so if its web was off, or did not answer.
        """
        return any(source.why in {*_SILENT, Why.OFF_HERE, Why.NO_TIME} for source in self.unasked)

    @property
    def told(self) -> str:
        """One line for a reader.

        Example: "Looked for and not found: a recent source. Not asked: Brave, NewsAPI (no key).".
        """
        return self.told_in(ENGLISH)

    def told_in(self, phrases: Phrases) -> str:
        """Write that line in another language."""
        silent = [source for source in self.unasked if source.why in _SILENT]
        rest = [source for source in self.unasked if source.why not in _SILENT]
        said = [phrases.say("Looked for and not found: {sought}.", sought="; ".join(map(phrases.retell, self.sought)))]
        said += [phrases.say("No answer from: {sources}.", sources=_grouped(silent, phrases))] if silent else []
        said += [phrases.say("Not asked: {sources}.", sources=_grouped(rest, phrases))] if rest else []
        return " ".join(said)


def _grouped(sources: Sequence[Unasked], phrases: Phrases) -> str:
    """List the sources, grouped by reason."""
    names: dict[Why, list[str]] = {}
    for source in sources:
        names.setdefault(source.why, []).append(source.source)
    return "; ".join(f"{', '.join(found)} ({phrases.say(why)})" for why, found in names.items())
