from __future__ import annotations

import pytest

from errors import InputError
from verifier.check.article import Article, checkable, offered, read_article
from verifier.check.gather import Models
from verifier.search.guard.kept_pages import KeptPage

TEXT = """The town of Ardmore opened its second library on 4 March 2024.
It cost 3.2 million euros.
Nobody could call it a pretty building!
The library holds 41,000 books and has 60 seats, according to the town council of Ardmore.
Why did it take so long?
But the mayor was happy.
Subscribe to our newsletter
The old library, which Maria Olsen designed in 1962, will become a school."""


def test_the_sentences_that_state_a_fact_and_stand_alone_are_offered(models: Models) -> None:
    found = checkable(TEXT, models.claim_type)
    assert "The town of Ardmore opened its second library on 4 March 2024." in found
    assert "The old library, which Maria Olsen designed in 1962, will become a school." in found
    assert not [s for s in found if s.startswith(("It ", "But ", "Why ", "Subscribe", "Nobody"))]


def test_no_more_than_asked_for_and_those_with_figures_and_names_first(models: Models) -> None:
    found = checkable("The soup was cold on that day.\n" + TEXT, models.claim_type, 2)
    assert len(found) == 2 and "The soup was cold on that day." not in found
    assert offered(found).startswith("1. The town of Ardmore") and "\n2. " in offered(found)


def test_what_is_no_article_or_has_nothing_to_check_is_refused(models: Models) -> None:
    def of(text: str, is_article: bool = True) -> Article:
        page = KeptPage(text, "Ardmore", "https://paper.example/a", None, (), is_article)
        return read_article("https://paper.example/a", lambda url, seconds: page, models.claim_type)

    assert of(TEXT).title == "Ardmore" and len(of(TEXT).sentences) >= 3
    with pytest.raises(InputError, match="front page or a list"):
        of(TEXT, is_article=False)
    with pytest.raises(InputError, match="no sentence of this article"):
        of("Why? Because.")
