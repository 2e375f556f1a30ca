"""Recognise a figure that a text names without asserting it.

Examples: "40,000, not 60,000 as was first reported", "the police had expected 20,000".
"""

from __future__ import annotations

import re

from verifier.text.figures import Figure

_REACH = 90
"""Characters searched on each side of a figure for such words."""
_BEFORE = re.compile(
    r"(?:\b(?:not|rather than|instead of|wrongly|mistakenly|erroneously)(?: (?:some|about|the|of|at|to|by|in))*"
    r"|\bhad (?:been )?(?:expected|forecast|predicted|hoped|planned|feared|named|promised|announced)\b[^.;:]{0,40}"
    r"|\b(?:earlier|initial|original|preliminary|leaked|former|old|first) (?:[\w-]+ ){0,3}(?:value|figure|estimate|number|report|price|draft|count|reading)\b[^.;]{0,60}"
    r"|\b(?:target|goal|aim|plan|draft|forecast|prediction)(?: (?:had )?(?:named|gave|said|put|spoke)\b[^.;]{0,30}| of[^.;,]{0,15})"
    r"|\bfirst put \w+ at)\s*[$\u20ac\u00a3]?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[^.;]{0,50}\b(?:(?:was|were|is|been|be) (?:later )?(?:withdrawn|retracted|corrected|rejected|discarded|revised|wrong|mistaken)"
    r"|and (?:corrected|withdrew|revised)"
    r"|as (?:was |had been |were |has been )?(?:first|originally|initially|widely|wrongly) (?:reported|claimed|announced|broadcast|thought|stated|planned)"
    r"|too (?:high|low)|than expected|was a mistake|was an error)\b",
    re.IGNORECASE,
)


def is_disowned(text: str, figure: Figure) -> bool:
    """Return whether the words around a figure say it is wrong or only expected."""
    start, end = figure.span
    return bool(_BEFORE.search(text[max(0, start - _REACH) : start]) or _AFTER.search(text[end : end + _REACH]))
