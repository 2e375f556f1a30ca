"""Run a BERT encoder in GGUF with llama.cpp: token ids in, mean token vector out.

A file made for llama.cpp's own classification (pooling type "rank") gives its logits instead.

Each call reads one sequence: attention in llama.cpp spans the whole batch, so batching short texts is slower, not
faster.
"""

from __future__ import annotations

import ctypes
import logging
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import ModelError

if TYPE_CHECKING:
    import llama_cpp

CONTEXT_TOKENS = 512


_RANK = str(4)  # how the header writes llama.cpp's pooling type for classifiers


def _context_options(threads: int, ranked: bool) -> llama_cpp.llama_context_params:
    """Return options for one sequence at a time.

    The output is the mean of the token vectors, or the logits of the file's own head.
    """
    import llama_cpp

    options = llama_cpp.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = CONTEXT_TOKENS
    options.n_threads = options.n_threads_batch = threads
    options.embeddings = True
    options.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_RANK if ranked else llama_cpp.LLAMA_POOLING_TYPE_MEAN
    return options


class Encoder:
    """A loaded encoder. Safe to share between threads: calls take turns."""

    def __init__(self, path: Path, threads: int) -> None:
        """Load the GGUF file at `path`; each call uses `threads` of the CPU.

        Raises:
            ModelError: llama.cpp is not installed or cannot load the file.
        """
        try:
            import llama_cpp
        except ImportError as exc:
            raise ModelError("llama-cpp-python is not installed; run: pip install -r requirements.txt") from exc
        logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)  # failures are raised as exceptions
        llama_cpp.llama_backend_init()
        options = llama_cpp.llama_model_default_params()
        # do not repack weights for AMX: virtual machines announce AMX and then fault on it
        options.use_extra_bufts = False
        model = llama_cpp.llama_model_load_from_file(str(path).encode(), options)
        if not model:
            raise ModelError(f"llama.cpp cannot load {path}; the file is not a model that it knows")
        self._model = model
        weakref.finalize(self, llama_cpp.llama_model_free, model).atexit = False
        self.ranked = self.header(f"{self.header('general.architecture')}.pooling_type") == _RANK
        self._context = llama_cpp.llama_init_from_model(model, _context_options(threads, self.ranked))
        if not self._context:
            raise ModelError(f"llama.cpp cannot run {path}: too little memory, or not an encoder")
        weakref.finalize(self, llama_cpp.llama_free, self._context).atexit = False  # runs before the model's
        self._vocabulary = llama_cpp.llama_model_get_vocab(model)
        self._start = llama_cpp.llama_vocab_bos(self._vocabulary)
        self._end = llama_cpp.llama_vocab_sep(self._vocabulary)
        self._batch = llama_cpp.llama_batch_init(CONTEXT_TOKENS, 0, 1)
        weakref.finalize(self, llama_cpp.llama_batch_free, self._batch).atexit = False
        self._lock = threading.Lock()
        size = llama_cpp.llama_model_n_cls_out if self.ranked else llama_cpp.llama_model_n_embd
        self.width = int(size(model))

    def header(self, key: str) -> str:
        """Return a text in the file's header, or "" if there is none."""
        import llama_cpp

        length = llama_cpp.llama_model_meta_val_str(self._model, key.encode(), None, 0)
        if length < 0:
            return ""
        value = ctypes.create_string_buffer(length + 1)
        llama_cpp.llama_model_meta_val_str(self._model, key.encode(), value, length + 1)
        return value.value.decode()

    def class_names(self) -> tuple[str, ...]:
        """Name the logits of a file with llama.cpp's own head; empty for any other."""
        import llama_cpp

        names = (llama_cpp.llama_model_cls_label(self._model, i) for i in range(self.width if self.ranked else 0))
        return tuple(name.decode() if name else "" for name in names)

    def tokenize(self, *texts: str, limit: int) -> list[int]:
        """Return `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`, at most `limit` tokens.

        The longer text is cut first. Text is data: "[SEP]" in it becomes ordinary tokens, never the separator.
        """
        parts = [self._word_pieces(text) for text in texts]
        excess = sum(map(len, parts)) + 1 + len(parts) - limit
        while excess > 0:
            longest = max(range(len(parts)), key=lambda i: len(parts[i]))
            others = max((len(p) for i, p in enumerate(parts) if i != longest), default=0)
            cut = min(excess, max(1, len(parts[longest]) - others))
            parts[longest] = parts[longest][:-cut]
            excess -= cut
        return [self._start, *(token for part in parts for token in (*part, self._end))]

    def _word_pieces(self, text: str) -> list[int]:
        """Return the tokens of one text without [CLS] and [SEP]."""
        import llama_cpp

        data = text.encode()
        room = len(data) + 2  # a token has at least one byte
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self._vocabulary, data, len(data), tokens, room, False, False)
        # llama.cpp ends every word-piece sequence with [SEP], even if no beginning is requested
        return [token for token in tokens[:count] if token != self._end]

    def pooled(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the mean token vector, not normalised, or the file's own logits; shape (width,).

        Raises:
            ModelError: llama.cpp failed on this input.
        """
        import llama_cpp

        with self._lock:
            batch = self._batch
            batch.n_tokens = len(tokens)
            for i, token in enumerate(tokens):
                batch.token[i], batch.pos[i], batch.logits[i] = token, i, 1
                batch.n_seq_id[i], batch.seq_id[i][0] = 1, 0
            status = llama_cpp.llama_encode(self._context, batch)
            pointer = llama_cpp.llama_get_embeddings_seq(self._context, 0)
            if status != 0 or not pointer:
                raise ModelError(f"llama.cpp failed on a text of {len(tokens)} tokens (status {status})")
            return np.array(np.ctypeslib.as_array(pointer, (self.width,)), dtype=np.float32)
