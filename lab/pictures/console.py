"""Find marked console output in README and docs, run its commands, and compare or rewrite.

A block is marked by the comment `<!-- output of: COMMAND -->` on the line before its fence; it begins with `$ COMMAND`.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ("verifier", "kb", "models")
TOLERANCE = 0.3
"""How far scores may differ: processors round eight-bit products in their own ways."""
_BLOCK = re.compile(
    r"(<!-- output of: (?P<command>[^\n]+?) -->\n```console\n)\$ (?P<shown>[^\n]*)\n(?P<output>.*?)```", re.DOTALL
)
_CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+"), "TIME"),
    (re.compile(r"\b(?:stored|retrieved) \d{4}-\d\d-\d\d"), "DAY"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f-]{27})?\b"), "ID"),
)
_SCORE = re.compile(r"\b\d+\.\d+\b")


def pages() -> list[Path]:
    """README and all pages of docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the command, the command as shown, and the output of each marked block."""
    for found in _BLOCK.finditer(text):
        yield found["command"], found["shown"], found["output"]


def output_of(command: str) -> str:
    """Run `python -m PROGRAM ...` in this process, and return what it prints."""
    python, flag, program, *arguments = shlex.split(command)
    if (python, flag) != ("python", "-m") or program not in PROGRAMS:
        raise ValueError(f"{command} runs none of {', '.join(PROGRAMS)}")
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        import_module(f"{program}.__main__").main(arguments)
    return said.getvalue()


def differs(shown: str, said: str) -> bool:
    """Whether two outputs differ in more than times, ids, and scores within `TOLERANCE`."""
    for pattern, name in _CHANGING:
        shown, said = pattern.sub(name, shown), pattern.sub(name, said)
    if _SCORE.sub("N", shown) != _SCORE.sub("N", said):
        return True
    scores = zip(_SCORE.findall(shown), _SCORE.findall(said), strict=True)
    return any(abs(float(one) - float(other)) > TOLERANCE for one, other in scores)


def rewritten(text: str) -> str:
    """Return the page with every marked block made by its command."""
    return _BLOCK.sub(lambda found: f"{found[1]}$ {found['command']}\n{output_of(found['command'])}```", text)
