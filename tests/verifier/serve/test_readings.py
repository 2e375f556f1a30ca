"""Readings that are kept are those of the models, and go when the models are others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.store.evidence_store import EvidenceStore
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evidence.uncounted import Uncounted
from verifier.report.as_json import result_to_dict
from verifier.schema import VerificationResult
from verifier.serve import readings
from verifier.serve.readings import Readings, models_in_use
from verifier.settings import Settings

CLAIM = "India became independent in 1947 and the Eiffel Tower is in Berlin."


class _Asked(Exception):
    """A model was asked."""


class _Silent:
    """A model that must not be asked."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        raise _Asked

    def probabilities(self, *texts: str) -> dict[str, float]:
        raise _Asked

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        raise _Asked


def told(result: VerificationResult) -> dict[str, object]:
    """Everything of a result but what differs from check to check."""
    steps = ("session_id", "checked_at", "step_milliseconds", "timings", "store_version")
    return {name: value for name, value in result_to_dict(result).items() if name not in steps}


def test_a_check_by_kept_readings_asks_no_model_and_says_the_same(
    verifier: Verifier, models: Models, store: EvidenceStore, tmp_path: Path, settings: Settings
) -> None:
    path, of = tmp_path / "kept.json", models_in_use(settings)
    plain, kept = verifier.verify(CLAIM, web=False), Readings(path, of)
    first = verifier.over(kept.over(models), store).verify(CLAIM, web=False)
    kept.save(True)
    silent = replace(models, reranker=_Silent(), stance=_Silent())
    again = verifier.over(Readings(path, of).over(silent), store).verify(CLAIM, web=False)
    assert told(plain) == told(first) == told(again) and len(plain.evidence) > 2
    assert b"India" not in path.read_bytes()
    for other in (Readings(path, "other weights"), Readings(tmp_path / "none.json", of)):
        with pytest.raises(_Asked):
            verifier.over(other.over(silent), store).verify(CLAIM, web=False)


def test_a_check_that_is_repeated_counts_no_use_and_finds_the_same(
    verifier: Verifier, models: Models, store: EvidenceStore
) -> None:
    def uses() -> int:
        store.close()  # writes what is noted
        return sum(row["access_count"] for row in store._table.search().select(["access_count"]).limit(None).to_list())

    repeated = verifier.over(models, Uncounted(store))
    before = uses()
    results = [repeated.verify(CLAIM, web=False) for _ in range(2)]
    assert told(results[0]) == told(results[1]) and results[0].store_version is not None and uses() == before
    verifier.verify(CLAIM, web=False)
    assert uses() > before


def test_readings_that_nothing_asks_for_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json"
    for damaged in ("", "[]", '{"of": "x", "readings": 5}', "\udc80" * 3):
        path.write_text(damaged, errors="surrogateescape")
        assert Readings(path, "x").get("a") is None
    kept = Readings(path, "x")
    kept.put("a", 0.25)
    kept.put("b", {"SUPPORTS": 1.0})
    kept.save(False)
    again = Readings(path, "x")
    assert (again.get("a"), again.get("c")) == (0.25, None)
    again.save(False)
    assert Readings(path, "x").get("b") == {"SUPPORTS": 1.0}
    monkeypatch.setattr(readings, "MAX_READINGS", 1)
    again.save(False)
    assert (Readings(path, "x").get("a"), Readings(path, "x").get("b")) == (0.25, None)
    Readings(path, "x").save(True)
    assert not path.exists()


def test_another_reader_is_another_model(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "reader.json").write_text("{}")
    adopted = replace(settings, readers=tmp_path)
    assert models_in_use(adopted) != models_in_use(settings) == models_in_use(settings)
