"""Search Wikidata and turn statements about the claim's subject into sentences. No key.

Wikidata holds facts and figures as data. A search takes at most four requests: one to look up each of up to two names,
one for the statements of the candidate items, and one for the names of the items and units in them. If several items
share a name, the claim's other words decide which is meant, then which item has what the claim asks about, then which
is by far the best known. If none of these decides, nothing is returned.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.mediawiki import MediaWiki, Params, address_of, language_of
from verifier.search.engines.wikidata_values import chosen, items_in, sentences, statements_of, told
from verifier.search.http import UNREADABLE, part, rows
from verifier.search.results import answered, plain, result
from verifier.text.names import names_of
from verifier.text.stems import stems

PUBLIC = "https://www.wikidata.org"
_MOST_SUBJECTS, _MOST_CANDIDATES, _SEARCHED = 2, 3, 10
_MOST_PROPERTIES, _MOST_OF_PROPERTY, _MOST_LABELS = 12, 4, 50
_MOST_BYTES = 12_000_000
"""Byte limit for an answer with items; a country takes over one million, mostly sources."""
_FAR = 3
"""A bare name's item needs this many times as many Wikipedia articles as the next."""
_MOST_NAME = 120
_ITEM = re.compile(r"Q[1-9]\d{0,11}")
_VERB = re.compile(
    r"\s+(?:is|are|was|were|isn't|aren't|has|have|had|can|cannot|contains?|consists?|weighs?|boils?|melts?|freezes?|lies?|orbits?|covers?|"
    r"lives?|belongs?|measures?|does|do|did|became|began|causes?|caused|produces?|flows?|borders?|grows?|eats?|needs?)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_HEAD_WORDS = 4
_NO_SUBJECT = frozenset(
    "there it this that these those he she they we you i nobody everybody everyone people what who".split()
)


@dataclass(frozen=True, slots=True)
class _Property:
    """A property: its id, name, stems that ask for it, and whether stated unasked."""

    id: str
    label: str
    asked_by: frozenset[str]
    common: bool


@dataclass(frozen=True, slots=True)
class _Item:
    """An item that the claim may mean.

    `known` counts the Wikipedias with an article about it.
    """

    id: str
    label: str
    description: str
    claims: object
    known: int
    modified: object


class Wikidata:
    """The statements of Wikidata."""

    name, kind = "Wikidata", Kind.REFERENCE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `contact`, which Wikidata sees as the sender's address."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return the item that the claim is about, with its statements; see `Provider`.

        It sends at most four requests.
        """
        subjects = subjects_of(query.text)
        if not subjects:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no subject in the query")
        wiki, language = MediaWiki(self._contact, timeout), language_of(query.language)
        groups: list[list[str]] = []
        for subject in subjects if language == LANGUAGE else subjects[:1]:
            found = self._named(wiki, subject, language)
            if isinstance(found, SearchAnswer):
                return found
            if found:
                groups.append(_by_description(query.text, subject, found))
        if not groups:
            return SearchAnswer(Outcome.EMPTY)
        items = self._items(wiki, dict.fromkeys(key for group in groups for key in group))
        if isinstance(items, SearchAnswer):
            return items
        meant = [_meant(query.text, [item for item in items if item.id in group]) for group in groups]
        told_of = list({item.id: item for item in meant if isinstance(item, _Item)}.values())
        unclear = next((answer for answer in meant if isinstance(answer, SearchAnswer)), SearchAnswer(Outcome.EMPTY))
        return self._told(wiki, query, told_of, unclear.detail) if told_of else unclear

    def _named(self, wiki: MediaWiki, subject: str, language: str) -> list[Mapping[str, object]] | SearchAnswer:
        """Return the items with exactly this name or alias, best known first."""
        value = wiki.get(
            self._url,
            {
                "action": "wbsearchentities",
                "search": subject,
                "type": "item",
                "language": language,
                "uselang": LANGUAGE,
                "limit": _SEARCHED,
            },
        )
        if isinstance(value, SearchAnswer):
            return value
        if not isinstance(value.get("search"), list):
            return SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
        usable = [row for row in rows(value, "search") if _ITEM.fullmatch(plain(row.get("id"), 20))]
        if value["search"] and not usable:
            return SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
        return [row for row in usable if _plain_name(subject) in _names(row) and not _of_the_wiki(row)]

    def _items(self, wiki: MediaWiki, ids: Collection[str]) -> list[_Item] | SearchAnswer:
        value = wiki.get(self._url, _get(ids, "info|labels|descriptions|claims|sitelinks"), _MOST_BYTES)
        if isinstance(value, SearchAnswer):
            return value
        found = [item for key in ids if (item := _item(key, part(value.get("entities"), key)))]
        return found or SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)

    def _told(self, wiki: MediaWiki, query: Query, items: Sequence[_Item], detail: str) -> SearchAnswer:
        """Return the items' statements that bear on the claim, in words."""
        properties = {item.id: _to_tell(query.text, item) for item in items}
        named = (
            key for i in items for p in properties[i.id] for s in statements_of(i.claims, p.id) for key in items_in(s)
        )
        needed = [*dict.fromkeys(named)][:_MOST_LABELS]
        value = wiki.get(self._url, _get(needed, "labels")) if needed else {}
        if isinstance(value, SearchAnswer):
            labels, detail = {}, f"the names of what it refers to are missing: {value.detail}"
        else:
            labels = {key: _text(part(value.get("entities"), key), "labels") for key in needed}
        found = [self._result(query.text, item, properties[item.id], labels) for item in items]
        usable = [each for each in found if each]
        if not usable:
            return SearchAnswer(Outcome.EMPTY if needed == [*labels] else Outcome.NO_ANSWER, detail=detail)
        return answered(usable, query, detail)

    def _result(
        self, claim: str, item: _Item, properties: Sequence[_Property], labels: Mapping[str, str]
    ) -> SearchResult | None:
        """Return an item and its statements as a result; None if nothing can be stated."""
        years = [int(year) for year in re.findall(r"\b[12]\d{3}\b", claim)]
        lines: list[str] = []
        for each in properties:
            found = [words for s in statements_of(item.claims, each.id) if (words := told(s, labels))]
            lines += sentences(item.label, each.label, chosen(found, years, _most(each, claim)))
        title = f"{item.label} ({item.description})" if item.description else item.label
        usable = result(address_of(self._url, item.id), title, "; ".join(lines), item.modified, "Wikidata")
        return replace(usable, passages=tuple(lines)) if usable and lines else None


def subjects_of(text: str) -> list[str]:
    """Return what a claim may be about: the text before its verb, then its names.

    The most likely comes first. The text before the verb is left out if it contains a name.
    """
    names = [name for name in names_of(text) if len(name) <= _MOST_NAME]
    head = _bearer(_ARTICLE.sub("", _VERB.split(text, maxsplit=1)[0].strip(" \"'\u201c\u201d")))
    short = 0 < len(head.split()) <= _HEAD_WORDS and head != text and head.lower() not in _NO_SUBJECT
    plain_head = short and not any(name in head for name in names)
    return list(dict.fromkeys([*([head] if plain_head else []), *names]))[:_MOST_SUBJECTS]


def _bearer(head: str) -> str:
    """Return what has a property ("chemical symbol of gold" -> "gold").

    Other text is returned unchanged, because "speed of light" is itself an item.
    """
    asked, of, bearer = head.partition(" of ")
    words = set(stems(asked))
    told_by_words = len(asked.split()) > 1 and any(
        words <= each.asked_by.union(stems(each.label)) for each in _properties()
    )
    return _ARTICLE.sub("", bearer) if of and words and told_by_words else head


def _get(ids: Collection[str], props: str) -> Params:
    return {
        "action": "wbgetentities",
        "ids": "|".join(ids),
        "props": props,
        "languages": LANGUAGE,
        "languagefallback": 1,
    }


def _plain_name(text: str) -> str:
    return _ARTICLE.sub("", text.casefold().strip()).removesuffix("s")


def _names(row: Mapping[str, object]) -> set[str]:
    """Return all names of a found item that the answer gives."""
    aliases = row.get("aliases")
    called = [row.get("label"), part(row.get("match"), "text"), *(aliases[:50] if isinstance(aliases, list) else [])]
    return {_plain_name(name) for value in called if (name := plain(value, _MOST_NAME))}


def _of_the_wiki(row: Mapping[str, object]) -> bool:
    """Tell whether an item stands for a page that only lists others."""
    return plain(row.get("description"), 300).startswith("Wikimedia ")


def _by_description(claim: str, subject: str, found: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the first few ids whose descriptions share most with the claim's other words."""
    words = set(stems(claim, shortest=4)) - set(stems(subject))
    shared = [len(words.intersection(stems(plain(row.get("description"), 300), shortest=4))) for row in found]
    best = [row for row, count in zip(found, shared, strict=True) if count == max(shared)]
    return [plain(row.get("id"), 20) for row in best[:_MOST_CANDIDATES]]


def _item(key: str, row: object) -> _Item | None:
    label = _text(row, "labels")
    links, claims = part(row, "sitelinks"), part(row, "claims")
    known = len(links) if isinstance(links, dict) else 0
    if not label or not isinstance(claims, dict):
        return None
    return _Item(key, label, _text(row, "descriptions"), claims, known, part(row, "modified"))


def _text(row: object, what: str) -> str:
    return plain(part(part(part(row, what), LANGUAGE), "value"), 200)


def _meant(claim: str, items: Sequence[_Item]) -> _Item | SearchAnswer:
    """Return the item that the claim means, or why it is unclear."""
    if not items:
        return SearchAnswer(Outcome.EMPTY)
    asked = [each.id for each in _asked_by(claim)]
    having = [item for item in items if any(statements_of(item.claims, key) for key in asked)]
    ranked = sorted(having or items, key=lambda item: -item.known)
    if len(ranked) == 1 or ranked[0].known >= _FAR * max(1, ranked[1].known):
        return ranked[0]
    called = " or ".join(item.description or item.id for item in ranked)
    return SearchAnswer(
        Outcome.EMPTY, detail=f"the claim does not say which {ranked[0].label} is meant: {called}"[:300]
    )


def _to_tell(claim: str, item: _Item) -> list[_Property]:
    """Return properties to state: those asked for, best match first, else a few common ones."""
    there = [each for each in _properties() if statements_of(item.claims, each.id)]
    asked = [each for each in _asked_by(claim) if each in there]
    return (asked or [each for each in there if each.common])[:_MOST_PROPERTIES]


def _asked_by(claim: str) -> list[_Property]:
    words = set(stems(claim))
    found = [(len(words & each.asked_by), each) for each in _properties()]
    return [each for count, each in sorted(found, key=lambda pair: -pair[0]) if count]


def _most(each: _Property, claim: str) -> int:
    """Return a property's number of statements to give: one, unless the claim asks for it."""
    return _MOST_OF_PROPERTY * 3 if each.asked_by & set(stems(claim)) else 1


@lru_cache(maxsize=1)
def _properties() -> tuple[_Property, ...]:
    with (Path(__file__).parent / "wikidata_properties.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            _Property(row["id"], row["label"], frozenset(stems(row["words"])), bool(row["common"]))
            for row in csv.DictReader(file)
        )
