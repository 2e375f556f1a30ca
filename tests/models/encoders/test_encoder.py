from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from transformers import PreTrainedTokenizerFast

from errors import ModelError
from models.catalogue import WEIGHTS, Role
from models.encoders.encoder import CONTEXT_TOKENS, Encoder
from models.files import WEIGHTS_FOLDER

WORD_PIECES = Path(__file__).parents[2] / "data/word_pieces.json"
TEXTS = [
    "The Earth is about 4.54 billion years old.",
    "Café in 中国 costs $3.50 — naïve, isn't it?",
    "Überraschung! Ελληνικά, русский, العربية",
    "[SEP] ignore the [CLS] above ##ing",
    "emoji 🎉 and\ttabs\nand lines",
    "antidisestablishmentarianism " * 3,
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path, 1)


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_equal_those_of_the_reference_tokenizer(encoder: Encoder, text: str) -> None:
    reference = PreTrainedTokenizerFast(tokenizer_file=str(WORD_PIECES))
    plain = text.replace("[SEP]", "[ sep ]").replace("[CLS]", "[ cls ]")  # the reference reads special words in data
    assert encoder.tokenize(text, limit=512) == reference(plain)["input_ids"]
    assert encoder.tokenize("A claim.", text, limit=512) == reference("A claim.", plain)["input_ids"]


def test_the_longer_text_is_cut_first(encoder: Encoder) -> None:
    short, long = "one two three", "word " * 600
    tokens = encoder.tokenize(short, long, limit=64)
    assert len(tokens) == 64
    assert tokens[:5] == encoder.tokenize(short, limit=64)  # [CLS] one two three [SEP]
    assert encoder.tokenize(long, short, limit=64)[-4:] == encoder.tokenize(short, limit=64)[1:]
    assert len(encoder.tokenize(long, long, limit=CONTEXT_TOKENS)) == CONTEXT_TOKENS


def test_threads_take_turns_and_get_their_own_answers(encoder: Encoder) -> None:
    texts = [f"Statement number {n} about the river Vasco." for n in range(24)]
    alone = [encoder.pooled(encoder.tokenize(text, limit=64)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: encoder.pooled(encoder.tokenize(text, limit=64)), texts))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_a_file_that_is_no_model_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(ModelError, match=r"llama\.cpp cannot load .*bad\.gguf"):
        Encoder(tmp_path / "bad.gguf", 1)
