"""List the sentences of an article that can be checked, for the user to choose from.

An article as a whole is neither true nor false, and which of its sentences matters is the reader's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from errors import InputError
from kb.chunk import sentences
from verifier.claim.classify import classify
from verifier.claim.intake import MAX_CHARACTERS, clean_claim
from verifier.claim.parsed import parse_claim
from verifier.interfaces import Classifier
from verifier.schema import ClaimType
from verifier.search.pages import Page
from verifier.text.figures import figures
from verifier.text.names import names_of

MAX_OFFERED = 8
_SECONDS = 10.0
_READ = 60
"""So many sentences of an article are read, from its beginning: what it is about stands there."""
_SHORT, _LONG = 25, 300
"""Characters of a sentence that can stand by itself."""
_POINTING = frozenset(
    "he she it they we i you this that these those his her their its our there here but and so however also then".split()
)
"""A sentence that begins with one of these says something only together with the one before it."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article and the sentences in it that can be checked, in reading order."""

    url: str
    title: str
    published_at: datetime | None
    sentences: tuple[str, ...]


def checkable(text: str, classifier: Classifier, limit: int = MAX_OFFERED) -> tuple[str, ...]:
    """At most `limit` sentences of an article that state a fact and can stand alone, in reading order.

    Those with names and figures go first when there are more: they are what a reader would have checked.

    Raises:
        ModelError: the model failed.
    """
    found = [sentence for sentence in dict.fromkeys(sentences(text)) if _stands_alone(sentence)][:_READ]
    facts = [sentence for sentence in found if _is_fact(sentence, classifier)]
    order = sorted(range(len(facts)), key=lambda i: -_weight(facts[i]))[:limit]
    return tuple(facts[i] for i in sorted(order))


def _stands_alone(sentence: str) -> bool:
    words = sentence.split()
    first = words[0].strip("\"'\u2018\u201c(").lower() if words else ""
    return (
        _SHORT <= len(sentence) <= min(_LONG, MAX_CHARACTERS)
        and first not in _POINTING
        and sentence[-1] in ".!\u201d\"'"
    )


def _is_fact(sentence: str, classifier: Classifier) -> bool:
    try:
        claim = clean_claim(sentence)
    except InputError:
        return False
    return classify(parse_claim(claim), classifier).claim_type is ClaimType.FACTUAL


def _weight(sentence: str) -> int:
    return min(3, len(names_of(sentence))) + min(2, sum(1 for _ in figures(sentence)))


def read_article(url: str, load: Callable[[str, float], Page], classifier: Classifier) -> Article:
    """The article at `url` and its sentences that can be checked; `load` fetches and reads a page within so many seconds.

    Raises:
        FetchError: the page cannot be had.
        InputError: it is no article, or nothing in it can be checked by itself.
        ModelError: the model failed.
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
