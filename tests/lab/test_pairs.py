from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.data.claim_types import HAND_WRITTEN, TRAINING, read_claims, read_news_sentences
from lab.data.pairs import MIXTURE, NEVER_TRAINED, UNLICENSED, SourceSet, load_pairs, load_set
from models.pairs import (
    DEV,
    TEST,
    TRAIN,
    detokenise,
    fact_pairs,
    news_pairs,
    own_pairs,
    reader_pairs,
    retellings,
    split_of,
)

CLAIMS = Path(__file__).parents[1] / "data" / "claims.jsonl"


def write(folder: Path, path: str, rows: list[dict[str, str]]) -> None:
    target = folder / f"{path}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    common = {"src": "", "split": "", "id": "", "group": "", "evidence": "Text.", "label": "S"}
    target.write_text("".join(json.dumps(common | row) + "\n" for row in rows))


def test_tokenised_corpora_become_plain_text() -> None:
    assert detokenise("Soul Food -LRB- 1997 -RRB- is a film , isn 't it ?") == "Soul Food (1997) is a film, isn 't it?"
    assert detokenise("`` Hello '' , he said .") == '" Hello ", he said.'


def test_a_group_never_changes_its_split() -> None:
    splits = [split_of("set", f"page {n}") for n in range(4_000)]
    assert splits == [split_of("set", f"page {n}") for n in range(4_000)]
    assert 0.88 < splits.count(TRAIN) / 4_000 < 0.92 and splits.count(DEV) > 100 < splits.count(TEST)


def test_claims_of_the_held_out_splits_never_train(tmp_path: Path) -> None:
    write(tmp_path, "pairs/a", [{"claim": f"Claim {n % 300}.", "group": f"page {n}"} for n in range(900)])
    splits = load_pairs(tmp_path, [SourceSet("pairs/a", 2, "MIT")])
    held_out = {pair.claim for name in (DEV, TEST) for pair in splits[name]}
    assert held_out and splits[TRAIN] and not held_out & {pair.claim for pair in splits[TRAIN]}


@pytest.mark.parametrize(("passes", "rows"), [(0.5, 50), (1, 100), (2.25, 225)])
def test_rows_train_as_often_as_the_mixture_says(tmp_path: Path, passes: float, rows: int) -> None:
    groups = [f"page {n}" for n in range(400) if split_of("a", f"page {n}") == TRAIN][:100]
    write(tmp_path, "pairs/a", [{"claim": f"Claim on {group}.", "group": group} for group in groups])
    assert len(load_pairs(tmp_path, [SourceSet("pairs/a", passes, "MIT")])[TRAIN]) == rows


def test_what_the_makers_hold_out_stays_held_out_and_the_rest_trains(tmp_path: Path) -> None:
    rows = [{"claim": f"{split} {n}.", "split": split} for n in range(60) for split in ("train", "dev")]
    write(tmp_path, "pairs/scifact", rows)
    pairs = load_set(tmp_path, "pairs/scifact")
    assert {pair.split for pair in pairs if pair.claim.startswith("dev")} == {TEST}
    assert {pair.split for pair in pairs if pair.claim.startswith("train")} == {TRAIN, DEV}


def test_claims_of_sets_that_must_not_train_are_taken_out(tmp_path: Path) -> None:
    groups = [f"page {n}" for n in range(100) if split_of("a", f"page {n}") == TRAIN]
    write(tmp_path, "pairs/a", [{"claim": f"Claim on {group}.", "group": group} for group in groups])
    write(tmp_path, NEVER_TRAINED[0], [{"claim": f"CLAIM on {groups[0]}"}])
    trained = {pair.claim for pair in load_pairs(tmp_path, [SourceSet("pairs/a", 1, "MIT")])[TRAIN]}
    assert len(trained) == len(groups) - 1 and f"Claim on {groups[0]}." not in trained


def test_inference_sets_share_no_premise_across_splits(tmp_path: Path) -> None:
    rows = [{"claim": f"Claim {n}.", "group": f"{n}", "evidence": f"Premise {n % 40}."} for n in range(400)]
    write(tmp_path, "nli/a", rows)
    splits = load_pairs(tmp_path, [SourceSet("nli/a", 1, "MIT")])
    held_out = {pair.evidence for name in (DEV, TEST) for pair in splits[name]}
    assert held_out and not held_out & {pair.evidence for pair in splits[TRAIN]}


def test_only_sets_with_a_licence_train_what_ships() -> None:
    assert not {entry.path for entry in MIXTURE} & ({entry.path for entry in UNLICENSED} | set(NEVER_TRAINED))
    assert all("none" not in entry.licence and "NC" not in entry.licence for entry in MIXTURE)


def test_news_sentences_are_read_as_they_stand(tmp_path: Path) -> None:
    folder = tmp_path / "claim_type" / "subjectivity_clef2025"
    folder.mkdir(parents=True)
    (folder / "train_en.tsv").write_text('sentence_id\tsentence\tlabel\n1\tHe said "no.\tOBJ\n2\tHow sad!\tSUBJ\n')
    assert read_news_sentences(tmp_path, "train_en") == [('He said "no.', False), ("How sad!", True)]
    assert read_news_sentences(tmp_path, "test_en") == []


def test_no_test_claim_is_in_our_own_training_data() -> None:
    def key(text: str) -> str:
        return text.lower().strip(" .!?")

    held_out = {key(json.loads(line)["claim"]) for line in CLAIMS.read_text().splitlines()}
    held_out |= {key(text) for text, _ in read_claims(HAND_WRITTEN)}
    for name in ("news_claims.jsonl", "retellings.jsonl", "reader_pairs.jsonl"):
        held_out |= {key(json.loads(line)["claim"]) for line in (CLAIMS.parent / name).read_text().splitlines()}
    ours = [*own_pairs(), *news_pairs(), *fact_pairs(), *reader_pairs(), *retellings()]
    trained = {key(text) for text, _ in read_claims(TRAINING)} | {key(pair.claim) for pair in ours}
    assert held_out & trained <= {"the earth is flat"}  # an example of the definition itself


def test_our_own_claims_are_enough_and_of_every_type() -> None:
    types = [label for _, label in read_claims(TRAINING)]
    assert len(types) >= 4_000 and min(types.count(label) for label in set(types)) >= 800
    tested = [label for _, label in read_claims(HAND_WRITTEN)]
    assert min(tested.count(label) for label in set(types)) >= 100


def test_every_retelling_has_a_mirror_of_the_same_claim() -> None:
    rows = [
        json.loads(line) for line in (CLAIMS.parents[2] / "models/written/retellings.jsonl").read_text().splitlines()
    ]
    mirrored = {row["claims"][0][0] for row in rows if row["kind"] == "mirror"}
    retold = {row["claims"][0][0] for row in rows if row["kind"] not in {"mirror", "news"}}
    assert len(mirrored) == 660 and mirrored == retold
    assert len(retellings()) == sum(len(row["claims"]) for row in rows) and {p.split for p in retellings()} == {"train"}
