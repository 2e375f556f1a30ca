"""Read a GGUF file's header without loading it: values, tensors, and whether it is whole.

`gguf.GGUFReader` is not used: it makes arrays of every token of the vocabulary, which takes seconds, and a list with a
false length keeps it busy forever.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from errors import ModelError

Value = str | int | float | bool | tuple[int, ...]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_FEW = 4096
"""Longer lists are vocabularies, which llama.cpp reads itself."""
_HALF_PRECISION = 2
"""Bytes of a number in llama.cpp's key-value cache."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: its name, its shape, and where its bytes begin after the header."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a GGUF file.

    `values` leaves out lists of texts and long lists; `lengths` counts them.
    """

    values: Mapping[str, Value]
    lengths: Mapping[str, int]
    tensors: tuple[Tensor, ...]
    file_bytes: int

    def text(self, key: str) -> str:
        """Return the text under `key`, or "" if there is none."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""

    def number(self, key: str, default: int = 0) -> int:
        """Return the whole number under the architecture's own `key`, or `default`."""
        value = self.values.get(f"{self.architecture}.{key}", default)
        return int(value) if isinstance(value, int | float) else default

    @property
    def architecture(self) -> str:
        """The architecture, such as "llama", "qwen2" or "bert"."""
        return self.text("general.architecture")

    @property
    def parameters(self) -> int:
        """How many numbers the tensors hold."""
        return sum(math.prod(tensor.shape) for tensor in self.tensors)

    @property
    def vocabulary(self) -> int:
        """How many tokens the vocabulary has."""
        return self.lengths.get("tokenizer.ggml.tokens", 0)

    @property
    def quantisation(self) -> str:
        """The quantisation, such as "Q4_K_M"; "unknown" if the file does not say."""
        import gguf

        try:
            kind = gguf.LlamaFileType(self.values.get("general.file_type"))
        except ValueError:
            return "unknown"
        return str(kind.name).removeprefix("MOSTLY_").removeprefix("ALL_")

    @property
    def cache_bytes_per_token(self) -> int:
        """Bytes that llama.cpp keeps per token of the context; recurrent layers keep none."""
        heads = self.number("attention.head_count", 1)
        width = self.number("embedding_length") // max(heads, 1)
        widths = self.number("attention.key_length", width) + self.number("attention.value_length", width)
        groups = self.values.get(f"{self.architecture}.attention.head_count_kv", heads)
        layers = self._attention_layers()
        shared = sum(groups) if isinstance(groups, tuple) else int(groups) * layers if isinstance(groups, int) else 0
        return shared * widths * _HALF_PRECISION

    def _attention_layers(self) -> int:
        """Count the layers that keep keys and values: all except the recurrent ones."""
        layers = self.number("block_count")
        kinds: dict[int, set[str]] = {}
        for tensor in self.tensors:
            if found := re.match(r"blk\.(\d+)\.(\w+)", tensor.name):
                kinds.setdefault(int(found[1]), set()).add(found[2])
        recurrent = sum("attn_k" not in names and any(n.startswith("ssm_") for n in names) for names in kinds.values())
        return layers - recurrent


class _Reader:
    """Reads one item after another."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.at = len(_MAGIC)

    def scalar(self, code: str) -> int | float | bool:
        value: int | float | bool = struct.unpack_from(f"<{code}", self._data, self.at)[0]
        self.at += struct.calcsize(f"<{code}")
        return value

    def count(self, code: str = "Q") -> int:
        return int(self.scalar(code))

    def text(self) -> str:
        size = self.count()
        if size > len(self._data) - self.at:
            raise struct.error("a text runs past the end of the file")
        self.at += size
        return self._data[self.at - size : self.at].decode("utf-8", "replace")

    def value(self, kind: int) -> Value | int:
        if kind == _STRING:
            return self.text()
        return self.scalar(_SCALARS[kind])

    def array(self) -> tuple[int, tuple[int, ...] | None]:
        """Return an array's length and, if it is short and numeric, its values."""
        kind, length = self.count("I"), self.count()
        if kind == _STRING:
            for _ in range(length):
                size = self.count()
                self.at += size
            return length, None
        if length <= _FEW:
            return length, tuple(int(self.scalar(_SCALARS[kind])) for _ in range(length))
        self.at += length * struct.calcsize(f"<{_SCALARS[kind]}")
        return length, None

    def tensor(self) -> Tensor:
        name, sizes = self.text(), self.count("I")
        return Tensor(name, tuple(self.count() for _ in range(sizes)), self.count("I"), self.count())


def _tensor_bytes(tensor: Tensor) -> int:
    """Return a tensor's size in the file; 0 for kinds unknown to the `gguf` package."""
    import gguf

    try:
        block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(tensor.kind)]
    except (ValueError, KeyError):
        return 0
    return math.prod(tensor.shape) // int(block) * int(size)


def _parse(data: mmap.mmap) -> tuple[Header, int]:
    """Return the header, and the smallest size that the file may have."""
    reader = _Reader(data)
    version = reader.count("I")
    if version not in _VERSIONS:
        raise ModelError(f"GGUF version must be one of {_VERSIONS}, is {version}")
    tensor_count, value_count = reader.count(), reader.count()
    values: dict[str, Value] = {}
    lengths: dict[str, int] = {}
    for _ in range(value_count):
        key, kind = reader.text(), reader.count("I")
        if kind != _ARRAY:
            values[key] = reader.value(kind)
            continue
        lengths[key], items = reader.array()
        if items is not None:
            values[key] = items
    tensors = tuple(reader.tensor() for _ in range(tensor_count))
    alignment = values.get("general.alignment", 32)
    step = alignment if isinstance(alignment, int) and alignment > 0 else 32
    start = -(-reader.at // step) * step
    end = max((start + tensor.offset + _tensor_bytes(tensor) for tensor in tensors), default=start)
    return Header(values, lengths, tensors, len(data)), end


def read_header(path: Path) -> Header:
    """Read the header of the GGUF file at `path`.

    Raises:
        ModelError: the file cannot be read, is not a GGUF, or is cut short.
    """
    mend = "download it again"
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ModelError(f"model file {path} is not a GGUF; choose a file that ends in .gguf, or {mend}")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header, end = _parse(data)
    except OSError as exc:
        raise ModelError(f"model file {path} cannot be read ({exc.strerror}); check the path") from exc
    except (struct.error, KeyError, OverflowError) as exc:
        raise ModelError(f"model file {path} is cut short or damaged within its header; {mend}") from exc
    if header.file_bytes < end:
        raise ModelError(f"model file {path} is cut short ({header.file_bytes:,} of {end:,} bytes); {mend}")
    return header
