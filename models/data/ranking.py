"""Retrieval data: SciFact's claims and abstracts, SelQA's questions and sentences."""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from models.data.pairs import detokenise

_FOLDER = Path("ranking/scifact")


def read_corpus(data: Path) -> dict[str, str]:
    """Document -> title and abstract."""
    with gzip.open(data / _FOLDER / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return {str(row["doc_id"]): f"{row['title']} {' '.join(row['abstract'])}" for row in rows}


def read_scientific_claims(data: Path, split: str) -> list[tuple[str, frozenset[str]]]:
    """(claim, documents that its makers cited) of "train" or "dev"."""
    path = data / _FOLDER / f"claims_{split}.jsonl"
    zipped = path.with_name(path.name + ".gz")
    text = gzip.open(zipped, "rt", encoding="utf-8").read() if zipped.exists() else path.read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return [(row["claim"], frozenset(map(str, row["cited_doc_ids"]))) for row in rows]


def read_questions(data: Path, split: str) -> Iterator[tuple[str, list[str], frozenset[int]]]:
    """(question, candidate sentences, which of them answer it) of SelQA's "dev" or "test"."""
    with gzip.open(data / "ranking" / "selqa" / f"selqa-ass-{split}.json.gz", "rt", encoding="utf-8") as file:
        for item in json.load(file):
            answers, candidates = (
                ast.literal_eval(item[key]) if isinstance(item[key], str) else item[key]
                for key in ("answers", "candidates")
            )
            yield detokenise(item["question"]), [detokenise(text) for text in candidates], frozenset(answers)
