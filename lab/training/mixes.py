"""Set what a reader trains on: rows made of each kind, uses of each source."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lab.data.pairs import MIXTURE, SourceSet


@dataclass(frozen=True, slots=True)
class Makings:
    """How many pairs are made or drawn of each kind.

    Each of the `mined` claims gives three texts that do not bear on it. The last five kinds come from the starter facts
    (`starter`); `written` also includes claims for other texts.
    """

    contrasts: int = 8_000
    structures: int = 12_000
    near: int = 5_000
    mined: int = 5_000
    long: int = 2_500
    own: int = 9_000
    news: int = 9_000
    facts: int = 7_000
    retold: int = 3_000
    written_passes: int = 3
    unrelated: int = 0
    beside: int = 0
    stated: int = 0
    contrasted: int = 0
    moved: int = 0
    written: bool = False


EVERYTHING = Makings(
    40_000, 110_000, 23_000, 5_000, 7_500, 100_000, 100_000, 100_000, 100_000, 1, 20_000,
    beside=15_000, stated=3_000, contrasted=12_000, moved=6_000, written=True,
)  # fmt: skip
"""For a graphics card: all our rows, and as many made ones as stay varied."""

SECOND_STRETCH = {
    "reader": 14_000, "vitaminc_real": 11_000, "mined": 4_000, "mnli_dev": 4_000, "news": 4_000, "fever_nli": 3_500,
    "facts": 3_000, "fever_dev_gold": 3_000, "own": 3_000, "question": 2_500, "scifact": 2_500,
    "vitaminc_synthetic": 2_500, "made_negative": 2_000, "fever_symmetric": 1_200, "negation_nli": 1_200,
    "factcheckgpt_stance": 800, "mnli_mm_one_annotator": 800, "retellings": 800, "taxinli_mnli_train": 800,
    "abstract": 700, "infotabs": 600, "made_long": 600, "citint": 500, "entailment_tree_nli": 300, "q2_wow": 300,
    "pubhealthtab": 200, "scone": 200, "tracie_temporal": 200, "fnc1": 100, "monotonicity_infer": 100,
}  # fmt: skip
"""Source -> the most rows that a run from trained weights uses.

Other sources give all their rows.
"""

_MORE = (
    SourceSet("nli/scitab", 1, "MIT"),
    SourceSet("nli/tabfact_pairs", 1, "MIT"),
    SourceSet("nli/drop_nli", 1, "MIT"),
    SourceSet("nli/curriculum_lexical", 1, "MIT"),
    SourceSet("pairs/summedits", 1, "Apache-2.0"),
    SourceSet("pairs/help", 1, "CC BY-SA 4.0"),
    SourceSet("pairs/med", 1, "CC BY-SA 4.0"),
)
_SHARE_OF_FNC1 = 0.15
WIDE_MIXTURE: tuple[SourceSet, ...] = (
    *(replace(entry, passes=_SHARE_OF_FNC1 if entry.path == "nli/fnc1" else 1) for entry in MIXTURE),
    *_MORE,
)
"""What a run on a graphics card trains on, each row once in the pool.

`PASSES` says how often a row is used.
"""

PASSES = {
    "vitaminc_real": 5, "vitaminc_synthetic": 4, "fever_dev_gold": 5, "fever_nli": 10, "fever_symmetric": 8, "scifact": 10,
    "citint": 3, "factcheckgpt_stance": 4, "mnli_dev": 6, "taxinli_mnli_train": 5, "mnli_mm_one_annotator": 3, "infotabs": 1.5,
    "pubhealthtab": 6, "scitab": 3, "summedits": 2, "drop_nli": 0.4, "monotonicity_infer": 0.4, "tracie_temporal": 1.5,
    "negation_nli": 4, "entailment_tree_nli": 3, "q2_wow": 3, "fnc1": 2, "med": 0.6, "help": 0.6, "curriculum_lexical": 0.4,
    "own": 3, "news": 4, "facts": 6, "reader": 7, "retellings": 7, "mined": 3, "made_negative": 3, "question": 3,
    "abstract": 6, "made_long": 4,
}  # fmt: skip
"""Source -> uses of its rows in one plan of a graphics-card run.

Below 1 it uses a share of them. Rows of other sources are used once.
"""
REPLAYED = 0.2
LATER_PASSES = {source: REPLAYED * times for source, times in PASSES.items()} | {
    "written": 5, "facts_written": 3, "fever_nli": 4, "reader": 3, "beside": 1, "made_moved": 1, "made_stated": 1,
}  # fmt: skip
"""The same for a run that continues from a reader with adapters.

What was learned before is replayed (others `REPLAYED` times); what is new teaches.
"""


def shared_out(sources: Sequence[str], shares: Mapping[str, int], seed: int) -> list[int]:
    """Draw row positions at random: as many of each source as `shares` says.

    A source that it does not name gives all.
    """
    rng = random.Random(seed)
    return [
        place
        for source, found in _places(sources).items()
        for place in rng.sample(found, min(shares.get(source, len(found)), len(found)))
    ]


def planned(sources: Sequence[str], passes: Mapping[str, float], seed: int, others: float = 1) -> list[int]:
    """Return row positions, each as often as `passes` says for its source.

    A source that it does not name counts `others` times.
    """
    rng = random.Random(seed)
    plan = list[int]()
    for source, found in _places(sources).items():
        whole, part = divmod(passes.get(source, others), 1)
        plan += found * int(whole) + rng.sample(found, round(len(found) * part))
    return plan


def _places(sources: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, source in enumerate(sources):
        places[source].append(place)
    return places
