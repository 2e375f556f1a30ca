from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from errors import InputError, StoreError
from kb.intake.formats.claim_sets import Dataset, Labelled, read_claims
from kb.intake.ingest import BadRow
from kb.intake.labelled import LabelledClaims, remove, stats
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM as REAL
from tests.kb.tiny import CHECKSUM, embed

FEVER = [
    {
        "id": 1,
        "label": "SUPPORTS",
        "claim": "The weir at Orlo holds.",
        "evidence": [[[1, 2, "Orlo_-LRB-weir-RRB-", 0]]],
    },
    {"id": 2, "label": "NOT ENOUGH INFO", "claim": "The mill was blue.", "evidence": [[[1, None, None, None]]]},
    {"id": 3, "claim": "A test row has no label."},
    {"id": 4, "label": "MAYBE", "claim": "Another label."},
]
CREAK = [{"ex_id": "t_1", "sentence": "Bakers use ovens.", "label": "true", "entity": "Baker", "en_wiki_pageid": "77"}]
REVIEW: dict[str, Any] = {
    "@type": "ClaimReview",
    "url": "https://checks.example/weir",
    "author": {"@type": "Organization", "name": "Checks Example"},
    "claimReviewed": "The weir at Orlo fell in 2020.",
    "datePublished": "2021-02-03",
    "reviewRating": {"ratingValue": 1, "bestRating": 5, "worstRating": 1, "alternateName": "False"},
}


def read(path: Path, dataset: Dataset, content: str, label: str = "") -> tuple[list[Labelled], list[BadRow]]:
    path.write_text(content, encoding="utf-8")
    found = list(read_claims(path, dataset, label))
    return [r for r in found if isinstance(r, Labelled)], [r for r in found if isinstance(r, BadRow)]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_fever_names_the_page_and_refuses_rows_without_label(tmp_path: Path) -> None:
    good, bad = read(tmp_path / "dev.jsonl", Dataset.FEVER, lines(FEVER))
    assert [(row.claim, row.label) for row in good] == [(row["claim"], row["label"]) for row in FEVER[:2]]
    assert good[0].source_url == "https://en.wikipedia.org/wiki/Orlo_%28weir%29" and good[1].source_url == ""
    assert [row.line for row in bad] == [3, 4]


def test_creak_keeps_its_own_words(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "dev.jsonl", Dataset.CREAK, lines(CREAK))
    assert (row.claim, row.label, row.source_url) == ("Bakers use ovens.", "true", "https://en.wikipedia.org/?curid=77")


@pytest.mark.parametrize(
    ("name", "label", "wanted"), [("True.csv", "", "real"), ("Fake.csv", "", "fake"), ("x.csv", "fake", "fake")]
)
def test_isot_takes_the_label_from_the_name_of_the_file(tmp_path: Path, name: str, label: str, wanted: str) -> None:
    content = 'title,text,subject,date\n"The weir, it holds",long text,news,"December 31, 2017 "\nMill blue,t,s,soon\n'
    good, _ = read(tmp_path / name, Dataset.ISOT, content, label)
    assert [(row.claim, row.label) for row in good] == [("The weir, it holds", wanted), ("Mill blue", wanted)]
    assert [row.published_at for row in good] == [datetime(2017, 12, 31, tzinfo=UTC), None]


def test_isot_files_of_another_name_need_a_label(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--label real or fake"):
        read(tmp_path / "x.csv", Dataset.ISOT, "title\nThe weir holds\n")


def test_liar_has_no_header_and_quotes_mean_nothing(tmp_path: Path) -> None:
    row = (
        ["1.json", "pants-fire", 'He said "the weir fell', "water", "a-mayor", "", "", "none"]
        + ["0"] * 5
        + ["a speech"]
    )
    good, bad = read(tmp_path / "t.tsv", Dataset.LIAR, "\t".join(row) + "\nnot a row\n2.json\tsort-of\tA claim\n")
    assert [(r.claim, r.label, r.publisher) for r in good] == [('He said "the weir fell', "pants-fire", "PolitiFact")]
    assert [r.line for r in bad] == [2, 3] and "pants-fire" in bad[1].reason


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(
            {"@type": "DataFeed", "dataFeedElement": [{"@type": "DataFeedItem", "item": [REVIEW]}, {"item": None}]}
        ),
        json.dumps({"@graph": [{"@type": "WebPage"}, REVIEW]}),
        json.dumps([REVIEW]),
        json.dumps(REVIEW),
        json.dumps(REVIEW) + "\n" + json.dumps(REVIEW | {"reviewRating": {}}) + "\n",
    ],
    ids=["feed", "graph", "list", "one", "lines"],
)
def test_reviews_are_found_in_every_wrapping(tmp_path: Path, content: str) -> None:
    (row,), _ = read(tmp_path / "feed.json", Dataset.CLAIMREVIEW, content)
    assert (row.claim, row.label, row.scale) == ("The weir at Orlo fell in 2020.", "False", "1 to 5")
    assert (row.publisher, row.source_url) == ("Checks Example", "https://checks.example/weir")
    assert row.published_at == datetime(2021, 2, 3, tzinfo=UTC)


def test_a_review_with_a_number_alone_keeps_its_scale_and_odd_shapes_do_no_harm(tmp_path: Path) -> None:
    plain = REVIEW | {"reviewRating": {"ratingValue": 2, "bestRating": 5, "worstRating": 1}, "author": [], "url": "x"}
    odd = {"claimReviewed": ["list"], "reviewRating": "text", "author": "text", "datePublished": 5}
    good, bad = read(tmp_path / "feed.json", Dataset.CLAIMREVIEW, json.dumps([plain, odd, None, 5, "text"]))
    assert [row.label for row in good] == ["2 on a scale of 1 to 5"] and [row.line for row in bad] == [2]
    assert good[0].source_url == ""
    with pytest.raises(InputError, match="no ClaimReview in it"):
        read(tmp_path / "feed.json", Dataset.CLAIMREVIEW, "{}")


def rows(count: int, dataset: Dataset = Dataset.LIAR) -> list[Labelled | BadRow]:
    return [
        Labelled(f"Claim number {n} stands.", "false", "true/false", dataset, publisher="Someone") for n in range(count)
    ]


def test_claims_are_added_once_and_bad_rows_counted(tmp_path: Path) -> None:
    claims = LabelledClaims(str(tmp_path / "kb"), embed, CHECKSUM)
    first = claims.add([*rows(450), BadRow(9, "no label"), *rows(5)], "a.tsv")
    assert (first.added, first.known, first.skipped) == (450, 5, 1)
    assert str(first.problems[0]) == "a.tsv, line 9: no label"
    again = LabelledClaims(str(tmp_path / "kb"), embed, CHECKSUM).add(rows(451), "a.tsv")
    assert (again.added, again.known) == (1, 450)
    assert stats(str(tmp_path / "kb")) == {"liar": {"false": 451}}


def test_two_reviewers_of_one_claim_are_both_kept(tmp_path: Path) -> None:
    claims = LabelledClaims(str(tmp_path / "kb"), embed, CHECKSUM)
    one, two = (
        Labelled("The weir fell.", label, "", Dataset.CLAIMREVIEW, publisher=label) for label in ("False", "True")
    )
    claims.add([one, two], "feed")
    hits = claims.search("The weir fell.", embed(["The weir fell."])[0], 5)
    assert {hit.says for hit in hits} == {
        "ClaimReview: labelled 'False' by False",
        "ClaimReview: labelled 'True' by True",
    }


def test_a_set_can_be_removed_and_another_embedder_is_refused(tmp_path: Path) -> None:
    uri = str(tmp_path / "kb")
    LabelledClaims(uri, embed, CHECKSUM).add([*rows(3), *rows(2, Dataset.CREAK)], "x")
    with pytest.raises(StoreError, match="another embedder"):
        LabelledClaims(uri, embed, "other")
    assert remove(uri, Dataset.LIAR) == 3 and stats(uri) == {"creak": {"false": 2}}
    with pytest.raises(InputError, match="no labelled claims of LIAR"):
        remove(uri, Dataset.LIAR)
    assert remove(uri, Dataset.CREAK) == 2 and stats(uri) == {}
    LabelledClaims(uri, embed, "other").add(rows(1), "x")


def test_nothing_is_created_by_looking(tmp_path: Path) -> None:
    uri = str(tmp_path / "kb")
    assert stats(uri) == {}
    with pytest.raises(InputError):
        remove(uri, Dataset.FEVER)
    assert not Path(uri).exists()


def test_a_claim_like_this_one_is_found_and_a_miss_is_empty(embedder: Embedder, tmp_path: Path) -> None:
    claims = LabelledClaims(str(tmp_path / "kb"), embedder.embed, REAL)
    vector = embedder.embed(["The moon is made of cheese"])[0]
    assert claims.search("The moon is made of cheese", vector, 5) == []
    known = [
        Labelled("Our moon consists of green cheese.", "pants-fire", "", Dataset.LIAR, publisher="PolitiFact"),
        Labelled(
            "The Moon is made of rock.",
            "SUPPORTS",
            "",
            Dataset.FEVER,
            "https://en.wikipedia.org/wiki/Moon",
            "the FEVER annotators",
        ),
        *(Labelled(f"The town of Orlo has {n} cheese shops.", "true", "", Dataset.CREAK) for n in range(60)),
    ]
    claims.add(known, "x")
    hits = claims.search("The moon is made of cheese", vector, 5)
    assert hits[0].says == "LIAR: labelled 'pants-fire' by PolitiFact" and hits[0].similarity > 0.7
    assert hits[0].labelled == known[0]
    assert {hit.labelled.dataset for hit in hits} == {Dataset.LIAR, Dataset.FEVER}
    only = claims.search("The moon is made of cheese", vector, 5, datasets=[Dataset.FEVER])
    assert [hit.labelled for hit in only] == [known[1]]
    other = "Interest rates rose by two points in '97; --"
    assert claims.search(other, embedder.embed([other])[0], 5) == []
    assert len(claims.search("cheese", embedder.embed(["Orlo has cheese shops."])[0], 3, 0.0)) == 3
