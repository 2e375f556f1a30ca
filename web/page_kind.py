"""Tell articles from front pages, lists, searches and logins, which prove nothing and change daily."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_ARTICLES = frozenset(
    "Article NewsArticle ReportageNewsArticle AnalysisNewsArticle BackgroundNewsArticle OpinionNewsArticle ReviewNewsArticle "
    "BlogPosting LiveBlogPosting ScholarlyArticle MedicalScholarlyArticle TechArticle Report ClaimReview AdvertiserContentArticle".split()
)
_LISTS = frozenset(
    "CollectionPage SearchResultsPage ContactPage CheckoutPage ProfilePage ImageGallery VideoGallery".split()
)
_HOME = re.compile(
    r"^(?:/[a-z]{2}(?:[-_][a-z]{2})?)?/?(?:(?:index|default|home|homepage|start)(?:\.\w{2,5})?)?/?$", re.IGNORECASE
)
_LISTING = re.compile(
    r"^(?:/[a-z]{2}(?:[-_][a-z]{2})?)?/(?:tags?|topics?|category|categories|authors?|search|suche|recherche|archives?|page|log-?in|sign-?in|"
    r"sign-?up|register|account|subscribe|newsletters?|sitemap|contact|impressum|privacy|terms|cookies?)(?:[/.].*)?$",
    re.IGNORECASE,
)
_SEARCH_QUERY = re.compile(r"(?:^|&)(?:q|s|query|search|keyword)=", re.IGNORECASE)
_AROUND = frozenset({"head", "nav", "header", "footer", "aside"})
_LONG = 140
"""Characters outside links that no paragraph of a list of links has."""
MAX_LINK_SHARE = 0.6


def is_article_page(url: str, og_type: str, types: Iterable[str], tree: HtmlElement) -> bool:
    """Return whether the page is an article.

    Its path decides first, then how much of its text is links, then what it says it is.

    Args:
        url: its final address; "" where it has none, then its path says nothing.
        og_type: its og:type.
        types: its JSON-LD types.
        tree: its body, without what is not shown.
    """
    stated = frozenset(types)
    if url and _listed(url):
        return False
    link_share, long = _measure(tree)
    if long < 2 and (link_share > MAX_LINK_SHARE or tree.xpath("boolean(//input[@type='password'])")):
        return False
    return bool(stated & _ARTICLES) or og_type.strip().lower() in {"article", "news"} or not stated & _LISTS


def _listed(url: str) -> bool:
    parts = urlsplit(url)
    if _HOME.match(parts.path):
        return not parts.query or bool(_SEARCH_QUERY.search(parts.query))  # /?p=123 and /index.php?id=5 are articles
    return bool(_LISTING.match(parts.path))


def _measure(tree: HtmlElement) -> tuple[float, int]:
    """Return the share of text in links, and the number of long paragraphs, without menus."""
    everything = linked = long = 0
    state: dict[HtmlElement | None, tuple[bool, bool]] = {None: (False, False)}  # in a menu, in a link
    for element in tree.iter("*"):
        menu, link = above = state[element.getparent()]
        state[element] = menu, link = (
            menu or element.tag in _AROUND,
            link or (element.tag == "a" and bool(element.get("href"))),
        )
        own, tail = len((element.text or "").strip()), len((element.tail or "").strip())
        everything += (0 if menu else own) + (0 if above[0] else tail)
        linked += (0 if menu or not link else own) + (0 if above[0] or not above[1] else tail)
        if element.tag in {"p", "blockquote"} and not menu:
            long += own + sum(len(child.tail or "") for child in element) >= _LONG
    return linked / max(everything, 1), long
