"""Servers that mean harm, on loopback behind a public name; and what an honest one is told and gives."""

from __future__ import annotations

import gzip
import itertools
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import brotli
import pytest

from errors import FetchError, FetchFailure
from tests.web.internet import PUBLIC, Internet, Names, Reply, Server, http, redirect
from web.fetch import PDF, READABLE, Fetcher
from web.wire import USER_AGENT

START = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def endless(connection: socket.socket) -> None:
    connection.sendall(START + b"\r\n")
    while True:
        connection.sendall(b"<p>more</p>" * 5_000)


def endless_of_nothing(connection: socket.socket) -> None:
    """Compressed blocks that decompress to nothing, for ever."""
    connection.sendall(START + b"Content-Encoding: gzip\r\n\r\n")
    packer = zlib.compressobj(wbits=31)
    connection.sendall(packer.compress(b"x") + packer.flush(zlib.Z_SYNC_FLUSH))
    while True:
        connection.sendall(b"\x00\x00\x00\xff\xff" * 10_000)


def dripping_body(connection: socket.socket) -> None:
    connection.sendall(START + b"\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


def dripping_head(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


def silent(connection: socket.socket) -> None:
    time.sleep(30)


def endless_head(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-Header: " + b"x" * 1_000 + b"\r\n")


def endless_informational(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)
        time.sleep(0.01)


def cut_short(connection: socket.socket) -> None:
    connection.sendall(START + b"Content-Length: 500\r\n\r\n<p>The claim is not")


BOMB = gzip.compress(b"0" * 60_000_000)
HOSTILE: dict[str, tuple[Reply, FetchFailure]] = {
    "gzip-bomb": (http(BOMB, Content_Encoding="gzip"), FetchFailure.TOO_LARGE),
    "deflate-bomb": (http(zlib.compress(b"0" * 60_000_000), Content_Encoding="deflate"), FetchFailure.TOO_LARGE),
    "nested-gzip-bomb": (http(gzip.compress(BOMB), Content_Encoding="gzip, gzip"), FetchFailure.UNREADABLE),
    "brotli-bomb": (http(brotli.compress(b"0" * 10_000_000), Content_Encoding="br"), FetchFailure.UNREADABLE),
    "zstd": (http(b"\x28\xb5\x2f\xfd", Content_Encoding="zstd"), FetchFailure.UNREADABLE),
    "not-gzip": (http(b"<p>x</p>", Content_Encoding="gzip"), FetchFailure.UNREADABLE),
    "gzip-cut": (http(gzip.compress(b"hello" * 99)[:-10], Content_Encoding="gzip"), FetchFailure.UNREADABLE),
    "endless-body": (endless, FetchFailure.TOO_LARGE),
    "endless-nothing": (endless_of_nothing, FetchFailure.TOO_LARGE),
    "large-by-its-word": (START + b"Content-Length: 99999999999\r\n\r\n", FetchFailure.TOO_LARGE),
    "dripping-body": (dripping_body, FetchFailure.TIMED_OUT),
    "dripping-head": (dripping_head, FetchFailure.TIMED_OUT),
    "silent": (silent, FetchFailure.TIMED_OUT),
    "endless-hints": (endless_informational, FetchFailure.TIMED_OUT),
    "endless-head": (endless_head, FetchFailure.UNREADABLE),
    "huge-header": (START + b"X-Big: " + b"x" * 300_000 + b"\r\n\r\n<p>x</p>", FetchFailure.UNREADABLE),
    "cut-short": (cut_short, FetchFailure.UNREADABLE),
    "no-http": (b"SSH-2.0-OpenSSH_9.6\r\n", FetchFailure.UNREADABLE),
    "closed-at-once": (lambda connection: None, FetchFailure.UNREADABLE),
    "two-lengths": (START + b"Content-Length: 3\r\nContent-Length: 9\r\n\r\nabc", FetchFailure.UNREADABLE),
    "image": (http(b"\x89PNG", content_type="image/png"), FetchFailure.CONTENT_TYPE),
    "program": (http(b"MZ", content_type="application/octet-stream"), FetchFailure.CONTENT_TYPE),
    "pdf": (http(b"%PDF-1.7", content_type="application/pdf"), FetchFailure.CONTENT_TYPE),
    "script": (http(b"alert(1)", content_type="text/javascript"), FetchFailure.CONTENT_TYPE),
    "not-found": (http(b"<p>gone</p>", "404 Not Found"), FetchFailure.GONE),
    "failing": (http(b"<p>oops</p>", "500 Oops"), FetchFailure.STATUS),
    "redirect-to-itself": (redirect("/page"), FetchFailure.REDIRECTS),
    "redirect-to-nowhere": (http(status="302 Found"), FetchFailure.STATUS),
}


def test_a_hostile_answer_is_refused_in_time(server: Server, fetcher: Fetcher, subtests: pytest.Subtests) -> None:
    for case, (reply, kind) in HOSTILE.items():
        with subtests.test(case):
            server.replies["/page"] = reply
            started = time.monotonic()
            with pytest.raises(FetchError) as error:
                fetcher.fetch("http://news.example/page", timeout=0.6)
            assert error.value.kind is kind, error.value
            assert time.monotonic() - started < 10
            assert (
                "\n" not in str(error.value)
                and "news.example" in str(error.value)
                and "site-packages" not in str(error.value)
            )


def test_a_bomb_is_not_held_in_memory(server: Server, fetcher: Fetcher) -> None:
    import tracemalloc

    server.replies["/page"] = http(BOMB, Content_Encoding="gzip")
    tracemalloc.start()
    with pytest.raises(FetchError):
        fetcher.fetch("http://news.example/page")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000_000  # the body's limit is 3 MB


def test_redirects_are_followed_to_a_limit(server: Server, fetcher: Fetcher) -> None:
    server.replies |= {f"/{step}": redirect(f"/{step + 1}") for step in range(9)} | {"/9": http(b"<p>end</p>")}
    assert fetcher.fetch("http://news.example/4").url == "http://news.example/9"
    with pytest.raises(FetchError) as error:
        fetcher.fetch("http://news.example/3")
    assert error.value.kind is FetchFailure.REDIRECTS


def test_one_deadline_holds_for_robots_redirects_and_body_together(server: Server, fetcher: Fetcher) -> None:
    def late(reply: bytes) -> Callable[[socket.socket], None]:
        def answer(connection: socket.socket) -> None:
            time.sleep(0.25)
            connection.sendall(reply)

        return answer

    server.replies |= {
        "/robots.txt": late(http(b"", "404 Not Found")),
        "/a": late(redirect("/b")),
        "/b": late(redirect("/c")),
        "/c": late(http(b"<p>x</p>")),
    }
    started = time.monotonic()
    with pytest.raises(FetchError) as error:
        fetcher.fetch("http://news.example/a", timeout=0.6)
    assert error.value.kind is FetchFailure.TIMED_OUT and time.monotonic() - started < 10


def test_a_slow_resolver_is_held_to_the_deadline(internet: Internet) -> None:
    release = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        release.wait(60)
        return [PUBLIC]

    started = time.monotonic()
    with pytest.raises(FetchError) as error:
        Fetcher(resolve=slow, network=internet).fetch("http://news.example/", timeout=0.3)
    release.set()
    assert error.value.kind is FetchFailure.TIMED_OUT and time.monotonic() - started < 20


def test_a_host_that_is_not_there_is_unreachable(fetcher: Fetcher) -> None:
    with pytest.raises(FetchError, match="no such host") as error:
        fetcher.fetch("http://nowhere.invalid/")
    assert error.value.kind is FetchFailure.UNREACHABLE


def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(FetchError) as error:
        Fetcher(allow_private=True).fetch(f"http://127.0.0.1:{port}/")
    assert error.value.kind is FetchFailure.UNREACHABLE


def test_the_next_address_of_a_host_is_tried(server: Server, internet: Internet) -> None:
    import httpcore

    class OneDown(Internet):
        def connect_tcp(self, host: str, *rest: object, **more: object) -> httpcore.NetworkStream:
            if host == "2606:2800:220:1::1":
                raise httpcore.ConnectError("no route")
            return super().connect_tcp(host, *rest, **more)  # type: ignore[arg-type]

    server.replies["/a"] = http(b"<p>x</p>")
    names = Names(news_example=["2606:2800:220:1::1", PUBLIC])
    assert Fetcher(resolve=names, network=OneDown(server.port)).fetch("http://news.example/a").status == 200


def test_what_is_said_to_a_server_is_little(server: Server, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.replies["/a"] = http(b"<p>x</p>", Set_Cookie="id=1; Path=/")
    server.replies["/b"] = redirect("/a")
    fetcher.fetch("http://news.example/b")
    fetcher.fetch("http://news.example/a")
    for request in server.asked:
        names = {line.partition(":")[0] for line in request.splitlines()[1:] if line}
        assert names == {"Host", "User-Agent", "Accept", "Accept-Encoding"}
        assert f"User-Agent: {USER_AGENT}\r\n" in request


def test_what_comes_back(server: Server, fetcher: Fetcher) -> None:
    body = "<p>größer</p>".encode("latin-1")
    server.replies["/a"] = http(
        gzip.compress(body), content_type='Text/HTML; Charset="ISO-8859-1"', Content_Encoding="gzip"
    )
    found = fetcher.fetch("http://news.example/a#part")
    assert (found.url, found.status, found.content_type, found.body, found.charset) == (
        "http://news.example/a",
        200,
        "text/html",
        body,
        "iso-8859-1",
    )


def test_a_pdf_comes_where_it_is_asked_for(server: Server, fetcher: Fetcher) -> None:
    server.replies["/a"] = http(b"%PDF-1.7", content_type=PDF)
    assert fetcher.fetch("http://news.example/a", accept=READABLE | {PDF}).body == b"%PDF-1.7"


def test_connections_are_used_again_and_by_several_threads(server: Server, fetcher: Fetcher) -> None:
    server.replies |= {f"/{number}": http(str(number).encode()) for number in range(40)}
    with ThreadPoolExecutor(8) as pool:
        bodies = list(pool.map(lambda number: fetcher.fetch(f"http://news.example/{number}").body, range(40)))
    assert bodies == [str(number).encode() for number in range(40)]


def _certificate(folder: Path) -> ssl.SSLContext:
    """A server's certificate for news.example, signed by itself; written to `folder`."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "news.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("news.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.fixture
def secure(tmp_path: Path, server: Server) -> tuple[Internet, ssl.SSLContext]:
    """An internet whose server speaks TLS as news.example, and a context that trusts it."""
    context = _certificate(tmp_path)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for _ in itertools.count():
            try:
                raw, _ = listener.accept()
                with context.wrap_socket(raw, server_side=True) as connection:
                    server.answer(connection, connection.recv(65_536).decode())
            except OSError:
                if listener.fileno() < 0:
                    return

    threading.Thread(target=serve, daemon=True).start()
    return Internet(listener.getsockname()[1]), ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))


def test_tls_is_checked_against_the_name_and_not_the_address(
    secure: tuple[Internet, ssl.SSLContext], server: Server
) -> None:
    internet, trusted = secure
    server.replies["/a"] = http(b"<p>x</p>")
    assert Fetcher(network=internet, resolve=Names(), tls=trusted).fetch("https://news.example/a").status == 200
    for host, context in (("other.example", trusted), ("news.example", None)):
        with pytest.raises(FetchError) as error:
            Fetcher(network=internet, resolve=Names(), tls=context).fetch(f"https://{host}/a")
        assert error.value.kind is FetchFailure.UNREACHABLE and "_ssl" not in str(error.value)
