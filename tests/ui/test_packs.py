"""The panel of the packs, over the real service and a hub on loopback."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import InputError, VerifierError
from kb.intake import known_packs, packs
from kb.intake.known_packs import KnownPack
from tests.kb.intake.test_packs import article, write_pack
from tests.models.fake_hub import FakeHub
from ui.packs import adding, choices, packs_of, packs_table, progress, removed, shown, stopped, switched
from verifier.api.packs import PackNews, Packs
from verifier.serve.service import Service
from verifier.settings import ServerSettings

ARTICLES = 30


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "_PART", 10)


@pytest.fixture
def pack(tmp_path: Path, service: Service) -> Iterator[Path]:
    """A file of articles, whose pack is taken out of the service's store at the end."""
    yield write_pack(tmp_path / "vell.parquet", [article(n) for n in range(ARTICLES)])
    for state in packs_of(service).states():
        if state.passages:
            packs_of(service).remove(state.name)


def test_a_pack_is_added_left_out_and_removed(service: Service, pack: Path) -> None:
    frames = list(adding(lambda: packs_of(service).add_file(pack)))
    assert frames[-1] == f'<p role="status">vell: {ARTICLES} articles read, {2 * ARTICLES} passages added.</p>'
    assert any(f'<progress max="{ARTICLES}"' in frame for frame in frames)
    assert f"{2 * ARTICLES} passages, used in checks" in packs_table(service)
    assert "is in the store already" in list(adding(lambda: packs_of(service).add_file(pack)))[-1]
    assert "vell is left out of checks" in switched(service, "vell", True)
    assert "passages, left out of checks" in packs_table(service)
    assert "vell is used in checks" in switched(service, "vell", False)
    assert "tick the box first" in removed(service, "vell", False)[0] and "vell" in packs_table(service)
    assert removed(service, "vell", True) == [f'<p role="status">{2 * ARTICLES} passages of vell removed.</p>', False]
    assert "there is no pack vell" in removed(service, "vell", True)[0]


def test_a_pack_that_is_stopped_goes_on_there(service: Service, pack: Path) -> None:
    async def stop() -> None:
        async with aclosing(shown(lambda: packs_of(service).add_file(pack))) as frames:
            async for frame in frames:
                if "<progress" in frame:
                    return

    # Texts of its own: the vectors of those that another test added are remembered, and nothing would be left to stop
    write_pack(pack, [article(n) for n in range(500, 500 + ARTICLES)])
    asyncio.run(stop())
    there = held(service)
    frames = list(adding(lambda: packs_of(service).add_file(pack)))  # waits until the first has let go
    assert re.search(r": (\d+) articles read", frames[-1]), frames[-1]
    assert held(service) == 2 * ARTICLES and there < 2 * ARTICLES
    assert 'role="status"' in stopped() and "goes on there" in stopped()


def held(service: Service) -> int:
    return sum(state.passages for state in packs_of(service).states() if state.name == "vell")


def test_what_cannot_be_added_is_one_line(service: Service, tmp_path: Path) -> None:
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    for path, said in (("none.parquet", "there is no file"), ("cut.parquet", "cannot be read as Parquet")):
        (frame,) = (f for f in adding(lambda p=path: packs_of(service).add_file(tmp_path / p)) if "alert" in f)  # type: ignore[misc]
        assert said in frame and frame.count("<p") == 1
    (frame,) = adding(lambda: packs_of(service).add("<b>wiki</b>"))
    assert "&lt;b&gt;wiki&lt;/b&gt; is not known here, only simple-wikipedia" in frame


def test_a_known_pack_comes_from_the_hub_and_is_brought_up_to_date(
    service: Service, pack: Path, tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        known_packs, "KNOWN", (KnownPack("vell", "wiki/vell", ("a.parquet",), ARTICLES, 0.001, "invented"),)
    )
    hub = FakeHub(httpserver)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(hub.answer)
    hub.add("datasets/wiki/vell", "a.parquet", pack.read_bytes())
    library = Packs(service.checker(), service.settings, tmp_path / "packs", hub.endpoint)
    (state,) = (state for state in library.states() if state.name == "vell")
    assert (state.passages, state.articles, state.licence) == (0, ARTICLES, "CC BY-SA 4.0")
    news = list(library.add("vell"))
    assert [one.what for one in news if one.unit == "MB"][:1] == ["Downloading vell"]
    assert news[-1].report is not None and news[-1].report.added == 2 * ARTICLES
    newer = write_pack(tmp_path / "newer.parquet", [article(n) for n in range(5, ARTICLES)])
    hub.add("datasets/wiki/vell", "a.parquet", newer.read_bytes())
    report = list(library.add("vell"))[-1].report
    assert report is not None and report.removed == 10
    hub.refusal = (503, "")
    with pytest.raises(VerifierError, match="503"):
        list(library.add("vell"))


def test_nobody_else_changes_the_packs_of_a_server(service: Service, pack: Path) -> None:
    strangers = replace(service.settings, server=ServerSettings(on_space=True))
    for settings in (strangers, replace(service.settings, host="0.0.0.0"), replace(service.settings, allow_add=False)):  # noqa: S104
        library = Packs(service.checker(), settings)
        for change in (
            lambda: library.add("simple-wikipedia"),  # noqa: B023
            lambda: library.add_file(pack),  # noqa: B023
            lambda: library.remove("vell"),  # noqa: B023
            lambda: library.switch("vell", True),  # noqa: B023
        ):
            with pytest.raises(InputError, match=r"own machine|takes in no changes"):
                change()
        assert library.states()  # to look is free


def test_the_bar_says_how_much_is_left_to_those_who_do_not_see_it() -> None:
    news = PackNews("Adding <b>", 1_500, 6_000, "articles")
    shown_ = progress(news, 95.0)
    assert 'aria-label="Adding &lt;b&gt;: 1,500 of 6,000 articles, about 2 min left"' in shown_ and "role" not in shown_
    assert 'role="status"' in progress(PackNews("Reading x"), None) and "<progress" not in progress(PackNews("x"), None)


def test_the_choice_stays_where_it_is(service: Service) -> None:
    assert choices(service, "wikipedia-leads").value == "wikipedia-leads"
    assert choices(service, "gone").value == choices(service, None).value
