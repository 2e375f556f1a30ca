"""Make the pages of the invented web from its events, the same on every machine.

Three to four newspapers and an agency report each event, each in its own words. One event in three has become a rumour
that all blogs copy word for word; a fact-checker has looked into two in three. Every count and choice follows from an
event's place in the list, so no random numbers are needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from lab.world.facts import Event
from lab.world.sites import BY_DOMAIN, Role, Site, with_role
from lab.world.wording import ASIDES, BLOG_CLOSE, BLOG_OPEN, CHECKED_BY, CLOSINGS, QUOTES, SOCIAL_POSTS, TOPIC_LINES

_SLUG_WORDS = 10


class Kind(StrEnum):
    """What a page is."""

    NEWS = "news"
    FACT_CHECK = "fact-check"
    STATISTICS = "statistics"
    ENTRY = "entry"
    BLOG = "blog"
    SOCIAL = "social"
    LISTING = "listing"
    TRAP = "trap"


class Trap(StrEnum):
    """What is wrong with a page made to harm its reader."""

    INJECTION = "injection"
    HIDDEN_INJECTION = "hidden-injection"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_TO_METADATA = "redirect-to-metadata"
    REDIRECT_TO_FILE = "redirect-to-file"
    GZIP_BOMB = "gzip-bomb"
    ENDLESS = "endless"
    WRONG_CHARSET = "wrong-charset"
    DRIP = "drip"
    LOGIN_WALL = "login-wall"
    FRONT_PAGE = "front-page"
    CANONICAL = "canonical"
    FAKE_REVIEW = "fake-review"


@dataclass(frozen=True, slots=True)
class Review:
    """A fact-checker's rating of a claim; `worth` is 1 (false) to 5 (true)."""

    claim: str
    rating: str
    worth: int
    publisher: Site


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    `paragraphs` is what a reader sees of the article; `hidden` is in the HTML, but invisible. `canonical`: the address
    that the page gives as its own, where that is a lie. `links`: titles and paths of a listing.
    """

    site: Site
    path: str
    kind: Kind
    title: str
    paragraphs: tuple[str, ...]
    published_at: datetime
    section: str
    event_id: str
    review: Review | None = None
    hidden: str = ""
    canonical: str = ""
    trap: Trap | None = None
    links: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The article as a reader sees it."""
        return " ".join(self.paragraphs)

    def url(self, port: int) -> str:
        """Return the page's address."""
        return f"http://{self.site.domain}:{port}{self.path}"


def slug(text: str) -> str:
    """Return the first words of a headline as part of an address."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower())[:_SLUG_WORDS])


def build_pages(all_events: Sequence[Event]) -> tuple[Page, ...]:
    """Return all articles of all sites, without their front pages and traps."""
    return tuple(page for number, event in enumerate(all_events) for page in _pages_of(number, event))


def _pages_of(number: int, event: Event) -> Iterator[Page]:
    papers = with_role(Role.NEWS)
    chosen = [papers[(number + step) % len(papers)] for step in (0, 1, 3, 4)][: 3 + number % 2]
    yield from (_news(site, number, place, event) for place, site in enumerate(chosen))
    agencies = with_role(Role.AGENCY)
    yield _agency(agencies[number % 2], number, event)
    if number % 4 == 0:
        yield _agency(agencies[(number + 1) % 2], number + 1, event)
    yield _entry(number, event)
    if event.topic == "economy":
        yield _statistics(event)
    checkers = with_role(Role.FACT_CHECKER)
    if number % 3 != 2:
        yield _fact_check(checkers[number // 3 % len(checkers)], event)
    if number % 3 == 0:
        yield _fact_check(checkers[(number // 3 + 1) % len(checkers)], event)
        yield from (_rumour(site, event) for site in with_role(Role.BLOG))
    if number % 7 == 5:
        yield _confirmation(checkers[(number // 3 + 2) % len(checkers)], event)
    if number % 2 == 0:
        yield _post(number, event)


def _dated(event: Event, title: str, hours: int, folder: str = "") -> tuple[str, datetime]:
    """Return the path of an article about an event, and when it appeared."""
    when = event.happened + timedelta(hours=hours)
    return f"/{folder}{when:%Y/%m/%d}/{slug(title)}", when


def _news(site: Site, number: int, place: int, event: Event) -> Page:
    """Return a newspaper's report: one or two sentences carry the fact, the rest surrounds it."""
    title = event.headlines[place % len(event.headlines)]
    path, when = _dated(event, title, place * 3, f"{event.topic}/" if site.domain.startswith("capital") else "")
    wordings = [event.true[place % len(event.true)]]
    if (number + place) % 2:
        wordings.append(event.true[(place + 2) % len(event.true)])
    around = TOPIC_LINES[event.topic]
    body = [
        wordings[0],
        event.background[place % len(event.background)],
        QUOTES[(number + place) % len(QUOTES)].format(place=event.place),
        *wordings[1:],
        around[(number + place) % len(around)],
        *([ASIDES[(number * 2 + place) % len(ASIDES)]] if place else []),
        CLOSINGS[(number + place * 2) % len(CLOSINGS)].format(site=site.name),
    ]
    return Page(site, path, Kind.NEWS, title, _paragraphs(body), when, event.topic, event.id)


def _agency(site: Site, number: int, event: Event) -> Page:
    title = event.headlines[number % len(event.headlines)]
    path, when = _dated(event, title, 0, "wire/")
    lead = f"{event.place.upper()}, {event.happened:%B} {event.happened.day} ({site.name}) – {event.true[-1]}"
    body = [lead, event.true[number % (len(event.true) - 1)], *event.background, CLOSINGS[0].format(site=site.name)]
    return Page(site, path, Kind.NEWS, title, _paragraphs(body), when, event.topic, event.id)


def _entry(number: int, event: Event) -> Page:
    """Return an article of the encyclopedia about the first name of an event."""
    site, name = BY_DOMAIN["open-almanac.localhost"], event.names[0]
    body = [
        f"{name} is the subject of this entry, which the editors last revised after {event.happened:%B %Y}.",
        *event.background,
        event.true[1],
        f"See also the entries on {', '.join((*event.names[1:], event.place))}.",
    ]
    path, when = f"/entry/{event.id}-{slug(name)}", event.happened + timedelta(days=9 + number % 5)
    return Page(site, path, Kind.ENTRY, name, _paragraphs(body), when, event.topic, event.id)


def _statistics(event: Event) -> Page:
    site, title = BY_DOMAIN["statistics-office.localhost"], f"Press release: {event.headlines[0]}"
    path, when = _dated(event, event.headlines[0], 0, "releases/")
    body = [event.true[0], *event.background, "The next figures will be published on the usual day of the month."]
    return Page(site, path, Kind.STATISTICS, title, _paragraphs(body), when, event.topic, event.id)


def _fact_check(site: Site, event: Event) -> Page:
    """Return a fact-check of a false claim."""
    rating = {"factline": "False", "claimwatch": "Incorrect", "truth-desk": "Not true"}[site.domain.split(".")[0]]
    body = [
        f"The claim: “{event.wrong}”",
        CHECKED_BY[site.domain],
        f"Our rating: {rating}. {event.true[1]}",
        event.background[0],
        event.true[2],
        "The posts that spread the claim give no source.",
    ]
    title = f"Fact check: {event.wrong.rstrip('.')}?"
    return _checked(site, event, title, body, Review(event.wrong, rating, 1, site))


def _confirmation(site: Site, event: Event) -> Page:
    """Return a fact-check of a true claim."""
    claim = event.true[1]
    body = [f"The claim: “{claim}”", CHECKED_BY[site.domain], f"Our rating: True. {event.true[0]}", *event.background]
    return _checked(site, event, f"Fact check: {event.headlines[0]}?", body, Review(claim, "True", 5, site))


def _checked(site: Site, event: Event, title: str, body: Sequence[str], review: Review) -> Page:
    path, when = _dated(event, title, 50, "checks/")
    return Page(site, path, Kind.FACT_CHECK, title, tuple(body), when, event.topic, event.id, review)


def _rumour(site: Site, event: Event) -> Page:
    """Return what one blog invented and the others copied, the same except the blog's name."""
    title = event.wrong.rstrip(".")
    path, when = _dated(event, title, 20)
    body = [BLOG_OPEN, event.wrong, event.background[0], BLOG_CLOSE]
    return Page(site, path, Kind.BLOG, title, _paragraphs(body), when, event.topic, event.id)


def _post(number: int, event: Event) -> Page:
    """Return a post of the social site; every other one repeats the rumour."""
    site = BY_DOMAIN["chatterbox.localhost"]
    said = event.wrong if number % 4 == 0 else event.headlines[-1] + "."
    when = event.happened + timedelta(hours=26)
    text = SOCIAL_POSTS[number // 2 % len(SOCIAL_POSTS)].format(said=said)
    path = f"/post/{900_000 + number * 37}"
    return Page(site, path, Kind.SOCIAL, f"Post by {site.author}", (text,), when, event.topic, event.id)


def _paragraphs(sentences: Sequence[str]) -> tuple[str, ...]:
    """Return two sentences to a paragraph, as newspapers set them."""
    return tuple(" ".join(sentences[start : start + 2]) for start in range(0, len(sentences), 2))
