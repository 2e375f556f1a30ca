"""Addresses that a stranger may hand in: each is refused before or at the connection, and nothing is connected to."""

from __future__ import annotations

import pytest

from errors import FetchError, FetchFailure
from tests.web.internet import PUBLIC, Internet, Names, Server, http, redirect
from web.address import may_connect, parse_address
from web.fetch import Fetcher

FORBIDDEN, SCHEME = FetchFailure.FORBIDDEN_ADDRESS, FetchFailure.SCHEME
MALICIOUS = {
    "file": ("file:///etc/passwd", SCHEME),
    "data": ("data:text/html,<p>x</p>", SCHEME),
    "javascript": ("javascript:alert(1)", SCHEME),
    "ftp": ("ftp://news.example/x", SCHEME),
    "gopher": ("gopher://127.0.0.1:70/_x", SCHEME),
    "no-scheme": ("//news.example/x", SCHEME),
    "blank-before": (" http://news.example/", SCHEME),
    "empty": ("", SCHEME),
    "one-slash": ("http:/news.example/", FORBIDDEN),
    "no-host": ("http:///x", FORBIDDEN),
    "loopback": ("http://127.0.0.1/", FORBIDDEN),
    "loopback-other": ("http://127.8.9.10/", FORBIDDEN),
    "localhost": ("http://localhost/", FORBIDDEN),
    "localhost-upper": ("http://LOCALHOST/", FORBIDDEN),
    "localhost-dot": ("http://localhost./", FORBIDDEN),
    "localhost-below": ("http://admin.localhost/", FORBIDDEN),
    "localdomain": ("http://localhost.localdomain/", FORBIDDEN),
    "localhost-fullwidth": ("http://ｌｏｃａｌｈｏｓｔ/", FORBIDDEN),
    "localhost-encoded": ("http://%6c%6f%63%61lhost/", FORBIDDEN),
    "localhost-soft-hyphen": ("http://local\u00adhost/", FORBIDDEN),
    "circled-digits": ("http://①②⑦.⓪.⓪.①/", FORBIDDEN),
    "ideographic-dots": ("http://127。0。0。1/", FORBIDDEN),
    "decimal": ("http://2130706433/", FORBIDDEN),
    "hexadecimal": ("http://0x7f000001/", FORBIDDEN),
    "hexadecimal-parts": ("http://0x7f.1/", FORBIDDEN),
    "octal": ("http://017700000001/", FORBIDDEN),
    "octal-parts": ("http://0177.0.0.1/", FORBIDDEN),
    "short": ("http://127.1/", FORBIDDEN),
    "leading-zeros": ("http://127.000.000.001/", FORBIDDEN),
    "ipv4-dot": ("http://127.0.0.1./", FORBIDDEN),
    "unspecified": ("http://0.0.0.0/", FORBIDDEN),
    "zero": ("http://0/", FORBIDDEN),
    "private-10": ("http://10.0.0.1/", FORBIDDEN),
    "private-172": ("http://172.31.255.255/", FORBIDDEN),
    "private-192": ("http://192.168.1.1/", FORBIDDEN),
    "carrier-nat": ("http://100.64.0.1/", FORBIDDEN),
    "metadata": ("http://169.254.169.254/latest/meta-data/", FORBIDDEN),
    "metadata-cloud": ("http://168.63.129.16/", FORBIDDEN),
    "metadata-cgnat": ("http://100.100.100.200/", FORBIDDEN),
    "metadata-oracle": ("http://192.0.0.192/", FORBIDDEN),
    "benchmark": ("http://198.18.0.1/", FORBIDDEN),
    "multicast": ("http://224.0.0.1/", FORBIDDEN),
    "reserved": ("http://240.0.0.1/", FORBIDDEN),
    "broadcast": ("http://255.255.255.255/", FORBIDDEN),
    "v6-loopback": ("http://[::1]/", FORBIDDEN),
    "v6-unspecified": ("http://[::]/", FORBIDDEN),
    "v6-link-local": ("http://[fe80::1]/", FORBIDDEN),
    "v6-zone": ("http://[fe80::1%25eth0]/", FORBIDDEN),
    "v6-unique-local": ("http://[fd00::1]/", FORBIDDEN),
    "v6-metadata": ("http://[fd00:ec2::254]/", FORBIDDEN),
    "v6-site-local": ("http://[fec0::1]/", FORBIDDEN),
    "v6-multicast": ("http://[ff02::1]/", FORBIDDEN),
    "v6-documentation": ("http://[3fff::1]/", FORBIDDEN),
    "v6-mapped": ("http://[::ffff:127.0.0.1]/", FORBIDDEN),
    "v6-mapped-hex": ("http://[::ffff:7f00:1]/", FORBIDDEN),
    "v6-compatible": ("http://[::127.0.0.1]/", FORBIDDEN),
    "v6-6to4": ("http://[2002:7f00:1::]/", FORBIDDEN),
    "v6-nat64": ("http://[64:ff9b::a00:1]/", FORBIDDEN),
    "v6-nat64-local": ("http://[64:ff9b:1::a9fe:a9fe]/", FORBIDDEN),
    "v6-teredo": ("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", FORBIDDEN),
    "user": ("http://news.example@127.0.0.1/", FORBIDDEN),
    "user-empty": ("http://@news.example/", FORBIDDEN),
    "user-password": ("https://reuters.com:80@news.example/", FORBIDDEN),
    "backslash": ("http://news.example\\@127.0.0.1/", FORBIDDEN),
    "newline": ("http://news.example/\r\nHost: x", FORBIDDEN),
    "tab-in-scheme": ("ht\ttp://news.example/", SCHEME),
    "nul": ("http://127.0.0.1\x00.news.example/", FORBIDDEN),
    "encoded-nul": ("http://127.0.0.1%00.news.example/", FORBIDDEN),
    "right-to-left": ("http://news.example/\u202egpj.exe", FORBIDDEN),
    "port-ssh": ("http://news.example:22/", FORBIDDEN),
    "port-redis": ("http://news.example:6379/", FORBIDDEN),
    "port-too-high": ("http://news.example:99999/", FORBIDDEN),
    "two-dots": ("http://news..example/", FORBIDDEN),
    "too-long": ("http://news.example/" + "a" * 2_000, FORBIDDEN),
}


def test_a_malicious_address_is_refused(fetcher: Fetcher, internet: Internet, subtests: pytest.Subtests) -> None:
    for case, (url, kind) in MALICIOUS.items():
        with subtests.test(case):
            with pytest.raises(FetchError) as error:
                fetcher.fetch(url)
            assert error.value.kind is kind
            assert internet.connected == []
            assert "\n" not in str(error.value) and str(error.value).isascii() and len(str(error.value)) < 500


RESOLVED = {
    "loopback": ["127.0.0.1"],
    "private": ["10.1.2.3"],
    "metadata": ["169.254.169.254"],
    "mapped": ["::ffff:192.168.0.1"],
    "one-of-two": [PUBLIC, "127.0.0.1"],
    "v6-beside-v4": [PUBLIC, "::1"],
    "zone": ["fe80::1%eth0"],
    "no-address": ["evil"],
}


def test_a_public_name_that_leads_inside_is_refused(internet: Internet, subtests: pytest.Subtests) -> None:
    for case, answer in RESOLVED.items():
        with subtests.test(case):
            fetcher = Fetcher(resolve=Names(trap_example=answer), network=internet)
            with pytest.raises(FetchError) as error:
                fetcher.fetch("http://trap.example/")
            assert error.value.kind is FORBIDDEN and internet.connected == []
            assert not any(ip in str(error.value) for ip in answer)  # a stranger learns nothing of the network


REDIRECTED = {
    "loopback": ("http://127.0.0.1/", FORBIDDEN),
    "metadata": ("http://169.254.169.254/latest/", FORBIDDEN),
    "name-inside": ("http://inside.example/", FORBIDDEN),
    "other-port": ("http://news.example:22/", FORBIDDEN),
    "without-scheme": ("//10.0.0.1/", FORBIDDEN),
    "file": ("file:///etc/passwd", SCHEME),
    "data": ("data:text/html,x", SCHEME),
    "javascript": ("javascript:alert(1)", SCHEME),
    "user": ("http://a:b@news.example/", FORBIDDEN),
    "no-address": ("http://[", FetchFailure.REDIRECTS),
}


def test_a_redirect_is_checked_like_an_address(server: Server, internet: Internet, subtests: pytest.Subtests) -> None:
    for case, (target, kind) in REDIRECTED.items():
        with subtests.test(case):
            server.asked.clear()
            internet.connected.clear()
            server.replies |= {
                "/start": redirect(target),
                "/": http(b"<p>secret</p>"),
                "/latest/": http(b"<p>secret</p>"),
            }
            fetcher = Fetcher(resolve=Names(inside_example=["192.168.7.7"]), network=internet)
            with pytest.raises(FetchError) as error:
                fetcher.fetch("http://news.example/start")
            assert error.value.kind is kind
            assert server.paths == ["/start"] and {ip for ip, _ in internet.connected} == {PUBLIC}


def test_a_name_that_changes_its_meaning_gains_nothing(server: Server, internet: Internet) -> None:
    names = Names(rebind_example=iter([[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]]))
    server.replies["/"] = http(b"<p>hello</p>")
    fetcher = Fetcher(resolve=names, network=internet)
    with pytest.raises(FetchError) as error:  # robots.txt is asked at the public address, then the name turns
        fetcher.fetch("http://rebind.example/")
    assert error.value.kind is FORBIDDEN
    assert [ip for ip, _ in internet.connected] == [PUBLIC]


def test_the_connection_goes_to_the_address_that_was_checked(
    server: Server, internet: Internet, fetcher: Fetcher
) -> None:
    server.replies["/a"] = http(b"<p>hello</p>")
    assert fetcher.fetch("http://news.example/a").body == b"<p>hello</p>"
    assert set(internet.connected) == {(PUBLIC, 80)}
    assert "Host: news.example\r\n" in server.asked[-1]


def test_public_addresses_pass(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["8.8.8.8", PUBLIC, "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::808:808", "::ffff:8.8.8.8"]
    for ip in cases:
        with subtests.test(repr(ip)[:80]):
            assert may_connect(ip)


def test_private_addresses_pass_where_they_are_allowed(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["127.0.0.1", "10.0.0.1", "100.64.0.1", "::1", "fd12::1", "::ffff:127.0.0.1"]
    for ip in cases:
        with subtests.test(repr(ip)[:80]):
            assert may_connect(ip, allow_private=True) and not may_connect(ip)


def test_metadata_and_the_like_never_pass(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["169.254.169.254", "fd00:ec2::254", "fe80::1", "0.0.0.0", "224.0.0.1", "240.0.0.1"]
    for ip in cases:
        with subtests.test(repr(ip)[:80]):
            assert not may_connect(ip, allow_private=True)


def test_ordinary_addresses_have_one_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("HTTP://News.Example:80/a#part", "http://news.example/a"),
        ("https://news.example.", "https://news.example/"),
        ("https://müller.example/ü?x=ö", "https://xn--mller-kva.example/%C3%BC?x=%C3%B6"),
        ("http://[2606:2800:220:1::1]:8080/x", "http://[2606:2800:220:1::1]:8080/x"),
        ("http://8.8.8.8/?q=a@b", "http://8.8.8.8/?q=a@b"),
    ]
    for url, normal in cases:
        with subtests.test(repr(url)[:80]):
            assert parse_address(url).url == normal


def test_names_below_localhost_are_this_machine_without_asking_dns(server: Server) -> None:
    server.replies["/a"] = http(b"<p>hello</p>")
    names = Names()
    fetcher = Fetcher(allow_private=True, resolve=names)
    assert fetcher.fetch(f"http://news.localhost:{server.port}/a").body == b"<p>hello</p>"
    assert names.asked == []
    fetcher.close()
