"""Read labelled (claim, evidence) pairs for training and measuring.

They are split by group, so that no page is on both sides. Rows come from a folder of JSON-lines files (one object per
line: src, split, id, group, claim, evidence, label; plain or gzipped). `MIXTURE` names each set, how often its rows are
used and under which licence it is published. A set whose repository states no licence, or a non-commercial one, is not
in it.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.pairs import DEV, TEST, TRAIN, Pair, detokenise, normalised, read_rows, split_of


@dataclass(frozen=True, slots=True)
class SourceSet:
    """One public set: place, uses of each row (below 1: share of rows), and licence."""

    path: str
    passes: float
    licence: str


MIXTURE: tuple[SourceSet, ...] = (
    SourceSet("pairs/vitaminc_real", 1.6, "CC BY-SA 3.0"),
    SourceSet("pairs/vitaminc_synthetic", 0.5, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", 0.8, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_nli", 3, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", 2, "MIT"),
    SourceSet("pairs/scifact", 4, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/citint", 0.5, "MIT"),
    SourceSet("pairs/factcheckgpt_stance", 1, "Apache-2.0"),
    SourceSet("nli/mnli_dev", 1.2, "MIT"),
    SourceSet("nli/taxinli_mnli_train", 1.2, "C-UDA"),
    SourceSet("nli/mnli_mm_one_annotator", 0.8, "MIT"),
    SourceSet("nli/infotabs", 0.12, "Apache-2.0"),
    SourceSet("nli/pubhealthtab", 2, "MIT"),
    SourceSet("nli/negation_nli", 0.8, "MIT"),
    SourceSet("nli/scone", 0.2, "CC0"),
    SourceSet("nli/monotonicity_infer", 0.03, "MIT"),
    SourceSet("nli/tracie_temporal", 0.2, "MIT"),
    SourceSet("nli/entailment_tree_nli", 1, "MIT"),
    SourceSet("nli/fnc1", 0.05, "Apache-2.0"),
    SourceSet("nli/q2_wow", 1, "Apache-2.0"),
)
"""What the reader is trained on, besides rows of our own.

No set descends from SNLI: its texts describe one scene, so another subject counts there as a contradiction.
"""


UNLICENSED: tuple[SourceSet, ...] = (
    SourceSet("pairs/healthver", 2, "none stated"),
    SourceSet("pairs/climate_fever", 1, "none stated"),
    SourceSet("pairs/covidfact", 0.5, "none stated"),
    SourceSet("pairs/factver", 0.5, "none stated"),
)
"""Sets whose repositories state no licence.

They are measured on, and trained on only to learn what leaving them out costs.
"""


NEVER_TRAINED: tuple[str, ...] = ("eval_only/averitec", "eval_only/sick", "eval_only/anli", "eval_only/control_nli")
"""Sets under non-commercial licences: their claims are taken out of the training rows."""


_OFFICIAL = {
    "fever_nli": {"test": TEST},
    "fever_symmetric": {"test": TEST},
    "healthver": {"test": TEST, "dev": DEV},
    "scifact": {"dev": TEST},  # its own test has no public labels
    "averitec": {"dev": TEST},
}
"""Parts that the makers of a set hold out.

They stay held out here, so that figures compare with published ones.
"""


def _split(name: str, row: dict[str, Any]) -> str:
    """Keep the makers' own held-out part; the rest trains, except for a dev part."""
    by_group = split_of(name, normalised(row["group"] or row["claim"]))
    official = _OFFICIAL.get(name)
    if official is None:
        return by_group
    rest = TRAIN if DEV in official.values() or by_group == TEST else by_group
    return official.get(row["split"], rest)


def there(folder: Path, path: str) -> bool:
    """Whether `folder` holds this set."""
    return any((folder / f"{path}{ending}").exists() for ending in (".jsonl.gz", ".jsonl"))


def load_set(folder: Path, path: str) -> list[Pair]:
    """All rows of one set, cleaned and split by group."""
    name = Path(path).name
    pairs = []
    for row in read_rows(folder / path):
        claim, evidence = detokenise(row["claim"]), detokenise(row["evidence"])
        if claim and evidence:
            pairs.append(Pair(claim, evidence, row["label"], name, _split(name, row)))
    return pairs


def load_pairs(
    folder: Path, mixture: Sequence[SourceSet] = MIXTURE, seed: int = 0, held_out_too: Sequence[SourceSet] = ()
) -> dict[str, list[Pair]]:
    """Load the mixture as {train, dev, test}, train rows as often as the mixture says.

    Sets that are not there are left out. No claim of a held-out row trains, whichever set it is in. For the inference
    sets, which share premises, no premise trains either. Sets of `held_out_too` give their held-out rows only.
    """
    everything = {
        entry: load_set(folder, entry.path) for entry in (*mixture, *held_out_too) if there(folder, entry.path)
    }
    splits: dict[str, list[Pair]] = {TRAIN: []}
    for name in (DEV, TEST):
        splits[name] = [pair for pairs in everything.values() for pair in pairs if pair.split == name]
    claims = {normalised(pair.claim) for name in (DEV, TEST) for pair in splits[name]}
    never = [path for path in NEVER_TRAINED if there(folder, path)]
    claims |= {normalised(row["claim"]) for path in never for row in read_rows(folder / path)}
    premises = {normalised(pair.evidence) for name in (DEV, TEST) for pair in splits[name]}
    for entry in (entry for entry in mixture if entry in everything):
        shared = premises if entry.path.startswith("nli/") else frozenset()
        rows = [
            pair
            for pair in everything[entry]
            if pair.split == TRAIN and normalised(pair.claim) not in claims and normalised(pair.evidence) not in shared
        ]
        random.Random(seed).shuffle(rows)
        whole = int(entry.passes)
        splits[TRAIN] += rows * whole + rows[: round(len(rows) * (entry.passes - whole))]
    return splits


def read_split_sentences(folder: Path) -> list[tuple[str, list[str]]]:
    """(whole sentence, its parts) of WikiSplit (CC BY-SA 4.0); empty where it is not there."""
    rows = []
    for path in sorted((folder / "split" / "wikisplit").glob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                whole, parts = line.rstrip("\n").split("\t")
                rows.append((detokenise(whole), [detokenise(part) for part in parts.split("<::::>")]))
    return rows
