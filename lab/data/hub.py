"""Fetch public sets and the pretrained encoder from the Hugging Face hub.

They go into a folder laid out as `pairs` reads it. Only sets whose place on the hub is known are listed; the shipped
weights were trained on more (`pairs.MIXTURE`). What is there already is not fetched again, so an interrupted call
resumes where it stopped.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from errors import ModelError
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS

ENCODER, READER_ENCODER = "sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-mpnet-base-v2"
ENCODER_FILES = ("config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
PROBE_SECONDS = 4
"""Seconds within which a hub must answer; the library itself would try for minutes."""

Row = dict[str, Any]
_VERDICTS = {"SUPPORTS": SUPPORTS, "REFUTES": REFUTES, "NOT ENOUGH INFO": NOT_ENOUGH_INFO}
_INFERENCE = {0: SUPPORTS, 1: NOT_ENOUGH_INFO, 2: REFUTES}


@dataclass(frozen=True, slots=True)
class HubSet:
    """One set: its place, repository, files by split, and how a row is read."""

    path: str
    repository: str
    files: dict[str, str]
    read: Callable[[Row], Row | None]


def _vitaminc(kind: str) -> Callable[[Row], Row | None]:
    def read(row: Row) -> Row | None:
        if row["revision_type"] != kind:
            return None
        return {
            "id": row["unique_id"],
            "group": row["page"],
            "claim": row["claim"],
            "evidence": row["evidence"],
            "label": _VERDICTS[row["label"]],
        }

    return read


def _fever_gold(row: Row) -> Row | None:
    if row["label"] == "NOT ENOUGH INFO":  # its evidence is a guess of a retriever, not gold
        return None
    text = " ".join(sentence for *_, sentence in row["evidence"])
    return {
        "id": str(row["id"]),
        "group": "",
        "claim": row["claim"],
        "evidence": text,
        "label": _VERDICTS[row["label"]],
    }


def _inference(row: Row) -> Row | None:
    if row["label"] not in _INFERENCE:  # -1: the annotators did not agree
        return None
    return {
        "id": "",
        "group": row["premise"],
        "claim": row["hypothesis"],
        "evidence": row["premise"],
        "label": _INFERENCE[row["label"]],
    }


SETS: tuple[HubSet, ...] = (
    HubSet("pairs/vitaminc_real", "tals/vitaminc", {"test": "test.jsonl"}, _vitaminc("real")),
    HubSet("pairs/vitaminc_synthetic", "tals/vitaminc", {"test": "test.jsonl"}, _vitaminc("synthetic")),
    HubSet(
        "pairs/fever_dev_gold", "copenlu/fever_gold_evidence", {"dev": "valid.jsonl", "test": "test.jsonl"}, _fever_gold
    ),
    HubSet(
        "nli/mnli_dev",
        "nyu-mll/multi_nli",
        {
            "dev_matched": "data/validation_matched-00000-of-00001.parquet",
            "dev_mismatched": "data/validation_mismatched-00000-of-00001.parquet",
        },
        _inference,
    ),
)


def fetch_sets(folder: Path, endpoint: str | None = None) -> Path:
    """Fetch every listed set as `folder`/PATH.jsonl.gz; `endpoint` is another hub's address.

    Raises:
        ModelError: the hub cannot be reached, or lacks a file.
    """
    for entry in tqdm(SETS, desc="public sets"):
        target = folder / f"{entry.path}.jsonl.gz"
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + ".part")
        name = Path(entry.path).name
        with gzip.open(part, "wt", encoding="utf-8") as out:
            for split, file in entry.files.items():
                for raw in _rows(_download(entry.repository, file, "dataset", folder / entry.repository, endpoint)):
                    row = entry.read(raw)
                    if row:
                        out.write(json.dumps({"src": name, "split": split, **row}, ensure_ascii=False) + "\n")
        part.replace(target)
    return folder


def fetch_encoder(folder: Path, repository: str = ENCODER, endpoint: str | None = None) -> Path:
    """Fetch the files of the pretrained encoder in `repository` into `folder`.

    Raises:
        ModelError: the hub cannot be reached, or lacks a file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ENCODER_FILES:
        if not (folder / name).exists():
            _download(repository, name, "model", folder, endpoint)
    return folder


def _rows(path: Path) -> Iterator[Row]:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        yield from pq.read_table(path).to_pylist()
    else:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _download(repository: str, file: str, kind: str, folder: Path, endpoint: str | None) -> Path:
    from httpx2 import HTTPError
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_download, hf_hub_url

    constants.HF_HUB_DISABLE_TELEMETRY = True  # else it tells the hub which libraries are installed
    try:
        url = hf_hub_url(repository, file, repo_type=kind, endpoint=endpoint)
        get_hf_file_metadata(url, timeout=PROBE_SECONDS, endpoint=endpoint)
        return Path(hf_hub_download(repository, file, repo_type=kind, local_dir=folder, endpoint=endpoint))
    except (HTTPError, OSError) as exc:
        reason = str(exc).partition("\n")[0]
        raise ModelError(f"cannot fetch {file} of {repository} from the hub: {reason}") from exc
