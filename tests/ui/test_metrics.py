"""GET /metrics on the real server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from kb.store.evidence_store import EvidenceStore
from lab.space_check.start import free_port
from ui.blocks import build_demo
from ui.metrics import server_arguments
from verifier.serve.service import Service
from verifier.settings import Settings


def serve(service: Service) -> Iterator[str]:
    demo = build_demo(service)
    port = free_port()
    _, address, _ = demo.launch(
        server_name="127.0.0.1",
        server_port=port,
        prevent_thread_lock=True,
        quiet=True,
        ssr_mode=False,
        app_kwargs=server_arguments(service.metrics),
    )
    yield address
    demo.close()
    service.close()


@pytest.fixture(scope="module")
def service(base: Settings, seeded: EvidenceStore, tmp_path_factory: pytest.TempPathFactory) -> Service:
    folder = tmp_path_factory.mktemp("metrics")
    shutil.copytree(seeded.uri, folder / "kb")
    return Service(replace(base, kb_uri=str(folder / "kb"), log_path=folder / "log.jsonl"))


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    yield from serve(service)


def test_counts_are_there_before_the_models_are_and_grow_with_every_check(url: str, service: Service) -> None:
    first = httpx.get(f"{url}metrics")
    assert service.loading and first.status_code == 200
    assert first.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'verifier_checks_total{verdict="False"} 0.0' in first.text and "verifier_kb_records 0.0" in first.text
    service.start()
    client = Client(url, verbose=False, analytics_enabled=False)
    assert client.predict(claim="The Earth is flat", web=False, api_name="/verify")["verdict"] == "False"
    with pytest.raises(AppError):
        client.predict(claim="", web=False, api_name="/verify")
    list(service.checker().stream("Pizza tastes better than burgers", web=False))
    lines = httpx.get(f"{url}metrics").text.splitlines()
    for line in (
        'verifier_checks_total{verdict="False"} 1.0',
        'verifier_checks_total{verdict="Not Verifiable"} 1.0',
        'verifier_errors_total{kind="InputError"} 1.0',
        "verifier_gathered_total 1.0",
        "verifier_evidence_matches_total 1.0",
        "verifier_check_seconds_count 3.0",
    ):
        assert line in lines
    records = next(line for line in lines if line.startswith("verifier_kb_records "))
    assert float(records.split()[1]) > 900
    assert "Earth" not in "".join(lines) and "/" not in "".join(lines)


def test_only_reading_is_allowed_and_the_rest_of_the_app_is_as_before(url: str) -> None:
    assert httpx.post(f"{url}metrics").status_code == 405
    head = httpx.head(f"{url}metrics")
    assert head.status_code == 200 and head.text == ""
    assert "gradio" in httpx.get(url).text
    assert "/verify" in httpx.get(f"{url}gradio_api/info").json()["named_endpoints"]


def test_where_it_is_off_nothing_is_counted_and_nothing_is_told(base: Settings, tmp_path: Path) -> None:
    service = Service(replace(base, metrics=False, kb_uri=str(tmp_path / "kb")))
    assert service.metrics is None
    for address in serve(service):
        assert "verifier_" not in httpx.get(f"{address}metrics").text


@pytest.mark.parametrize(
    ("env", "on"),
    [
        ({}, True),
        ({"GRADIO_SERVER_NAME": "localhost"}, True),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, False),
        ({"SPACE_ID": "a/b"}, False),
        ({"SPACE_ID": "a/b", "GRADIO_SERVER_NAME": "127.0.0.1"}, False),
        ({"SPACE_ID": "a/b", "VERIFIER_METRICS": "on"}, True),
        ({"VERIFIER_METRICS": "off"}, False),
    ],
)
def test_they_are_on_only_where_strangers_cannot_read_them(env: dict[str, str], on: bool) -> None:
    assert Settings.from_env(env).metrics is on
