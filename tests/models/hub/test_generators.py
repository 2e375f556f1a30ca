"""The list of instruct models, and the setting that chooses one."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import SettingsError
from models.hub.generators import GENERATORS, HubFile, Mode, parse_choice, parse_hub_file


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("auto", Mode.AUTO),
        (" OFF ", Mode.OFF),
        ("", Mode.AUTO),
        ("/models/a.gguf", Path("/models/a.gguf")),
        ("a b/ü.GGUF", Path("a b/ü.GGUF")),
        (r"C:\models\a.gguf", Path(r"C:\models\a.gguf")),
        ("~/a.gguf", Path.home() / "a.gguf"),
        ("owner/name:file.gguf", HubFile("owner/name", "file.gguf")),
        ("o-1/n.2_x:sub/file-q4_k_m.gguf", HubFile("o-1/n.2_x", "sub/file-q4_k_m.gguf")),
    ],
)
def test_every_way_to_choose(text: str, choice: object) -> None:
    assert parse_choice(text) == choice


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "qwen",
        "/models/a.bin",
        "owner/name",
        "owner/name:file.bin",
        "name:file.gguf",
        "a/b/c:file.gguf",
        "a--b/c:file.gguf",
        "owner/name:../file.gguf",
        "owner/name:/etc/file.gguf",
        "owner/" + "n" * 96 + ":file.gguf",
        "https://huggingface.co/owner/name/resolve/main/file.gguf",
        "/models/\0.gguf",
    ],
)
def test_anything_else_is_told_with_value_rule_and_mending(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_choice(text)
    message = str(caught.value)
    assert repr(text) in message and "auto, off" in message and f"VERIFIER_LLM={GENERATORS[0].source}" in message
    assert "\n" not in message


def test_the_known_ones_can_be_named_in_the_setting() -> None:
    assert all(parse_hub_file(str(known.source)) == known.source for known in GENERATORS)
    assert len({known.name for known in GENERATORS}) == len(GENERATORS)
    assert str(GENERATORS[0].source) == "unsloth/Qwen3.5-2B-GGUF:Qwen3.5-2B-Q4_K_M.gguf"
