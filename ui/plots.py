"""Draw figures of the store as small inline charts, each with its numbers as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape
from typing import TYPE_CHECKING

from ui.tables import Row, table
from verifier.report.markup import visible

if TYPE_CHECKING:
    from verifier.api.knowledge import Count

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 170, 46, 22, 12
DAYS = 30


def growth(days: Sequence[tuple[date, int]], today: date) -> str:
    """Draw how many records the store held on each of the last 30 days.

    It also says how many were new. Returns "" for an empty store.

    Args:
        days: (day, records stored on it), ordered by day.
        today: the last day shown.
    """
    if not days:
        return ""
    first = today - timedelta(days=DAYS - 1)
    new_on = dict(days)
    held, totals = sum(count for day, count in days if day < first), []
    shown = [first + timedelta(days=i) for i in range(DAYS)]
    for day in shown:
        held += new_on.get(day, 0)
        totals.append(held)
    new = sum(new_on.get(day, 0) for day in shown)
    said = f"{totals[-1]:,} records today, {new:,} of them from the last {DAYS} days"
    rows = [
        Row((f"{day:%Y-%m-%d}", f"{new_on[day]:,}", f"{total:,}"))
        for day, total in zip(shown, totals, strict=True)
        if new_on.get(day)
    ]
    numbers = table("The numbers", ("Day", "New records", "In all"), rows)
    numbers = f"<details><summary>The numbers</summary>{numbers}</details>" if rows else ""
    return (
        f'<figure class="cv-plot"><figcaption><b>Growth</b> <span class="cv-soft">{said}</span></figcaption>'
        f"{_area(totals, shown, said)}{numbers}</figure>"
    )


def _area(totals: Sequence[int], days: Sequence[date], said: str) -> str:
    """Draw a stepped area, since records arrive all at once, not gradually."""
    top, step = max(totals) or 1, (_WIDTH - _LEFT) / len(totals)
    floor = _HEIGHT - _BOTTOM
    path = [f"M{_LEFT},{floor}"]
    for i, total in enumerate(totals):
        y = floor - total / top * (floor - _TOP)
        path.append(f"L{_LEFT + i * step:.1f},{y:.1f} L{_LEFT + (i + 1) * step:.1f},{y:.1f}")
    path.append(f"L{_WIDTH},{floor} Z")
    lines = "".join(
        f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/><text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{label}</text>'
        for y, label in ((_TOP, f"{top:,}"), (floor, "0"))
    )
    ends = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 4}">{days[0]:%d %b}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{days[-1]:%d %b}</text>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(said)}">'
        f'<path d="{" ".join(path)}"/>{lines}{ends}</svg>'
    )


def bars(title: str, counts: Sequence[Count], names: Mapping[str, str] | None = None) -> str:
    """Draw counts as a table with a bar in each row.

    `names` are for people. Returns "" for no counts.
    """
    if not counts:
        return ""
    most = max(count.records for count in counts) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(visible((names or {}).get(count.name, count.name))[:80])}</th><td class="cv-share">'
        f'<i aria-hidden="true" style="width:{count.records / most:.1%}"></i></td><td>{count.records:,}</td></tr>'
        for count in counts
    )
    return f'<table class="cv-bars"><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>'


def pipeline() -> str:
    """Draw the stages of a check; the list next to it gives them in words."""
    names = ("Claim", "Evidence", "Judgement", "Report")
    boxes = "".join(
        f'<rect x="{10 + i * 160}" y="14" width="130" height="44" rx="8"/>'
        f'<text x="{75 + i * 160}" y="41" text-anchor="middle">{name}</text>'
        for i, name in enumerate(names)
    )
    arrows = "".join(f'<path d="M{143 + i * 160},36 h20 m-6,-5 l6,5 l-6,5"/>' for i in range(3))
    return f'<svg class="cv-flow" viewBox="0 0 630 72" role="img" aria-label="{", then ".join(names)}">{boxes}{arrows}</svg>'
