"""Answer an address of the invented web with its site's page, feed or list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from email.utils import format_datetime
from html import escape

from lab.world.exchange import Reply, Request, page_reply
from lab.world.facts import events
from lab.world.markup import login_wall, render
from lab.world.pages import Kind, Page, build_pages, slug
from lab.world.sites import BY_DOMAIN, SITES, Role, Site
from lab.world.traps import spring, trap_pages

_FEED_ENTRIES = 30
_FRONT_PAGE_LINKS = 40
_PRIVATE = "valley-times.localhost"
"""The site whose robots.txt closes /private/."""


class Web:
    """The sites on one port."""

    def __init__(self, port: int) -> None:
        self._port = port
        articles = build_pages(events())
        self._by_site: dict[str, list[Page]] = defaultdict(list)
        for page in articles:
            self._by_site[page.site.domain].append(page)
        for pages in self._by_site.values():
            pages.sort(key=lambda page: page.published_at, reverse=True)
        self.traps = trap_pages(events())
        private = _private_page(articles)
        listings = tuple(page for site in SITES for page in _listings(site, self._by_site[site.domain]))
        self.pages: tuple[Page, ...] = (*articles, *self.traps, *listings, private)
        self._at = {(page.site.domain, page.path): page for page in self.pages}

    def answer(self, request: Request) -> tuple[str, Reply]:
        """Return what kind of thing was asked for, and the answer."""
        site = BY_DOMAIN[request.host]
        files: dict[str, tuple[str, Callable[[Site], Reply]]] = {
            "/robots.txt": ("robots", self._robots),
            "/sitemap.xml": ("sitemap", self._sitemap),
            "/feed.xml": ("feed", self._atom if site.atom else self._rss),
            "/login": ("page", lambda asked: page_reply(login_wall(asked))),
        }
        if request.path in files:
            kind, make = files[request.path]
            return kind, make(site)
        page = self._at.get((site.domain, request.path))
        if page is None:
            return "page", page_reply("<!DOCTYPE html><title>404</title><h1>No such page</h1>", 404)
        if page.trap is not None:
            return "trap", spring(page, self._port)
        related = [other for other in self._by_site[site.domain] if other.section == page.section and other is not page]
        return "page", page_reply(render(page, self._port, related[:4]))

    def feeds(self, roles: Sequence[Role] = (Role.NEWS, Role.AGENCY, Role.FACT_CHECKER)) -> tuple[str, ...]:
        """Return the addresses of the feeds of sites with these roles."""
        return tuple(f"{self._base(site)}/feed.xml" for site in SITES if site.role in roles)

    def _base(self, site: Site) -> str:
        return f"http://{site.domain}:{self._port}"

    def _robots(self, site: Site) -> Reply:
        closed = "Disallow: /private/" if site.domain == _PRIVATE else "Disallow:"
        text = f"User-agent: *\n{closed}\n\nSitemap: {self._base(site)}/sitemap.xml\n"
        return Reply(text.encode(), "text/plain; charset=utf-8")

    def _sitemap(self, site: Site) -> Reply:
        urls = "".join(
            f"<url><loc>{escape(page.url(self._port))}</loc><lastmod>{page.published_at:%Y-%m-%d}</lastmod></url>"
            for page in self._by_site[site.domain]
        )
        text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        return Reply(text.encode(), "application/xml; charset=utf-8")

    def _rss(self, site: Site) -> Reply:
        items = "".join(
            f"<item><title>{escape(page.title)}</title><link>{escape(page.url(self._port))}</link>"
            f'<guid isPermaLink="true">{escape(page.url(self._port))}</guid>'
            f"<pubDate>{format_datetime(page.published_at)}</pubDate>"
            f"<description>{escape(f'<p>{page.paragraphs[0]}</p>')}</description></item>"
            for page in self._by_site[site.domain][:_FEED_ENTRIES]
        )
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
            f"<title>{escape(site.name)}</title><link>{self._base(site)}/</link><description>{escape(site.name)}, all reports"
            f"</description><language>en</language>{items}</channel></rss>"
        )
        return Reply(text.encode(), "application/rss+xml; charset=utf-8")

    def _atom(self, site: Site) -> Reply:
        pages = self._by_site[site.domain][:_FEED_ENTRIES]
        entries = "".join(
            f"<entry><title>{escape(page.title)}</title><id>{escape(page.url(self._port))}</id>"
            f'<link rel="alternate" href="{escape(page.path)}"/>'
            f"<published>{page.published_at.isoformat()}</published><updated>{page.published_at.isoformat()}</updated>"
            f'<summary type="html">{escape(f"<p>{page.paragraphs[0]}</p>")}</summary></entry>'
            for page in pages
        )
        updated = pages[0].published_at.isoformat()
        text = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{self._base(site)}/">'
            f"<title>{escape(site.name)}</title><id>{self._base(site)}/</id><updated>{updated}</updated>{entries}</feed>"
        )
        return Reply(text.encode(), "application/atom+xml; charset=utf-8")


def _private_page(articles: Sequence[Page]) -> Page:
    """Return a page that its site closes to machines, though a rude engine indexed it."""
    model = next(page for page in articles if page.site.domain == _PRIVATE)
    draft = ("A draft that was not meant for readers.", *model.paragraphs)
    path = f"/private/{slug(model.title)}"
    return Page(model.site, path, Kind.NEWS, model.title, draft, model.published_at, model.section, model.event_id)


def _listings(site: Site, pages: Sequence[Page]) -> Iterable[Page]:
    """Return the front page, a page for each section, and one for each tag."""
    if not pages:
        return
    yield _listing(site, "/", f"{site.name}: all the news", pages)
    for section in sorted({page.section for page in pages}):
        within = [page for page in pages if page.section == section]
        yield _listing(site, f"/{section}/", section.capitalize(), within)
        yield _listing(site, f"/tag/{section}/", f"Tag: {section}", within)


def _listing(site: Site, path: str, title: str, pages: Sequence[Page]) -> Page:
    links = tuple((page.title, page.path) for page in pages[:_FRONT_PAGE_LINKS])
    heads = tuple(f"{title}." for title, _ in links)
    return Page(site, path, Kind.LISTING, title, heads, pages[0].published_at, "", "", links=links)
