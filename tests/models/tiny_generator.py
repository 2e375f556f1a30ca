"""Instruct models small enough for a test: random weights, a real byte-level vocabulary, a ChatML template.

Two kinds: attention alone ("llama"), and attention with recurrent layers in between ("qwen35"), whose memory cannot be
taken back token by token.
"""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
THOUGHT = ("<think>", "</think>")
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
WIDTH, HEADS, GROUPS, HEAD, INNER, LAYERS = 64, 4, 2, 16, 128, 2
STATE, KERNEL = 16, 4
_TEXTS = (
    "You check claims. Answer in JSON. The bridge was opened in 1931 and is 412 metres long.",
    '{"verdict": "true", "reasons": ["the text says so", "no other text denies it"], "confidence": 0.5}',
    "system user assistant Überraschung naïve Ελληνικά русский 中国 🎉",
)
_ATTENTION = {
    "attn_q.weight": (HEADS * HEAD, WIDTH),
    "attn_k.weight": (GROUPS * HEAD, WIDTH),
    "attn_v.weight": (GROUPS * HEAD, WIDTH),
    "attn_output.weight": (WIDTH, HEADS * HEAD),
}
_GATED = _ATTENTION | {
    "attn_q.weight": (2 * HEADS * HEAD, WIDTH),
    "attn_q_norm.weight": (HEAD,),
    "attn_k_norm.weight": (HEAD,),
}
_RECURRENT = {
    "attn_qkv.weight": (3 * HEADS * STATE, WIDTH),
    "attn_gate.weight": (HEADS * STATE, WIDTH),
    "ssm_conv1d.weight": (3 * HEADS * STATE, KERNEL),
    "ssm_dt.bias": (HEADS,),
    "ssm_a": (HEADS,),
    "ssm_beta.weight": (HEADS, WIDTH),
    "ssm_alpha.weight": (HEADS, WIDTH),
    "ssm_norm.weight": (STATE,),
    "ssm_out.weight": (WIDTH, HEADS * STATE),
}
_FEED_FORWARD = {"ffn_gate.weight": (INNER, WIDTH), "ffn_up.weight": (INNER, WIDTH), "ffn_down.weight": (WIDTH, INNER)}


def _layer(architecture: str, number: int) -> dict[str, tuple[int, ...]]:
    norms: dict[str, tuple[int, ...]] = {"attn_norm.weight": (WIDTH,)}
    if architecture == "llama":
        return _ATTENTION | norms | {"ffn_norm.weight": (WIDTH,)} | _FEED_FORWARD
    kind = _GATED if number % 2 else _RECURRENT
    return kind | norms | {"post_attention_norm.weight": (WIDTH,)} | _FEED_FORWARD


def _write_vocabulary(writer: gguf.GGUFWriter, padding: int, starts: bool) -> int:
    """A byte-level BPE of all 256 bytes and some merges, then the control tokens. Returns its size."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(_TEXTS * 5, trainer)
    learnt = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(learnt["vocab"], key=learnt["vocab"].__getitem__)
    first = len(tokens)
    kinds = [gguf.TokenType.NORMAL] * first
    kinds += [gguf.TokenType.CONTROL] * len(CONTROL) + [gguf.TokenType.USER_DEFINED] * len(THOUGHT)
    tokens += [*CONTROL, *THOUGHT]
    tokens += [f"word{n:06d}" for n in range(padding - len(tokens))]
    kinds += [gguf.TokenType.NORMAL] * (len(tokens) - len(kinds))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in learnt["merges"]])
    writer.add_bos_token_id(first)
    writer.add_eos_token_id(first + CONTROL.index("<|im_end|>"))
    writer.add_add_bos_token(starts)
    return len(tokens)


def _write_sizes(writer: gguf.GGUFWriter, architecture: str, context: int) -> None:
    writer.add_name("Tiny Instruct")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(GROUPS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD)
    if architecture == "qwen35":
        writer.add_rope_dimension_sections([4, 2, 2, 0])
        writer.add_full_attention_interval(2)
        writer.add_ssm_conv_kernel(KERNEL)
        writer.add_ssm_state_size(STATE)
        writer.add_ssm_group_count(HEADS)
        writer.add_ssm_time_step_rank(HEADS)
        writer.add_ssm_inner_size(HEADS * STATE)


def write_tiny_generator(
    path: Path,
    *,
    architecture: str = "llama",
    template: str | None = CHATML,
    context: int = 4096,
    vocabulary: int = 0,
    starts: bool = False,
) -> Path:
    """Write a model of about a megabyte; `vocabulary` fills the list of tokens up to that many;
    with `starts`, the first token of a prompt is to be `<|endoftext|>`.
    """
    writer = gguf.GGUFWriter(path, architecture)
    _write_sizes(writer, architecture, context)
    size = _write_vocabulary(writer, vocabulary, starts)
    if template is not None:
        writer.add_chat_template(template)
    random = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (size, WIDTH),
        "output.weight": (size, WIDTH),
        "output_norm.weight": (WIDTH,),
    }
    for number in range(LAYERS):
        shapes |= {f"blk.{number}.{name}": shape for name, shape in _layer(architecture, number).items()}
    for name, shape in shapes.items():
        if "norm" in name:  # with larger keys and queries, attention looks at few tokens: answers depend on the prompt
            values = np.full(shape, 2.5 if name.endswith(("q_norm.weight", "k_norm.weight")) else 1.0)
        elif name.endswith("ssm_a"):  # a decay
            values = -np.ones(shape)
        else:
            values = random.normal(0, 0.3, shape)
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
