"""A refresh looks again at stored pages: over loopback, by the fetcher and the readers that checks use."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import RefreshError
from kb.record import EvidenceRecord, NewEvidence, Origin, Standing
from kb.store.evidence_store import EvidenceStore
from kb.store.sql import as_stored
from kb.upkeep.job_state import JobFile
from kb.upkeep.refresh import Refresh, RefreshPolicy
from kb.upkeep.revisit import MOST_PAGES, revisit
from tests.conftest import CHECKSUM
from tests.kb.upkeep.refreshing import kept, news
from tests.kb.upkeep.test_news import Site, _source
from verifier.cli.kb import main
from verifier.evidence.retrieve import retrieve
from verifier.report.markup import remarks
from verifier.search.import_web import ImportWeb
from verifier.settings import RetrievalSettings
from web.fetch import Fetcher

WEB = ImportWeb(Fetcher(allow_private=True, timeout=5))
STORED = datetime.now(UTC) - timedelta(days=9)


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


def refreshed(site: Site, store: EvidenceStore, folder: Path) -> Refresh:
    """A store with the pages of two entries, as a refresh of nine days ago has left it."""
    for n in (1, 2):
        site.add(n)
    refresh = Refresh(store, [_source(site)], JobFile(folder, "refresh"), RefreshPolicy(), web=WEB)
    assert refresh.run().revisit.looked == 0  # what has just been read is not asked for again
    age(store)
    site.asked.clear()
    return refresh


def age(store: EvidenceStore, **columns: datetime) -> None:
    values = {name: as_stored(moment) for name, moment in ({"timestamp": STORED} | columns).items()}
    store._table.update(where="true", values_sql=values)


def records(store: EvidenceStore) -> list[EvidenceRecord]:
    return store.get([row["id"] for row in store._table.search().select(["id"]).limit(None).to_list()])


def path(n: int) -> str:
    return f"/2026/11/bridge-number-{n}-is-open"


def test_a_page_that_has_changed_is_told_and_its_old_texts_are_kept(site: Site, tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refresh = refreshed(site, store, tmp_path)
    before = {record.id: record.text for record in records(store)}
    site.pages[path(1)] = site.pages[path(1)].replace("Town3 ", "Newtown ")
    found = refresh.run().revisit
    (stale,) = found.stale
    assert found.looked == 2 and sorted(site.asked) == sorted(["/feed.xml", path(1), path(2)])
    assert (stale.standing, stale.kept) == (Standing.CHANGED, 1)
    assert stale.told == f"changed since {STORED:%Y-%m-%d}: {stale.url} (1 passage kept)" and path(1) in stale.url
    after = records(store)
    assert {record.id: record.text for record in after} == before
    (changed,) = [record for record in after if record.standing is Standing.CHANGED]
    assert "Town3 " in changed.text and all(record.looked_at for record in after)
    assert refresh.run().revisit.looked == 0  # once a day


def test_a_page_that_is_gone_is_told_and_one_that_fails_says_nothing(
    site: Site, httpserver: HTTPServer, tmp_path: Path
) -> None:
    store = kept(tmp_path / "kb")
    store.add([NewEvidence("A weir was built here.", httpserver.url_for("/weir"), origin=Origin.WEB)])
    store.add([NewEvidence("A mill was built here.", httpserver.url_for("/mill"), origin=Origin.FACT_CHECK)])
    store.add([NewEvidence("A user wrote this down.", httpserver.url_for("/user"))])
    age(store)
    httpserver.expect_request("/weir").respond_with_data("", status=410)
    httpserver.expect_request("/mill").respond_with_data("", status=503)
    found = revisit(store.pages, WEB)
    assert found.looked == 1 and [(page.standing, page.kept) for page in found.stale] == [(Standing.GONE, 1)]
    standings = {record.text[2:6]: (record.standing, bool(record.looked_at)) for record in records(store)}
    assert standings["weir"] == (Standing.GONE, True)
    assert standings["mill"] == standings["user"] == (Standing.AS_STORED, False)


def test_a_page_that_says_it_again_is_as_stored(site: Site, tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refreshed(site, store, tmp_path)
    page, site.pages[path(2)] = site.pages[path(2)], "<html><body><article><p>Moved.</p></article></body></html>"
    assert revisit(store.pages, WEB, dry_run=True).stale and not any(record.looked_at for record in records(store))
    revisit(store.pages, WEB)
    assert Standing.CHANGED in {record.standing for record in records(store)}
    site.pages[path(2)] = page
    age(store, looked_at=STORED)
    assert revisit(store.pages, WEB).stale == ()
    assert {record.standing for record in records(store)} == {Standing.AS_STORED}


def test_pages_looked_at_longest_ago_come_first_and_no_more_than_a_few(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add(list(news(1, MOST_PAGES + 5)))
    age(store)
    due = store.pages.due(datetime.now(UTC) - timedelta(days=1), MOST_PAGES)
    assert len(due) == MOST_PAGES
    done = [key for page in due for key in page.texts]
    store.pages.mark(dict.fromkeys(done, Standing.AS_STORED), datetime.now(UTC) - timedelta(days=2))
    again = store.pages.due(datetime.now(UTC) - timedelta(days=1), MOST_PAGES)
    assert len(again) == MOST_PAGES and not set(done) & {key for page in again[:5] for key in page.texts}
    assert store.pages.due(STORED, MOST_PAGES) == []


def test_a_stop_ends_it_and_keeps_what_was_seen(site: Site, tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refreshed(site, store, tmp_path)
    found = revisit(store.pages, WEB, stopped=lambda: len(site.asked) > 0)
    assert found.looked == 1 and len(site.asked) == 1
    assert {bool(record.looked_at) for record in records(store)} == {True, False}


def test_a_table_from_before_gets_the_columns(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add(list(news(1, 3)))
    store._table.drop_columns(["standing", "looked_at"])
    store.close()
    again = kept(tmp_path / "kb")
    assert {(record.standing, record.looked_at) for record in records(again)} == {(Standing.AS_STORED, None)}


def test_a_piece_whose_page_has_changed_says_so(store: EvidenceStore, embedder: object) -> None:
    key = store.add([NewEvidence("The Zorbla weir is 12 metres wide.", "https://a.example/w", origin=Origin.WEB)]).ids[
        0
    ]
    for standing, told in ((Standing.CHANGED, "Changed since: on "), (Standing.GONE, "Gone since: on ")):
        store.pages.mark({key: standing}, datetime(2026, 3, 4, tzinfo=UTC))
        found = retrieve("Zorbla weir", store, embedder, RetrievalSettings(), 5)  # type: ignore[arg-type]
        piece = next(piece for piece in found if piece.record_id == key)
        assert remarks(piece)[-1].startswith(f"{told}2026-03-04")


def test_a_refresh_without_feeds_looks_again_too(site: Site, tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refresh = replace(refreshed(site, store, tmp_path), sources=())
    site.pages[path(1)] = site.pages[path(1)].replace("Town3 ", "Newtown ")
    before, state = store.version, refresh.state.load()
    dry = refresh.run(dry_run=True).revisit
    assert (dry.looked, len(dry.stale), store.version) == (2, 1, before)
    found = refresh.run()
    assert (found.sources, found.brought, found.added, found.expired) == ((), 0, 0, 0)
    assert found.revisit.looked == 2 and [page.standing for page in found.revisit.stale] == [Standing.CHANGED]
    assert refresh.run().revisit.looked == 0  # nothing is due, and that is no error
    assert refresh.state.load() == state


def test_a_store_without_pages_of_the_web_has_nothing_to_look_at(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add([NewEvidence("A user wrote this down.", "https://a.example/user")])
    refresh = Refresh(store, (), JobFile(tmp_path, "refresh"), RefreshPolicy(), web=WEB)
    with pytest.raises(
        RefreshError, match="nothing to refresh from: .* nothing in the store is from a page of the web"
    ):
        refresh.run()


def test_the_command_tells_what_has_changed(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in (1, 2):
        site.add(n)
    monkeypatch.setenv("VERIFIER_WEB", "on")
    monkeypatch.setenv("VERIFIER_ALLOW_PRIVATE", "on")
    monkeypatch.setenv("VERIFIER_STARTER", "off")
    arguments = ["refresh", "--feeds", site.feed]
    main(arguments)
    age(EvidenceStore(str(tmp_path / "kb"), lambda texts: None, CHECKSUM))  # type: ignore[arg-type,return-value]
    site.pages[path(1)] = site.pages[path(1)].replace("Town", "City")
    capsys.readouterr()
    main(arguments)
    said = capsys.readouterr().out
    assert f"changed since {STORED:%Y-%m-%d}: " in said and "passages kept)" in said
    main([*arguments, "--json"])
    assert json.loads(capsys.readouterr().out)["revisit"] == {"looked": 0, "stale": []}
