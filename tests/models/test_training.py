from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from models.catalogue import WEIGHTS, Role
from models.files import WEIGHTS_FOLDER
from models.training.average import average
from models.training.contrasts import (
    causes,
    changed_number,
    compared_number,
    make_contrasts,
    negated,
    opposite,
    plain_sentences,
    retelling,
)
from models.training.data import DEV, REFUTES, SUPPORTS, TEST, TRAIN, SourceSet, detokenise, load_pairs, split_of
from models.training.export_gguf import gguf_name, read_back

SENTENCE = "The Vasco bridge was opened in 1931 and is 412 metres long."
TESTS = Path(__file__).parents[1] / "data"
TRAINING = Path(__file__).parents[2] / "models" / "training"


def test_tokenised_corpora_become_plain_text() -> None:
    assert detokenise("Soul Food -LRB- 1997 -RRB- is a film , isn 't it ?") == "Soul Food (1997) is a film, isn 't it?"
    assert detokenise("`` Hello '' , he said .") == '" Hello ", he said.'


def test_a_group_never_changes_its_split() -> None:
    splits = [split_of("set", f"page {n}") for n in range(4_000)]
    assert splits == [split_of("set", f"page {n}") for n in range(4_000)]
    assert 0.88 < splits.count(TRAIN) / 4_000 < 0.92 and splits.count(DEV) > 100 < splits.count(TEST)


def test_claims_of_the_held_out_splits_never_train(tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    rows = [
        {
            "claim": f"Claim {n % 300}.",
            "evidence": f"Text {n}.",
            "label": "S",
            "group": f"page {n}",
            "src": "a",
            "split": "",
            "id": str(n),
        }
        for n in range(900)
    ]
    (tmp_path / "pairs" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    splits = load_pairs(tmp_path, [SourceSet("pairs/a", 200, "MIT")])
    held_out = {pair.claim for name in (DEV, TEST) for pair in splits[name]}
    assert held_out and not held_out & {pair.claim for pair in splits[TRAIN]}
    assert len(splits[TRAIN]) == 200


@pytest.mark.parametrize("seed", range(20))
def test_made_labels_follow_from_how_a_pair_was_made(seed: int) -> None:
    rng = random.Random(seed)
    number = changed_number(SENTENCE, SENTENCE, rng)
    assert number and number.label == REFUTES and number.claim != number.evidence == SENTENCE
    compared = compared_number(SENTENCE, SENTENCE, rng)
    if compared:
        bound = int(compared.claim.split(" metres")[0].split()[-1].replace(",", ""))
        more = any(words in compared.claim for words in ("more than", "over", "at least"))
        assert (compared.label == SUPPORTS) == ((412 > bound) if more else (412 < bound))
    denied = negated(SENTENCE, SENTENCE, rng)
    assert denied and (denied.label == SUPPORTS) == (denied.claim == denied.evidence)
    assert retelling(SENTENCE, SENTENCE, rng).claim == SENTENCE
    assert causes("", "", rng).label in "SRN"
    turned = opposite(SENTENCE, SENTENCE, rng)
    assert turned and turned.label == REFUTES


def test_contrasts_come_in_the_number_asked_and_always_the_same() -> None:
    sentences = plain_sentences([(SENTENCE, [SENTENCE, "It was long.", "short one"])] * 3)
    assert sentences == [(SENTENCE, SENTENCE)] * 3
    made = make_contrasts(sentences, 60, seed=1)
    assert len(made) == 60 and made == make_contrasts(sentences, 60, seed=1)


def test_no_test_claim_is_in_our_own_training_data() -> None:
    def key(text: str) -> str:
        return text.lower().strip(" .!?")

    held_out = {
        key(json.loads(line)["claim"])
        for name in ("claims", "claim_types")
        for line in (TESTS / f"{name}.jsonl").read_text().splitlines()
    }
    trained = {key(json.loads(line)["claim"]) for line in (TRAINING / "claim_types.jsonl").read_text().splitlines()}
    trained |= {
        key(claim)
        for line in (TRAINING / "stance_pairs.jsonl").read_text().splitlines()
        for claim, _ in json.loads(line)["claims"]
    }
    assert held_out & trained <= {"the earth is flat"}  # an example of the definition itself


def test_what_was_exported_can_be_read_back_and_averaged() -> None:
    state = read_back(WEIGHTS_FOLDER / WEIGHTS[Role.STANCE].path)
    assert state["encoder.embeddings.word_embeddings.weight"].shape == (30_522, 384)
    assert state["encoder.encoder.layer.5.output.dense.weight"].shape == (384, 1_536)
    assert state["output.bias"].shape == (3,) and "dense.weight" in state
    assert sum(gguf_name(name) is not None for name in state) == len(state) - 4
    zeros = {name: tensor * 0 for name, tensor in state.items()}
    quarter = average(zeros, state, 0.25)
    assert all((quarter[name] * 4 - state[name]).abs().max() < 1e-5 for name in state)
    with pytest.raises(ValueError, match="dense.weight"):
        average({name: tensor for name, tensor in state.items() if name != "dense.weight"}, state, 0.5)
