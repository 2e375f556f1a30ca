"""Read a classifier's configuration: can it serve as a reader, and how is it run?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errors import ModelError
from models.readers.repository import CONFIG

FAMILIES = (
    "albert",
    "bert",
    "camembert",
    "deberta",
    "deberta-v2",
    "distilbert",
    "electra",
    "modernbert",
    "mpnet",
    "roberta",
    "xlm-roberta",
)
"""Encoders that read a pair in one pass and whose code is in transformers."""
MAX_TOKENS = 256
_STANCES: tuple[frozenset[str], ...] = (
    frozenset({"entailment", "entail", "entails", "entailed", "support", "supports", "supported", "supporting"}),
    frozenset(
        {"contradiction", "contradict", "contradicts", "contradicted", "contradictory"}
        | {"refute", "refutes", "refuted", "refutation", "not supported by evidence"}
    ),
    frozenset(
        {"neutral", "nei", "not enough info", "not enough information", "not enough evidence"}
        | {"insufficient evidence", "insufficient information", "insufficient"}
    ),
)
"""Names for supporting, refuting and neither, in lower case with single spaces."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """How to run a classifier.

    `stances` are the positions of the logits that support, refute, and do neither. `segments` says whether the network
    needs to know which of the two texts a token is from.
    """

    stances: tuple[int, int, int]
    max_tokens: int
    segments: bool


def read_config(folder: Path, repo: str) -> Wiring:
    """Read how to run the classifier of `repo` from `folder`. Runs none of its code.

    Raises:
        ModelError: it is not a classifier of pairs with three stances, or needs code of its own.
    """
    config = _load(folder / CONFIG, repo)
    if "auto_map" in config:
        raise ModelError(
            f"{repo} wants to run code of its own (auto_map), which is never done; choose another repository"
        )
    family = config.get("model_type")
    if family not in FAMILIES:
        raise ModelError(f"{repo} is a {family!r}; a reader must be one of {', '.join(FAMILIES)}")
    kinds = config.get("architectures") or []
    if not any(str(kind).endswith("ForSequenceClassification") for kind in kinds):
        raise ModelError(f"{repo} is no sequence classifier (architectures {kinds}); choose one that is")
    return _wiring(folder, _stances(config.get("id2label"), repo), repo)


def _load(path: Path, repo: str) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise ModelError(f"{path.name} of {repo} cannot be read ({exc}); choose another repository") from exc
    if not isinstance(config, dict):
        raise ModelError(f"{path.name} of {repo} holds no object; choose another repository")
    return config


def _stances(names: object, repo: str) -> tuple[int, int, int]:
    """Find the positions of the logits that support, refute, and do neither."""
    labels = {str(key): str(name) for key, name in names.items()} if isinstance(names, Mapping) else {}
    told = ", ".join(labels.values()) or "none named"
    if len(labels) != 3:
        raise ModelError(
            f"{repo} has {len(labels) or 'no'} labels ({told}); a reader needs three: "
            "for support, contradiction and neither"
        )
    plain = {key: re.sub(r"[\W_]+", " ", name).strip().lower() for key, name in labels.items()}
    found = [[key for key, name in plain.items() if name in stance] for stance in _STANCES]
    if any(len(keys) != 1 for keys in found) or sorted(plain) != ["0", "1", "2"]:
        raise ModelError(
            f"the labels of {repo} ({told}) cannot be matched with support, contradiction and neither; "
            "a reader needs names like entailment, contradiction, neutral"
        )
    supports, refutes, neither = (int(keys[0]) for keys in found)
    return supports, refutes, neither


def _wiring(folder: Path, stances: tuple[int, int, int], repo: str) -> Wiring:
    """Fill in the numbers that a configuration may leave out, as transformers does."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        positions = int(getattr(config, "max_position_embeddings", None) or MAX_TOKENS + 2)
        segments = int(getattr(config, "type_vocab_size", None) or 0) > 1
    except Exception as exc:  # noqa: BLE001  # transformers' own errors have no common base
        reason = " ".join(str(exc).split())[:200]
        raise ModelError(f"{CONFIG} of {repo} cannot be used ({reason}); choose another repository") from exc
    return Wiring(stances, max(8, min(MAX_TOKENS, positions - 2)), segments)
