"""The invented Wikipedia and Wikidata, behind the interface of MediaWiki (api.php).

It refuses requests as MediaWiki does: with a JSON error and status 200, with HTML if no format is named, with 403 if
the client does not name itself. Its ranking is its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

from lab.world.encyclopaedia import Fact, Thing, things
from lab.world.exchange import Reply, Request, json_reply, page_reply

WIKIPEDIA, WIKIDATA = "wikipedia.localhost", "wikidata.localhost"
HOSTS = frozenset({f"en.{WIKIPEDIA}", f"de.{WIKIPEDIA}", WIKIDATA})
_EDITED = "2026-01-15T09:30:00Z"
_FIRST_ID = 101
_TITLE_WEIGHT = 3
_UNIT = re.compile(r'"([^"]+)"|(\S+)')


def answer(request: Request, note: str) -> tuple[str, Reply]:
    """Return what was asked for, a wiki's interface or an article, and the answer.

    `note` is planted in all that is written.
    """
    if request.path != "/w/api.php":
        return "wiki page", _page(request)
    kind = "wikidata" if request.host == WIKIDATA else "wikipedia"
    asked = request.query
    if not request.headers.get("user-agent"):
        return kind, page_reply("<!DOCTYPE html><title>403</title>Please set a user-agent", 403)
    if asked.get("format") != "json":
        return kind, page_reply("<!DOCTYPE html><title>MediaWiki API result</title><pre>{}</pre>")
    actions = _DATA if kind == "wikidata" else {"query": _query}
    action = actions.get(asked.get("action", ""))
    if action is None or asked.get("formatversion") != "2":
        return kind, json_reply({"error": {"code": "badvalue", "info": "Unrecognized value for parameter"}})
    return kind, json_reply(action(asked, request.host.partition(".")[0], note))


def _page(request: Request) -> Reply:
    title = unquote(request.path.removeprefix("/wiki/")).replace("_", " ")
    for thing in things():
        if title in {thing.title, _id(thing)}:
            return page_reply(f"<!DOCTYPE html><title>{thing.title}</title><h1>{thing.title}</h1><p>{thing.lead}</p>")
    return page_reply("<!DOCTYPE html><title>404</title>", 404)


def _query(asked: Mapping[str, str], language: str, note: str) -> dict[str, object]:
    """Return articles, found or named, with their extracts.

    If whole articles are asked for, only the first has one.
    """
    known = [thing for thing in things() if language == "en" or thing.german]
    if asked.get("generator") == "search":
        limit = asked.get("gsrlimit", "10")
        found = _ranked(asked.get("gsrsearch", ""), known)[: int(limit) if limit.isdecimal() else 10]
    else:
        wanted = asked.get("titles", "").split("|")
        found = [thing for title in wanted for thing in known if thing.title == title]
    if not found:
        return {"batchcomplete": True}
    whole = "exintro" not in asked
    pages = [_article(thing, place, language, whole, note) for place, thing in enumerate(found, 1)]
    for page in pages[1:] if whole else ():
        del page["extract"]
    return {"batchcomplete": True, "query": {"pages": pages[::-1]}}


def _article(thing: Thing, place: int, language: str, whole: bool, note: str) -> dict[str, object]:
    text = thing.lead if language == "en" else thing.german
    if whole and language == "en":
        text += "".join(f"\n\n\n== {heading} ==\n{words}" for heading, words in thing.sections)
        text += "\n\n\n== References ==\nOstrian Lexicon, volume 4."
    page: dict[str, object] = {
        "pageid": place,
        "ns": 0,
        "title": thing.title,
        "index": place,
        "extract": f"{text} {note}".strip(),
        "revisions": [{"timestamp": _EDITED}],
    }
    return page if language == "en" else page | {"langlinks": [{"lang": "en", "title": thing.title}]}


def _ranked(query: str, known: Sequence[Thing]) -> list[Thing]:
    units = [(match[1] or match[2]).lower() for match in _UNIT.finditer(query) if match[0] != "OR"]

    def score(thing: Thing) -> float:
        text = " ".join([thing.lead, *(words for _, words in thing.sections), thing.german]).lower()
        return sum(_TITLE_WEIGHT * (unit in thing.title.lower()) + (unit in text) for unit in units)

    ranked = sorted(known, key=lambda thing: (-score(thing), -thing.fame))
    return [thing for thing in ranked if score(thing)]


def _search(asked: Mapping[str, str], language: str, note: str) -> dict[str, object]:
    """Return the items whose name begins with the search text, best known first."""
    begin = asked.get("search", "").lower()
    found = sorted((t for t in things() if t.name.lower().startswith(begin)), key=lambda t: -t.fame)
    rows = [
        {
            "id": _id(thing),
            "label": thing.name,
            "description": f"{thing.description} {note}".strip(),
            "match": {"type": "label", "language": asked.get("language", ""), "text": thing.name},
        }
        for thing in found
    ]
    return {"searchinfo": {"search": begin}, "search": rows, "success": 1}


def _entities(asked: Mapping[str, str], language: str, note: str) -> dict[str, object]:
    props, entities = asked.get("props", "").split("|"), {}
    for key in asked.get("ids", "").split("|")[:50]:
        thing = next((thing for thing in things() if _id(thing) == key), None)
        name = thing.name if thing else _ids_of_others().get(key)
        entity: dict[str, object] = {"id": key, "type": "item"} if name else {"id": key, "missing": ""}
        if name:
            entity["labels"] = {"en": {"language": "en", "value": name}}
        if thing and "claims" in props:
            entity |= _whole_entity(thing, note)
        entities[key] = entity
    return {"entities": entities, "success": 1}


def _whole_entity(thing: Thing, note: str) -> dict[str, object]:
    claims: dict[str, list[object]] = {}
    for fact in thing.facts:
        claims.setdefault(fact.property, []).append(_statement(fact))
    return {
        "modified": _EDITED,
        "descriptions": {"en": {"language": "en", "value": f"{thing.description} {note}".strip()}},
        "claims": claims,
        "sitelinks": {f"w{n}wiki": {"site": f"w{n}wiki", "title": thing.title} for n in range(thing.fame)},
    }


_DATA: Mapping[str, Callable[[Mapping[str, str], str, str], dict[str, object]]] = {
    "wbsearchentities": _search,
    "wbgetentities": _entities,
}
_YEARS = frozenset({"P569", "P570", "P571", "P1619"})
_TEXTS = frozenset({"P246"})


def _statement(fact: Fact) -> dict[str, object]:
    qualifiers = {"P585": [_snak(_year(fact.year), "time")]} if fact.year else {}
    if fact.property in _YEARS:
        main = _snak(_year(int(fact.value)), "time")
    elif isinstance(fact.value, int):
        unit = f"http://www.wikidata.org/entity/{_id_of(fact.unit)}" if fact.unit else "1"
        main = _snak({"amount": f"+{fact.value}", "unit": unit}, "quantity")
    elif fact.property in _TEXTS:
        main = _snak(fact.value, "string")
    else:
        key = _id_of(fact.value)
        main = _snak({"entity-type": "item", "id": key, "numeric-id": int(key[1:])}, "wikibase-entityid")
    return {"mainsnak": main, "type": "statement", "rank": fact.rank, "qualifiers": qualifiers}


def _snak(value: object, kind: str) -> dict[str, object]:
    return {"snaktype": "value", "datatype": kind, "datavalue": {"value": value, "type": kind}}


def _year(year: int) -> dict[str, object]:
    return {"time": f"+{year:04}-01-01T00:00:00Z", "precision": 9, "calendarmodel": "Q1985727"}


def _id(thing: Thing) -> str:
    return f"Q{_FIRST_ID + things().index(thing)}"


def _id_of(name: str) -> str:
    """Return the id of a name: its best-known thing, or else what has no article."""
    known = [thing for thing in things() if thing.name == name]
    if known:
        return _id(max(known, key=lambda thing: thing.fame))
    return next(key for key, other in _ids_of_others().items() if other == name)


@lru_cache(maxsize=1)
def _ids_of_others() -> Mapping[str, str]:
    """Return units, languages, awards and whatever else has a name and no article, by ids."""
    names = {thing.name for thing in things()}
    values = [part for thing in things() for fact in thing.facts for part in (fact.value, fact.unit)]
    others = dict.fromkeys(value for value in values if isinstance(value, str) and value and value not in names)
    return {f"Q{_FIRST_ID + len(things()) + number}": name for number, name in enumerate(others)}
