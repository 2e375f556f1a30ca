"""Write the small stance model as ONNX in eight bits for `models/reader.py`.

python -m lab.training.export_small --model stance.gguf --out DIR

The model was trained as a GGUF file with its head. The graph takes `input_ids` and `attention_mask` of shape (rows,
tokens) and gives `logits` of shape (rows, 3) in the order of `models.reader.LABELS`. It is quantised as the reader is
(`export_reader`). A GGUF file marks the pieces that begin a word; a Hugging Face tokenizer marks those that continue
one.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx
import torch
from gguf import GGUFReader
from safetensors.torch import load
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Tensor, nn

from errors import exit_status
from lab.training.export_reader import MAX_TOKENS, largest_activations, quantise, smoothed, write_graph
from lab.training.import_gguf import load_encoder
from models.encoders.classifier import HEAD_KEY, LABELS_KEY
from models.pairs import news_pairs, reader_pairs
from models.reader import CONFIG, LABELS, NETWORK, TOKENIZER

_WORD = "\u2581"


class SmallNetwork(nn.Module):
    """The encoder of a GGUF file and the head in its header, in single precision."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        header = GGUFReader(str(path)).fields
        labels = header[LABELS_KEY].contents().split("|")
        head = load(base64.b64decode(header[HEAD_KEY].contents()))
        self.encoder = load_encoder(path)
        self.order = [labels.index(label) for label in LABELS]
        self.weights = nn.ParameterDict({name.replace(".", "_"): values.float() for name, values in head.items()})

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits of shape (rows, 3)."""
        tokens = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        mean = (tokens * mask).sum(1) / mask.sum(1)
        hidden = torch.tanh(nn.functional.linear(mean, self.weights["dense_weight"], self.weights["dense_bias"]))
        output, bias = self.weights["output_weight"][self.order], self.weights["output_bias"][self.order]
        logits: Tensor = nn.functional.linear(hidden, output, bias)
        return logits


def tokenizer_of(path: Path) -> Tokenizer:
    """Turn the word pieces of a GGUF file into a Hugging Face tokenizer.

    It uses lower case and no accents, as llama.cpp does.
    """
    names: Sequence[str] = GGUFReader(str(path)).fields["tokenizer.ggml.tokens"].contents()
    vocabulary = {}
    for number, name in enumerate(names):
        plain = name.startswith("[") and name.endswith("]")
        vocabulary[name if plain else name[1:] if name.startswith(_WORD) else f"##{name}"] = number
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    return made


def export(path: Path, out: Path) -> None:
    """Write `reader.onnx`, `tokenizer.json` and `reader.json` to the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_of(path)
    tokenizer.save(str(out / TOKENIZER))
    (out / CONFIG).write_text(json.dumps({"max_tokens": MAX_TOKENS}) + "\n")
    pairs = [*reader_pairs()[::90], *news_pairs()[::200]]
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    rows = [encoding.ids for encoding in tokenizer.encode_batch([(pair.claim, pair.evidence) for pair in pairs])]
    with tempfile.TemporaryDirectory() as folder:
        full, even = Path(folder) / "full.onnx", Path(folder) / "smoothed.onnx"
        write_graph(SmallNetwork(path).eval(), full)
        onnx.save(smoothed(onnx.load(full), largest_activations(full, rows)), even)
        quantise(even, out / NETWORK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after printing an error in one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(arguments)
    return exit_status(lambda: export(args.model, args.out), "stopped")


if __name__ == "__main__":
    sys.exit(main())
