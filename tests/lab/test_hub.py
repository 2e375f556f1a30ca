"""Public sets and the encoder, fetched over HTTP from a hub on loopback that speaks the real one's protocol."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from errors import ModelError
from lab.data.hub import ENCODER, ENCODER_FILES, SETS, fetch_encoder, fetch_sets
from lab.data.pairs import load_set

COMMIT = "a" * 40


def jsonl(*rows: dict[str, object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(*rows: dict[str, object]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), buffer)
    return buffer.getvalue()


VITAMINC = [
    {"unique_id": f"{n}", "page": f"Page {n}", "claim": f"Claim {n}.", "evidence": f"Text {n}.", "label": label}
    | {"revision_type": kind}
    for n, (label, kind) in enumerate(
        [("SUPPORTS", "real"), ("REFUTES", "real"), ("NOT ENOUGH INFO", "real"), ("REFUTES", "synthetic")]
    )
]
FEVER = [
    {
        "id": 7,
        "claim": "It opened.",
        "label": "SUPPORTS",
        "evidence": [["Page", "0", "It opened in 1931."], ["P", "1", "So."]],
    },
    {"id": 8, "claim": "It shut.", "label": "NOT ENOUGH INFO", "evidence": [["Page", "0", "A guess."]]},
]
INFERENCE: list[dict[str, object]] = [
    {"premise": "A man sleeps.", "hypothesis": f"Reading {label}.", "label": label} for label in (0, 1, 2, -1)
]


@pytest.fixture
def hub(httpserver: HTTPServer) -> HTTPServer:
    """Every listed file of every listed repository, and nothing else."""
    files = {f"/{ENCODER}/resolve/main/{name}": f"content of {name}".encode() for name in ENCODER_FILES}
    for entry in SETS:
        for file in entry.files.values():
            body = jsonl(*(FEVER if "fever" in entry.repository else VITAMINC))
            files[f"/datasets/{entry.repository}/resolve/main/{file}"] = (
                parquet(*INFERENCE) if file.endswith(".parquet") else body
            )

    def answer(request: Request) -> Response:
        body = files.get(request.path)
        if body is None:
            return Response(status=404, headers={"X-Error-Code": "EntryNotFound"})
        headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X-Repo-Commit": COMMIT}
        response = Response(b"" if request.method == "HEAD" else body, headers=headers)
        response.headers["Content-Length"] = str(len(body))
        return response

    for method in ("GET", "HEAD"):
        httpserver.expect_request(re.compile(".*"), method=method).respond_with_handler(answer)
    httpserver.files = files  # type: ignore[attr-defined]
    return httpserver


def test_sets_arrive_in_the_layout_that_training_reads(hub: HTTPServer, tmp_path: Path) -> None:
    folder = fetch_sets(tmp_path, hub.url_for("").rstrip("/"))
    real, made = (load_set(folder, f"pairs/vitaminc_{kind}") for kind in ("real", "synthetic"))
    assert [(pair.claim, pair.label) for pair in real] == [("Claim 0.", "S"), ("Claim 1.", "R"), ("Claim 2.", "N")]
    assert [(pair.claim, pair.label) for pair in made] == [("Claim 3.", "R")]
    gold = load_set(folder, "pairs/fever_dev_gold")
    assert [(pair.claim, pair.evidence) for pair in gold] == [("It opened.", "It opened in 1931. So.")] * 2  # two files
    inference = load_set(folder, "nli/mnli_dev")
    assert sorted({(pair.claim, pair.label) for pair in inference}) == [
        ("Reading 0.", "S"),
        ("Reading 1.", "N"),
        ("Reading 2.", "R"),
    ]


def test_what_is_there_is_not_fetched_again(hub: HTTPServer, tmp_path: Path) -> None:
    endpoint = hub.url_for("").rstrip("/")
    fetch_sets(tmp_path, endpoint)
    before = len(hub.log)
    (tmp_path / "pairs/vitaminc_real.jsonl.gz").unlink()
    fetch_sets(tmp_path, endpoint)
    assert before < len(hub.log) <= before + 4
    assert all("vitaminc" in request.path for request, _ in hub.log[before:])
    assert not any("agent" in request.path for request, _ in hub.log)  # no telemetry


def test_the_encoder_arrives_whole(hub: HTTPServer, tmp_path: Path) -> None:
    folder = fetch_encoder(tmp_path / "encoder", endpoint=hub.url_for("").rstrip("/"))
    assert all((folder / name).read_text() == f"content of {name}" for name in ENCODER_FILES)


def test_a_file_that_the_hub_lacks_is_named(hub: HTTPServer, tmp_path: Path) -> None:
    del hub.files["/datasets/nyu-mll/multi_nli/resolve/main/data/validation_mismatched-00000-of-00001.parquet"]  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"cannot fetch data/validation_mismatched.* of nyu-mll/multi_nli"):
        fetch_sets(tmp_path, hub.url_for("").rstrip("/"))
    assert not (tmp_path / "nli/mnli_dev.jsonl.gz").exists()  # half a set is none


def test_a_hub_that_is_not_there_is_given_up_soon(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot fetch test\.jsonl of tals/vitaminc"):
        fetch_sets(tmp_path, "http://127.0.0.1:9")
