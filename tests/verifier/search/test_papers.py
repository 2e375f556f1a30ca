"""What is particular to the services of the research literature: requests, abstracts, kinds of studies, retractions."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from kb.publishers.credibility import publisher_of
from tests.verifier.search.services import RawServer
from tests.verifier.search.test_contract import HUGE, cut
from verifier.search.base import Kind, Outcome, Query, SearchAnswer
from verifier.search.engines.crossref import Crossref
from verifier.search.engines.europe_pmc import EuropePmc
from verifier.search.engines.openalex import OpenAlex, OpenAlexStatus, abstract_of
from verifier.search.engines.papers import MOST_ABSTRACT, Study, paper, study_of
from verifier.search.retraction import RetractionCheck

CLAIM = "It is a myth that coffee causes cancer OR heart disease (really)"
DOI = "10.5555/one"


def serve(httpserver: HTTPServer, body: object, status: int = 200, **headers: str) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    httpserver.clear()
    httpserver.expect_request(re.compile(".*")).respond_with_data(data, status=status, headers=headers)
    return httpserver.url_for("/")


def europe_pmc(**changes: object) -> dict[str, object]:
    work: dict[str, object] = {
        "source": "MED",
        "doi": "10.1136/BMJ.1",
        "title": "Coffee and cancer.",
        "abstractText": "<h4>Background</h4>Coffee is drunk widely.<h4>Results</h4>It does not cause <i>cancer</i> &amp; is safe.",
        "firstPublicationDate": "2021-05-04",
        "pubTypeList": {"pubType": ["Journal Article", "Systematic Review", "Review"]},
        "journalInfo": {"journal": {"title": "BMJ"}},
    }
    return {"hitCount": 1, "resultList": {"result": [work | changes]}}


def test_europe_pmc_is_asked_for_any_of_the_words_in_title_or_abstract(httpserver: HTTPServer) -> None:
    EuropePmc(serve(httpserver, europe_pmc()), "me@example.org").search(Query(CLAIM, 6), 5)
    request = next(asked for asked, _ in httpserver.log if asked.path == "/search")  # another test's may come late
    assert dict(request.args) == {
        "query": "TITLE_ABS:(coffee OR causes OR cancer OR heart OR disease) AND HAS_ABSTRACT:Y AND HAS_DOI:Y",
        "resultType": "core",
        "format": "json",
        "pageSize": "15",
        "email": "me@example.org",
    }
    assert request.headers["User-Agent"] == "ClaimVerifier/0.1 (me@example.org)"


def test_openalex_is_asked_politely(httpserver: HTTPServer) -> None:
    url = serve(httpserver, {"results": []})
    OpenAlex(url, "me@example.org").search(Query(CLAIM, 6), 5)
    sent = dict(httpserver.log[0][0].args)
    assert (sent["search"], sent["mailto"]) == ("coffee causes cancer heart disease", "me@example.org")
    assert sent["filter"] == "has_abstract:true,has_doi:true" and sent["per-page"] == "15"
    OpenAlex(url, "https://example.org/bot").search(Query(CLAIM, 6), 5)
    request = httpserver.log[1][0]
    assert "mailto" not in request.args
    assert request.headers["User-Agent"] == "ClaimVerifier/0.1 (https://example.org/bot)"


@pytest.mark.parametrize("service", [EuropePmc, OpenAlex])
def test_a_query_without_words_is_not_sent(httpserver: HTTPServer, service: type[EuropePmc] | type[OpenAlex]) -> None:
    answer = service(serve(httpserver, {})).search(Query("Is it so?", 6), 5)
    assert answer.outcome is Outcome.NOT_ASKED and not httpserver.log


def test_an_abstract_is_the_text_and_the_doi_the_source(httpserver: HTTPServer) -> None:
    (found,) = EuropePmc(serve(httpserver, europe_pmc())).search(Query(CLAIM, 6), 5).results
    assert found.url == "https://doi.org/10.1136/bmj.1" and found.publisher == "BMJ"
    assert found.passages == ("Background: Coffee is drunk widely. Results: It does not cause cancer & is safe.",)
    assert found.title == "Systematic review in BMJ: Coffee and cancer" and not found.rating
    assert found.published_at and f"{found.published_at:%Y-%m-%d}" == "2021-05-04"


def test_europe_pmc_marks_preprints_and_retracted_works(httpserver: HTTPServer) -> None:
    (early,) = EuropePmc(serve(httpserver, europe_pmc(source="PPR"))).search(Query(CLAIM, 6), 5).results
    assert early.title.startswith("Preprint, not peer-reviewed: ") and early.study == Study.PREPRINT
    url = serve(httpserver, europe_pmc(pubTypeList={"pubType": ["Journal Article", "Retracted Publication"]}))
    (taken_back,) = EuropePmc(url).search(Query(CLAIM, 6), 5).results
    assert taken_back.title == "Retracted: Study in BMJ: Coffee and cancer"
    assert taken_back.rating == "Retracted (Europe PMC)"


def test_europe_pmc_reports_errors_as_success(httpserver: HTTPServer) -> None:
    url = serve(httpserver, {"errCode": 404, "errMsg": "Invalid query"})
    assert EuropePmc(url).search(Query(CLAIM, 6), 5) == SearchAnswer(Outcome.UNREACHABLE, detail="unreadable answer")


def test_openalex_marks_retracted_works(httpserver: HTTPServer) -> None:
    work = {
        "doi": f"https://doi.org/{DOI}",
        "display_name": "Coffee",
        "publication_date": "2020-01-01",
        "type": "review",
        "is_retracted": True,
        "abstract_inverted_index": {"Coffee": [0, 3], "is": [1], "not": [2]},
        "primary_location": None,
    }
    (found,) = OpenAlex(serve(httpserver, {"results": [work]})).search(Query(CLAIM, 6), 5).results
    assert (found.passages, found.rating) == (("Coffee is not Coffee",), "Retracted (OpenAlex)")
    assert (found.title, found.study) == ("Retracted: Review: Coffee", "review")


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ({"b": [1], "a": [0], "c": [2]}, "a b c"),
        ({"a": [0, 2], "b": [1]}, "a b a"),
        ({"a": [0], "b": [-1], "c": [True], "d": [10**12], "e": ["1"], "f": 7, "g": [1.5]}, "a"),
        ({"a": list(range(50)), "b": [3]}, " ".join(["a"] * 50)),
        ({}, ""),
    ],
)
def test_an_abstract_is_put_together_from_the_places_of_its_words(index: dict[object, object], text: str) -> None:
    assert abstract_of(index) == text


@pytest.mark.parametrize(
    ("types", "title", "doi", "kind"),
    [
        (["Journal Article", "Practice Guideline"], "x", DOI, Study.GUIDELINE),
        (["Meta-Analysis", "Systematic Review"], "x", DOI, Study.SYSTEMATIC),
        (["review"], "x", DOI, Study.REVIEW),
        (["article"], "A network meta-analysis of coffee", DOI, Study.META_ANALYSIS),
        (["article"], "A review of my life", DOI, Study.STUDY),
        (["Randomized Controlled Trial"], "x", DOI, Study.TRIAL),
        (["editorial"], "x", DOI, Study.COMMENT),
        (["article"], "x", "10.1101/2020.05.04.20090001", Study.PREPRINT),
        (["article"], "x", "10.1101/gr.123", Study.STUDY),
        (["Systematic Review", "Preprint"], "x", DOI, Study.PREPRINT),
    ],
)
def test_the_kind_of_a_work(types: list[str], title: str, doi: str, kind: Study) -> None:
    assert study_of(types, title, doi) is kind


def test_a_hostile_abstract_is_bounded_plain_text() -> None:
    found = paper(DOI, "<b>T</b>\u202e", "<script>x()</script>word\u200b " * 5_000, "2999-01-01", None, [])
    assert found and len(text := found.passages[0]) <= MOST_ABSTRACT and "x()" not in text and "\u200b" not in text
    assert found.title == "Study: T" and found.published_at is None
    for doi in ("10.5555", "javascript:x()", "11.5555/x", ""):
        assert paper(doi, "T", "text", None, None, []) is None


def test_works_of_two_registrants_are_two_voices() -> None:
    voices = [
        publisher_of(f"https://{host}/10.{n}/x").voice for n in (1136, 1016) for host in ("doi.org", "dx.doi.org")
    ]
    assert voices == ["doi.org/10.1136"] * 2 + ["doi.org/10.1016"] * 2
    assert publisher_of("https://doi.org/").voice == "doi.org"


def crossref(*kinds: str, doi: str = DOI) -> dict[str, object]:
    updates = [
        {"DOI": "10.5555/notice", "type": kind, "updated": {"date-parts": [[2010, 2, 6 + n]]}, "source": "publisher"}
        for n, kind in enumerate(kinds)
    ]
    return {"status": "ok", "message-type": "work", "message": {"DOI": doi, "title": ["Coffee"], "updated-by": updates}}


@pytest.mark.parametrize(
    ("kinds", "rating"),
    [
        ((), ""),
        (("correction", "expression_of_concern"), ""),
        (("retraction",), "Retracted on 2010-02-06 (Crossref)"),
        (("correction", "withdrawal"), "Retracted on 2010-02-07 (Crossref)"),
    ],
)
def test_crossref_says_what_was_taken_back(httpserver: HTTPServer, kinds: tuple[str, ...], rating: str) -> None:
    service = Crossref(serve(httpserver, crossref(*kinds)), "me@example.org")
    (found,) = service.search(Query(f"https://doi.org/{DOI}", 1), 5).results
    assert (service.name, service.kind) == ("Crossref", Kind.LITERATURE)
    assert (found.url, found.rating) == (f"https://doi.org/{DOI}", rating)
    request = httpserver.log[0][0]
    assert request.path == f"/works/{DOI}" and request.args["mailto"] == "me@example.org"


def test_crossref_without_whole_dates_still_says_so(httpserver: HTTPServer) -> None:
    answer = crossref("retraction")
    for date in (None, {"date-parts": [[2010]]}, {"date-parts": "x"}, {"date-parts": [[2010, "x", True]]}, [1]):
        answer["message"]["updated-by"][0]["updated"] = date  # type: ignore[index]
        (found,) = Crossref(serve(httpserver, answer)).search(Query(DOI, 1), 5).results
        assert found.rating == "Retracted (Crossref)"


def test_crossref_does_not_know_every_doi(httpserver: HTTPServer) -> None:
    url = serve(httpserver, b"Resource not found.", 404)
    assert Crossref(url).search(Query(DOI, 1), 5) == SearchAnswer(Outcome.EMPTY)
    assert Crossref(url).search(Query("no doi", 1), 5).outcome is Outcome.NOT_ASKED


@pytest.mark.parametrize("service", [Crossref, OpenAlexStatus])
def test_a_service_that_fails_never_says_that_a_work_stands(
    httpserver: HTTPServer, service: type[Crossref] | type[OpenAlexStatus]
) -> None:
    packed = {"Content-Encoding": "gzip"}
    faults: list[tuple[object, int, dict[str, str], Outcome]] = [
        (b"slow down", 429, {"Retry-After": "30"}, Outcome.RATE_LIMITED),
        (b"down", 503, {}, Outcome.UNREACHABLE),
        (b"<html>Welcome</html>", 200, {}, Outcome.UNREACHABLE),
        (b'{"message": {"DOI"', 200, {}, Outcome.UNREACHABLE),
        (crossref("retraction", doi="10.5555/other"), 200, {}, Outcome.UNREACHABLE),
        (b"[]", 200, {}, Outcome.UNREACHABLE),
        (HUGE, 200, {}, Outcome.UNREACHABLE),
        (gzip.compress(HUGE, 1), 200, packed, Outcome.UNREACHABLE),
    ]
    for body, status, headers, outcome in faults:
        answer = service(serve(httpserver, body, status, **headers)).search(Query(DOI, 1), 5)
        assert (answer.outcome, answer.results) == (outcome, ()), (body, status)
    with RawServer(cut) as url:
        assert service(url).search(Query(DOI, 1), 5).outcome is Outcome.UNREACHABLE


def _never() -> bool:
    return False


def test_openalex_is_asked_about_many_and_crossref_about_what_it_flags_or_does_not_know(httpserver: HTTPServer) -> None:
    dois = [f"10.5555/{n}" for n in range(60)]

    def works(request: Request) -> Response:
        asked = request.args["filter"].removeprefix("doi:").split("|")
        known = [
            {"doi": f"https://doi.org/{doi}", "display_name": None, "is_retracted": doi in {dois[3], dois[4]}}
            for doi in asked
            if doi != dois[5]
        ]
        return Response(json.dumps({"results": known}))

    def work(request: Request) -> Response:
        doi = request.path.removeprefix("/works/")
        kinds = {dois[3]: ("retraction",), dois[5]: ("retraction",)}.get(doi, ())
        return Response(json.dumps(crossref(*kinds, doi=doi)))

    httpserver.expect_request("/works").respond_with_handler(works)
    httpserver.expect_request(re.compile("/works/.+")).respond_with_handler(work)
    url = httpserver.url_for("/")
    found = RetractionCheck(OpenAlexStatus(url), Crossref(url))(dois, _never)
    assert {doi: rating for doi, rating in found.ratings.items() if rating} == {
        dois[3]: "Retracted on 2010-02-06 (Crossref)",
        dois[4]: "Retracted (OpenAlex)",  # two indexes that disagree: the one that warns counts
        dois[5]: "Retracted on 2010-02-06 (Crossref)",
    }
    assert len(found.ratings) == 60 and found.problems == ()
    paths = [request.path for request, _ in httpserver.log]
    assert paths.count("/works") == 3 and len(paths) == 6


def test_what_cannot_be_learned_is_left_out_and_said(httpserver: HTTPServer) -> None:
    url = serve(httpserver, b"down", 503)
    dois = [f"10.5555/{n}" for n in range(200)]
    found = RetractionCheck(OpenAlexStatus(url), Crossref(url))(dois, _never)
    assert found.ratings == {} and len(httpserver.log) == 6  # three failures of each
    assert found.problems == (
        "OpenAlex: unreachable (HTTP 503)",
        "Crossref: unreachable (HTTP 503)",
        "it is not known whether they were retracted: 200 of 200 works with a DOI",
    )
    httpserver.clear_log()
    RetractionCheck(OpenAlexStatus(url), Crossref(url))(dois, lambda: True)
    assert httpserver.log == []
