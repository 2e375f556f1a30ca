"""Wikipedia and Wikidata: what they are asked, what they are told to say, and which of several things of one name is meant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.verifier.search.services import entity, statement
from verifier.search.base import Outcome, Query, SearchAnswer
from verifier.search.engines.wikidata import Wikidata, subjects_of
from verifier.search.engines.wikidata_values import told
from verifier.search.engines.wikipedia import Wikipedia, search_words

BRIDGE = {
    "title": "Vey Bridge (Hallam)",
    "index": 1,
    "extract": "The Vey Bridge is a bridge in Hallam. It was designed by Ada Stone.",
    "revisions": [{"timestamp": "2025-02-01T10:00:00Z"}],
}
WHOLE = BRIDGE | {
    "extract": f"{BRIDGE['extract']}\n\n\n== History ==\nPlans were made in 1958.\nIt was opened by the mayor in 1962 and has five "
    "arches of granite.\n\n== References ==\nStone, A. The five granite arches of the mayor."
}
RIVER = {"title": "Vey (river)", "index": 2, "extract": "The Vey is a river in the north of Ardland."}
LISTS = {"title": "Vey", "index": 3, "extract": "Vey may mean:", "pageprops": {"disambiguation": ""}}
CLAIM = "The Vey Bridge has five granite arches."
ASKED = Query(CLAIM, 5)


def pages(*found: Mapping[str, object]) -> dict[str, object]:
    return {"batchcomplete": True, "query": {"pages": list(found)}}


NOTHING: dict[str, object] = {"batchcomplete": True}


def serve(httpserver: HTTPServer, *answers: object, path: str = "/w/api.php") -> str:
    """Answer one request after the other so; a number is a status."""
    for answer in answers:
        body, status = ("slow down", answer) if isinstance(answer, int) else (json.dumps(answer), 200)
        httpserver.expect_ordered_request(path).respond_with_data(body, status, content_type="application/json")
    return httpserver.url_for("/").rstrip("/")


def sent(httpserver: HTTPServer) -> list[dict[str, str]]:
    return [dict(request.args) for request, _ in httpserver.log]


def told_by(answer: SearchAnswer) -> list[str]:
    return [text for found in answer.results for text in found.passages]


class TestWikipedia:
    def test_leads_come_with_the_search_and_the_sections_of_the_nearest_article_after_it(
        self, httpserver: HTTPServer
    ) -> None:
        url = serve(httpserver, pages(RIVER, LISTS, BRIDGE), pages(WHOLE))
        answer = Wikipedia(url, "me@example.org").search(ASKED, 5)
        assert answer.outcome is Outcome.ANSWERED
        assert [found.title for found in answer.results] == ["Vey Bridge (Hallam)", "Vey (river)"]
        assert answer.results[0].passages == (
            "The Vey Bridge is a bridge in Hallam. It was designed by Ada Stone.",
            "Vey Bridge (Hallam): Plans were made in 1958.",
            "Vey Bridge (Hallam): It was opened by the mayor in 1962 and has five arches of granite.",
        )
        assert answer.results[0].url == f"{url}/wiki/Vey_Bridge_(Hallam)"
        assert answer.results[0].published_at == datetime(2025, 2, 1, 10, tzinfo=UTC)
        first, second = sent(httpserver)
        assert (first["gsrsearch"], first["generator"], first["maxlag"]) == (
            '"Vey Bridge" OR five OR granite OR arches',
            "search",
            "5",
        )
        assert second["titles"] == "Vey Bridge (Hallam)" and "exintro" not in second
        agents = {request.headers["User-Agent"] for request, _ in httpserver.log}
        assert agents == {"ClaimVerifier/0.1 (me@example.org)"}

    def test_a_lead_that_has_all_the_claim_s_words_saves_the_second_request(self, httpserver: HTTPServer) -> None:
        url = serve(httpserver, pages(BRIDGE, RIVER))
        answer = Wikipedia(url).search(Query("The Vey is a river in Ardland", 5), 5)
        assert len(httpserver.log) == 1 and "The Vey is a river in the north of Ardland." in told_by(answer)

    def test_a_refused_second_request_leaves_the_leads(self, httpserver: HTTPServer) -> None:
        answer = Wikipedia(serve(httpserver, pages(BRIDGE), 503)).search(ASKED, 5)
        assert answer.outcome is Outcome.ANSWERED and len(answer.results[0].passages) == 1
        assert answer.detail == "only the beginnings of articles were read: HTTP 503"

    def test_a_claim_in_another_language_asks_its_wikipedia_and_reads_the_english_articles_too(
        self, httpserver: HTTPServer
    ) -> None:
        german = {
            "title": "Veybrücke",
            "index": 1,
            "extract": "Die Veybrücke ist eine Brücke in Hallam.",
            "langlinks": [{"lang": "en", "title": "Vey Bridge (Hallam)"}],
        }
        serve(httpserver, pages(german), path="/de/w/api.php")
        serve(httpserver, pages(BRIDGE), pages(WHOLE), path="/en/w/api.php")
        wikipedia = Wikipedia(httpserver.url_for("/") + "{language}")
        answer = wikipedia.search(Query("Die Veybrücke in Hallam hat fünf Bögen.", 5, language="de"), 5)
        assert [(found.language, found.title) for found in answer.results] == [
            ("en", "Vey Bridge (Hallam)"),
            ("de", "Veybrücke"),
        ]
        assert answer.results[1].url.endswith("/de/wiki/Veybr%C3%BCcke")
        assert len(httpserver.log) == 3 and sent(httpserver)[1]["titles"] == "Vey Bridge (Hallam)"

    def test_a_language_that_knows_nothing_leaves_it_to_english(self, httpserver: HTTPServer) -> None:
        serve(httpserver, NOTHING, path="/de/w/api.php")
        serve(httpserver, pages(BRIDGE), pages(WHOLE), path="/en/w/api.php")
        wikipedia = Wikipedia(httpserver.url_for("/") + "{language}")
        answer = wikipedia.search(Query("Die Vey Bridge hat fünf Bögen.", 5, language="de"), 5)
        assert [found.language for found in answer.results] == ["en"] and len(httpserver.log) == 3

    @pytest.mark.parametrize("language", ["und", "..", "en/../x", "evil.example/", ""])
    def test_a_language_that_is_none_is_no_part_of_an_address(self, httpserver: HTTPServer, language: str) -> None:
        serve(httpserver, NOTHING, path="/en/w/api.php")
        wikipedia = Wikipedia(httpserver.url_for("/") + "{language}")
        assert wikipedia.search(Query(CLAIM, 5, language=language), 5).outcome is Outcome.EMPTY

    def test_pages_that_only_list_others_are_no_evidence(self, httpserver: HTTPServer) -> None:
        assert Wikipedia(serve(httpserver, pages(LISTS))).search(ASKED, 5).outcome is Outcome.EMPTY

    @pytest.mark.parametrize(
        ("claim", "kept"),
        [
            ("The planet Mercury has no moons.", ["Mercury (planet)"]),
            ("Mercury was found in cinnabar.", ["Mercury (element)"]),
            ("Mercury was known to the Romans.", []),
        ],
    )
    def test_articles_about_others_of_the_name_are_left_out(
        self, httpserver: HTTPServer, claim: str, kept: list[str]
    ) -> None:
        planet = {"title": "Mercury (planet)", "index": 1, "extract": "Mercury is the first planet. It has no rings."}
        metal = {"title": "Mercury (element)", "index": 2, "extract": "Mercury is a metal, found as cinnabar."}
        answer = Wikipedia(serve(httpserver, pages(planet, metal), NOTHING)).search(Query(claim, 5), 5)
        assert [found.title for found in answer.results] == kept

    def test_the_article_without_brackets_is_the_one_meant_by_the_bare_name(self, httpserver: HTTPServer) -> None:
        village = {"title": "Vessby (village)", "index": 1, "extract": "Vessby is a village, founded in 1790."}
        town = {"title": "Vessby", "index": 2, "extract": "Vessby is the capital of Marelund."}
        answer = Wikipedia(serve(httpserver, pages(village, town), NOTHING)).search(
            Query("Vessby was founded in 1790", 5), 5
        )
        assert [found.title for found in answer.results] == ["Vessby"]

    def test_markup_and_hidden_characters_are_taken_out(self, httpserver: HTTPServer) -> None:
        hostile = BRIDGE | {"extract": "The Vey Bridge<script>x()</script> has five\u202e granite arches."}
        answer = Wikipedia(serve(httpserver, pages(hostile))).search(ASKED, 5)
        assert told_by(answer) == ["The Vey Bridge has five granite arches."]

    def test_nothing_of_a_claim_acts_as_an_operator(self) -> None:
        assert search_words("Vey intitle:Bridge -granite insource:/x/ NOT 'tall\" towers~") == (
            "Vey OR intitle OR bridge OR granite OR insource OR tall OR towers"
        )

    def test_a_claim_without_words_is_not_asked(self) -> None:
        assert Wikipedia("http://127.0.0.1:9").search(Query("5 > 3 !", 5), 1).outcome is Outcome.NOT_ASKED


@pytest.mark.parametrize("make", [Wikipedia, Wikidata])
class TestBoth:
    @pytest.mark.parametrize(
        ("code", "outcome"),
        [
            ("maxlag", Outcome.RATE_LIMITED),
            ("ratelimited", Outcome.RATE_LIMITED),
            ("internal_api_error_DBError", Outcome.UNREACHABLE),
            (5, Outcome.UNREACHABLE),
        ],
    )
    def test_an_error_in_the_json_is_no_empty_answer(
        self, httpserver: HTTPServer, make: type[Wikipedia | Wikidata], code: object, outcome: Outcome
    ) -> None:
        answer = make(serve(httpserver, {"error": {"code": code, "info": "Waiting"}})).search(ASKED, 5)
        assert (answer.outcome, len(httpserver.log)) == (outcome, 1)
        assert answer.detail == f"it reports the error {code if isinstance(code, str) else 'unknown'}"

    def test_all_requests_share_one_time_limit(self, httpserver: HTTPServer, make: type[Wikipedia | Wikidata]) -> None:
        import time

        def slow(request: Request) -> Response:
            time.sleep(0.4)
            found = {"search": [{"id": "Q1", "label": "Vey Bridge"}], "entities": {}} | pages(BRIDGE)
            return Response(json.dumps(found), content_type="application/json")

        httpserver.expect_request("/w/api.php").respond_with_handler(slow)
        start = time.monotonic()
        make(httpserver.url_for("/").rstrip("/")).search(ASKED, 0.6)
        assert time.monotonic() - start < 1.2


def quantity(amount: str, unit: str = "1") -> dict[str, object]:
    return {"amount": amount, "unit": unit if unit == "1" else f"http://www.wikidata.org/entity/{unit}"}


def in_year(year: int) -> dict[str, object]:
    return snak({"time": f"+{year}-01-01T00:00:00Z", "precision": 9}, "time")


def snak(value: object, kind: str) -> dict[str, object]:
    return {"snaktype": "value", "datatype": kind, "datavalue": {"value": value, "type": kind}}


def item(key: str) -> dict[str, object]:
    return {"entity-type": "item", "id": key}


NORWAY_CLAIMS = {
    "P1082": [
        statement(quantity("+4478497"), "quantity", P585=in_year(2000)),
        statement(quantity("+5550203"), "quantity", "preferred", P585=in_year(2024)),
        statement(quantity("+9999999"), "quantity", "deprecated", P585=in_year(2030)),
    ],
    "P36": [statement(item("Q585"), "wikibase-entityid")],
    "P2046": [statement(quantity("+385207.00", "Q712226"), "quantity")],
    "P47": [statement(item(key), "wikibase-entityid") for key in ("Q33", "Q34")],
    "P571": [statement({"time": "+0872-00-00T00:00:00Z", "precision": 9}, "time")],
}
NAMES = {"Q585": "Oslo", "Q712226": "square kilometre", "Q33": "Finland", "Q34": "Sweden"}
LABELS = {"entities": {key: {"labels": {"en": {"value": name}}} for key, name in NAMES.items()}}
FOUND = {"search": [{"id": "Q20", "label": "Norway", "description": "country in Northern Europe"}]}


def entities(**items: object) -> dict[str, object]:
    return {"entities": items, "success": 1}


NORWAY = entities(Q20=entity("Norway", "country in Northern Europe", NORWAY_CLAIMS))


def ask(httpserver: HTTPServer, claim: str, *answers: object) -> SearchAnswer:
    return Wikidata(serve(httpserver, *answers)).search(Query(claim, 5), 5)


class TestWikidata:
    def test_what_the_claim_asks_for_comes_first_with_its_year_and_never_what_is_deprecated(
        self, httpserver: HTTPServer
    ) -> None:
        answer = ask(httpserver, "Norway has 9 million inhabitants.", FOUND, NORWAY, LABELS)
        (found,) = answer.results
        assert found.passages[0] == "Norway, population: 5,550,203 (2024)"
        assert not any("9,999,999" in text or "4,478,497" in text for text in found.passages)
        assert found.url.endswith("/wiki/Q20") and found.title == "Norway (country in Northern Europe)"
        assert [request["action"] for request in sent(httpserver)] == [
            "wbsearchentities",
            "wbgetentities",
        ]  # nothing in it needs a name

    def test_units_items_and_dates_are_told_by_name(self, httpserver: HTTPServer) -> None:
        claim = "Norway, founded in 872, borders Sweden, and covers an area of 100 square miles around its capital."
        assert set(told_by(ask(httpserver, claim, FOUND, {"search": []}, NORWAY, LABELS))) == {
            "Norway, area: 385,207 square kilometres",
            "Norway, capital: Oslo",
            "Norway, shares border with: Finland, Sweden",
            "Norway, inception: 872",
        }

    def test_a_year_in_the_claim_is_answered_by_the_statement_of_that_year(self, httpserver: HTTPServer) -> None:
        told = told_by(ask(httpserver, "In 2000 Norway had 4.5 million inhabitants.", FOUND, NORWAY, LABELS))
        assert told == ["Norway, population: 4,478,497 (2000)"]

    def test_without_the_names_no_number_is_told_bare_of_its_unit(self, httpserver: HTTPServer) -> None:
        answer = ask(httpserver, "Norway covers 385,207 square kilometres.", FOUND, NORWAY, 503)
        assert not any("385,207" in text for text in told_by(answer))
        assert answer.detail == "the names of what it refers to are missing: HTTP 503"

    def test_another_name_of_an_item_counts_and_a_longer_one_does_not(self, httpserver: HTTPServer) -> None:
        others = [
            {"id": "Q5", "label": "Norway spruce", "description": "tree"},
            {"id": "Q20", "label": "Kingdom of Norway", "description": "country", "aliases": ["Norway"]},
        ]
        ask(httpserver, "Norway has 9 million inhabitants.", {"search": others}, NORWAY, LABELS)
        assert sent(httpserver)[1]["ids"] == "Q20"

    def test_no_item_of_that_name_is_an_empty_answer(self, httpserver: HTTPServer) -> None:
        others = {"search": [{"id": "Q5", "label": "Norway spruce", "description": "tree"}]}
        assert ask(httpserver, "Norway has 9 million inhabitants.", others).outcome is Outcome.EMPTY

    def test_two_names_are_looked_up_and_both_items_told_of(self, httpserver: HTTPServer) -> None:
        oslo = {"search": [{"id": "Q585", "label": "Oslo", "description": "city"}]}
        capital = {"P1376": [statement(item("Q20"), "wikibase-entityid")]}
        both = entities(**NORWAY["entities"], Q585=entity("Oslo", "city", capital))  # type: ignore[arg-type]
        labels = {"entities": LABELS["entities"] | {"Q20": {"labels": {"en": {"value": "Norway"}}}}}
        answer = ask(httpserver, "The capital of Norway is Oslo.", FOUND, oslo, both, labels)
        assert told_by(answer) == ["Norway, capital: Oslo", "Oslo, capital of: Norway"]
        assert len(answer.results) == 2 and len(httpserver.log) == 4

    def test_common_statements_are_told_where_none_is_asked_for(self, httpserver: HTTPServer) -> None:
        told = told_by(ask(httpserver, "Norway is wonderful.", FOUND, NORWAY, LABELS))
        assert "Norway, population: 5,550,203 (2024)" in told and not any("border" in text for text in told)

    def test_an_item_of_more_than_three_megabytes_is_read_and_one_of_twelve_is_not(
        self, httpserver: HTTPServer
    ) -> None:
        claim = "Norway has 9 million inhabitants."
        assert ask(httpserver, claim, FOUND, NORWAY | {"x": " " * 4_000_000}, LABELS).outcome is Outcome.ANSWERED
        httpserver.clear()
        answer = ask(httpserver, claim, FOUND, NORWAY | {"x": " " * 13_000_000})
        assert (answer.outcome, answer.detail) == (Outcome.UNREACHABLE, "more than 12 MB")

    def test_the_second_name_is_looked_up_where_the_first_finds_nothing(self, httpserver: HTTPServer) -> None:
        answer = ask(httpserver, "The Zorvath lies in Norway.", {"search": []}, FOUND, NORWAY, LABELS)
        assert answer.outcome is Outcome.ANSWERED and len(httpserver.log) == 4

    def test_a_claim_in_another_language_is_looked_up_in_it(self, httpserver: HTTPServer) -> None:
        norwegen = {"search": [{"id": "Q20", "label": "Norway", "match": {"language": "de", "text": "Norwegen"}}]}
        url = serve(httpserver, norwegen, NORWAY, LABELS)
        answer = Wikidata(url).search(Query("Norwegen hat 9 Millionen Einwohner.", 5, language="de"), 5)
        assert sent(httpserver)[0]["language"] == "de" and told_by(answer)


def mercury(key: str, description: str) -> dict[str, object]:
    return {"id": key, "label": "Mercury", "description": description}


PLANET, METAL, GOD = (
    mercury("Q308", "smallest planet of the Solar System"),
    mercury("Q925", "chemical element with symbol Hg"),
    mercury("Q1150", "deity of Roman mythology"),
)
BOILS = {"P2102": [statement(quantity("+357", "Q25267"), "quantity")]}
ORBITS = {"P2146": [statement(quantity("+88", "Q573"), "quantity")]}
UNITS = {"entities": {"Q25267": {"labels": {"en": {"value": "degree Celsius"}}}}}


class TestWhichIsMeant:
    """Several items are called Mercury."""

    SEARCH = {"search": [PLANET, METAL, GOD]}  # noqa: RUF012

    def test_the_words_of_the_description_decide(self, httpserver: HTTPServer) -> None:
        one = entities(Q925=entity("mercury", METAL["description"], BOILS))
        ask(httpserver, "Mercury is a chemical element that boils at 100 degrees.", self.SEARCH, one, UNITS)
        assert sent(httpserver)[1]["ids"] == "Q925"

    def test_else_what_has_a_statement_of_what_the_claim_speaks_of(self, httpserver: HTTPServer) -> None:
        all_three = entities(
            Q308=entity("Mercury", PLANET["description"], ORBITS, 200),
            Q925=entity("mercury", METAL["description"], BOILS, 150),
            Q1150=entity("Mercury", GOD["description"], {}, 90),
        )
        answer = ask(httpserver, "Mercury boils at 100 degrees.", self.SEARCH, all_three, UNITS)
        assert told_by(answer) == ["mercury, boiling point: 357 degrees Celsius"]

    def test_else_what_is_known_far_better(self, httpserver: HTTPServer) -> None:
        answer = ask(httpserver, "Mercury boils at 100 degrees.", self.SEARCH, self.both(150, 50), UNITS)
        assert answer.results[0].url.endswith("/Q925")

    def test_else_none(self, httpserver: HTTPServer) -> None:
        answer = ask(httpserver, "Mercury boils at 100 degrees.", self.SEARCH, self.both(150, 51))
        assert (answer.outcome, answer.results) == (Outcome.EMPTY, ())
        assert answer.detail == (
            "the claim does not say which mercury is meant: chemical element with symbol Hg or deity of Roman mythology"
        )

    @staticmethod
    def both(known: int, other: int) -> dict[str, object]:
        return entities(
            Q925=entity("mercury", METAL["description"], BOILS, known),
            Q1150=entity("Mercury", GOD["description"], BOILS, other),
        )

    def test_a_page_of_the_wiki_is_no_item(self, httpserver: HTTPServer) -> None:
        page = mercury("Q9", "Wikimedia disambiguation page")
        found = {"search": [page, METAL]}
        ask(httpserver, "Mercury boils.", found, entities(Q925=entity("mercury", "x", BOILS)), UNITS)
        assert sent(httpserver)[1]["ids"] == "Q925"


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (quantity("+8848.86", "Q11573"), "quantity", "8,848.86 metres"),
        (quantity("+1", "Q11573"), "quantity", "1 metre"),
        (quantity("-0.50", "Q25267"), "quantity", "-0.5 degrees Celsius"),
        (quantity("+300", "Q180154"), "quantity", "300 kilometres per hour"),
        (quantity("+79"), "quantity", "79"),
        (quantity("+12", "Q99999"), "quantity", None),
        (quantity("NaN"), "quantity", None),
        (quantity("+1E+999999"), "quantity", None),
        (quantity("ten"), "quantity", None),
        ({"time": "+1879-03-14T00:00:00Z", "precision": 11}, "time", "14 March 1879"),
        ({"time": "+1879-03-00T00:00:00Z", "precision": 10}, "time", "March 1879"),
        ({"time": "+1879-99-99T00:00:00Z", "precision": 11}, "time", "1879"),
        ({"time": "+1900-00-00T00:00:00Z", "precision": 7}, "time", "19th century"),
        ({"time": "+1870-00-00T00:00:00Z", "precision": 8}, "time", "1870s"),
        ({"time": "-0044-03-15T00:00:00Z", "precision": 11}, "time", "15 March 44 BC"),
        ({"time": "-13798000000-00-00T00:00:00Z", "precision": 3}, "time", None),
        ({"time": 5, "precision": "x"}, "time", None),
        (item("Q11573"), "wikibase-entityid", "metre"),
        (item("Q8"), "wikibase-entityid", None),
        ({"text": "Alt for <b>Norge</b>", "language": "no"}, "monolingualtext", "Alt for Norge"),
        ("Au", "string", "Au"),
        ("gold.jpg", "commonsMedia", None),
        (None, "time", None),
    ],
)
def test_a_value_in_words(value: object, kind: str, expected: str | None) -> None:
    labels = {"Q11573": "metre", "Q25267": "degree Celsius", "Q180154": "kilometre per hour"}
    found = told(statement(value, kind), labels)
    assert (found.text if found else None) == expected


def test_no_value_and_an_unknown_value_are_not_told() -> None:
    for odd in ({"snaktype": "novalue"}, {"snaktype": "somevalue"}, None, 5):
        assert told({"mainsnak": odd, "rank": "normal"}, {}) is None


def test_qualifiers_that_change_the_meaning_are_told() -> None:
    part = snak(item("Q1"), "wikibase-entityid")
    said = statement(quantity("+709000"), "quantity", P518=part, P585=in_year(2023), P459=part)
    found = told(said, {"Q1": "Oslo proper"})
    assert found and found.text == "709,000 (for Oslo proper, 2023)"
    held = statement(item("Q2"), "wikibase-entityid", P580=in_year(2000), P582=in_year(2013))
    later = told(held, {"Q2": "Jens Stoltenberg"})
    assert later and later.text == "Jens Stoltenberg (from 2000, until 2013)"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Norway has 9 million inhabitants.", ["Norway"]),
        ("The capital of Australia is Sydney.", ["Australia", "Sydney"]),
        ("Gold has the chemical symbol Au.", ["Gold", "Au"]),
        ("The chemical symbol of gold is Au.", ["gold", "Au"]),
        ("The melting point of the metal iron is 1,538 degrees.", ["metal iron"]),
        ("The king of the hill is a game.", ["king of the hill"]),
        ("The highest mountain of Norway is Galdhopiggen.", ["Norway", "Galdhopiggen"]),
        ("The speed of light is 299,792,458 metres per second.", ["speed of light"]),
        ("Blue whales are heavier than elephants.", ["Blue whales"]),
        ("there was nothing that anybody who lives in this town could have known of", []),
    ],
)
def test_what_a_claim_is_about(claim: str, expected: list[str]) -> None:
    assert subjects_of(claim) == expected
