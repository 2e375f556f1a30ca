"""Render a page as HTML with menus, advertisements, a cookie banner and metadata for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from lab.world.pages import Kind, Page
from lab.world.sites import Role, Site

_SECTIONS = ("politics", "economy", "business", "science", "health", "environment", "transport", "culture", "sport")
_HIDDEN = (
    '<div style="display:none">{text}</div><p style="font-size:0;color:#fff">{text}</p>'
    '<span aria-hidden="true" hidden>{text}</span><!-- {text} -->'
)
_COOKIES = (
    '<div class="cookie-banner" role="dialog"><p>We and our partners use cookies to show you advertisements.</p>'
    "<button>Accept all</button><button>Reject</button></div>"
)
_ADVERTISEMENT = '<aside class="ad"><a href="http://bargain-news.localhost/offer">Sleep better tonight with this one pillow</a></aside>'


def render(page: Page, port: int, related: Sequence[Page] = ()) -> str:
    """Return the page as HTML, as its site lays it out."""
    body = _listing(page) if page.links else _article(page)
    links = "".join(f'<li><a href="{escape(other.path)}">{escape(other.title)}</a></li>' for other in related)
    aside = f'<aside class="related"><h3>Read more</h3><ul>{links}</ul></aside>' if links else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{_head(page, port)}</head><body>{_menu(page.site)}{_COOKIES}'
        f"{body}{_ADVERTISEMENT}{aside}{_footer(page.site)}</body></html>\n"
    )


def login_wall(site: Site) -> str:
    """Return what a site shows instead of an article to readers who have not paid."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sign in – {escape(site.name)}</title></head><body>'
        f'{_menu(site)}<main><h1>Sign in to go on reading</h1><form method="post" action="/login"><input name="user">'
        f'<input name="password" type="password"><button>Sign in</button></form></main>{_footer(site)}</body></html>\n'
    )


def _head(page: Page, port: int) -> str:
    address = page.canonical or page.url(port)
    listing = page.kind is Kind.LISTING
    metas = {
        "og:type": "website" if listing else "article",
        "og:title": page.title,
        "og:url": address,
        "og:site_name": page.site.name,
        "og:description": page.paragraphs[0] if page.paragraphs else page.title,
    }
    if not listing:
        metas["article:published_time"] = page.published_at.isoformat()
        metas["article:section"] = page.section
    tags = "".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in metas.items())
    feed = "application/atom+xml" if page.site.atom else "application/rss+xml"
    return (
        f'<meta charset="utf-8"><title>{escape(page.title)} – {escape(page.site.name)}</title>'
        f'<link rel="canonical" href="{escape(address)}"><meta name="viewport" content="width=device-width">{tags}'
        f'<link rel="alternate" type="{feed}" href="/feed.xml"><script>window.ads = [];</script>{_linked_data(page, port)}'
    )


def _linked_data(page: Page, port: int) -> str:
    """Return JSON-LD: a news article and any rating; some sites wrap both in a graph."""
    if page.site.role in {Role.BLOG, Role.SOCIAL} and page.review is None:
        return ""
    nodes: list[dict[str, object]] = [_article_data(page, port)]
    if page.review is not None:
        nodes.append(_review_data(page, port))
    data: object = nodes[0] if len(nodes) == 1 else nodes
    if page.site.atom:
        data = {"@context": "https://schema.org", "@graph": nodes}
    text = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>'


def _article_data(page: Page, port: int) -> dict[str, object]:
    types = {Kind.LISTING: "CollectionPage", Kind.NEWS: "NewsArticle", Kind.FACT_CHECK: "Article"}
    return {
        "@context": "https://schema.org",
        "@type": types.get(page.kind, "WebPage" if page.trap is None else "NewsArticle"),
        "headline": page.title,
        "url": page.canonical or page.url(port),
        "datePublished": page.published_at.isoformat(),
        "author": {"@type": "Person", "name": page.site.author},
        "publisher": {"@type": "Organization", "name": page.site.name, "url": f"http://{page.site.domain}:{port}/"},
    }


def _review_data(page: Page, port: int) -> dict[str, object]:
    review = page.review
    assert review is not None
    publisher = review.publisher
    return {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "url": page.url(port),
        "datePublished": f"{page.published_at:%Y-%m-%d}",
        "claimReviewed": review.claim,
        "itemReviewed": {"@type": "Claim", "author": {"@type": "Person", "name": "Posts on the internet"}},
        "author": {"@type": "Organization", "name": publisher.name, "url": f"http://{publisher.domain}:{port}/"},
        "reviewRating": {
            "@type": "Rating",
            "ratingValue": review.worth,
            "worstRating": 1,
            "bestRating": 5,
            "alternateName": review.rating,
        },
    }


def _article(page: Page) -> str:
    """Return the article itself; every second site uses <article>, the others only class names."""
    paragraphs = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in page.paragraphs)
    date = f'<time datetime="{page.published_at.isoformat()}">{page.published_at:%d %B %Y, %H:%M}</time>'
    byline = f'<p class="byline">By {escape(page.site.author)} · {date}</p>'
    hidden = _HIDDEN.format(text=escape(page.hidden)) if page.hidden else ""
    heading = f"<h1>{escape(page.title)}</h1>"
    if len(page.site.domain) % 2:
        return f"<main><article>{heading}{byline}{paragraphs}{hidden}</article></main>"
    return f'<div class="story">{heading}{byline}<div class="story-body">{paragraphs}{hidden}</div></div>'


def _listing(page: Page) -> str:
    teasers = "".join(
        f'<li class="teaser"><h2><a href="{escape(path)}">{escape(title)}</a></h2></li>' for title, path in page.links
    )
    return f"<main><h1>{escape(page.title)}</h1><ul>{teasers}</ul></main>"


def _menu(site: Site) -> str:
    links = "".join(f'<a href="/{section}/">{section.capitalize()}</a> ' for section in _SECTIONS)
    return f'<header><a href="/">{escape(site.name)}</a><nav>{links}<a href="/login">Sign in</a></nav></header>'


def _footer(site: Site) -> str:
    return (
        f'<footer><p>© 2026 {escape(site.name)} – all rights reserved</p><a href="/imprint">Imprint</a> '
        '<a href="/privacy">Privacy</a> <a href="/feed.xml">Feed</a></footer>'
    )
