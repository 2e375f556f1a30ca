"""Draw the flow of a check as SVG.

The stages are in a row; below them are the web, the store and the models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

PATH = Path(__file__).parents[2] / "docs" / "images" / "flow.svg"
WIDTH, HEIGHT = 1000, 372
_STEP, _BOX, _TOP, _TALL = 123, 107, 72, 112
"""Pixels: distance between stages, width of a stage, top and height of the row."""
_BELOW, _BUS = 258, 218
"""Pixels: top of the lower row, and height of the dashed line between the rows."""
_STYLE = """
  .ground { fill: #ffffff; stroke: #d0d7de; }
  .stage { fill: #eef4fb; stroke: #3b6ea8; }
  .end { fill: #e9f5ec; stroke: #3f7f52; }
  .below { fill: #fbf3e6; stroke: #9a6b1f; }
  text { fill: #1b2530; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: middle; }
  .name { font-size: 16px; font-weight: 600; }
  .room { fill: #45525f; font: 12px ui-monospace, "DejaVu Sans Mono", monospace; }
  path { fill: none; stroke: #45525f; stroke-width: 1.5; marker-end: url(#tip); }
  .both { marker-start: url(#tip); }
  .asks { stroke-dasharray: 4 3; }
  #tip path { fill: #45525f; stroke: none; marker-end: none; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #30363d; }
    .stage { fill: #14263b; stroke: #6ea3dc; }
    .end { fill: #12291a; stroke: #6fbf87; }
    .below { fill: #2c2212; stroke: #d3a050; }
    text { fill: #e6edf3; }
    .room { fill: #aab6c2; }
    path { stroke: #aab6c2; }
    #tip path { fill: #aab6c2; }
  }"""
"""The picture paints its own background, so that its text has contrast on any page."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A rounded box with its name, lines below it, and the folder of its code."""

    name: str
    lines: Sequence[str]
    room: str
    left: int
    top: int = _TOP
    width: int = _BOX
    height: int = _TALL
    kind: str = "stage"

    @property
    def middle(self) -> int:
        """The horizontal centre."""
        return self.left + self.width // 2

    def drawn(self) -> Iterator[str]:
        """The box and its text."""
        yield f'<rect class="{self.kind}" x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}" rx="8"/>'
        yield _text("name", self.middle, self.top + 26, self.name)
        for number, line in enumerate(self.lines):
            yield _text("", self.middle, self.top + 50 + 17 * number, line)
        if self.room:
            yield _text("room", self.middle, self.top + self.height - 11, self.room)


_STAGES = (
    ("claim", ("what a person", "typed"), ""),
    ("intake", ("one clean", "text"), "claim/"),
    ("classify", ("can it be", "checked?"), "claim/"),
    ("parts", ("at most five", "statements"), "claim/"),
    ("retrieve", ("the nearest", "records"), "evidence/"),
    ("read", ("relevance", "and stance"), "judgement/"),
    ("verdict", ("votes, rules,", "confidence"), "judgement/"),
    ("citations", ("every quote,", "word for word"), "judgement/"),
)
_ENDS = ("claim", "citations")


def draw() -> str:
    """Return the picture as SVG."""
    stages = [
        _Box(name, lines, room, 16 + _STEP * at, kind="end" if name in _ENDS else "stage")
        for at, (name, lines, room) in enumerate(_STAGES)
    ]
    web = _Box(
        "web",
        ("news, fact-checkers, the open web;", "asked when the store is not enough"),
        "search/, web/",
        139,
        _BELOW,
        268,
        98,
        "below",
    )
    store = _Box("store", ("facts, imports, and", "pages found before"), "kb/", 471, _BELOW, 181, 98, "below")
    models = _Box(
        "models",
        ("embedder, claim type, reader, stance;", "an instruct model if you want one"),
        "models/",
        716,
        _BELOW,
        268,
        98,
        "below",
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title">',
        '<title id="title">The flow of a check, from a claim to its citations</title>',
        f"<style>{_STYLE}\n</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
        '<path d="M0 0 8 4 0 8z"/></marker></defs>',
        f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
        *_arrows(stages, web, store, models),
        *(line for box in (*stages, web, store, models) for line in box.drawn()),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _arrows(stages: Sequence[_Box], web: _Box, store: _Box, models: _Box) -> Iterator[str]:
    edge = _TOP + _TALL
    for one, other in zip(stages, stages[1:], strict=False):
        yield _path(f"M{one.left + one.width} {_TOP + _TALL // 2}H{other.left}")
    _, _, classify, _, retrieve, read, _, _ = stages
    yield _path(f"M{read.middle} {_TOP}C{read.middle} 34 {retrieve.middle} 34 {retrieve.middle} {_TOP}")
    yield _text("", (read.middle + retrieve.middle) // 2, 30, "not enough yet: a wider round, three at most")
    yield _path(f"M{retrieve.middle} {edge}V{_BELOW}", "both")
    yield _path(f"M{web.left + web.width} {_BELOW + 49}H{store.left}")
    bus = models.left + 30
    yield _path(f"M{bus} {_BELOW}V{_BUS}H{classify.middle}V{edge}", "asks")
    yield _path(f"M{read.middle} {_BUS}V{edge}", "asks")
    yield _path(f"M{retrieve.middle + 24} {_BUS}V{edge}", "asks")


def _path(line: str, kind: str = "") -> str:
    return f'<path class="{kind}" d="{line}"/>' if kind else f'<path d="{line}"/>'


def _text(kind: str, x: int, y: int, words: str) -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text{mark} x="{x}" y="{y}">{escape(words)}</text>'
