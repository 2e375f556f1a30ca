"""List the sentences of an article that can be checked, for the user to choose from.

An article as a whole is neither true nor false, and which of its sentences matters is the reader's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from errors import InputError
from verifier.document.understand import understood
from verifier.interfaces import Classifier
from verifier.search.pages import Page

MAX_OFFERED = 8
_SECONDS = 10.0
_READ = 10_000
"""So many characters of an article are read, from its beginning: what it is about stands there."""
_SHORT, _LONG = 25, 300
"""Characters of a sentence that is offered."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article and the sentences in it that can be checked, in reading order."""

    url: str
    title: str
    published_at: datetime | None
    sentences: tuple[str, ...]


def checkable(text: str, classifier: Classifier, limit: int = MAX_OFFERED) -> tuple[str, ...]:
    """At most `limit` sentences of an article that state a fact and stand alone, in reading order, the most checkworthy first chosen."""
    try:
        found = understood(text[:_READ], classifier)
    except InputError:  # it holds no words
        return ()
    places = [found.sentences[claim.sentence] for claim in found.claims if not claim.resolved]
    whole = [place for place in places if place.end < _READ or len(text) <= _READ]
    words = [(place.start, " ".join(text[place.start : place.end].split())) for place in whole]
    offers = [(start, sentence) for start, sentence in words if _SHORT <= len(sentence) <= _LONG]
    return tuple(dict.fromkeys(sentence for _, sentence in sorted(offers[:limit])))


def read_article(url: str, load: Callable[[str, float], Page], classifier: Classifier) -> Article:
    """The article at `url` and its sentences that can be checked; `load` fetches and reads a page within so many seconds.

    Raises:
        FetchError: the page cannot be had.
        InputError: it is no article, or nothing in it can be checked by itself.
    """
    page = load(url, _SECONDS)
    if not page.is_article:
        raise InputError(f"{url[:200]} is a front page or a list, not an article: give the address of one article")
    found = checkable(page.text, classifier)
    if not found:
        raise InputError(
            f"{url[:200]}: no sentence of this article states a fact that can be checked by itself; paste the sentence you mean"
        )
    return Article(page.url, page.title, page.published_at, found)


def refuse_offline(url: str, web: bool) -> None:
    """Nothing, where the web may be asked.

    Raises:
        InputError: it may not, so the claim cannot be an address.
    """
    if not web:
        raise InputError(
            f"the claim is only a web address ({url[:80]}), and the web is switched off: paste the sentence from that page that should be checked"
        )


def offered(text: Sequence[str]) -> str:
    """The sentences as a numbered list."""
    return "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(text, start=1))
