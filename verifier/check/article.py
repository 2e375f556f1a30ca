"""List the sentences of an article that can be checked, for the user to choose.

An article as a whole is neither true nor false. Which of its sentences matters is for the reader to say.
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
"""Sentences read from the start of an article, where it says what it is about."""
_SHORT, _LONG = 25, 300
"""Length in characters of a sentence that can stand alone."""
_POINTING = frozenset(
    "he she it they we i you this that these those his her their its our there here but and so however also then".split()
)
"""A sentence that begins with one of these depends on the sentence before it."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article and the sentences in it that can be checked, in reading order."""

    url: str
    title: str
    published_at: datetime | None
    sentences: tuple[str, ...]


def checkable(text: str, classifier: Classifier, limit: int = MAX_OFFERED) -> tuple[str, ...]:
    """Choose at most `limit` sentences that state a fact and can stand alone.

    They are in reading order. If there are more, sentences with names and figures go first: readers are most likely to
    want those checked.

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
    """Read the article at `url` and list its sentences that can be checked.

    `load` takes an address and a timeout in seconds, and fetches and reads the page.

    Raises:
        FetchError: the page cannot be fetched.
        InputError: it is not an article, or nothing in it can be checked by itself.
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
    """Refuse a claim that is an address when the web may not be asked.

    Raises:
        InputError: the web may not be asked.
    """
    if not web:
        raise InputError(
            f"the claim is only a web address ({url[:80]}), and the web is switched off: paste the sentence from that page that should be checked"
        )


def offered(text: Sequence[str]) -> str:
    """Format the sentences as a numbered list."""
    return "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(text, start=1))
