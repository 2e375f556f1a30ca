"""Decide from the words around a figure what it measures.

A profit is not a loss and an opening is not a closing, whatever the figure. A table lists common quantities and events,
each with the words that name it. A figure with none of these words may measure anything, and is compared by kind and
noun only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifier.text.figures import Figure, figures

_WORDS = {
    "profit": "profits? profited profitable earnings surplus(?:es)? gains?",
    "loss": "loss(?:es)? lost losing deficits? shortfall",
    "toll": "tolls? fares? fees? tickets? admission charges? charged",
    "revenue": "revenues? turnover sales takings grossed",
    "pay": "salar(?:y|ies) wages? pension",
    "debt": "debts? owes? owed loans? borrowed",
    "fine": "fined fines? penalt(?:y|ies) damages",
    "gift": "donat\\w+ gifts? grants? granted awarded prize",
    "budget": "budgets? funding funded subsid\\w+ invest\\w+",
    "tax": "tax(?:es)? taxed dut(?:y|ies)",
    "height": "tall height high elevation above altitude",
    "length": "long length stretch(?:es)?",
    "width": "wide width broad",
    "depth": "deep depth",
    "weight": "weighs? weighed weight heavy",
    "speed": "speeds? fast faster",
    "death": "died dies dead deaths? killed kills? fatalit(?:y|ies) drowned perished lives",
    "injury": "injur\\w+ wounded hurt",
    "missing": "missing vanished",
    "infection": "infect\\w+ cases",
    "birth": "born births? birth",
    "arrest": "arrest\\w* detained jailed imprisoned",
    "rescue": "rescued saved survived survivors",
    "opening": "opened opens? opening inaugurated unveiled completed",
    "closing": "closed closes closure shut abolished dissolved ended ceased collapsed",
    "building": "built builds? building constructed construction erected completed",
    "founding": "founded founding established created formed opened opens? opening force",
    "destruction": "destroyed demolished collapsed burned burnt",
    "rebuilding": "rebuilt restored renovated",
    "joining": "joined joins? joining entered acceded",
    "leaving": "left leaves? leaving withdrew quit exited resigned retired",
    "signing": "signed signs? signing ratif\\w+",
    "force": "force effect",
    "start": "began begins? beginning started starts? launched commenced",
    "publishing": "published publishes publication released launched introduced",
    "finding": "discovered discovery found located detected",
    "ordering": "ordered commissioned proposed",
    "purchase": "bought buys? purchased acquired sold sells? sale",
}  # fmt: skip
_MEASURES = tuple(
    (name, re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE)) for name, words in _WORDS.items()
)
_BOUNDARY = re.compile(
    r"[,;:()\u2013\u2014]|[.!?](?=\s|$)|\b(?:and|but|while|whereas|although|after|before|than|compared|against|then)\b"
)
_REACH = 80
"""Characters searched on each side of a figure for what it measures."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure and what it measures, if words around it say so."""

    figure: Figure
    measures: frozenset[str]

    def fits(self, other: Measured) -> bool:
        """Return whether both may measure the same thing."""
        return not (self.measures and other.measures) or bool(self.measures & other.measures)


def measured_figures(text: str) -> tuple[Measured, ...]:
    """Find the figures of a text in reading order, each with what it measures.

    The day, month and year of a date measure the same thing.
    """
    dates = list[list[Figure]]()
    for figure in sorted(figures(text), key=lambda figure: figure.span):
        if dates and _is_one_date(dates[-1][-1], figure, text):
            dates[-1].append(figure)
        else:
            dates.append([figure])
    starts = [date[0].span[0] for date in dates] + [len(text)]
    ends = [0] + [date[-1].span[1] for date in dates]
    return tuple(
        Measured(figure, measures_of(text, (starts[i], ends[i + 1]), ends[i], starts[i + 1]))
        for i, date in enumerate(dates)
        for figure in date
    )


def _is_one_date(first: Figure, second: Figure, text: str) -> bool:
    """Return whether two figures are parts of one date: "14 June 2021", "February of 2022"."""
    between = text[first.span[1] : second.span[0]]
    return first.kind in {"day", "month"} and second.kind == "year" and between.strip() in {"", ",", "of"}


def measures_of(text: str, span: tuple[int, int], previous: int, following: int) -> frozenset[str]:
    """Return what a figure measures by its clause's words, up to the next figures.

    Args:
        text: the whole text.
        span: where the figure is.
        previous: where the figure before it ends.
        following: where the figure after it begins.
    """
    start, end = span
    before, after = text[max(previous, start - _REACH, 0) : start], text[end : min(following, end + _REACH)]
    cut = max((match.end() for match in _BOUNDARY.finditer(before)), default=0)
    stop = _BOUNDARY.search(after)
    near = f"{before[cut:]} {text[start:end]} {after[: stop.start() if stop else len(after)]}"
    return frozenset(name for name, pattern in _MEASURES if pattern.search(near))
