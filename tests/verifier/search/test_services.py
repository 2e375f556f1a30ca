"""What is particular to one search service: what it is asked, and what only it answers."""

from __future__ import annotations

import json
import re
import threading
from datetime import UTC, datetime, timedelta

import pytest
from pytest_httpserver import HTTPServer

from errors import FetchError
from tests.verifier.search.services import CLAIM, KEY, PAGES, SERVICES
from verifier.search.base import Outcome, Query, SearchAnswer
from verifier.search.engines.brave import Brave
from verifier.search.engines.duckduckgo import DuckDuckGo, DuckDuckGoNews
from verifier.search.engines.event_registry import EventRegistry
from verifier.search.engines.feeds import FeedLoader, Feeds
from verifier.search.engines.gdelt import Gdelt
from verifier.search.engines.google_fact_check import GoogleFactCheck
from verifier.search.engines.newsapi import NewsApi
from verifier.search.engines.searxng import SearxNG
from verifier.search.engines.serpapi import SerpApi
from verifier.search.engines.yacy import YaCy
from web.feeds import Feed, read_feed
from web.fetch import Fetched

SITES = ("reuters.com", "bbc.com")
BOTH = "(site:reuters.com OR site:bbc.com)"


def serve(httpserver: HTTPServer, body: object, status: int = 200) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    httpserver.expect_request(re.compile(".*")).respond_with_data(data, status=status)
    return httpserver.url_for("/")


def sent(httpserver: HTTPServer) -> dict[str, str]:
    return dict(httpserver.log[-1][0].args)


def test_yacy_is_given_one_site_as_a_word_and_several_as_a_mask(httpserver: HTTPServer) -> None:
    yacy = YaCy(serve(httpserver, {"channels": [{"items": []}]}))
    yacy.search(Query("the bridge", 8), 5)
    assert sent(httpserver) == {
        "query": "the bridge",
        "maximumRecords": "10",
        "resource": "global",
        "verify": "false",
    }
    yacy.search(Query("the bridge", 20, ("reuters.com",)), 5)
    assert sent(httpserver)["query"] == "the bridge site:reuters.com" and sent(httpserver)["maximumRecords"] == "20"
    yacy.search(Query("the bridge", 8, SITES), 5)
    mask = sent(httpserver)["urlmaskfilter"]
    assert sent(httpserver)["query"] == "the bridge"
    assert all(re.fullmatch(mask, url) for url in ("https://www.reuters.com/a", "http://bbc.com/news/1"))
    assert not any(re.fullmatch(mask, url) for url in ("https://notreuters.com/a", "https://x.example/reuters.com/"))


def test_searxng_gets_sites_and_language(httpserver: HTTPServer) -> None:
    SearxNG(serve(httpserver, {"results": []})).search(Query("the bridge", 8, SITES), 5)
    assert sent(httpserver) == {
        "q": f"the bridge {BOTH}",
        "format": "json",
        "language": "en",
        "safesearch": "0",
        "pageno": "1",
    }


@pytest.mark.parametrize(
    ("silent", "outcome"),
    [
        ([], Outcome.EMPTY),
        ([["brave", "timeout"]], Outcome.NO_ANSWER),
        ([["brave", "Suspended: too many requests"], ["startpage", "CAPTCHA"]], Outcome.RATE_LIMITED),
        ([5, "x", [], ["a", {"b": 1}]], Outcome.NO_ANSWER),
    ],
)
def test_searxng_without_engines_is_no_empty_answer(httpserver: HTTPServer, silent: object, outcome: Outcome) -> None:
    url = serve(httpserver, {"results": [], "unresponsive_engines": silent})
    assert SearxNG(url).search(Query("bridge", 8), 5).outcome is outcome


def test_searxng_says_how_to_allow_json(httpserver: HTTPServer) -> None:
    assert "settings.yml" in SearxNG(serve(httpserver, b"Forbidden", 403)).search(Query("bridge", 8), 5).detail


@pytest.mark.parametrize("front_page", [True, False])
def test_duckduckgo_news_elsewhere_brings_its_token(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, front_page: bool
) -> None:
    from ddgs.engines.duckduckgo_news import DuckduckgoNews

    monkeypatch.setattr(DuckduckgoNews, "search_url", DuckduckgoNews.search_url)
    monkeypatch.setattr(DuckduckgoNews, "_get_vqd", DuckduckgoNews._get_vqd)
    if front_page:
        httpserver.expect_request("/ddg/").respond_with_data("<script>vqd='4-77'</script>")
    found = next(service for service in SERVICES if service.name == "DuckDuckGo News").answer(PAGES)
    httpserver.expect_request("/ddg/news.js").respond_with_data(found)
    answer = DuckDuckGoNews(httpserver.url_for("/ddg/")).search(Query("the bridge", 8, SITES), 5)
    assert answer.results[0].publisher == "The Paper"
    assert sent(httpserver)["vqd"] == ("4-77" if front_page else "0") and sent(httpserver)["q"] == f"the bridge {BOTH}"


def test_duckduckgo_is_given_sites(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo

    monkeypatch.setattr(Duckduckgo, "search_url", Duckduckgo.search_url)
    httpserver.expect_request("/ddg/html/", method="POST").respond_with_data("<html></html>")
    DuckDuckGo(httpserver.url_for("/ddg")).search(Query("the bridge", 8, SITES), 5)
    assert httpserver.log[0][0].form["q"] == f"the bridge {BOTH}"


@pytest.mark.parametrize(
    ("text", "sites", "asked"),
    [
        ("The bridge OR tunnel is 50 km (long)", (), "bridge tunnel long"),
        ('"New Bridge" opened in Rome', ("bbc.com",), '"new bridge" opened rome domainis:bbc.com'),
        ("bridge bridge opened", SITES, "bridge opened (domainis:reuters.com OR domainis:bbc.com)"),
        (
            "one two three four five six seven eight nine ten eleven",
            (),
            "one two three four five six seven eight nine ten",
        ),
    ],
)
def test_gdelt_gets_words_that_it_takes(httpserver: HTTPServer, text: str, sites: tuple[str, ...], asked: str) -> None:
    Gdelt(serve(httpserver, {})).search(Query(text, 8, sites), 5)
    assert sent(httpserver) == {
        "query": asked,
        "mode": "artlist",
        "format": "json",
        "maxrecords": "8",
        "sort": "hybridrel",
    }


def test_gdelt_is_not_asked_without_a_word_that_it_takes(httpserver: HTTPServer) -> None:
    answer = Gdelt(serve(httpserver, {})).search(Query("Is it 50 or so?", 8), 5)
    assert answer.outcome is Outcome.NOT_ASKED and answer.detail and not httpserver.log


@pytest.mark.parametrize(
    ("said", "outcome", "detail"),
    [
        ("The specified phrase is too short.\n", Outcome.UNREACHABLE, 'it says "The specified phrase is too short."'),
        ("Please limit requests to one every 5 seconds.", Outcome.RATE_LIMITED, "one request every 5 s"),
        ("<html><body>Down for repairs</body></html>", Outcome.UNREACHABLE, "unreadable answer"),
    ],
)
def test_gdelt_talks(httpserver: HTTPServer, said: str, outcome: Outcome, detail: str) -> None:
    assert Gdelt(serve(httpserver, said.encode())).search(Query("bridge", 8), 5) == SearchAnswer(outcome, detail=detail)


def test_event_registry_is_asked_for_words_not_for_a_phrase(httpserver: HTTPServer) -> None:
    EventRegistry(KEY, serve(httpserver, {"articles": {"results": []}})).search(Query("the bridge", 8, SITES), 5)
    request, _ = httpserver.log[0]
    body = request.get_json()
    assert (request.method, request.path, request.query_string) == ("POST", "/api/v1/article/getArticles", b"")
    assert (body["keyword"], body["keywordSearchMode"], body["lang"]) == ("the bridge", "simple", "eng")
    assert (body["sourceUri"], body["articlesCount"], body["apiKey"]) == (list(SITES), 8, KEY)


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        ("You have used all available tokens", Outcome.RATE_LIMITED, "the quota is used up"),
        (f"unknown key {KEY}", Outcome.UNREACHABLE, "key refused"),
        ("bad query", Outcome.UNREACHABLE, "query refused"),
    ],
)
def test_event_registry_reports_errors_as_success(
    httpserver: HTTPServer, error: str, outcome: Outcome, detail: str
) -> None:
    answer = EventRegistry(KEY, serve(httpserver, {"error": error})).search(Query("bridge", 8), 5)
    assert answer == SearchAnswer(outcome, detail=detail)


def test_newsapi_is_given_domains_and_a_short_query(httpserver: HTTPServer) -> None:
    newsapi = NewsApi(KEY, serve(httpserver, {"status": "ok", "articles": []}))
    newsapi.search(Query("word " * 200, 8, SITES), 5)
    assert sent(httpserver)["domains"] == "reuters.com,bbc.com" and sent(httpserver)["language"] == "en"
    assert len(sent(httpserver)["q"]) <= 500 and sent(httpserver)["q"].endswith("word")
    assert httpserver.log[0][0].headers["X-Api-Key"] == KEY and KEY not in httpserver.log[0][0].url


@pytest.mark.parametrize(
    ("status", "code", "outcome", "detail"),
    [
        (429, "rateLimited", Outcome.RATE_LIMITED, "HTTP 429"),
        (401, "apiKeyInvalid", Outcome.UNREACHABLE, "key refused"),
        (401, "apiKeyExhausted", Outcome.RATE_LIMITED, "HTTP 401, the quota is used up"),
        (426, "maximumResultsReached", Outcome.UNREACHABLE, "the plan allows no more results of this query"),
        (400, "parameterInvalid", Outcome.UNREACHABLE, "HTTP 400"),
    ],
)
def test_newsapi_names_its_errors(
    httpserver: HTTPServer, status: int, code: str, outcome: Outcome, detail: str
) -> None:
    url = serve(httpserver, {"status": "error", "code": code, "message": "x"}, status)
    assert NewsApi(KEY, url).search(Query("bridge", 8), 5) == SearchAnswer(outcome, detail=detail)


def test_brave_gets_at_most_400_characters_and_50_words(httpserver: HTTPServer) -> None:
    brave = Brave(KEY, serve(httpserver, {"type": "search"}))
    for text in ("a " * 300, "incomprehensibility " * 60):
        brave.search(Query(text, 50, SITES), 5)
        asked = sent(httpserver)["q"]
        assert len(asked) <= 400 and len(asked.split()) <= 50 and asked.endswith(BOTH)
    assert sent(httpserver)["count"] == "20" and httpserver.log[0][0].headers["X-Subscription-Token"] == KEY


def test_brave_refuses_a_key_with_422(httpserver: HTTPServer) -> None:
    url = serve(httpserver, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422)
    assert Brave(KEY, url).search(Query("bridge", 8), 5).detail == "key refused"


@pytest.mark.parametrize(
    ("date", "days"), [("3 days ago", 3), ("1 week ago", 7), ("5 hours ago", 0), ("yesterday", None), ("x y ago", None)]
)
def test_serpapi_dates_are_relative_to_now(httpserver: HTTPServer, date: str, days: int | None) -> None:
    page = {"link": "https://a.example/x", "title": "Bridge", "snippet": "It opened.", "date": date}
    answer = SerpApi(KEY, serve(httpserver, {"organic_results": [page]})).search(Query("bridge", 8), 5)
    published = answer.results[0].published_at
    if days is None:
        assert published is None
    else:
        assert published is not None and (datetime.now(UTC) - published) // timedelta(days=1) == days


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("Google hasn't returned any results for this query.", Outcome.EMPTY),
        ("Your account has run out of searches.", Outcome.RATE_LIMITED),
        (f"Invalid API key {KEY}", Outcome.UNREACHABLE),
        ("We could not process this.", Outcome.UNREACHABLE),
    ],
)
def test_serpapi_errors_come_with_success(httpserver: HTTPServer, error: str, outcome: Outcome) -> None:
    answer = SerpApi(KEY, serve(httpserver, {"error": error})).search(Query("bridge", 8), 5)
    assert answer.outcome is outcome and KEY not in answer.detail


def review(rating: object = "Misleading", **fields: object) -> dict[str, object]:
    full = {"url": "https://checkers.example/1", "title": "Is it?", "reviewDate": "2024-01-31", "textualRating": rating}
    return {**full, "publisher": {"name": "The Checkers", "site": "checkers.example"}, **fields}


def fact_checks(httpserver: HTTPServer, *reviews: object, text: object = CLAIM + ".") -> SearchAnswer:
    url = serve(httpserver, {"claims": [{"text": text, "claimReview": list(reviews)}]})
    return GoogleFactCheck(KEY, url).search(Query(CLAIM, 8), 5)


def test_a_fact_check_becomes_a_sentence_with_rating_claim_and_publisher(httpserver: HTTPServer) -> None:
    (found,) = fact_checks(httpserver, review("Misleading.")).results
    assert found.snippet == f"The Checkers rated the claim \u201c{CLAIM}\u201d: Misleading."
    assert (found.rating, found.claim, found.publisher) == ("Misleading", f"{CLAIM}.", "The Checkers")
    assert found.published_at == datetime(2024, 1, 31, tzinfo=UTC)
    asked = sent(httpserver)
    assert (asked["query"], asked["languageCode"], asked["pageSize"]) == (CLAIM, "en", "3")


def test_the_judgement_reads_the_rating(httpserver: HTTPServer) -> None:
    from tests.verifier.judgement.test_ratings import piece
    from verifier.claim.parsed import parse_claim
    from verifier.judgement.ratings import rating_of
    from verifier.schema import Verdict

    (found,) = fact_checks(httpserver, review()).results
    rated = rating_of(parse_claim(CLAIM), [piece(found.snippet, found.rating)])
    assert rated == (Verdict.MISLEADING, 0)


def test_reviews_without_a_rating_are_passed_over_and_three_are_the_most(httpserver: HTTPServer) -> None:
    bad = [review(None), review(publisher="x"), review(url="ftp://a/b"), 5, None]
    good = [review(url=f"https://checkers.example/{number}") for number in range(9)]
    answer = fact_checks(httpserver, *bad, *good)
    assert [found.url[-1] for found in answer.results] == ["0", "1", "2"]


def test_a_short_claim_is_not_sent_to_the_fact_checks(httpserver: HTTPServer) -> None:
    answer = GoogleFactCheck(KEY, serve(httpserver, {})).search(Query("The Earth is flat", 8), 5)
    assert answer.outcome is Outcome.NOT_ASKED and "40 characters" in answer.detail and not httpserver.log


def test_google_refuses_a_key_with_400(httpserver: HTTPServer) -> None:
    error = {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}
    answer = GoogleFactCheck(KEY, serve(httpserver, error, 400)).search(Query(CLAIM, 8), 5)
    assert (answer.outcome, answer.detail) == (Outcome.UNREACHABLE, "key refused")


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>The Paper</title>
<entry><title>Ferry stops for good</title><link href="https://paper.example/ferry"/><summary>The river ferry was
stopped.</summary><updated>2024-02-01T10:00:00+02:00</updated></entry>
<entry><title>Bridge opened</title><link href="https://paper.example/bridge"/><summary>The new bridge over the
river was opened by the mayor.</summary><updated>2024-02-01T10:00:00+02:00</updated></entry>
<entry><title>Cooking with leeks</title><link href="https://paper.example/leeks"/></entry></feed>"""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Web:
    """Answers from a table of bodies, and counts."""

    def __init__(self, **bodies: bytes) -> None:
        self.bodies, self.fetched = bodies, list[str]()

    def __call__(self, url: str, timeout: float) -> Feed:
        self.fetched.append(url)
        if url not in self.bodies:
            raise FetchError("HTTP 404")
        return read_feed(Fetched(url, 200, "application/rss+xml", self.bodies[url], ""))


def test_the_entry_with_most_of_the_words_comes_first() -> None:
    answer = Feeds(["a"], Web(a=ATOM.encode())).search(
        Query("The mayor opened the river bridge, the ferry stopped", 8), 5
    )
    assert [found.url.rsplit("/")[-1] for found in answer.results] == ["bridge", "ferry"]
    first = answer.results[0]
    assert first.publisher == "The Paper" and first.published_at == datetime(2024, 2, 1, 8, tzinfo=UTC)
    assert Feeds(["a"], Web(a=ATOM.encode())).search(Query("cooking without onions", 8), 5).outcome is Outcome.EMPTY


def test_a_feed_is_fetched_once_in_a_quarter_of_an_hour_and_a_failed_one_once_a_minute() -> None:
    web, clock = Web(a=ATOM.encode()), Clock()
    feeds = Feeds(["a", "b"], web, clock)
    for now, fetched in ((0, ["a", "b"]), (59, []), (61, ["b"]), (899, ["b"]), (901, ["a"])):
        clock.now, web.fetched = now, []
        feeds.search(Query("bridge", 8), 5)
        assert sorted(web.fetched) == fetched


def test_a_missing_feed_is_told_and_never_makes_an_empty_answer() -> None:
    feeds = Feeds(["a", "b"], Web(a=ATOM.encode()))
    found, missed = feeds.search(Query("bridge", 8), 5), feeds.search(Query("volcano", 8), 5)
    assert (found.outcome, missed.outcome) == (Outcome.ANSWERED, Outcome.NO_ANSWER)
    assert found.detail == missed.detail == "1 of 2 feeds could not be read"
    assert Feeds(["b"], Web()).search(Query("bridge", 8), 5).outcome is Outcome.UNREACHABLE


DAMAGED = b'<rss version="2.0"><channel><item><title>&#x110000;</title></item></channel></rss>'
DEEP = b'<rss version="2.0"><channel><item><title>' + b"<b>" * 300_000


def test_a_feed_is_text_and_opens_nothing() -> None:
    for body in (b"/etc/passwd", b"http://127.0.0.1:9/feed", b"<?xml version='1.0'?><a/>", b""):
        assert Feeds(["a"], Web(a=body)).search(Query("root bash", 8), 5).outcome is Outcome.UNREACHABLE, body
    for body in (DAMAGED, DEEP):  # read as far as they go
        assert Feeds(["a"], Web(a=body)).search(Query("root bash", 8), 5).outcome is Outcome.EMPTY, body[:80]


def test_entities_that_grow_are_not_followed() -> None:
    grow = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "bridge bridge "}">' for n in range(9))
    body = f'<?xml version="1.0"?><!DOCTYPE rss [{grow}<!ENTITY f SYSTEM "file:///etc/passwd">]><rss version="2.0"><channel>'
    body += "<item><title>bridge &e8; &f;</title><link>https://a.example/x</link></item></channel></rss>"
    answer = Feeds(["a"], Web(a=body.encode())).search(Query("bridge", 8), 5)
    assert answer.outcome is Outcome.UNREACHABLE and len(repr(answer)) < 2000


def test_feeds_are_fetched_together_within_one_deadline() -> None:
    together, never = threading.Barrier(3, timeout=2), threading.Event()

    def load(url: str, timeout: float) -> Feed:
        if url == "stuck":
            never.wait(2)
        else:
            together.wait()
        return Web(a=ATOM.encode())("a", timeout)

    start = datetime.now(UTC)
    answer = Feeds(["a", "b", "c", "stuck"], load).search(Query("bridge", 8), 0.5)
    never.set()
    assert answer.outcome is Outcome.ANSWERED and answer.detail == "1 of 4 feeds could not be read"
    assert datetime.now(UTC) - start < timedelta(seconds=1.5)


def test_a_feed_comes_as_any_kind_of_xml_and_has_a_megabyte_at_most(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data(status=404)
    kinds = ("application/atom+xml", "text/xml", "application/xml")
    for kind, spaces in [*((kind, 0) for kind in kinds), (kinds[0], 1_000_001)]:
        httpserver.expect_oneshot_request("/feed").respond_with_data(ATOM.encode() + b" " * spaces, content_type=kind)
        feeds = Feeds([httpserver.url_for("/feed")], FeedLoader(allow_private=True))
        assert feeds.search(Query("mayor bridge", 8), 5).outcome is (
            Outcome.UNREACHABLE if spaces else Outcome.ANSWERED
        )
