"""Which claims the research literature is asked about, which works are read, and how its stage stands beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kb.publishers.credibility import publisher_of
from kb.record import Collection, Origin
from lab.world.encyclopaedia import reference_claims
from lab.world.facts import claims
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.papers import ORDER
from verifier.search.literature import asks_literature, words_for, works_to_read
from verifier.search.reports import StageReport
from verifier.search.staged import StagedSearch
from verifier.settings import SearchSettings

CLAIM = "Coffee causes cancer of the liver"
DAY = datetime(2021, 5, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "claim",
    [
        CLAIM,
        "Vaccines cause autism",
        "Eating carrots improves eyesight",
        "5G phones harm the brain",
        "Masks reduce the spread of viruses",
        "Climate change is caused by humans",
        "Electrons are lighter than protons",
        "A vegan diet lacks vitamin B12",
        "Sugar makes children hyperactive",
    ],
)
def test_claims_of_science_and_health_are(claim: str) -> None:
    assert asks_literature(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "The health minister resigned on Monday",
        "Paris is the capital of France",
        "Interest rates increased in March",
        "The hospital was opened in 1990",
        "The brain drain worries Lower Saxony",
        "Apple sold more phones than Samsung in 2023",
        "The drug company moved its head office to Basel",
        "Mount Everest is the highest mountain",
    ],
)
def test_other_claims_are_not(claim: str) -> None:
    assert not asks_literature(claim)


def test_of_the_invented_claims_as_many_are_as_the_docs_say() -> None:
    news, reference = ([asks_literature(claim.text) for claim in made] for made in (claims(), reference_claims()))
    told = (Path(__file__).parents[3] / "docs" / "search.md").read_text(encoding="utf-8")
    assert f"{len(news)} claims about the news {sum(news)} pass" in told
    assert f"{len(reference)} claims for reference works, {sum(reference)}." in told


def test_words_are_those_that_say_something() -> None:
    assert words_for("It is a MYTH that \u201ccoffee\u201d OR (tea) causes COVID-19: NOT true AND*") == [
        "coffee",
        "causes",
        "covid-19",
    ]


def work(
    url: str, study: str, text: str = "Coffee does not cause cancer of the liver.", rating: str = ""
) -> SearchResult:
    title = f"{study}: Coffee"
    return SearchResult(
        f"https://doi.org/10.5555/{url}", title, text, DAY, "Journal", rating, passages=(text,), study=study
    )


def names(works: Sequence[SearchResult]) -> list[str]:
    return [found.url.rpartition("/")[2] for found in works]


def test_reviews_and_guidelines_go_before_single_studies_and_retracted_works_last() -> None:
    found = [
        work("preprint", "preprint, not peer-reviewed"),
        work("study", "study"),
        work("taken-back", "review", rating="Retracted (OpenAlex)"),
        work("review", "review"),
        work("elsewhere", "guideline", "Roads are salted in winter."),
        work("guideline", "guideline"),
        work("pooled", "meta-analysis"),
    ]
    order = ["guideline", "pooled", "review", "study", "preprint", "elsewhere", "taken-back"]
    assert names(works_to_read(CLAIM, found, 9, ORDER, publisher_of)) == order
    assert names(works_to_read(CLAIM, found, 2, ORDER, publisher_of)) == order[:2]


def test_a_work_of_two_indexes_is_one_and_retracted_where_either_says_so() -> None:
    found = [work("a", "study"), work("a", "study", rating="Retracted (OpenAlex)"), work("b", "study")]
    first, second = works_to_read(CLAIM, found, 9, ORDER, publisher_of)
    assert names([first, second]) == ["b", "a"] and second.rating


class Index:
    """An index of the literature, or an engine, that gives one answer and notes what it was asked."""

    def __init__(self, name: str, kind: Kind, answer: SearchAnswer) -> None:
        self.name, self.kind, self.answer, self.asked = name, kind, answer, list[Query]()

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        self.asked.append(query)
        return self.answer


ABSTRACT = (
    "Background: Coffee is drunk widely. " + "We asked many people about it. " * 30 + "Coffee does not cause cancer."
)
WORKS = SearchAnswer(Outcome.ANSWERED, (work("a", "study", ABSTRACT), work("b", "review")))
NEWS = SearchAnswer(Outcome.ANSWERED, (SearchResult("https://www.reuters.com/world/coffee", "Coffee", "It is safe."),))
DOWN = SearchAnswer(Outcome.UNREACHABLE, detail="no connection")


def reports(claim: str, *providers: Index) -> list[StageReport]:
    search = StagedSearch(providers, SearchSettings(), sleep=lambda seconds: None)
    return list(search.by_stages(claim, (claim, "coffee cancer"), lambda: 20.0, lambda: 0))


def test_all_indexes_are_asked_once_and_their_abstracts_are_evidence() -> None:
    one, two, web = Index("A", Kind.LITERATURE, WORKS), Index("B", Kind.LITERATURE, DOWN), Index("C", Kind.WEB, NEWS)
    found = reports(CLAIM, one, two, web)
    assert [report.stage.name for report in found] == [
        "the research literature",
        "trusted news",
        "fact-checkers",
        "open web",
    ]
    assert [query.text for query in one.asked + two.asked] == [CLAIM] * 2
    first = found[0]
    assert [(attempt.provider, attempt.outcome) for attempt in first.attempts] == [
        ("A", Outcome.ANSWERED),
        ("B", Outcome.UNREACHABLE),
    ]
    assert {item.source for item in first.items} == {"https://doi.org/10.5555/a", "https://doi.org/10.5555/b"}
    assert all(item.text in ABSTRACT or "liver" in item.text for item in first.items)
    assert any("Coffee does not cause cancer." in item.text for item in first.items)
    assert {(item.origin, item.collection, item.published_at) for item in first.items} == {
        (Origin.WEB, Collection.STATIC, DAY)
    }
    assert all("doi.org" not in item.source for report in found[1:] for item in report.items)


def test_other_claims_do_not_reach_the_literature() -> None:
    index, web = Index("A", Kind.LITERATURE, WORKS), Index("C", Kind.WEB, NEWS)
    found = reports("Paris is the capital of France", index, web)
    assert [report.stage.name for report in found] == ["trusted news", "fact-checkers", "open web"]
    assert index.asked == []


def test_without_an_index_there_is_no_such_stage() -> None:
    assert reports(CLAIM, Index("C", Kind.WEB, NEWS))[0].stage.name == "trusted news"


def test_an_unreachable_literature_does_not_end_the_search() -> None:
    index, web = Index("A", Kind.LITERATURE, DOWN), Index("C", Kind.WEB, NEWS)
    found = reports(CLAIM, index, web)
    assert found[0].offline and [report.answered for report in found] == [False, True, True, True]
    assert len(reports(CLAIM, index, Index("C", Kind.WEB, DOWN))) == 2
