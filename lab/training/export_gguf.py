"""Write a BERT encoder, with or without a classification head, as GGUF for llama.cpp.

python -m lab.training.export_gguf --encoder DIR [--head model.pt --labels A,B,C] [--quant f16] --name NAME --out FILE.gguf

llama.cpp applies a head only to the first token, and these models pool by the mean. So the head goes into the header,
as base64 of a safetensors file, and `models.encoders.classifier` applies it. A folder with a Hugging Face sequence
classifier (pooler and classifier on the first token) is written with llama.cpp's own head.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Quant
from numpy.typing import NDArray
from safetensors.torch import load_file, save

from lab.training.network import Job
from models.encoders.classifier import HEAD_KEY, LABELS_KEY

_LAYER_NAMES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
_TOP_NAMES = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
_OWN_HEAD = {
    "pooler.dense.weight": "cls.weight",
    "pooler.dense.bias": "cls.bias",
    "classifier.weight": "cls.output.weight",
    "classifier.bias": "cls.output.bias",
}
_QUANTS = {"q8_0": Quant.Q8_0, "f16": Quant.F16, "f32": Quant.F32}
_FILE_TYPES = {
    Quant.Q8_0: gguf.LlamaFileType.MOSTLY_Q8_0,
    Quant.F16: gguf.LlamaFileType.MOSTLY_F16,
    Quant.F32: gguf.LlamaFileType.ALL_F32,
}
_HEAD = ("dense.weight", "dense.bias", "output.weight", "output.bias")
_QUANTISED = (
    "token_embd.weight",
    "attn_q.weight",
    "attn_k.weight",
    "attn_v.weight",
    "attn_output.weight",
    "ffn_up.weight",
    "ffn_down.weight",
)


def gguf_name(name: str) -> str | None:
    """Return the GGUF name of a Hugging Face BERT tensor; None if inference ignores it."""
    name = name.removeprefix("bert.")
    name = name.removeprefix("encoder.") if name.startswith(("encoder.embeddings", "encoder.encoder")) else name
    if name in _TOP_NAMES:
        return _TOP_NAMES[name]
    if name.startswith("encoder.layer."):
        number, rest = name.removeprefix("encoder.layer.").split(".", 1)
        stem, kind = rest.rsplit(".", 1)
        if stem in _LAYER_NAMES:
            return f"blk.{number}.{_LAYER_NAMES[stem]}.{kind}"
    return None


def _write_vocabulary(writer: gguf.GGUFWriter, words: Sequence[str]) -> None:
    """Write the word-piece vocabulary as llama.cpp wants it.

    A continued piece loses its "##", a first piece gains U+2581.
    """
    tokens, kinds = [], []
    for word in words:
        special = word.startswith("[") and word.endswith("]") and len(word) > 2
        kinds.append(
            gguf.TokenType.UNUSED
            if word.startswith("[unused")
            else gguf.TokenType.CONTROL
            if special
            else gguf.TokenType.NORMAL
        )
        tokens.append(word if special else word[2:] if word.startswith("##") else f"\u2581{word}")
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_type_count(2)
    ids = {word: i for i, word in enumerate(words)}
    writer.add_unk_token_id(ids["[UNK]"])
    writer.add_sep_token_id(ids["[SEP]"])
    writer.add_pad_token_id(ids["[PAD]"])
    writer.add_bos_token_id(ids["[CLS]"])
    writer.add_eos_token_id(ids["[SEP]"])
    writer.add_mask_token_id(ids["[MASK]"])


def _packed(name: str, values: NDArray[np.float32], quant: Quant) -> tuple[NDArray[np.generic], Quant]:
    """Return the tensor as stored.

    Large matrices are quantised, the position table is in half precision, the rest in full.
    """
    if name.endswith(_QUANTISED):
        return gguf.quants.quantize(values, quant), quant
    if values.ndim == 2 and name.startswith("position"):
        return values.astype(np.float16), Quant.F16
    return values, Quant.F32


def export(
    weights: Mapping[str, torch.Tensor],
    encoder: Path,
    out: Path,
    name: str,
    labels: Sequence[str] = (),
    quant: Quant = Quant.Q8_0,
) -> None:
    """Write `weights` (Hugging Face names) to `out`.

    Args:
        weights: the encoder's tensors, and `dense`, `output` if there are `labels`.
        encoder: folder with the encoder's config.json and vocab.txt.
        out: the GGUF file.
        name: the model's name in the file.
        labels: class names in the order of the logits.
        quant: how the large matrices are stored.
    """
    config = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    words = (encoder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    writer = gguf.GGUFWriter(out, "bert")
    _describe(writer, name, config, quant)
    own_head = "classifier.weight" in weights
    writer.add_pooling_type(gguf.PoolingType.RANK if own_head else gguf.PoolingType.MEAN)
    if own_head:
        writer.add_classifier_output_labels([config["id2label"][str(i)] for i in range(len(config["id2label"]))])
    elif labels:
        head = {part: weights[part].to(torch.float16).contiguous() for part in _HEAD}
        writer.add_string(LABELS_KEY, "|".join(labels))
        writer.add_string(HEAD_KEY, base64.b64encode(save(head)).decode())
    _write_vocabulary(writer, words)
    for source, tensor in weights.items():
        target = gguf_name(source) or (_OWN_HEAD.get(source.removeprefix("bert.")) if own_head else None)
        if target:
            data, kind = _packed(target, tensor.float().numpy(), quant)
            writer.add_tensor(target, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: gguf.GGUFWriter, name: str, config: Mapping[str, Any], quant: Quant) -> None:
    writer.add_name(name)
    writer.add_license("apache-2.0")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_file_type(_FILE_TYPES[quant])


def export_trained(job: Job, out: Path, name: str, labels: Sequence[str] = ()) -> None:
    """Write the weights from a training run's folder to `out`, in 8 bits."""
    export(torch.load(job.out / "model.pt", weights_only=True), job.encoder, out, name, labels)


def main() -> None:
    """Export from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument(
        "--head", type=Path, help="state of a MeanPooledClassifier; without it the bare encoder is exported"
    )
    parser.add_argument("--labels", default="", help="class names, comma-separated")
    parser.add_argument("--quant", choices=sorted(_QUANTS), default="q8_0", help="number format of the large matrices")
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    weights = torch.load(args.head, weights_only=True) if args.head else load_file(args.encoder / "model.safetensors")
    labels = [label for label in args.labels.split(",") if label]
    export(weights, args.encoder, args.out, args.name, labels, _QUANTS[args.quant])


if __name__ == "__main__":
    main()
