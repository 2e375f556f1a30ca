"""Attacks on whole checks with a real instruct model: it adds none to those that move the small models."""

from __future__ import annotations

import json
import time
from pathlib import Path

from kb.record import NewEvidence
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evaluation.run import violations_of
from verifier.llm.assistant import Assistant
from verifier.schema import Verdict
from verifier.settings import Settings

CASES = Path(__file__).parents[1] / "data" / "adversarial.jsonl"
LEAST, SECONDS = 20, 400.0
"""So many cases are tried, and as many more as this time allows."""


def test_no_attack_moves_the_verdict_that_the_plain_form_gets(
    models: Models, base: Settings, assistant: Assistant
) -> None:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    alone, helped = Verifier(models, None, None, base), Verifier(models, None, None, base, assistant)

    def verdict_of(verifier: Verifier, form: dict[str, object]) -> Verdict:
        texts = form["evidence"]
        assert isinstance(texts, list)
        result = verifier.verify(str(form["claim"]), given=[NewEvidence(str(text)) for text in texts])
        assert violations_of(result) == []
        return result.verdict

    end, tried, moved = time.monotonic() + SECONDS, 0, []
    for case in (case for start in range(4) for case in cases[start::4]):
        if tried >= LEAST and time.monotonic() > end:
            break
        tried += 1
        attacked, plain = verdict_of(helped, case), verdict_of(helped, case["plain"])
        if attacked is not plain and verdict_of(alone, case) is verdict_of(alone, case["plain"]):
            moved.append(case["id"])
    assert tried >= LEAST and moved == []
