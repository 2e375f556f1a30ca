"""Write `.env.example` and the table of settings in docs/operations.md from the settings themselves.

python -m lab.settings_docs
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.settings import ROOT, Settings
from verifier.settings.variables import Setting, described_in

EXAMPLE = ROOT / ".env.example"
GUIDE = ROOT / "docs" / "operations.md"
_START, _END = "<!-- settings: written by python -m lab.settings_docs -->\n", "<!-- end of settings -->\n"


def documented() -> list[Setting[Any]]:
    """The settings that users are shown."""
    return [each for each in described_in(Settings) if each.help]


def env_example() -> str:
    """Return all settings as commented-out `.env` lines, with their defaults or an example."""
    lines = (f"# {each.name}={_value(each)}  # {_help(each)}\n" for each in documented())
    head = "# Copy to .env; the process's own environment goes before it. All are optional.\n"
    return head + "".join(lines)


def guide(text: str) -> str:
    """The guide with the table of settings between its two marks."""
    before, _, rest = text.partition(_START)
    after = rest.partition(_END)[2]
    rows = (f"| `{each.name}` | {_default(each)} | {_help(each).replace('|', '&#124;')} |\n" for each in documented())
    return f"{before}{_START}| variable | default | what it is |\n|---|---|---|\n{''.join(rows)}{_END}{after}"


def _help(each: Setting[Any]) -> str:
    public = (
        f"default {_shown(each.public)} where other machines can reach the server" if each.public is not None else ""
    )
    space = f"default {_shown(each.space)} on a Space" if each.space is not None else ""
    also = f"or {each.also}" if each.also else ""
    return "; ".join(filter(None, (each.help, public, space, also)))


def _value(each: Setting[Any]) -> str:
    return _shown(each.default) if each.example is None else each.example


def _default(each: Setting[Any]) -> str:
    """The default in the table, or an example of what is empty by default."""
    value = _value(each)
    if not value:
        return ""
    return f"none; such as `{value}`" if each.default in ("", ()) else f"`{value}`"


def _shown(value: object) -> str:
    """A value as it stands in a `.env` file, with paths from the project's folder."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ",".join(value)
    return f".{text.removeprefix(str(ROOT))}" if (text := str(value)).startswith(f"{ROOT}/") else text


def write(example: Path = EXAMPLE, page: Path = GUIDE) -> None:
    """Write both files."""
    example.write_text(env_example(), encoding="utf-8")
    page.write_text(guide(page.read_text(encoding="utf-8")), encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """The command, which takes no argument."""
    return argparse.ArgumentParser(
        prog="python -m lab.settings_docs", description="Write .env.example and the table of settings in the docs."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write both files, and name them."""
    parser().parse_args(arguments)
    write()
    print(f"{len(documented())} settings written to {EXAMPLE.name} and {GUIDE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
