from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from errors import InputError, StoreError
from kb.publishers.credibility import publisher_of
from kb.publishers.urls import is_homepage
from kb.record import Collection, Origin, content_hash
from kb.starter.pack import read_statements, starter_facts, starter_vectors, write_statements, write_vectors
from kb.starter.seed import seed, seed_facts
from kb.starter.subjects import bears_on
from kb.store.evidence_store import EvidenceStore
from kb.store.near_duplicates import near_duplicate_of
from lab.starter_generator.build import clubs, of_countries, own, statements
from lab.starter_generator.climate import climate
from lab.starter_generator.elements import elements
from lab.starter_generator.factbook import Country, figure_in, plain, read_countries
from lab.starter_generator.rankings import rankings
from lab.starter_generator.wording import in_words, listed, with_article
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM
from verifier.settings import Settings

NORLAND: dict[str, dict[str, object]] = {
    "Geography": {
        "Location": {"text": "Northern Europe, bordering the Grey Sea, west of Sudland"},
        "Area": {"total ": {"text": "323,802 sq km"}},
        "Land boundaries": {
            "total": {"text": "900 km"},
            "border countries": {"text": "Sudland 700 km; US 200 km (of which 5 km river)"},
        },
        "Coastline": {"text": "25,148 km", "note": "<strong>note:</strong> with islands"},
        "Elevation": {"highest point": {"text": "Mount Nor (Norberg) 2,469 m"}},
    },
    "People and Society": {
        "Population": {"total": {"text": "5,509,733 (2024 est.)"}},
        "Languages": {
            "Languages": {"text": "Norlandic (official) 90%, Sudish (official), Westic (official in the west) 3%"}
        },
        "Religions": {"text": "Muslim 61%, other 20%, none 19% (2021 est.)"},
        "Nationality": {"noun": {"text": "Norlander(s)"}},
        "Major urban areas - population": {"text": "1.5 million Bigtown, 900,000 NORCITY (capital) (2023)"},
        "Life expectancy at birth": {"total population": {"text": "82.9 years (2024 est.)"}},
    },
    "Government": {
        "Country name": {
            "conventional long form": {"text": "Kingdom of Norland"},
            "conventional short form": {"text": "Norland"},
        },
        "Government type": {"text": "parliamentary constitutional monarchy; a realm"},
        "Capital": {"name": {"text": "Norcity (Nor&aacute;)"}},
        "Independence": {"text": "7 June 1905 (from Sudland)"},
        "National holiday": {"text": "Constitution Day, 17 May (1814)"},
        "National anthem(s)": {"title": {"text": '"Norsang" (Song of the North)'}},
    },
    "Economy": {
        "Exchange rates": {"Currency": {"text": "Norwegian kroner (NOK) per US dollar -"}},
        "GDP (official exchange rate)": {"text": "$483.727 billion (2024 est.)"},
        "Unemployment rate": {
            "Unemployment rate 2024": {"text": "4% (2024 est.)"},
            "Unemployment rate 2023": {"text": "3.6% (2023 est.)"},
        },
        "Exports - commodities": {"text": "fish, gas, oil (2023)"},
    },
    "Communications": {"Internet country code": {"text": ".nl"}},
}
TOLD = {
    "Norland is in Northern Europe, on the Grey Sea.",
    "Norland has land borders with Sudland and the United States.",
    "The coastline of Norland is about 25,100 kilometres long.",
    "The highest point in Norland is Mount Nor, at 2,469 metres (about 8,100 feet).",
    "Norlandic and Sudish are official languages of Norland.",
    "Most people in Norland are Muslim (about 61% in 2021).",
    "Norland is a parliamentary constitutional monarchy.",
    "The official name of Norland is the Kingdom of Norland.",
    "Norland gained its independence from Sudland in 1905 (on 7 June).",
    "The currency of Norland is the Norwegian krone (NOK).",
    "The internet country code of Norland is .nl.",
    "The national anthem of Norland is “Norsang”, which means “Song of the North”.",
    "The national holiday of Norland is Constitution Day, kept on 17 May.",
    "Life expectancy at birth in Norland was 82.9 years in 2024.",
    "The gross domestic product (GDP) of Norland was about $484 billion in 2024.",
    "The unemployment rate of Norland was about 4% in 2024.",
    "The main exports of Norland in 2023, by value, were fish, gas and oil.",
    "The largest city of Norland is Bigtown, with about 1.5 million people in its urban area.",
}


@pytest.fixture(scope="module")
def facts() -> list[str]:
    return [fact.text for fact in starter_facts()]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of figures: two countries, and two years of carbon dioxide."""
    (tmp_path / "factbook" / "europe").mkdir(parents=True)
    (tmp_path / "factbook" / "europe" / "no.json").write_text(json.dumps(NORLAND), encoding="utf-8")
    small = NORLAND | {
        "Geography": NORLAND["Geography"]
        | {"Coastline": {"text": "0 km (landlocked)"}, "Area": {"total ": {"text": "61 sq km"}}},
        "Government": {"Country name": {"conventional short form": {"text": "Sudland"}}},
    }
    (tmp_path / "factbook" / "europe" / "su.json").write_text(json.dumps(small), encoding="utf-8")
    (tmp_path / "world_stats").mkdir()
    months = [
        f"{year}-{month:02},{year},{value},0,0"
        for year, value in ((1960, 316.5), (1980, 338.5), (2000, 369.5))
        for month in range(1, 13)
    ]
    (tmp_path / "world_stats" / "co2-mm-mlo.csv").write_text(
        "Date,Decimal Date,Average,a,b\n" + "\n".join([*months, "2001-01,2001,371,0,0"])
    )
    return tmp_path


def test_a_countrys_figures_become_statements_in_our_own_words(data: Path) -> None:
    norland = next(country for country in read_countries(data / "factbook") if country.code == "no")
    told = {statement.text for statement in of_countries([norland])}
    assert told >= TOLD
    assert "The capital of Norland is Norcity." in told
    assert "Bigtown is not the capital of Norland." in told
    assert any("5.5 million people" in text and "2024" in text for text in told)
    assert not any("3.6%" in text for text in told), "only the latest year of a figure is told"
    assert all("note" not in text and "est." not in text and "<" not in text for text in told)


def test_a_landlocked_country_has_no_coast(data: Path) -> None:
    sudland = next(country for country in read_countries(data / "factbook") if country.code == "su")
    told = [statement.text for statement in of_countries([sudland])]
    assert any("landlocked" in text for text in told) and not any("coastline" in text for text in told)


def test_rankings_are_counted_from_the_figures(data: Path) -> None:
    told = [statement.text for statement in rankings(read_countries(data / "factbook"))]
    assert told[0] == "Norland is the largest country in the world by area, with about 324,000 square kilometres."
    assert "Sudland is the smallest country in the world by area, with about 61 square kilometres." in told


def test_carbon_dioxide_is_told_for_whole_years_alone(data: Path) -> None:
    told = [statement.text for statement in climate(data / "world_stats")]
    assert "In 2000 the air at Mauna Loa in Hawaii held 369.5 parts per million of carbon dioxide on average." in told
    assert not any("2001" in text for text in told)


def test_the_same_data_give_the_same_bytes(data: Path, tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_statements(statements(data), tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert [fact.text for fact in starter_facts(tmp_path / "a.gz")] == [
        statement.text for statement in statements(data)
    ]


def test_what_is_missing_or_damaged_is_said_in_one_line(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no country files"):
        statements(tmp_path / "nowhere")
    (data / "world_stats" / "co2-mm-mlo.csv").write_text("Year,Mean\n1960,3\n")
    with pytest.raises(InputError, match="not the monthly means"):
        statements(data)
    (data / "factbook" / "europe" / "no.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        statements(data)
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b not gzip")
    with pytest.raises(StoreError, match="restore the file"):
        starter_facts(tmp_path / "bad.gz")


@pytest.mark.parametrize(
    ("text", "value", "year"),
    [
        ("1.086 million OSLO (capital) (2023)", 1_086_000, 2023),
        ("$483.727 billion (2024 est.)", 483_727_000_000, 2024),
        ("0 km (landlocked)", 0, 0),
        ("-1.5% (2019 est.)", -1.5, 2019),
    ],
)
def test_figures_are_read_with_scale_and_year(text: str, value: float, year: int) -> None:
    figure = figure_in(text)
    assert figure and figure.value == pytest.approx(value) and figure.year == year


def test_fields_lose_markup_and_notes() -> None:
    assert plain("<p>Bras&iacute;lia; note - a <em>planned</em> city</p>") == "Brasília"
    assert plain("<br>first<br><br><strong>note:</strong> second") == "first"
    assert figure_in("none") is None


def test_wording() -> None:
    assert [in_words(n) for n in (5_509_733, 143_200_000, 1_419_000_000, 415_306, 999_960_000)] == [
        "5.5 million",
        "143 million",
        "1.42 billion",
        "415,000",
        "1 billion",
    ]
    assert listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"
    assert [with_article(noun) for noun in ("absolute monarchy", "republic", "unitary republic")] == [
        "an absolute monarchy",
        "a republic",
        "a unitary republic",
    ]


def test_every_element_has_its_symbol_and_number() -> None:
    told = list(elements())
    assert len({statement.about for statement in told}) == 118
    texts = [statement.text for statement in told]
    assert any("gold" in text.lower() and "Au" in text and "79" in text for text in texts)


def test_own_facts_are_short_and_have_a_source() -> None:
    for statement in own([]):
        assert 20 <= len(statement.text) <= 512 and publisher_of(statement.source).credibility >= 0.9, statement.text


def test_the_pack_that_ships_is_several_thousand_distinct_statements(facts: list[str]) -> None:
    assert 5_000 < len(facts) < 10_000
    assert len({content_hash(text) for text in facts} | {content_hash(fact.text) for fact in seed_facts()}) == len(
        facts
    ) + len(seed_facts())
    assert all(
        len(text) <= 512 and text.endswith((".", "”")) and "  " not in text and "  " not in text for text in facts
    )
    assert not any(sign in text for text in facts for sign in ("<", "&", "note", " est.", ".."))


def test_every_statement_names_an_authoritative_page() -> None:
    sources = Counter(fact.source for fact in starter_facts())
    assert all(publisher_of(source).credibility >= 0.9 and not is_homepage(source) for source in sources)
    norway = "https://web.archive.org/web/20260115/https://www.cia.gov/the-world-factbook/countries/norway/"
    assert sources[norway] > 10 and publisher_of(norway).domain == "cia.gov"


def test_statements_are_pinned_and_belong_to_the_static_collection() -> None:
    assert {(f.origin, f.collection, f.pinned) for f in starter_facts()} == {(Origin.KB, Collection.STATIC, True)}


def test_vectors_that_ship_are_those_of_the_embedder(facts: list[str], embedder: Embedder) -> None:
    """Fails after the statements or the embedder changed: run `python -m lab.starter_generator --data DIR`."""
    vectors = starter_vectors(facts, CHECKSUM)
    assert vectors is not None and vectors.shape == (len(facts), 384)
    some = range(0, len(facts), len(facts) // 40)
    made = embedder.embed([facts[i] for i in some])
    assert (vectors[list(some)] * made).sum(axis=1).min() > 0.999
    assert starter_vectors(facts[:-1], CHECKSUM) is None and starter_vectors(facts, "another") is None


def test_a_byte_for_each_number_keeps_the_direction(tmp_path: Path) -> None:
    vectors = np.random.default_rng(7).normal(size=(50, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [str(i) for i in range(50)]
    write_vectors(texts, vectors, "x", tmp_path / "v.npz")
    read = starter_vectors(texts, "x", tmp_path / "v.npz")
    assert read is not None and (read * vectors).sum(axis=1).min() > 0.9995
    assert starter_vectors(texts, "x", tmp_path / "none.npz") is None


def test_seeding_with_the_pack_fills_a_store_once(empty: EvidenceStore, facts: list[str], embedder: Embedder) -> None:
    added = seed(empty, starter=True)
    assert added == empty.count() == len(facts) + len(seed_facts())
    assert seed(empty, starter=True) == 0 and empty.count() == added
    (record,) = empty.get([content_hash("The capital of Zambia is Lusaka.")[:32]])
    assert record.pinned and record.origin is Origin.KB and record.collection is Collection.STATIC
    assert record.domain == "cia.gov" and record.source_credibility >= 0.9
    hits = empty.search("What is the capital of Zambia?", embedder.embed(["What is the capital of Zambia?"])[0], 5)
    assert any("Lusaka" in hit.record.text for hit in hits)


def test_an_old_store_gets_what_it_lacks(store: EvidenceStore, facts: list[str]) -> None:
    before = store.count()
    assert seed(store) == 0 and store.count() == before
    assert seed(store, starter=True) == len(facts)
    assert store.count() == before + len(facts)


def test_no_statement_is_nearly_a_fact_that_was_there(facts: list[str], embedder: Embedder) -> None:
    vectors = starter_vectors(facts, CHECKSUM)
    assert vectors is not None
    old = seed_facts()
    likeness = vectors @ embedder.embed([fact.text for fact in old[:100]]).T
    for i, j in zip(*np.nonzero(likeness >= 0.98), strict=True):
        assert near_duplicate_of(facts[i], [("", old[j].text, 1.0)]) is None, facts[i]


def test_a_statement_bears_on_a_claim_that_speaks_of_its_subject_and_matter() -> None:
    keys = {statement.text: content_hash(statement.text)[:32] for statement in read_statements()}
    oslo = next(key for text, key in keys.items() if text == "The capital of Norway is Oslo.")
    for claim in ("Bergen is Norway's capital", "NORWEGIANS have Oslo for a CAPITAL", "the norwegian capital"):
        assert bears_on(oslo, claim), claim
    for claim in (
        "Stockholm is the capital of Sweden",
        "Norway uses the krone",
        "",
        "Nor way out",
        "Norway",
        "Oslo is large",
    ):
        assert not bears_on(oslo, claim), claim
    sydney = next(key for text, key in keys.items() if text == "Sydney is not the capital of Australia.")
    assert bears_on(sydney, "Sydney is the capital of Australia")
    assert not bears_on(sydney, "Canberra is the capital of Australia")
    union = keys["Norway is not a member of the European Union (EU)."]
    assert bears_on(union, "Norway joined the EU") and not bears_on(union, "Norway is a member of NATO")
    prices = next(key for text, key in keys.items() if text.startswith("Consumer prices in Norway") and "2024" in text)
    assert bears_on(prices, "Consumer prices in Norway rose by 9%") and bears_on(prices, "Norway's prices fell in 2024")
    assert not bears_on(prices, "Consumer prices in Norway rose by 9% in 2011")
    largest = next(key for text, key in keys.items() if text.startswith("Russia is the largest country"))
    assert bears_on(largest, "Canada is the largest country of all")
    assert bears_on("no statement of the pack", "anything")


def test_the_pack_can_be_left_out() -> None:
    assert Settings.from_env({}).starter and not Settings.from_env({"VERIFIER_STARTER": "off"}).starter


def test_the_build_needs_a_folder() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "lab.starter_generator", "--data", "/nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2 and "no country files" in run.stderr and run.stderr.count("\n") == 1


def test_the_starter_claims_are_about_the_pack_and_balanced() -> None:
    path = Path(__file__).parents[2] / "data" / "starter_claims.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 150 and len({row["claim"] for row in rows}) == len(rows)
    counts = Counter((row["expected"], row["split"]) for row in rows)
    assert min(counts.values()) >= 10 and len(counts) == 6


def test_a_territory_is_no_state() -> None:
    island = Country("xy", "Farland", "", "farland", "oceania", False, NORLAND)
    told = [statement.text for statement in of_countries([island])]
    assert not any("official name" in text or "national anthem" in text for text in told)


def test_members_are_told_from_those_who_are_not(data: Path) -> None:
    told = {statement.text for statement in clubs(read_countries(data / "factbook"))}
    assert {"Norland is a member of NATO.", "Norland is not a member of the European Union (EU)."} <= told
