"""What README, the docs and the messages name is there: commands, options, settings, MCP tools; and what is there is named."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from models.commands import parser as models_parser
from verifier.__main__ import parser as verifier_parser
from verifier.api.agent_tools import NAMES
from verifier.cli.kb import parser as kb_parser
from verifier.settings import Settings
from verifier.settings.variables import described_in

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "extension").glob("*.md")))
PARSERS = {"verifier": verifier_parser, "kb": kb_parser, "models": models_parser}
COMMAND = re.compile(r"python -m (verifier|kb|models|lab(?:\.\w+)*)(?![.\w])([^`#\n;|,\[\u2026)]*)")
STANDS_FOR = {"NAME": "fever", "...": "", "PATH": "a.csv", "ADDRESS": "https://a.example/"}


@cache
def strings(path: Path) -> tuple[str, ...]:
    """What a program's file says to people."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def texts(*folders: str) -> Iterator[tuple[str, str]]:
    """The pages, and the texts in the programs of these folders, each with its file's name."""
    yield from ((path.name, path.read_text(encoding="utf-8")) for path in PAGES)
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        yield from ((path.name, text) for text in strings(path))


def named_commands() -> Iterator[tuple[str, str, str]]:
    for where, text in texts("ui", "verifier", "kb", "models", "lab"):
        for found in COMMAND.finditer(text):
            whole = (
                where.endswith(".md") or found.end() < len(text) or not found[2].endswith((" ", '"'))
            )  # no value follows
            arguments = found[2].split("//")[0].split("-->")[0].replace("'", "")
            yield where, found[1], arguments if whole else ""


def parses(parser: argparse.ArgumentParser, words: list[str]) -> bool:
    try:
        parser.parse_args(words)
    except SystemExit as end:
        return end.code == 0
    return True


def known_to_the_workshop(module: str, words: list[str]) -> bool:
    """Whether a module of lab is there and has these options and choices; what it loads is too heavy to ask its parser."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return False
    path = Path(spec.origin)
    files = path.parent.glob("*.py") if path.name == "__init__.py" else [path]
    known = {text for file in files for text in strings(file)}
    return all(word in known for word in words if re.fullmatch(r"--[a-z-]+|[a-z-]{3,}", word))


def test_a_command_that_is_named_can_be_run() -> None:
    wrong = []
    for where, program, arguments in sorted(set(named_commands())):
        if len(arguments.split()) < 2 and not program.startswith("lab"):  # the name of a command, not a whole one
            continue
        words = [word for word in (STANDS_FOR.get(each, each) for each in shlex.split(arguments)) if word]
        if program.startswith("lab"):
            right = known_to_the_workshop(program, words)
        else:
            right = parses(PARSERS[program](), words)
        if not right:
            wrong.append(f"{where}: python -m {program} {arguments}")
    assert wrong == []


def test_the_docs_name_every_command() -> None:
    said = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    missing = []
    for program, parser in PARSERS.items():
        choices = next(each.choices for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
        assert choices is not None
        missing += [f"{program} {name}" for name in choices if not re.search(rf"python -m {program} {name}\b", said)]
    assert missing == []


def test_settings_that_are_named_exist() -> None:
    known = {each.name for each in described_in(Settings)}
    spelt = re.compile(r"\bVERIFIER_[A-Z0-9]\w*")
    named = {
        (where, name)
        for where, text in texts("ui", "verifier", "kb", "models", "web", "lab")
        for name in spelt.findall(text)
    }
    assert sorted((where, name) for where, name in named if name not in known) == []
    assert {name for _, name in named} == {name for name in known if name.startswith("VERIFIER_")}


def test_the_docs_describe_every_tool_of_agents() -> None:
    section = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").split("\n## MCP", 1)[1]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == NAMES
