"""Claims with their types: our own, and public news sentences that are subjective or not."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from models.pairs import open_text

TRAINING = Path(__file__).parents[1] / "training" / "claim_types.jsonl"
"""Written for training."""
HAND_WRITTEN = Path(__file__).parents[2] / "tests" / "data" / "claim_types.jsonl"
"""Written apart from them, on other topics, for testing."""


def read_claims(path: Path) -> list[tuple[str, str]]:
    """(claim, type) rows of a JSON-lines file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["claim"], row["type"]) for row in rows]


def read_news_sentences(data: Path, part: str) -> list[tuple[str, bool]]:
    """Read (sentence, whether it is subjective) rows of CLEF 2025's English subjectivity task.

    Reads one part (CC BY 4.0); empty where it is not there.
    """
    path = data / "claim_type" / "subjectivity_clef2025" / f"{part}.tsv"
    try:
        with open_text(path) as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            return [(row["sentence"], row["label"] == "SUBJ") for row in rows]
    except FileNotFoundError:
        return []
