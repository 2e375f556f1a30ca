"""Retrieval data: SciFact's claims and abstracts, SelQA's questions and sentences."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from models.pairs import detokenise, open_text, read_rows

_FOLDER = Path("ranking/scifact")


def read_corpus(data: Path) -> dict[str, str]:
    """Document -> title and abstract."""
    rows = read_rows(data / _FOLDER / "corpus")
    return {str(row["doc_id"]): f"{row['title']} {' '.join(row['abstract'])}" for row in rows}


def read_scientific_claims(data: Path, split: str) -> list[tuple[str, frozenset[str]]]:
    """(claim, documents that its makers cited) of "train" or "dev"."""
    rows = read_rows(data / _FOLDER / f"claims_{split}")
    return [(row["claim"], frozenset(map(str, row["cited_doc_ids"]))) for row in rows]


def cited_abstracts(corpus: Mapping[str, str], data: Path) -> list[tuple[str, str]]:
    """(claim, title and abstract) for every document cited for a training claim."""
    return [
        (claim, corpus[name])
        for claim, names in read_scientific_claims(data, "train")
        for name in sorted(names)
        if name in corpus
    ]


def read_questions(data: Path, split: str) -> Iterator[tuple[str, list[str], frozenset[int]]]:
    """(question, candidate sentences, which of them answer it) of SelQA's "dev" or "test"."""
    with open_text(data / "ranking" / "selqa" / f"selqa-ass-{split}.json") as file:
        items = json.load(file)
    for item in items:
        answers, candidates = (
            ast.literal_eval(item[key]) if isinstance(item[key], str) else item[key]
            for key in ("answers", "candidates")
        )
        yield detokenise(item["question"]), [detokenise(text) for text in candidates], frozenset(answers)
