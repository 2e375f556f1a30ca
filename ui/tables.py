"""Write tables that a narrow window shows as cards.

Each cell carries the name of its column, and no row is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, as escaped HTML.

    `tone` is the class of the row; `kinds` maps column -> class of its cell. If there are fewer cells than columns, the
    last one takes the remaining columns.
    """

    cells: Sequence[str]
    tone: str = ""
    kinds: tuple[tuple[int, str], ...] = ()


def table(name: str, columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Write a table, named for screen readers.

    It states its roles, since a table laid out as cards loses its own.
    """
    head = "".join(f'<th scope="col" role="columnheader">{escape(column)}</th>' for column in columns)
    body = "".join(_row(columns, row) for row in rows)
    return (
        f'<div class="cv-scroll" role="region" aria-label="{escape(name)}" tabindex="0"><table class="cv-table" role="table">'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">{body}</tbody></table></div>'
    )


def _row(columns: Sequence[str], row: Row) -> str:
    kinds, cells = dict(row.kinds), ""
    for number, (column, html) in enumerate(zip(columns, row.cells, strict=False)):
        kind = f' class="{kinds[number]}"' if number in kinds else ""
        left = len(columns) - number if number == len(row.cells) - 1 else 1
        span = f' colspan="{left}"' if left > 1 else ""
        cells += f'<td role="cell" data-label="{escape(column)}"{kind}{span}><div>{html}</div></td>'
    tone = f' class="{row.tone}"' if row.tone else ""
    return f'<tr role="row"{tone}>{cells}</tr>'
