"""Search Wikipedia. No key.

Its interface returns the text of articles, so no page is fetched. One request finds the articles and returns their
leads. One more gets the whole article that shares most with the claim. If a claim is not in English, the first request
goes to the Wikipedia in its language. Its articles link to their English versions, which are read too. Passages get the
article's title if they do not name their subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kb.chunk import passages
from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.mediawiki import MediaWiki, Params, address_of, language_of
from verifier.search.http import UNREADABLE, part
from verifier.search.pages import nearest
from verifier.search.results import MOST_TITLE, answered, plain, result, utc
from verifier.text.names import names_of
from verifier.text.stems import stems

PUBLIC = "https://{language}.wikipedia.org"
_ARTICLES = 4
_LEAD_PASSAGES = 2
"""Passages always taken from an article's beginning, because they say what it is about."""
_MOST_TEXT = 400_000
_MOST_UNITS, _SHORTEST = 10, 4
_SMALL = frozenset(
    "that this these those with from have been were which their they there than then more most many much some such only also about "
    "into over under between after before when where what while will would could should because other every both each said says".split()
)
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_HEADING = re.compile(r"^(={2,6})\s*(.+?)\s*\1$")
_APPENDICES = frozenset(
    {"see also", "references", "notes", "external links", "further reading", "bibliography", "sources", "citations"}
)


@dataclass(frozen=True, slots=True)
class _Article:
    """An article of one Wikipedia: text in plain lines, last edit, English title ("": none)."""

    base: str
    language: str
    title: str
    text: str
    edited: datetime | None
    english: str = ""


class Wikipedia:
    """The articles of Wikipedia in the claim's language and in English."""

    name, kind = "Wikipedia", Kind.REFERENCE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `url`, which may hold {language}, and `contact`, which Wikipedia sees as the sender's address."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` articles with the passages that bear on the query; see `Provider`.

        It sends at most three requests.
        """
        words = search_words(query.text, query.language == LANGUAGE)
        if not words:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no name and no word of four letters in the query")
        wiki = MediaWiki(self._contact, timeout)
        find, language = {**_FIND, "gsrsearch": words}, language_of(query.language)
        found = self._ask(wiki, language, find)
        if language != LANGUAGE and isinstance(found, SearchAnswer) and found.outcome is Outcome.EMPTY:
            found = self._ask(wiki, LANGUAGE, find)
        if isinstance(found, SearchAnswer):
            return found
        found = of_those_meant(query.text, found)
        shown, detail = found, ""
        if titles := [article.english for article in found if article.english]:
            english = self._ask(wiki, LANGUAGE, {"titles": "|".join(titles), "redirects": 1})
            if isinstance(english, SearchAnswer):
                detail = f"the English articles are missing: {english.detail}"
            else:
                shown = _in_order(english, titles) + found
        shown, problem = self._with_whole(wiki, query.text, shown)
        usable = [_result(query.text, article) for article in shown]
        return answered(usable, query, detail or problem)

    def _ask(self, wiki: MediaWiki, language: str, params: Params) -> list[_Article] | SearchAnswer:
        """Return the leads of the articles that `params` choose."""
        base = self._url.replace("{language}", language)
        links: Params = {} if language == LANGUAGE else {"lllang": LANGUAGE, "lllimit": "max"}
        props = _PROPS if language == LANGUAGE else f"{_PROPS}|langlinks"
        value = wiki.get(base, {**_LEADS, "prop": props, **links, **params})
        return value if isinstance(value, SearchAnswer) else _articles(value, base, language)

    def _with_whole(self, wiki: MediaWiki, claim: str, articles: Sequence[_Article]) -> tuple[list[_Article], str]:
        """Return the articles, with the whole text of the one nearest to the claim.

        The whole text is not fetched if that article's lead has all the claim's words.
        """
        words = set(stems(claim))
        first = max(articles, key=lambda article: _nearness(claim, words, article), default=None)
        if first is None or any(words <= set(stems(f"{first.title} {text}")) for text in first.text.splitlines()):
            return list(articles), ""
        value = wiki.get(first.base, {**_WHOLE, "titles": first.title})
        whole = value if isinstance(value, SearchAnswer) else _articles(value, first.base, first.language)
        if isinstance(whole, SearchAnswer):
            return list(articles), f"only the beginnings of articles were read: {whole.detail}"
        text = next((article.text for article in whole if article.title == first.title), first.text)
        return [replace(article, text=text) if article is first else article for article in articles], ""


_PROPS = "extracts|pageprops|revisions"
_LEADS: Params = {
    "action": "query",
    "exintro": 1,
    "explaintext": 1,
    "exlimit": "max",
    "ppprop": "disambiguation",
    "rvprop": "timestamp",
}
_FIND: Params = {"generator": "search", "gsrnamespace": 0, "gsrlimit": _ARTICLES}
_WHOLE: Params = {
    "action": "query",
    "prop": _PROPS,
    "explaintext": 1,
    "exsectionformat": "wiki",
    "ppprop": "disambiguation",
    "rvprop": "timestamp",
}


def search_words(text: str, english: bool = True) -> str:
    """Return a claim's names, then its words, joined by OR.

    So a wrong claim also finds its subject. Figures are left out, since the article has the right ones. In other
    languages capitals do not mark names, so every word stands alone.
    """
    names = [name for name in names_of(text) if name not in _OPERATORS] if english else []
    within = {word.lower() for name in names for word in re.findall(r"\w+", name)}
    words = [word for word in re.findall(rf"[^\W\d_]{{{_SHORTEST},}}", text.lower()) if word not in _SMALL | within]
    units = [f'"{name}"' if " " in name else name for name in names] + words
    return " OR ".join(list(dict.fromkeys(units))[:_MOST_UNITS])


def _articles(value: Mapping[str, object], base: str, language: str) -> list[_Article] | SearchAnswer:
    """Return the articles in an answer, best first, without those that only list other articles."""
    pages = part(value.get("query"), "pages")
    if not isinstance(pages, list):
        nothing = "query" not in value and "batchcomplete" in value
        return SearchAnswer(Outcome.EMPTY) if nothing else SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
    rows = [row for row in pages[:50] if isinstance(row, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else len(pages))
    listed = [row for row in rows if part(row.get("pageprops"), "disambiguation") is None]
    found = [article for row in listed if (article := _article(row, base, language))]
    if rows and listed and not found:
        return SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
    return found or SearchAnswer(Outcome.EMPTY)


def _article(row: Mapping[str, object], base: str, language: str) -> _Article | None:
    title, text = plain(row.get("title"), MOST_TITLE), row.get("extract")
    if not title or not isinstance(text, str):
        return None
    lines = "\n".join(line for line in (plain(line, 20_000) for line in _body(text)) if line)
    edited = utc(part(_first(row.get("revisions")), "timestamp"))
    english = plain(part(_first(row.get("langlinks")), "title"), MOST_TITLE).replace("|", " ")
    return _Article(base, language, title, lines, edited, english) if lines else None


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def _body(text: str) -> Iterable[str]:
    """Yield the lines of an extract without its headings and the lists after the article."""
    inside = True
    for line in text[:_MOST_TEXT].splitlines():
        heading = _HEADING.match(line.strip())
        if heading:
            inside = heading[2].lower() not in _APPENDICES
        elif inside:
            yield line


def of_those_meant(claim: str, articles: Sequence[_Article]) -> list[_Article]:
    """Leave out articles about others of the same name: "Mercury (planet)" is not "Mercury (element)".

    If several articles share a name, the one is meant whose word in brackets is in the claim; else the one without
    brackets; else the one whose lead shares most with the claim, apart from names and figures. If two share equally,
    none is meant.
    """
    groups: dict[str, list[_Article]] = {}
    for article in articles:
        groups.setdefault(_subject(article.title).casefold(), []).append(article)
    kept = {article.title for group in groups.values() for article in _meant(claim, group)}
    return [article for article in articles if article.title in kept]


def _meant(claim: str, group: Sequence[_Article]) -> Sequence[_Article]:
    words = set(stems(" ".join(word for word in claim.split() if word.islower()), shortest=4))

    def shared(text: str) -> int:
        return len(words.intersection(stems(text, shortest=4)))

    if len(group) == 1:
        return group
    named = [article for article in group if shared(article.title.removeprefix(_subject(article.title)))]
    plain_titles = [article for article in group if article.title == _subject(article.title)]
    counts = [shared(article.text) for article in group]
    nearest_alone = [a for a, count in zip(group, counts, strict=True) if count == max(counts)]
    return next((found for found in (named, plain_titles, nearest_alone) if len(found) == 1), ())


def _subject(title: str) -> str:
    return re.sub(r"\s*\(.*\)$", "", title)


def _nearness(claim: str, words: set[str], article: _Article) -> tuple[bool, int]:
    """Rank articles named in the claim first, then by the words shared with their lead."""
    named = re.search(rf"\b{re.escape(_subject(article.title))}\b", claim, re.IGNORECASE) is not None
    return named, len(words.intersection(stems(f"{article.title} {article.text}")))


def _in_order(articles: Sequence[_Article], titles: Sequence[str]) -> list[_Article]:
    place = {title: number for number, title in enumerate(titles)}
    return sorted(articles, key=lambda article: place.get(article.title, len(titles)))


def _result(claim: str, article: _Article) -> SearchResult | None:
    """Return an article with its first passages and those sharing most words with the claim."""
    texts = passages(article.text, article.language)
    chosen = dict.fromkeys([*texts[:_LEAD_PASSAGES], *nearest(claim, texts)])
    address = address_of(article.base, article.title)
    found = result(address, article.title, article.text, article.edited, "Wikipedia")
    told = tuple(in_context(article.title, text) for text in texts if text in chosen)
    return replace(found, passages=told, language=article.language) if found else None


def in_context(title: str, passage: str) -> str:
    """Put the title before a passage that does not name the article's subject."""
    return passage if _subject(title).casefold() in passage.casefold() else f"{title}: {passage}"
