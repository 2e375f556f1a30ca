"""Articles to passages: leads, whole articles, and rows that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import InputError
from kb.intake import packs
from kb.intake.formats.articles import LEAD, Article, passages_of, read_articles
from kb.intake.formats.rows import BadRow
from kb.intake.held_packs import held_packs, is_whole, remove_pack
from kb.intake.pack_files import Pack
from kb.intake.packs import add_pack
from kb.store.evidence_store import EvidenceStore
from tests.kb.intake.test_packs import article, write_pack
from tests.kb.tiny import open_tiny


@pytest.fixture
def tiny(tmp_path: Path) -> EvidenceStore:
    return open_tiny(tmp_path / "kb")


def test_a_lead_becomes_passages_with_their_title() -> None:
    first, second = passages_of(Article(1, "https://wiki.example/1", "Place 1", article(1)["text"]))
    assert first.startswith("Place 1 is a town") and first.endswith("in most years.") and 30 <= len(first.split()) <= 50
    assert second == "Place 1: The old market hall is used as a library now."


@pytest.mark.parametrize(
    "text", ["word " * 50_000, "x" * 100_000, "A. " * 5_000, "Sentence one is here. " * 400, "\n\n\nHeading\n\nText."]
)
def test_no_text_makes_more_than_a_lead(text: str) -> None:
    found = passages_of(Article(1, "https://wiki.example/1", "Title", text))
    assert found and sum(map(len, found)) < 2 * LEAD and all(len(passage) < 600 for passage in found)


SECTIONS = (
    "Osk is a river in the invented county of Vell.\n\nCourse\n\nIt rises in the Hills of Anner. "
    + "It passes the town of Aldersby and then the town of Merrow, where it is crossed by an old bridge of stone. " * 4
    + "\n\nFish\n\nTrout live in it.\n\nReferences\n\nAnner, B. (1990). Rivers of Vell. Karrow Press.\n\nMore\n\nNot taken."
)


def test_a_whole_article_has_passages_of_its_sections_and_none_of_its_lists() -> None:
    river = Article(1, "https://wiki.example/Osk", "Osk", SECTIONS)
    assert passages_of(river) == ["Osk is a river in the invented county of Vell."]
    lead, *course, fish = passages_of(river, whole=True)
    assert [lead] == passages_of(river) and fish == "Osk: Trout live in it."
    assert course[0].startswith("Osk: It rises in the Hills of Anner.") and len(course) == 3
    assert all(len(passage.split()) <= 52 for passage in course)
    huge = Article(1, "https://wiki.example/1", "Title", "A sentence of six words here. " * 100_000)
    assert sum(map(len, passages_of(huge, whole=True))) < 500_000


def test_whole_articles_are_added_once_and_stay_whole(tiny: EvidenceStore, tmp_path: Path) -> None:
    path = write_pack(
        tmp_path / "wiki.parquet", [article(n) | {"text": SECTIONS.replace("Osk", f"Place {n}")} for n in range(9)]
    )
    assert add_pack(Pack("wiki", (path,)), tiny).added == 9
    assert not is_whole(tiny.uri, "wiki")
    report = add_pack(Pack("wiki", (path,), whole=True), tiny)
    assert (report.known, report.removed) == (9, 0) and held_packs(tiny.uri)[0].passages > 9 * 3
    version = tiny.version
    assert is_whole(tiny.uri, "wiki")
    assert add_pack(Pack("wiki", (path,)), tiny).articles == 0 and tiny.version == version
    write_pack(path, [article(n) | {"text": SECTIONS.replace("Osk", f"Place {n}")} for n in range(10)])
    assert add_pack(Pack("wiki", (path,)), tiny).added > 3  # 9 is new, and whole too
    remove_pack(tiny.uri, "wiki")
    assert not is_whole(tiny.uri, "wiki")


def test_whole_articles_need_the_room_of_their_text(
    tiny: EvidenceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_pack(tmp_path / "wiki.parquet", [article(n) for n in range(50)])
    monkeypatch.setattr(packs, "TEXT_FACTOR", 10**14)
    with pytest.raises(InputError, match=r"the pack wiki needs about [\d,.]+ GB"):
        add_pack(Pack("wiki", (path,), whole=True), tiny)
    assert add_pack(Pack("wiki", (path,)), tiny).articles == 50


def test_rows_that_cannot_be_used_are_named_and_reading_starts_anywhere(tmp_path: Path) -> None:
    rows = [article(n) for n in range(7)]
    rows[1]["url"], rows[2]["title"], rows[3]["text"], rows[4]["url"] = "javascript:alert(1)", " ", "…", "http://[::1"
    path = write_pack(tmp_path / "a.parquet", rows, 2)
    found = list(read_articles(path))
    assert [isinstance(row, BadRow) for row in found] == [False, True, True, True, True, False, False]
    assert [row.row for row in read_articles(path, 5) if isinstance(row, Article)] == [6, 7]
