"""Operations on the store: a real store and real lists; the vectors are hashes, since meaning does not matter here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import InputError
from kb.publishers.lists import DomainLists
from kb.store.evidence_store import Embed, EvidenceStore
from tests.kb.tiny import embed, open_tiny
from verifier.api.knowledge import KnowledgeBase
from verifier.settings import SearchSettings, Settings

OPEN = Settings(allow_add=True, search=SearchSettings(allow_private=True))


@dataclass(frozen=True)
class Opened:
    store: EvidenceStore
    lists: DomainLists
    embed: Embed = embed


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(open_tiny(tmp_path / "kb"), DomainLists(tmp_path / "domains.csv"))


@pytest.fixture
def knowledge(opened: Opened) -> KnowledgeBase:
    return KnowledgeBase(opened, OPEN)


def test_a_text_is_cut_into_passages_found_and_taken_back(knowledge: KnowledgeBase) -> None:
    text = "The town hall of Aldersby was built in 1912. " * 3 + "\n\nIts tower is 41 metres high."
    assert knowledge.add_text(text, "https://aldersby.example/hall", " Town\n hall ").added == 2
    assert knowledge.add_text(text, "https://aldersby.example/hall").known == 2
    found = {hit.record.text: hit for hit in knowledge.search("tower 41 metres")}  # their order is that of the hashes
    hit = found["Its tower is 41 metres high."]
    assert hit.record.title == "Town hall"
    knowledge.remove(hit.record.id)
    assert [record.text[:13] for record in knowledge.own()] == ["The town hall"]
    with pytest.raises(InputError, match="no such record"):
        knowledge.remove(hit.record.id)


def test_a_page_is_fetched_and_added(knowledge: KnowledgeBase, httpserver: HTTPServer) -> None:
    body = "<p>" + "The bridge of Aldersby was opened in 1931 and is 212 metres long. " * 8 + "</p>"
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request("/a").respond_with_data(
        f"<html><head><title>Bridge</title></head><body><article><h1>Bridge</h1>{body}</article></body></html>",
        content_type="text/html",
    )
    done = knowledge.add_url(httpserver.url_for("/a"))
    assert done.added >= 1 and knowledge.search("bridge")[0].record.source == httpserver.url_for("/a")


def test_what_cannot_be_fetched_is_told(knowledge: KnowledgeBase, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request("/gone").respond_with_data("no", status=404)
    with pytest.raises(InputError, match="nothing of .*can be used: .*404"):
        knowledge.add_url(httpserver.url_for("/gone"))
    with pytest.raises(InputError, match="must begin with http"):
        knowledge.add_url("file:///etc/passwd")


def test_this_machines_own_network_stays_closed(opened: Opened, httpserver: HTTPServer) -> None:
    with pytest.raises(InputError, match="can be used"):
        KnowledgeBase(opened, Settings(allow_add=True)).add_url(httpserver.url_for("/a"))
    assert not httpserver.log


def test_a_file_is_added_and_its_bad_rows_are_named(knowledge: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "The lake of Aldersby is 12 metres deep."}\n{"text": ""}\nnot json\n')
    done = knowledge.add_file(file)
    assert (done.added, done.skipped) == (1, 2) and "line 2" in done.problems[0]
    with pytest.raises(InputError, match="must end in|tells no format"):
        knowledge.add_file(tmp_path / "program.exe")
    with pytest.raises(InputError, match="is a folder"):
        knowledge.add_file(tmp_path)


def test_what_cannot_be_used_is_refused(knowledge: KnowledgeBase) -> None:
    for query in ("", "  ", "?!", "x" * 2_001):
        with pytest.raises(InputError, match="the query"):
            knowledge.search(query)
    for text, source in (("", ""), ("1234", ""), ("x" * 200_001, ""), ("A text.", "s" * 301)):
        with pytest.raises(InputError):
            knowledge.add_text(text, source)


def test_domains_are_listed_and_what_they_deny_is_left_out(opened: Opened, tmp_path: Path) -> None:
    store = EvidenceStore(str(tmp_path / "other"), embed, "x", opened.lists.publisher_of)
    knowledge = KnowledgeBase(replace(opened, store=store), OPEN)
    knowledge.list_domain("bad.example", "deny", "a farm of lies")
    assert [row.domain for row in knowledge.domains()] == ["bad.example"]
    assert knowledge.add_text("A lie that is told often.", "https://bad.example/1").denied == 1
    knowledge.unlist_domain("bad.example")
    with pytest.raises(InputError, match="is not on your lists"):
        knowledge.unlist_domain("bad.example")


def test_a_closed_server_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    closed = KnowledgeBase(opened, Settings(allow_add=False))
    for change in (
        lambda: closed.add_text("A text."),
        lambda: closed.add_url("https://a.example"),
        lambda: closed.add_file(tmp_path / "a.txt"),
        lambda: closed.remove("x"),
        lambda: closed.list_domain("a.example", "deny"),
        lambda: closed.unlist_domain("a.example"),
    ):
        with pytest.raises(InputError, match="VERIFIER_ALLOW_ADD"):
            change()
    assert opened.store.count() == 0 and closed.domains() == ()


def test_adding_is_off_where_strangers_reach_the_server() -> None:
    for env, allowed, rows in (
        ({}, True, 2_000),
        ({"SPACE_ID": "a/b"}, False, 200),
        ({"SPACE_ID": "a/b", "VERIFIER_ALLOW_ADD": "1"}, True, 200),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, False, 2_000),
        ({"VERIFIER_ALLOW_ADD": "off"}, False, 2_000),
        ({"GRADIO_SERVER_NAME": "0.0.0.0", "VERIFIER_ALLOW_ADD": "on"}, True, 2_000),
    ):
        settings = Settings.from_env(env)
        assert (settings.allow_add, settings.batch_rows) == (allowed, rows), env
