"""Every command that a page, a message or a guide names is one that the command line takes."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.__main__ import parser as kb_parser
from models.commands import parser as models_parser
from verifier.__main__ import parser as verifier_parser

ROOT = Path(__file__).parents[1]
PARSERS = {"verifier": verifier_parser, "kb": kb_parser, "models": models_parser}
COMMAND = re.compile(r"python -m (verifier|kb|models)(?![.\w])([^`#\n;|,\[\u2026)]*)")
STANDS_FOR = {"NAME": "fever", "...": "", "PATH": "a.csv", "ADDRESS": "https://a.example/"}


def strings(path: Path) -> Iterator[str]:
    """What a program's file says to people, without its docstrings of modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def named() -> Iterator[tuple[str, str, str]]:
    files = [path for folder in ("ui", "verifier", "kb", "models") for path in (ROOT / folder).rglob("*.py")]
    texts = [(path, text) for path in files for text in strings(path)]
    texts += [(path, path.read_text(encoding="utf-8")) for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    for path, text in texts:
        for found in COMMAND.finditer(text):
            whole = path.suffix == ".md" or found.end() < len(text) or not found[2].endswith(" ")  # no value follows
            if len(found[2].split()) > 1 and whole:  # a single word is the name of a command, not a whole one
                yield path.name, found[1], found[2]


@pytest.mark.parametrize(("where", "program", "arguments"), sorted(set(named())))
def test_a_command_that_is_named_can_be_run(where: str, program: str, arguments: str) -> None:
    words = [STANDS_FOR.get(word, word) for word in shlex.split(arguments.split("//")[0].replace("'", ""), posix=True)]
    parser = PARSERS[program]()
    try:
        parser.parse_args([word for word in words if word])
    except SystemExit as end:
        if end.code == 0:
            return
        raise AssertionError(f"{where} names a command that fails: python -m {program} {arguments.strip()}") from end
