"""Turn the steps of a check into HTML: a list that grows while it runs, and is folded away afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from verifier.report.markup import visible
from verifier.schema import Stage, Step

_STAGES = {
    Stage.INTAKE: "Read",
    Stage.CLASSIFY: "Kind",
    Stage.DECOMPOSE: "Parts",
    Stage.PLAN: "Plan",
    Stage.RETRIEVE: "Find",
    Stage.RERANK: "Rank",
    Stage.STANCE: "Weigh",
    Stage.SUFFICIENCY: "Enough?",
    Stage.SEARCH: "Web",
    Stage.STORE: "Store",
    Stage.VERDICT: "Judge",
    Stage.EXPLAIN: "Explain",
}
_SLOW = 0.3
"""Seconds from which a step's time is highlighted."""


def trace(steps: Sequence[Step], running: bool, left: float | None = None) -> str:
    """List the steps with their times: in full during the check, folded away afterwards.

    `left` is how many more seconds it is likely to take, if known.
    """
    items = "".join(_step(step) for step in steps)
    if running:
        more = "" if left is None else f'<time class="cv-left" data-left="{left:.0f}">{_left(left)}</time>'
        busy = f'<li class="cv-busy"><b>Working</b><span>\u2026</span>{more}</li>'
        return f'<section class="cv-trace-box" aria-label="How this is checked"><ol class="cv-trace">{items}{busy}</ol></section>'
    if not items:
        return ""
    total = sum(step.seconds for step in steps)
    told = f"{len(steps)} step{'s' * (len(steps) > 1)}" + (f", {total:.1f} s" if total else "")
    return (
        f'<section class="cv-trace-box" aria-label="How this was checked"><details><summary>How this was checked '
        f'<span class="cv-soft">{told}</span></summary><ol class="cv-trace">{items}</ol></details></section>'
    )


def _left(seconds: float) -> str:
    """Write the time left in the words of page.js, which counts down."""
    return f"about {seconds:.0f} s left" if seconds >= 1 else "any moment now"


def _step(step: Step) -> str:
    slow = ' class="cv-slow"' if step.seconds >= _SLOW else ""
    took = f"<time{slow}>{_duration(step.seconds)}</time>" if step.seconds or step.passing else ""
    busy = ' class="cv-passing"' if step.passing else ""
    return f"<li{busy}><b>{_STAGES[step.stage]}</b><span>{escape(visible(step.message))}</span>{took}</li>"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
