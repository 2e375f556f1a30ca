"""The front matter of README.md: what a Space reads its configuration from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lab.space_check import Check, Outcome, checked

COLOURS = ("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray")
HARDWARE = (
    "cpu-basic",
    "cpu-upgrade",
    "t4-small",
    "t4-medium",
    "l4x1",
    "l4x4",
    "a10g-small",
    "a10g-large",
    "zero-a10g",
)
KNOWN = frozenset(
    "title emoji colorFrom colorTo sdk sdk_version python_version app_file app_port base_path fullWidth header license "
    "short_description suggested_hardware models datasets tags thumbnail pinned hf_oauth hf_oauth_scopes "
    "hf_oauth_expiration_minutes hf_oauth_authorized_org disable_embedding startup_duration_timeout custom_headers "
    "preload_from_hub".split()
)
"""The fields of the hub's reference.

The hub silently ignores any other, so a typo would go unseen.
"""
MAX_README = 1_000_000
MAX_DESCRIPTION = 60
_PRELOAD = re.compile(r"[\w.-]+/[\w.-]+(?: [\w./-]+(?:,[\w./-]+)*(?: [0-9a-f]{40})?)?")
_NO_LICENCE = "name a licence as the hub spells it, such as apache-2.0"

Rule = tuple[str, Callable[[Any], bool], str]


def check_card(root: Path) -> list[Check]:
    """Check every field of the front matter; one failed point if none can be read."""
    card = read_card(root / "README.md")
    if isinstance(card, str):
        return [Check("front matter", Outcome.FAILED, card, "begin README.md with --- and lines such as sdk: gradio")]
    unknown = sorted(set(map(str, card)) - KNOWN)
    found = ", ".join(unknown) or f"{len(card)} fields"
    checks = [checked("front matter", not unknown, found, "remove or correct fields that the hub does not know")]
    checks += [_field(card, rule) for rule in _required(root)]
    return checks + [_field(card, rule) for rule in _optional() if rule[0] in card]


def read_card(readme: Path) -> dict[str, Any] | str:
    """The front matter as values, or the reason why there is none."""
    import yaml

    try:
        text = readme.read_bytes()[:MAX_README].decode("utf-8")
    except FileNotFoundError:
        return "README.md is missing"
    except (OSError, UnicodeDecodeError) as exc:
        return f"README.md cannot be read: {exc}"
    block = re.match(r"---\r?\n(.*?)\r?\n---\r?\n", text, re.DOTALL)
    if block is None:
        return "README.md has no front matter between two lines ---"
    try:
        card = yaml.safe_load(block[1])
    except yaml.YAMLError as exc:
        return f"not YAML: {' '.join(str(exc).split())[:200]}"
    return card if isinstance(card, dict) else "the front matter names no fields"


def _field(card: dict[str, Any], rule: Rule) -> Check:
    name, holds, fix = rule
    if name not in card:
        return Check(name, Outcome.FAILED, "missing", fix)
    shown = repr(card[name]) if not isinstance(card[name], str) else card[name]
    return checked(name, holds(card[name]), shown[:120], fix)


def _required(root: Path) -> Iterator[Rule]:
    gradio, lowest = pinned_gradio(root), _lowest_python(root)
    colours = "use one of " + ", ".join(COLOURS)
    yield "title", _is_text, "give the Space a title"
    yield "emoji", _is_emoji, "one emoji, nothing else"
    yield "colorFrom", COLOURS.__contains__, colours
    yield "colorTo", COLOURS.__contains__, colours
    yield "sdk", "gradio".__eq__, "sdk: gradio"
    yield (
        "sdk_version",
        lambda value: gradio != "" and value == gradio,
        f'sdk_version: "{gradio}", as requirements.txt pins it' if gradio else "pin gradio==X.Y.Z in requirements.txt",
    )
    yield (
        "python_version",
        lambda value: _python(value) >= lowest,
        f'in quotation marks, from "{lowest[0]}.{lowest[1]}" (without them 3.10 is read as 3.1)',
    )
    yield "app_file", lambda value: _is_text(value) and _inside(root, value), "name a file of this repository"
    yield "license", lambda value: _is_text(value) and re.fullmatch(r"[a-z0-9.-]+", value) is not None, _NO_LICENCE


def _optional() -> Iterator[Rule]:
    short = f"at most {MAX_DESCRIPTION} characters"
    yield "short_description", lambda value: _is_text(value) and len(value) <= MAX_DESCRIPTION, short
    yield "header", ("mini", "default").__contains__, "mini or default"
    yield "suggested_hardware", HARDWARE.__contains__, "use one of " + ", ".join(HARDWARE)
    yield "pinned", lambda value: isinstance(value, bool), "true or false"
    yield "tags", _are_texts, "a list of words"
    yield "models", _are_texts, "a list of OWNER/NAME"
    yield (
        "startup_duration_timeout",
        lambda value: _is_text(value) and re.fullmatch(r"[1-9]\d{0,3}[smhd]", value) is not None,
        "a duration such as 30m or 1h",
    )
    yield (
        "preload_from_hub",
        lambda value: _are_texts(value) and all(_PRELOAD.fullmatch(item) for item in value),
        "a list of OWNER/NAME FILE[,FILE] [COMMIT]",
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_text, value))


def _is_emoji(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= 12
        and not any(sign.isalnum() or sign.isspace() or sign < "\x80" for sign in value)
    )


def _inside(root: Path, name: str) -> bool:
    path = (root / name).resolve()
    return path.is_file() and path.is_relative_to(root.resolve())


def _python(value: object) -> tuple[int, int]:
    """3.x of "3.x" or "3.x.y", or (0, 0)."""
    found = re.fullmatch(r"3\.(\d{1,2})(?:\.\d{1,2})?", value) if isinstance(value, str) else None
    return (3, int(found[1])) if found else (0, 0)


def _lowest_python(root: Path) -> tuple[int, int]:
    """What pyproject.toml requires; (3, 0) where it says nothing."""
    project = root / "pyproject.toml"
    text = project.read_text(encoding="utf-8") if project.is_file() else ""
    found = re.search(r'^requires-python = ">=(3\.\d+)', text, re.MULTILINE)
    return _python(found[1]) if found else (3, 0)


def pinned_gradio(root: Path) -> str:
    """The version of gradio that requirements.txt pins, or ""."""
    requirements = root / "requirements.txt"
    text = requirements.read_text(encoding="utf-8") if requirements.is_file() else ""
    found = re.search(r"^gradio(?:\[[\w,]+\])?==([\w.]+)", text, re.MULTILINE)
    return found[1] if found else ""
