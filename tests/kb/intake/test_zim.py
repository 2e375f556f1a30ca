"""ZIM files of Kiwix, written here by libzim where it is installed; and what is said where it is not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from errors import InputError
from kb.intake.formats.articles import Article, passages_of
from kb.intake.formats.rows import BadRow
from kb.intake.formats.zim import count_zim, read_zim, text_of
from kb.intake.held_packs import HeldPack, held_packs
from kb.intake.pack_files import pack_at
from kb.intake.packs import add_pack
from tests.kb.tiny import embed, open_tiny
from verifier.cli.kb import main

HTML = """<html><head><title>x</title><style>p {{}}</style></head><body>
<table class="infobox"><tr><td><p>Population 9</p></td></tr></table>
<p>Place {n} is a town in the invented county of Vell<sup class="reference"><a href="#cite_note-1">[1]</a></sup>, with 10<sup>6</sup>
trees and {n} bridges. <span style="display: none">It is on the Moon.</span></p><h2>History</h2>
<p>The town was founded in {year} by weavers from the coast.</p><script>p("It is a trap.")</script>
<h2>References</h2><ol><li>Anner, B.</li></ol><p>Not taken.</p></body></html>"""


def html(n: int) -> str:
    return HTML.format(n=n, year=1100 + n)


def test_an_article_is_its_paragraphs_and_headings() -> None:
    text = text_of(html(3).encode())
    assert text.splitlines()[:3] == [
        "Place 3 is a town in the invented county of Vell, with 10\u2076 trees and 3 bridges.",
        "History",
        "The town was founded in 1103 by weavers from the coast.",
    ]
    found = Article(1, "https://wiki.example/3", "Place 3", text)
    assert passages_of(found) == [text.splitlines()[0]]
    assert passages_of(found, whole=True)[1:] == ["Place 3: The town was founded in 1103 by weavers from the coast."]


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"<p>" * 200_000, b"<" * 100_000, b"<p>a</p><p hidden>b</p>", b"&#0;" * 1_000]
)
def test_no_content_breaks_the_reader(content: bytes) -> None:
    assert "b" not in text_of(content)


def test_without_libzim_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("libzim", "libzim.reader"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "wiki.zim").write_bytes(b"ZIM\x04")
    store = open_tiny(tmp_path / "kb")
    with pytest.raises(InputError, match=r"wiki\.zim: to read ZIM files, first: pip install libzim"):
        add_pack(pack_at(tmp_path / "wiki.zim"), store)
    assert store.count() == 0
    assert main(["packs", "add", str(tmp_path / "wiki.exe"), "--kb", store.uri]) == 2
    assert "there is no file" in capsys.readouterr().err


def write_zim(path: Path, numbers: range, **metadata: str) -> Path:
    writer: Any = pytest.importorskip("libzim.writer")

    class Page(writer.Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, content: str, mime: str) -> None:
            super().__init__()
            self.of = path, title, content, mime

        def get_path(self) -> str:
            return str(self.of[0])

        def get_title(self) -> str:
            return str(self.of[1])

        def get_mimetype(self) -> str:
            return str(self.of[3])

        def get_contentprovider(self) -> object:
            return writer.StringProvider(self.of[2])

        def get_hints(self) -> dict[object, int]:
            return {writer.Hint.FRONT_ARTICLE: 1}

    with writer.Creator(path).config_verbose(False).config_indexing(False, "eng") as made:
        for n in numbers:
            made.add_item(Page(f"Place_{n:03}", f"Place {n}", html(n), "text/html"))
        made.add_item(Page("style.css", "style", "p {}", "text/css"))
        made.add_item(Page("zz", "Nothing", "<p>\u2026</p>", "text/html"))
        made.add_redirection("P1", "P one", "Place_001", {})
        for name, value in metadata.items():
            made.add_metadata(name, value)
    return path


def test_a_zim_is_a_pack_like_any_other(tmp_path: Path) -> None:
    path = write_zim(tmp_path / "Vell maxi.zim", range(30), Source="https://wiki.example/w/")
    store = open_tiny(tmp_path / "kb")
    report = add_pack(pack_at(path), store)
    assert (report.articles, report.added, report.skipped) == (31, 30, 1)
    assert held_packs(store.uri) == (HeldPack("vell-maxi", 30),)
    (hit,) = store.search("county of Vell 7 bridges", embed(["x"])[0], 1)
    assert hit.record.source.startswith("https://wiki.example/wiki/Place_0") and "CC BY-SA" in hit.record.publisher
    version = store.version
    assert add_pack(pack_at(path), store).articles == 0 and store.version == version
    assert add_pack(pack_at(path, whole=True), store).added == 30
    first, last = read_zim(path, 29, 1_000)
    assert isinstance(first, Article) and first.row == 30 and isinstance(last, BadRow) and last.line == 31


def test_where_a_zim_is_from(tmp_path: Path) -> None:
    named = write_zim(tmp_path / "a.zim", range(2), Name="wikipedia_simple_all_nopic")
    (first, *_) = read_zim(named, 0, 1_000)
    assert isinstance(first, Article) and first.url == "https://simple.wikipedia.org/wiki/Place_000"
    for number, metadata in enumerate(
        ({}, {"Source": "javascript:alert(1)"}, {"Source": "http://["}, {"Name": "x_en"})
    ):
        with pytest.raises(InputError, match="does not say which site it is from"):
            count_zim(write_zim(tmp_path / f"{number}.zim", range(1), **metadata))


def test_a_zim_that_is_none_or_is_damaged_is_refused(tmp_path: Path) -> None:
    whole = write_zim(tmp_path / "whole.zim", range(30), Source="wiki.example").read_bytes()
    flipped = whole[:400] + bytes([whole[400] ^ 255]) + whole[401:]
    store = open_tiny(tmp_path / "kb")
    for name, content in (
        ("none", b"hello"),
        ("cut", whole[:-40]),
        ("half", whole[: len(whole) // 2]),
        ("flipped", flipped),
    ):
        (tmp_path / f"{name}.zim").write_bytes(content)
        with pytest.raises(InputError, match=rf"{name}\.zim: .*fetch it again"):
            add_pack(pack_at(tmp_path / f"{name}.zim"), store)
    assert store.count() == 0
