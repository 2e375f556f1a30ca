from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from errors import ModelError
from models.catalogue import WEIGHTS, Role
from models.files import WEIGHTS_FOLDER
from models.llm.generator import Generator
from models.llm.gguf_header import read_header
from tests.models.tiny_generator import write_tiny_generator


def broken(tmp_path: Path, tiny: Path) -> Iterator[tuple[Path, str]]:
    data = tiny.read_bytes()
    for name, content, message in (
        ("text.gguf", b"not a model at all", "is not a GGUF"),
        ("empty.gguf", b"", "is not a GGUF"),
        ("head.gguf", data[:3000], "is cut short or damaged within its header"),
        ("half.gguf", data[: len(data) // 2], r"is cut short \(.* of .* bytes\); download it again"),
        ("magic.gguf", b"GGUF" + b"\xff" * 64, "GGUF version must be one of"),
    ):
        (tmp_path / name).write_bytes(content)
        yield tmp_path / name, message
    yield tmp_path / "none.gguf", r"cannot be read \(No such file or directory\)"
    yield WEIGHTS_FOLDER / WEIGHTS[Role.CLAIM_TYPE].path, r"is an encoder \(architecture bert\)"
    yield write_tiny_generator(tmp_path / "bare.gguf", template=None), "has no chat template"


def test_a_file_that_does_not_serve_is_a_clear_error(tmp_path: Path, tiny: Path) -> None:
    for path, message in broken(tmp_path, tiny):
        with pytest.raises(ModelError, match=message) as caught:
            Generator(path, 1)
        assert "\n" not in str(caught.value)


def test_an_architecture_that_llama_cpp_does_not_know_is_a_clear_error(tmp_path: Path, tiny: Path) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(tiny.read_bytes().replace(b"llama", b"lxxma"))
    with pytest.raises(ModelError, match=r"cannot load .*odd.gguf \(architecture lxxma\)"):
        Generator(path, 1)


def test_recurrent_layers_take_no_memory_per_token(tiny: Path, hybrid: Path) -> None:
    plain, mixed = read_header(tiny), read_header(hybrid)
    assert plain.cache_bytes_per_token == 2 * mixed.cache_bytes_per_token == 2 * 2 * 32 * 2


def test_no_damage_to_a_header_is_more_than_a_clear_error(tmp_path: Path, tiny: Path) -> None:
    data, path, rng = bytearray(tiny.read_bytes()[:20_000]), tmp_path / "damaged.gguf", random.Random(0)
    read = 0
    for _ in range(300):
        damaged = bytearray(data[: rng.randrange(4, len(data))])
        for _ in range(rng.randrange(4)):
            damaged[rng.randrange(4, min(len(damaged), 600)) if len(damaged) > 4 else 3] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        with pytest.raises(ModelError):
            read_header(path)
        read += 1
    assert read == 300


def test_a_missing_library_is_told_with_the_command_that_brings_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelError, match="not installed; run: pip install -r requirements.txt"):
        Generator(tiny, 1)
