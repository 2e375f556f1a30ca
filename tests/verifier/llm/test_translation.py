"""Translations by a real instruct model: the one that VERIFIER_LLM names."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from errors import AnswerUnusable
from models.llm.generator import Generator
from verifier.claim.translation import lost_in_translation
from verifier.llm.assistant import Assistant, Limits

MODEL = Path(os.environ.get("VERIFIER_LLM", ""))
CLAIMS = Path(__file__).parents[2] / "data" / "language_claims.jsonl"


@pytest.mark.skipif(MODEL.suffix != ".gguf" or not MODEL.is_file(), reason="set VERIFIER_LLM=FILE.gguf")
def test_a_real_model_translates_or_its_translation_is_refused() -> None:
    rows = [json.loads(line) for line in CLAIMS.read_text(encoding="utf-8").splitlines()]
    first = list({row["language"]: row for row in rows if row["split"] == "dev" and row["kind"] == "figure"}.values())
    assistant, held = Assistant(lambda: Generator(MODEL, 1)), 0
    for row in first:
        try:
            said = assistant.english(row["claim"], Limits(120), row["language"])
        except AnswerUnusable as exc:
            assert str(exc).startswith("the translation does not hold, the ")
            continue
        held += 1
        assert lost_in_translation(row["claim"], row["language"], said) == ""
    assert len(first) == 9 and held >= 6
