from __future__ import annotations

import json
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import InputError, StoreError
from kb.publishers.credibility import SourceType, publisher_of
from kb.publishers.lists import MAX_BYTES, DomainLists
from kb.publishers.rules import BadLine, Rule, domain_name, parse_line
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from verifier.cli.kb import main

ALLOW, DENY = Rule.ALLOW, Rule.DENY


@pytest.fixture
def lists(tmp_path: Path) -> DomainLists:
    return DomainLists(tmp_path / "own" / "domains.csv")


def denied(lists: DomainLists, url: str) -> bool:
    return lists.publisher_of(url).denied


def test_without_a_file_the_shipped_table_counts(lists: DomainLists) -> None:
    for url in ("https://www.snopes.com/a", "https://a.example/x", ""):
        assert lists.publisher_of(url) == publisher_of(url)
    assert lists.rows() == () and not lists.path.exists()


@pytest.mark.parametrize(
    ("rule", "url", "covered"),
    [
        ("example.org", "https://example.org/a", True),
        ("example.org", "http://www.example.org:8080/a", True),
        ("example.org", "https://news.example.org/a", True),
        ("example.org", "https://EXAMPLE.org./a", True),
        ("example.org", "https://user@example.org/a", True),
        ("example.org", "https://example.org.evil.example/a", False),
        ("example.org", "https://notexample.org/a", False),
        ("example.org", "https://evil.example/example.org", False),
        ("example.org", "https://example.org@evil.example/", False),
        ("*.example.org", "https://news.example.org/a", True),
        ("*.example.org", "https://a.b.example.org/a", True),
        ("*.example.org", "https://example.org/a", False),
        ("m\u00fcnchen.example", "https://xn--mnchen-3ya.example/a", True),
        ("xn--mnchen-3ya.example", "https://m\u00fcnchen.example/a", True),
        ("factline.localhost", "http://factline.localhost:8000/a", True),
        ("192.0.2.7", "http://192.0.2.7/a", True),
        ("example.org", "", False),
        ("example.org", "notes on example.org", False),
    ],
)
def test_a_rule_covers_its_domain_and_what_is_beneath(lists: DomainLists, rule: str, url: str, covered: bool) -> None:
    lists.add(parse_line(rule, "deny"))
    assert denied(lists, url) is covered


def test_the_narrowest_rule_counts(lists: DomainLists) -> None:
    for domain, rule in (("example.org", "deny"), ("*.lab.example.org", "deny"), ("lab.example.org", "allow")):
        lists.add(parse_line(domain, rule))
    hosts = ("example.org", "a.example.org", "lab.example.org", "a.lab.example.org")
    assert [denied(lists, f"https://{host}/x") for host in hosts] == [True, True, False, True]


def test_what_is_allowed_gets_the_type_and_credibility_that_are_given(lists: DomainLists) -> None:
    lists.add(parse_line("local.example", "allow", "news", "0.85", "our paper"))
    found = lists.publisher_of("https://local.example/a")
    assert (found.source_type, found.credibility, found.listed) == (SourceType.NEWS, 0.85, True)
    assert not publisher_of("https://local.example/a").listed


def test_what_is_allowed_without_them_may_at_least_decide(lists: DomainLists) -> None:
    for domain in ("clinic.substack.com", "reuters.com"):
        lists.add(parse_line(domain, "allow"))
    blog, other = lists.publisher_of("https://clinic.substack.com/p/a"), lists.publisher_of("https://x.substack.com/a")
    assert (blog.source_type, blog.credibility, blog.listed) == (SourceType.UNKNOWN, 0.5, True)
    assert (other.source_type, other.credibility, other.listed) == (SourceType.SOCIAL, 0.2, False)
    assert lists.publisher_of("https://www.reuters.com/a") == publisher_of("https://www.reuters.com/a")


def test_a_rule_does_not_make_one_organisation_two(lists: DomainLists) -> None:
    lists.add(parse_line("bbc.co.uk", "allow", credibility="0.9"))
    assert lists.publisher_of("https://bbc.co.uk/a").voice == lists.publisher_of("https://bbc.com/a").voice


@pytest.mark.parametrize("text", ["", "com", "*.com", "a b.example", "*", "ex*mple.org", "..", "-a.example", "a" * 300 + ".example", "example.*", "=1+1"])  # fmt: skip
def test_what_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no domain"):
        domain_name(text)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("a.example", "maybe"), "rule must be allow or deny, not 'maybe'"),
        (("a.example", "allow", "blog"), "source_type must be one of news, academic"),
        (("a.example", "allow", "", "2"), "above 0 and at most 1, not '2'"),
        (("a.example", "allow", "", "0"), "deny it"),
        (("a.example", "allow", "", "nan"), "above 0"),
        (("a.example", "allow", "", "high"), "above 0"),
    ],
)
def test_what_a_line_may_not_hold_is_named(cells: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_line(*cells)
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_a_note_is_one_short_line() -> None:
    assert parse_line("a.example", "deny", note="a\nb\x1b[31m" + "c" * 500).note.startswith("a b [31mccc")
    assert len(parse_line("a.example", "deny", note="c" * 500).note) == 200


def test_a_file_written_by_hand_is_read_and_its_bad_lines_are_named_and_kept(lists: DomainLists) -> None:
    lists.path.parent.mkdir()
    lists.path.write_text(
        "\ufeffDomain,rule,source_type,credibility,note\n# sites of our town\n\nhttps://www.One.example/x,Allow,News,.8,fine\n"
        'two words,deny\nthree.example,deny,nonsense,12\nfour.example,perhaps\none.example,deny,,,"changed, my mind"\n',
        encoding="utf-8",
    )
    assert [(row.domain, row.rule) for row in lists.rows()] == [("one.example", DENY), ("three.example", DENY)]
    assert [bad.line for bad in lists.problems()] == [5, 7, 8]
    assert lists.problems()[2] == BadLine(8, "one.example stands above too; what this line says counts")
    lists.add(parse_line("five.example", "allow"))
    assert lists.remove("ONE.example")
    text = lists.path.read_text(encoding="utf-8")
    assert "# sites of our town" in text and "two words,deny" in text and "one.example" not in text.lower()
    assert [row.domain for row in lists.rows()] == ["five.example", "three.example"]


def test_a_change_by_another_process_counts_at_once(lists: DomainLists) -> None:
    other = DomainLists(lists.path)
    for _ in range(20):
        other.add(parse_line("a.example", "deny"))
        assert denied(lists, "https://a.example/x")
        assert other.remove("a.example") and not other.remove("a.example")
        assert not denied(lists, "https://a.example/x")


def _add_many(path: Path, name: str) -> None:
    lists = DomainLists(path)
    for number in range(15):
        lists.add(parse_line(f"{name}{number}.example", "deny"))


def test_processes_that_write_together_lose_nothing_and_leave_no_half_file(lists: DomainLists) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_add_many, args=(lists.path, name)) for name in "abcd"]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert lists.problems() == ()
    for writer in writers:
        writer.join()
    assert len(lists.rows()) == 60 and not list(lists.path.parent.glob(".domains*"))


def test_a_list_that_cannot_be_read_is_an_error_and_never_an_empty_list(lists: DomainLists) -> None:
    lists.path.parent.mkdir()
    for content in (b"a.example,deny\n\xff\xfe", b"x" * (MAX_BYTES + 1), b'a.example,deny,"' + b"x" * 200_000):
        lists.path.write_bytes(content)
        with pytest.raises(StoreError, match="list of domains"):
            lists.publisher_of("https://a.example/x")
    lists.path.unlink()
    lists.path.mkdir()
    with pytest.raises(StoreError, match="cannot read"):
        lists.rows()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="VERIFIER_DOMAINS"):
        DomainLists(tmp_path / "x" / "domains.csv").add(parse_line("a.example", "deny"))


def test_a_lookup_takes_microseconds_however_long_the_list_and_the_host(lists: DomainLists) -> None:
    lists.path.parent.mkdir()
    lists.path.write_text("".join(f"site{number}.example,deny\n" for number in range(20_000)), encoding="utf-8")
    lists.rows()
    start = time.process_time()
    for number in range(1_000):
        assert denied(lists, f"https://www.site{number}.example/x")
    assert time.process_time() - start < 3
    assert not denied(lists, "https://" + "a." * 50_000 + "b.example/x")


def embed(texts: list[str]) -> NDArray[np.float32]:
    """Every word has a direction of its own."""
    vectors = np.zeros((len(texts), 384), dtype=np.float32)
    for row, text in zip(vectors, texts, strict=True):
        for word in text.lower().split():
            row[sum(map(ord, word)) % 384] += 1
        row /= np.linalg.norm(row)
    return vectors


def test_a_denied_domain_is_neither_stored_nor_found(lists: DomainLists, tmp_path: Path) -> None:
    store = EvidenceStore(str(tmp_path / "kb"), embed, "test", lists.publisher_of)  # type: ignore[arg-type]
    text, both = "The ferry sank in the harbour", "The mayor opened the long bridge"
    store.add([NewEvidence(text, "https://bad.example/1", "Bad"), NewEvidence(both, "https://bad.example/2", "Bad")])
    store.add(
        [NewEvidence(both, "https://good.example/2"), NewEvidence("The ferry was late", "https://good.example/1")]
    )
    lists.add(parse_line("bad.example", "deny"))
    report = store.add(
        [NewEvidence("The ferry is new", "https://sub.bad.example/3"), NewEvidence(text, "https://good.example/9")]
    )
    assert (report.added, report.merged, report.denied, report.ids[0]) == (0, 1, 1, "")
    found = {hit.record.text: hit.record for hit in store.search(text, embed([text])[0], 5)}
    assert found[text].source == "https://good.example/9" and found[both].domain == "good.example"
    assert found[both].title == "" and "The ferry is new" not in found
    (nearest,) = store.search(text, embed([text])[0], 1)
    assert nearest.record.source == "https://good.example/9"
    lists.remove("bad.example")
    assert store.search(text, embed([text])[0], 1)[0].record.source == "https://bad.example/1"


def test_what_is_left_out_makes_room_for_the_next(lists: DomainLists, tmp_path: Path) -> None:
    store = EvidenceStore(str(tmp_path / "kb"), embed, "test", lists.publisher_of)  # type: ignore[arg-type]
    store.add(
        [NewEvidence(f"The ferry sank {word}", f"https://bad.example/{word}") for word in ("twice", "once", "again")]
    )
    store.add(
        [NewEvidence(f"A ferry came {word}", f"https://good.example/{word}") for word in ("late", "early", "home")]
    )
    lists.add(parse_line("bad.example", "deny"))
    hits = store.search("The ferry sank", embed(["The ferry sank"])[0], 3)
    assert [hit.record.domain for hit in hits] == ["good.example"] * 3


def test_the_command_adds_lists_and_removes(lists: DomainLists, capsys: pytest.CaptureFixture[str]) -> None:
    file = ["--file", str(lists.path)]
    assert main(["domains", "list", *file]) == 0 and "empty" in capsys.readouterr().out
    assert main(["domains", "add", "Bad.example", "--deny", "--note", "invents quotes", *file]) == 0
    assert main(["domains", "add", "*.good.example", "--type", "news", "--credibility", "0.8", *file]) == 0
    capsys.readouterr()
    assert main(["domains", "list", "--json", *file]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0] == {
        "domain": "bad.example",
        "rule": "deny",
        "source_type": "",
        "credibility": "",
        "note": "invents quotes",
    }
    assert rows[1]["domain"] == "*.good.example" and rows[1]["credibility"] == "0.8"
    assert main(["domains", "remove", "bad.example", *file]) == 0 and len(lists.rows()) == 1
    for wrong in (["remove", "bad.example"], ["add", "no domain"], ["add", "a.example", "--deny", "--type", "news"]):
        assert main(["domains", *wrong, *file]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_the_list_lies_where_the_settings_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "add", "a.example", "--deny"]) == 0
    assert (tmp_path / "domains.csv").read_text(encoding="utf-8").splitlines()[1] == "a.example,deny,,,"
