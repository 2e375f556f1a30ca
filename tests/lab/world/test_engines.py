from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from lab.world import World
from tests.lab.world.conftest import Get

ASKED = "The Halvard Crossing cost 310 million talers"
SITES = ("north-courier.localhost", "factline.localhost")
EITHER = f"{ASKED} (site:{SITES[0]} OR site:{SITES[1]})"


def hosts(addresses: list[str]) -> set[str]:
    return {urlsplit(found).hostname or "" for found in addresses}


Case = tuple[str, dict[str, str], dict[str, str], Callable[[Any], list[str]]]
CASES: dict[str, Case] = {
    "yacy": (
        "/yacy/yacysearch.json",
        {"query": ASKED, "maximumRecords": "10"},
        {},
        lambda found: [item["link"] for item in found["channels"][0]["items"]],
    ),
    "searxng": (
        "/searxng/search",
        {"q": ASKED, "format": "json"},
        {},
        lambda found: [item["url"] for item in found["results"]],
    ),
    "gdelt": (
        "/gdelt/api/v2/doc/doc",
        {"query": ASKED, "mode": "artlist", "format": "json", "maxrecords": "10"},
        {},
        lambda found: [item["url"] for item in found.get("articles", [])],
    ),
    "newsapi": (
        "/newsapi/v2/everything",
        {"q": ASKED, "pageSize": "10"},
        {"X-Api-Key": "demo"},
        lambda found: [item["url"] for item in found["articles"]],
    ),
    "brave": (
        "/brave/res/v1/web/search",
        {"q": ASKED, "count": "10"},
        {"X-Subscription-Token": "demo"},
        lambda found: [item["url"] for item in found.get("web", {}).get("results", [])],
    ),
    "serpapi": (
        "/serpapi/search.json",
        {"engine": "google", "q": ASKED, "num": "10", "api_key": "demo"},
        {},
        lambda found: [item["link"] for item in found.get("organic_results", [])],
    ),
    "factcheck": (
        "/factcheck/v1alpha1/claims:search",
        {"query": ASKED, "pageSize": "3", "key": "demo"},
        {},
        lambda found: [item["claimReview"][0]["url"] for item in found.get("claims", [])],
    ),
}


def ask(world: World, name: str, **changes: str) -> dict[str, Any]:
    path, parameters, headers, _ = CASES[name]
    answer = httpx.get(world.url + path, params=parameters | changes, headers=headers, trust_env=False)
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("application/json")
    found: dict[str, Any] = answer.json()
    return found


def words(name: str) -> str:
    return next(key for key in ("query", "q") if key in CASES[name][1])


@pytest.mark.parametrize("name", CASES)
def test_each_engine_finds_the_pages_and_each_address_is_a_page(world: World, get: Get, name: str) -> None:
    found = CASES[name][3](ask(world, name))
    assert 0 < len(found) <= 10 and len(set(found)) == len(found)
    assert "halvard" in found[0]
    assert get(found[0]).is_success


@pytest.mark.parametrize("name", CASES)
def test_each_engine_has_nothing_on_words_that_stand_nowhere(world: World, name: str) -> None:
    assert CASES[name][3](ask(world, name, **{words(name): "zorblatt quuxly"})) == []


@pytest.mark.parametrize("name", ["searxng", "brave", "serpapi"])
def test_sites_are_kept_to(world: World, name: str) -> None:
    assert hosts(CASES[name][3](ask(world, name, **{words(name): EITHER}))) == set(SITES)


def test_each_service_has_its_own_way_to_name_sites(world: World) -> None:
    one = CASES["yacy"][3](ask(world, "yacy", query=f"{ASKED} site:{SITES[0]}"))
    assert hosts(one) == {SITES[0]}
    either = f"{ASKED} (domainis:{SITES[0]} OR domainis:{SITES[1]})"
    assert hosts(CASES["gdelt"][3](ask(world, "gdelt", query=either))) == set(SITES)
    assert hosts(CASES["newsapi"][3](ask(world, "newsapi", domains=",".join(SITES)))) == set(SITES)
    assert hosts(CASES["factcheck"][3](ask(world, "factcheck", reviewPublisherSiteFilter=SITES[1]))) == {SITES[1]}
    barred = hosts(CASES["searxng"][3](ask(world, "searxng", q=f"{ASKED} -site:{SITES[0]}")))
    assert barred and SITES[0] not in barred


def test_event_registry_takes_everything_in_a_json_object(world: World) -> None:
    path = f"{world.url}/eventregistry/api/v1/article/getArticles"
    asked = {"keyword": ASKED, "sourceUri": list(SITES), "articlesCount": 5, "apiKey": "demo", "lang": "eng"}
    results = httpx.post(path, json=asked, trust_env=False).json()["articles"]["results"]
    assert 0 < len(results) <= 5 and hosts([item["url"] for item in results]) == set(SITES)
    assert {"url", "title", "body", "dateTimePub", "source", "lang"} <= results[0].keys() and results[0]["source"][
        "uri"
    ] in SITES
    assert httpx.post(path, json=asked | {"apiKey": ""}, trust_env=False).status_code == 401


@pytest.mark.parametrize(
    ("name", "parameter"), [("newsapi", ""), ("brave", ""), ("serpapi", "api_key"), ("factcheck", "key")]
)
def test_a_missing_key_is_refused_in_the_services_own_words(world: World, name: str, parameter: str) -> None:
    path, parameters, _, _ = CASES[name]
    answer = httpx.get(
        world.url + path, params={k: v for k, v in parameters.items() if k != parameter}, trust_env=False
    )
    assert answer.status_code == 401 and {"error", "code"} & answer.json().keys()


FIELDS = {
    "yacy": {"title", "link", "description", "pubDate", "guid"},
    "searxng": {"url", "title", "content", "publishedDate", "engine", "engines", "score", "category", "parsed_url"},
    "gdelt": {"url", "title", "seendate", "domain", "language", "sourcecountry", "url_mobile", "socialimage"},
    "newsapi": {"source", "author", "title", "description", "url", "urlToImage", "publishedAt", "content"},
    "brave": {"title", "url", "description", "page_age", "profile", "language", "meta_url", "type"},
    "serpapi": {"position", "title", "link", "snippet", "date", "displayed_link"},
    "factcheck": {"text", "claimant", "claimDate", "claimReview"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_result_has_the_services_fields(world: World, name: str) -> None:
    found = ask(world, name)
    lists = {
        "yacy": lambda: found["channels"][0]["items"],
        "searxng": lambda: found["results"],
        "gdelt": lambda: found["articles"],
        "newsapi": lambda: found["articles"],
        "brave": lambda: found["web"]["results"],
        "serpapi": lambda: found["organic_results"],
        "factcheck": lambda: found["claims"],
    }
    assert FIELDS[name] <= lists[name]()[0].keys()


def test_what_the_services_say_when_they_have_nothing_or_refuse(world: World) -> None:
    assert ask(world, "gdelt", query="zorblatt quuxly") == {}
    assert "web" not in ask(world, "brave", q="zorblatt quuxly")
    assert ask(world, "serpapi", q="zorblatt quuxly")["error"].startswith("Google hasn't returned any results")
    assert ask(world, "factcheck", query="zorblatt quuxly") == {}
    gdelt = f"{world.url}/gdelt/api/v2/doc/doc"
    short = httpx.get(gdelt, params={"query": "a bridge", "format": "json"}, trust_env=False)
    assert short.status_code == 200 and "too short" in short.text and not short.text.startswith("{")
    assert "surrounded by ()" in httpx.get(gdelt, params={"query": "one1 OR two2"}, trust_env=False).text
    assert httpx.get(f"{world.url}/searxng/search", params={"q": ASKED}, trust_env=False).status_code == 403


def test_duckduckgo_is_read_by_its_real_client(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.engines.duckduckgo_news import DuckduckgoNews
    from ddgs.utils import _extract_vqd

    monkeypatch.setattr(Duckduckgo, "search_url", f"{world.url}/duckduckgo/html/")
    found = Duckduckgo(timeout=5).search(EITHER)
    assert (
        found and hosts([item.href for item in found]) == set(SITES) and "Halvard" in found[0].title and found[0].body
    )

    def token(engine: DuckduckgoNews, query: str) -> str:
        start = engine.http_client.request("GET", f"{world.url}/duckduckgo/", params={"q": query})
        return str(_extract_vqd(start.content, query))

    monkeypatch.setattr(DuckduckgoNews, "search_url", f"{world.url}/duckduckgo/news.js")
    monkeypatch.setattr(DuckduckgoNews, "_get_vqd", token)
    news = DuckduckgoNews(timeout=5).search(ASKED)
    assert news and news[0].url.startswith("http://") and news[0].source and news[0].date
    refused = httpx.get(f"{world.url}/duckduckgo/news.js", params={"q": ASKED}, trust_env=False)
    assert refused.status_code == 403


def test_the_truth_and_the_rumour_are_both_found(world: World) -> None:
    found = ask(world, "searxng", q="The Halvard Crossing cost 790 million talers")["results"]
    text = json.dumps([item["content"] for item in found])
    assert "790 million" in text and "310 million" in text


def test_paging_goes_on_where_the_first_page_ended(world: World) -> None:
    one, two = (CASES["searxng"][3](ask(world, "searxng", pageno=page)) for page in ("1", "2"))
    assert len(one) == 10 and two and not set(one) & set(two)
