"""Check an upload: sizes, private files, and the requirements that a Space installs as is."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.space_check import Check, Outcome, checked

MB = 1_000_000
LARGE = 10 * MB
"""From this size on, the hub refuses a plain git push.

Its own client uploads large files another way.
"""
MAX_TOTAL = 1_000 * MB
MAX_FILE = 500 * MB
SKIPPED = frozenset(
    {".git", ".venv", "venv", "data", "__pycache__", "node_modules", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
)
PRIVATE = (".env", "/data/", ".venv/")
_OPTIONS = ("--extra-index-url", "--index-url", "--only-binary")
_HASH = re.compile(r"\s--hash=\S+")
_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==([\w.!+]+)(?:\s*;[^#]*)?\s*(?:#.*)?")


def repository_files(root: Path) -> list[Path]:
    """Return the repository's files, relative to `root`.

    These are the files git knows, or without git all except what is made here.
    """
    git = (
        subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=False,
        )
        if (root / ".git").exists()
        else None
    )
    if git is not None and git.returncode == 0:
        names = [Path(name) for name in git.stdout.decode("utf-8", "surrogateescape").split("\0") if name]
        return sorted({name for name in names if (root / name).is_file()})
    return sorted(
        path.relative_to(root)
        for path in root.rglob("*")
        if path.is_file() and not SKIPPED & set(path.relative_to(root).parts) and path.name != ".env"
    )


def check_files(root: Path) -> list[Check]:
    """Sizes, large files, private files, requirements."""
    files = repository_files(root)
    return [*_sizes(root, files), _private(root, files), *_requirements(root)]


def _sizes(root: Path, files: list[Path]) -> Iterator[Check]:
    sizes = {path: (root / path).stat().st_size for path in files}
    total = sum(sizes.values())
    yield checked(
        "total size",
        total <= MAX_TOTAL,
        f"{total / MB:.0f} MB in {len(files)} files",
        f"keep it under {MAX_TOTAL / MB:.0f} MB: models can be fetched with preload_from_hub",
    )
    huge = [f"{path} ({size / MB:.0f} MB)" for path, size in sizes.items() if size > MAX_FILE]
    yield checked(
        "largest file",
        not huge,
        ", ".join(huge) or f"{max(sizes.values(), default=0) / MB:.0f} MB",
        "fetch it at build time",
    )
    large = [path for path, size in sizes.items() if size > LARGE]
    bare = [path for path in large if not _in_large_storage(root, path)]
    if bare:
        shown = ", ".join(str(path) for path in bare[:6])
        yield Check(
            "files over 10 MB",
            Outcome.NOTE,
            f"{len(bare)} without LFS or Xet in .gitattributes: {shown}",
            "a plain git push is refused; upload with `hf upload`, which stores them rightly (docs/deploy.md)",
        )
    else:
        yield Check("files over 10 MB", Outcome.OK, f"{len(large)}, all in large-file storage" if large else "none")


def _in_large_storage(root: Path, path: Path) -> bool:
    """Whether .gitattributes hands the file to LFS, whose filter Xet uses as well."""
    told = subprocess.run(
        ["git", "-C", str(root), "check-attr", "filter", "--", str(path)], capture_output=True, text=True, check=False
    )
    return told.stdout.rstrip().endswith((": lfs", ": xet"))


def _private(root: Path, files: list[Path]) -> Check:
    """Check that keys and claims stay here: `hf upload` leaves out only what .gitignore names."""
    inside = [str(path) for path in files if path.name == ".env" or path.parts[0] == "data"]
    ignore = root / ".gitignore"
    lines = ignore.read_text(encoding="utf-8").split() if ignore.is_file() else []
    missing = [name for name in PRIVATE if name not in lines and name.strip("/") not in lines]
    fix = "take them out of the repository, and keep the lines .env, /data/ and .venv/ in .gitignore"
    found = "; ".join([*inside, *(f"{name} is not in .gitignore" for name in missing)])
    return checked("private files", not found, found[:300] or "none; .gitignore keeps out .env, data and .venv", fix)


def _requirements(root: Path) -> Iterator[Check]:
    lines = requirement_lines(root)
    if not lines:
        yield Check("requirements", Outcome.FAILED, "requirements.txt is missing", "a Space installs what it lists")
        return
    loose = [line for line in lines if not line.startswith(_OPTIONS) and not _PIN.fullmatch(line)]
    found = ", ".join(loose)[:200] or f"{len(pins(lines))}, each pinned"
    yield checked("requirements", not loose, found, "pin each as NAME==VERSION")
    if "torch" in pins(lines) and not any("index-url" in line for line in lines):
        yield Check(
            "torch",
            Outcome.NOTE,
            "its default Linux package brings CUDA libraries of several GB, which a CPU Space never uses",
            "it runs as it is; to build faster, add PyTorch's CPU index as --extra-index-url in the Space's own copy",
        )
    if "llama-cpp-python" in pins(lines):
        yield Check("llama-cpp-python", Outcome.NOTE, "compiled while it is installed: about 5 minutes on 2 cores")


def requirement_lines(root: Path) -> list[str]:
    """The lines of requirements.txt that say something, without hashes; none where it is missing."""
    path = root / "requirements.txt"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = (_HASH.sub("", line).strip() for line in text.replace("\\\n", " ").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def pins(lines: list[str]) -> dict[str, str]:
    """Name -> version, of the lines that pin one."""
    found = [_PIN.fullmatch(line) for line in lines]
    return {pin[1].lower().replace("_", "-"): pin[2] for pin in found if pin}


def check_installed(root: Path) -> Check:
    """Check that the pins are installed here and pip finds no conflict. Takes seconds."""
    from importlib import metadata

    differ = []
    for name, version in pins(requirement_lines(root)).items():
        try:
            here = metadata.version(name).split("+")[0]
        except metadata.PackageNotFoundError:
            here = "missing"
        if here != version:
            differ.append(f"{name} {here}, not {version}")
    if differ:
        fix = "run this check where `pip install -r requirements.txt` was run, so that it tests these versions"
        return Check("installed versions", Outcome.NOTE, "; ".join(differ)[:200], fix)
    pip = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    found = " ".join(pip.stdout.split())[:300]
    return checked("installed versions", pip.returncode == 0, found, "choose versions that agree with each other")
