"""The house rules that a tool can check: which way imports run, who reads the environment, what a light command loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "errors.py": set(),
    "models": {"errors"},
    "kb": {"errors"},
    "web": {"errors"},
    "verifier": {"errors", "models", "kb", "web"},
    "ui": {"errors", "verifier"},
    "app.py": {"errors", "ui", "verifier"},
    "world": {"errors"},
}
OURS = {"errors", "models", "kb", "web", "verifier", "ui", "app", "world"}
FILES = [
    path
    for name in MAY_IMPORT
    for path in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")))
]


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    top = path.relative_to(ROOT).parts[0]
    if path.name == "__main__.py":
        return  # the command lines wire things together
    assert {name.split(".")[0] for name in imported(path)} & OURS - {top} <= MAY_IMPORT[top]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_vendor_library_has_its_own_place(path: Path) -> None:
    places = {
        "lancedb": tuple(
            f"kb/{name}.py"
            for name in ("adding", "check", "counts", "find", "labelled", "maintenance", "place", "reembed")
            + ("retention", "staging", "store", "table", "tags", "upkeep", "versions")
        ),
        "gradio": ("ui/", "app.py"),
        "llama_cpp": ("models/encoder.py", "models/language_model.py", "models/sampling.py"),
        "ddgs": ("verifier/search/duckduckgo.py",),
    }
    for name in {name.split(".")[0] for name in imported(path)} & places.keys():
        assert str(path.relative_to(ROOT)).startswith(places[name])


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        path
        for path in FILES
        if "os.environ)" in path.read_text() or "getenv" in path.read_text() or "environ.get" in path.read_text()
    ]
    assert [path.name for path in readers] == ["settings.py"]


@pytest.mark.parametrize("module", ["verifier", "kb", "world"])
def test_help_loads_no_heavy_library(module: str) -> None:
    script = f"import sys; sys.argv = ['x', '--help']; import runpy\ntry: runpy.run_module('{module}', run_name='__main__')\nexcept SystemExit: pass\n"
    script += "print('HEAVY', sorted({'torch', 'transformers', 'llama_cpp', 'lancedb', 'pyarrow', 'gradio', 'numpy'} & sys.modules.keys()))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "usage: python -m" in run.stdout and "HEAVY []" in run.stdout
