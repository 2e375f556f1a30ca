from __future__ import annotations

import re
from collections import Counter

from lab.training.structures import MAKERS, make_structures
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS

PAIRS = make_structures(6_000, seed=1)


def test_every_kind_has_every_label_in_its_share() -> None:
    labels = Counter((pair.source, pair.label) for pair in PAIRS)
    kinds = {pair.source for pair in PAIRS}
    assert len(kinds) == len(MAKERS)
    for kind in kinds:
        of_kind = [labels[kind, label] for label in (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)]
        assert sum(of_kind) == 6_000 // len(MAKERS) and min(of_kind) > 0.15 * sum(of_kind), kind


def test_the_same_seed_makes_the_same_pairs() -> None:
    assert make_structures(60, 3) == make_structures(60, 3) != make_structures(60, 4)


def test_no_place_is_left_unfilled() -> None:
    assert not [pair for pair in PAIRS if re.search(r"[{}]|  ", pair.claim + pair.evidence)]


def test_swapped_roles_keep_the_names_and_an_open_one_brings_another() -> None:
    for pair in (pair for pair in PAIRS if pair.source == "made_roles"):
        names = re.findall(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?\b", pair.claim)
        known = [name for name in names if name in pair.evidence]
        assert pair.label == NOT_ENOUGH_INFO or len(known) >= 2 or pair.claim[0].islower(), pair


def test_figures_decide_comparisons_as_labelled() -> None:
    pattern = re.compile(r"with ([\d,]+) [\w ]+, (.+?) is ahead of (.+?), which has ([\d,]+)", re.IGNORECASE)
    seen = 0
    for pair in (pair for pair in PAIRS if pair.source == "made_comparison"):
        told = pattern.search(pair.evidence)
        if told:
            more, less = (int(told[group].replace(",", "")) for group in (1, 4))
            assert more > less
            both = all(name.lower() in pair.claim.lower() for name in (told[2], told[3]))
            assert both == (pair.label != NOT_ENOUGH_INFO)
            seen += 1
    assert seen > 50
