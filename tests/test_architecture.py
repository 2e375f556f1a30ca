"""The house rules that a tool can check: which way imports run, who reads the environment, what a light command loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "errors.py": set(),
    "atomic.py": set(),
    "models": {"errors", "atomic"},
    "kb": {"errors", "atomic"},
    "web": {"errors"},
    "verifier": {"errors", "atomic", "models", "kb", "web"},
    "ui": {"errors", "verifier"},
    "app.py": {"errors", "ui", "verifier"},
}
"""The product. Nothing in it imports the workshop, `lab`."""
OURS = {"errors", "atomic", "models", "kb", "web", "verifier", "ui", "app", "lab"}
VENDORS = {
    "lancedb": ("kb/store/", "kb/upkeep/", "kb/intake/labelled.py"),
    "gradio": ("ui/", "app.py"),
    "llama_cpp": ("models/encoders/", "models/llm/"),
    "onnxruntime": ("models/",),
    "libzim": ("kb/intake/formats/zim.py",),
    "ddgs": ("verifier/search/engines/duckduckgo.py",),
}
"""The only places that import a library."""
FILES = [
    path
    for name in MAY_IMPORT
    for path in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")))
]


def imported(path: Path, typing_too: bool = True) -> set[str]:
    """The modules that a file imports; without `typing_too`, not those that only a type checker sees."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    names = set()
    for node in ast.walk(tree):
        if not typing_too and id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def room_of(module: str) -> str:
    """`verifier.check.pipeline` -> `verifier.check`; a file beside the rooms is a room of its own."""
    return ".".join(module.split(".")[:2])


def test_imports_run_one_way_between_the_parts() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in FILES
        if path.name != "__main__.py"  # these are where all parts meet
        for name in imported(path)
        for top in [path.relative_to(ROOT).parts[0]]
        if name.split(".")[0] in OURS - {top} - MAY_IMPORT[top]
    ]
    assert wrong == []


def test_the_command_lines_import_no_workshop() -> None:
    assert [str(path) for path in FILES if any(name.split(".")[0] == "lab" for name in imported(path))] == []


@pytest.mark.parametrize("part", ["verifier", "kb", "models"])
def test_no_circle_between_rooms(part: str) -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    rooms = {room_of(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in (ROOT / part).rglob("*.py")}
    for path in (ROOT / part).rglob("*.py"):
        room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if not path.name.startswith("__"):
            arrows[room] |= {room_of(name) for name in imported(path, typing_too=False)} & rooms - {room}
    assert list(TopologicalSorter(arrows).static_order())  # raises CycleError, which names the rooms


def test_each_vendor_library_has_its_own_place() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in FILES
        for name in {name.split(".")[0] for name in imported(path)} & VENDORS.keys()
        if not str(path.relative_to(ROOT)).startswith(VENDORS[name])
    ]
    assert wrong == []


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        path
        for path in FILES
        if "os.environ)" in path.read_text() or "getenv" in path.read_text() or "environ.get" in path.read_text()
    ]
    assert [path.name for path in readers] == ["environment.py"]


@pytest.mark.parametrize("module", ["verifier", "kb", "lab.world"])
def test_help_loads_no_heavy_library(module: str) -> None:
    script = f"import sys; sys.argv = ['x', '--help']; import runpy\ntry: runpy.run_module('{module}', run_name='__main__')\nexcept SystemExit: pass\n"
    script += "print('HEAVY', sorted({'torch', 'transformers', 'llama_cpp', 'lancedb', 'pyarrow', 'gradio', 'numpy'} & sys.modules.keys()))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "usage: python -m" in run.stdout and "HEAVY []" in run.stdout
