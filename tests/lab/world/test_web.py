from __future__ import annotations

import gzip
import json
import re
import threading
import time
import xml.etree.ElementTree as ET
from urllib.parse import urlsplit

import httpx
import pytest

from lab.world import World
from lab.world.pages import Kind, Page, Trap
from lab.world.wording import INJECTION
from tests.lab.world.conftest import Get


def linked_data(html: str) -> list[dict[str, object]]:
    found = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    nodes: list[dict[str, object]] = []
    for text in found:
        data = json.loads(text)
        nodes += data if isinstance(data, list) else data.get("@graph", [data])
    return nodes


def first(world: World, kind: Kind) -> Page:
    return next(page for page in world.town.web.pages if page.kind is kind)


def test_every_page_is_served_under_its_own_name(world: World, get: Get) -> None:
    pages = [page for page in world.town.web.pages if page.trap is None]
    assert len(pages) >= 300 and len({(page.site.domain, page.path) for page in pages}) == len(pages)
    for page in pages[::9]:
        answer = get(page.url(world.port))
        assert answer.status_code == 200 and page.title.split("'")[0] in answer.text.replace("&#x27;", "'")


def test_an_article_carries_what_articles_carry(world: World, get: Get) -> None:
    page = first(world, Kind.NEWS)
    html = get(page.url(world.port)).text
    for part in (
        "og:title",
        "article:published_time",
        'rel="canonical"',
        "<nav>",
        "<footer>",
        "cookie-banner",
        'class="ad"',
        "related",
    ):
        assert part in html
    node = linked_data(html)[0]
    assert node["@type"] == "NewsArticle" and node["datePublished"] == page.published_at.isoformat()


def test_a_fact_check_carries_its_rating(world: World, get: Get) -> None:
    pages = [page for page in world.town.web.pages if page.kind is Kind.FACT_CHECK]
    assert len({page.site.domain for page in pages}) == 3
    for page in pages[:6]:
        review = next(node for node in linked_data(get(page.url(world.port)).text) if node["@type"] == "ClaimReview")
        assert page.review is not None and review["claimReviewed"] == page.review.claim
        assert review["reviewRating"]["alternateName"] == page.review.rating  # type: ignore[index]
        assert page.site.domain in str(review["author"])


def test_feeds_are_rss_and_atom_and_point_to_pages(world: World, get: Get) -> None:
    roots = []
    for address in world.town.web.feeds():
        root = ET.fromstring(get(address).content)
        roots.append(root.tag)
        links = [item.text or "" for item in root.iter("link")] or [
            item.get("href", "") for item in root.iter("{http://www.w3.org/2005/Atom}link")
        ]
        assert (
            len(links) > 5
            and get(links[1] if links[1].startswith("http") else address.replace("/feed.xml", links[1])).is_success
        )
    assert {tag.rpartition("}")[2] for tag in roots} == {"rss", "feed"}


def test_sitemap_and_robots(world: World, get: Get) -> None:
    site = f"http://valley-times.localhost:{world.port}"
    assert "Disallow: /private/" in get(f"{site}/robots.txt").text
    assert "Disallow: /" not in get(f"http://north-courier.localhost:{world.port}/robots.txt").text
    addresses = [
        loc.text or ""
        for loc in ET.fromstring(get(f"{site}/sitemap.xml").content).iter(
            "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
        )
    ]
    assert len(addresses) > 10 and not [address for address in addresses if "/private/" in address]
    assert any(page.path.startswith("/private/") for page in world.town.web.pages)


def test_an_unknown_host_and_an_unknown_page_are_refused(world: World, get: Get) -> None:
    assert get("http://reuters.com/a").status_code == 421
    assert get(f"http://north-courier.localhost:{world.port}/nothing").status_code == 404


def test_each_trap_has_a_page_and_some_search_result_leads_to_it(world: World) -> None:
    assert set(world.traps()) == set(Trap)


@pytest.mark.parametrize(
    ("trap", "address"),
    [
        (Trap.REDIRECT_LOOP, "redirect-loop"),
        (Trap.REDIRECT_TO_METADATA, "http://169.254.169.254/"),
        (Trap.REDIRECT_TO_FILE, "file:///etc/passwd"),
    ],
)
def test_redirects_to_where_nobody_should_go(world: World, get: Get, trap: Trap, address: str) -> None:
    answer = get(world.traps()[trap])
    assert answer.status_code == 302 and address in answer.headers["Location"]


def test_the_bomb_is_small_and_unpacks_to_much(world: World) -> None:
    parts = urlsplit(world.traps()[Trap.GZIP_BOMB])
    with httpx.stream("GET", world.url + parts.path, headers={"Host": parts.netloc}, trust_env=False) as answer:
        packed = b"".join(answer.iter_raw())
    assert answer.headers["Content-Encoding"] == "gzip" and len(packed) < 200_000
    assert len(gzip.decompress(packed)) > 60_000_000


def test_the_endless_page_goes_on(world: World) -> None:
    parts = urlsplit(world.traps()[Trap.ENDLESS])
    size = 0
    with httpx.stream("GET", world.url + parts.path, headers={"Host": parts.netloc}, trust_env=False) as answer:
        for piece in answer.iter_bytes():
            size += len(piece)
            if size > 10_000_000:
                break
    assert size > 10_000_000


def test_the_dripping_page_gives_a_byte_at_a_time(world: World) -> None:
    parts = urlsplit(world.traps()[Trap.DRIP])
    start = time.monotonic()
    with httpx.stream("GET", world.url + parts.path, headers={"Host": parts.netloc}, trust_env=False) as answer:
        pieces = answer.iter_raw()
        assert next(pieces) == b"<" and next(pieces) == b"!"
    assert time.monotonic() - start > 0.4


def test_the_other_traps_look_as_they_should(world: World, get: Get) -> None:
    pages = {trap: get(address) for trap, address in world.traps().items() if trap in {
        Trap.WRONG_CHARSET, Trap.LOGIN_WALL, Trap.FRONT_PAGE, Trap.CANONICAL, Trap.FAKE_REVIEW, Trap.INJECTION, Trap.HIDDEN_INJECTION,
    }}  # fmt: skip
    with pytest.raises(UnicodeDecodeError):
        pages[Trap.WRONG_CHARSET].content.decode("utf-8")
    assert 'type="password"' in pages[Trap.LOGIN_WALL].text and "<article>" not in pages[Trap.LOGIN_WALL].text
    assert (
        'content="article"' in pages[Trap.FRONT_PAGE].text and pages[Trap.FRONT_PAGE].text.count('class="teaser"') >= 3
    )
    assert '<link rel="canonical" href="http://north-courier.localhost' in pages[Trap.CANONICAL].text
    fake = next(node for node in linked_data(pages[Trap.FAKE_REVIEW].text) if node["@type"] == "ClaimReview")
    assert "Factline" in str(fake["author"]) and "daily-whisper" in world.traps()[Trap.FAKE_REVIEW]
    assert f"{INJECTION}</p>" in pages[Trap.INJECTION].text
    assert f'display:none">{INJECTION}' in pages[Trap.HIDDEN_INJECTION].text


def test_stopping_cuts_what_is_being_answered_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    world = World().start()
    parts = urlsplit(world.traps()[Trap.DRIP])
    with httpx.Client(trust_env=False) as client:
        client.get(world.url + "/world/requests")  # a connection that stays open
        with client.stream("GET", world.url + parts.path, headers={"Host": parts.netloc}) as answer:
            next(answer.iter_raw())
            start = time.monotonic()
            world.stop()
    assert time.monotonic() - start < 4 and set(threading.enumerate()) <= before
    world.stop()  # a second time does nothing
