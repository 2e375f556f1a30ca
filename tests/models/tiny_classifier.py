"""Classifiers of pairs small enough for a test, written as the hub has them: configuration, tokenizer, safetensors.

They read a language of their own, in which no other reader can be right but by chance: "blim holds" is supported by
"blim zorp", refuted by "blim kalt", and neither by "blim mirn" or by what is said of another name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedModel

from models.pairs import DEV, Pair

NAMES = ("blim", "dax", "wug", "toma")
WORDS = {"zorp": "S", "kalt": "R", "mirn": "N"}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
VOCABULARY = {word: i for i, word in enumerate((*SPECIAL, *NAMES, *WORDS, "holds", "today", "again"))}
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "vocab_size": len(VOCABULARY),
    "pad_token_id": 0,
    "initializer_range": 0.2,
}
FAMILIES: dict[str, dict[str, object]] = {
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False}
    | {"type_vocab_size": 0},
    "modernbert": {"bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3, "local_attention": 16},
    "bert": {},
    "roberta": {"type_vocab_size": 1},
    "xlm-roberta": {"type_vocab_size": 1},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "electra": {"embedding_size": 32},
    "mpnet": {},
}
"""What each family needs beside the sizes."""
ENTAILMENT = ("entailment", "neutral", "contradiction")
_ORDER = {"entailment": "S", "neutral": "N", "contradiction": "R"}


def invented_pairs() -> list[Pair]:
    """Every name with every word, and with a text on the next name."""
    pairs = []
    for number, name in enumerate(NAMES):
        other = NAMES[(number + 1) % len(NAMES)]
        for word, label in WORDS.items():
            for end in ("today", "again"):
                pairs.append(Pair(f"{name} holds", f"{name} {word} {end}", label, "invented", DEV))
                pairs.append(Pair(f"{name} holds", f"{other} {word} {end}", "N", "invented", DEV))
    return pairs


def write_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", VOCABULARY["[CLS]"]), ("[SEP]", VOCABULARY["[SEP]"])],
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_classifier(
    folder: Path, family: str = "bert", labels: Sequence[str] = ENTAILMENT, trained: bool = False
) -> Path:
    """A classifier of random weights, or one that was trained until it knows the language above."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    names = dict(enumerate(labels))
    numbers = {name: i for i, name in names.items()}
    config = AutoConfig.for_model(family, **SIZES, **FAMILIES[family], id2label=names, label2id=numbers)
    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_config(config)
    if trained:
        _train(model, folder, labels)
    model.save_pretrained(folder)
    return folder


def _train(model: PreTrainedModel, folder: Path, labels: Sequence[str]) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    rows = [
        (f"{about} {word} {end}", f"{name} holds", label if about == name else "N")
        for name in NAMES
        for about in NAMES
        for word, label in WORDS.items()
        for end in ("today", "again")
    ]
    encodings = [tokenizer.encode(text, claim) for text, claim, _ in rows]
    inputs = {"input_ids": torch.tensor([encoding.ids for encoding in encodings])}
    if model.config.model_type == "bert":
        inputs["token_type_ids"] = torch.tensor([encoding.type_ids for encoding in encodings])
    truth = torch.tensor([[_ORDER[name] for name in labels].index(label) for _, _, label in rows])
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(300):
        loss = torch.nn.functional.cross_entropy(model(**inputs).logits, truth)
        if loss.item() < 0.01:
            return
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    raise AssertionError(f"it did not learn: loss {loss.item():.3f}")


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
