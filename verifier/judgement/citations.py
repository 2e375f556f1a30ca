"""Check every citation of a result against its evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifier.schema import Citation, Evidence

_MARK = re.compile(r"\[(\d+)\]")


def problems(reasoning: str, citations: Sequence[Citation], evidence: Sequence[Evidence]) -> list[str]:
    """List what is wrong with the citations; an empty list means that all are correct.

    Every quotation must appear word for word in its evidence, at the place that the citation gives, and in the
    reasoning before its [N]. No [N] may appear outside the quotations, which may contain marks of their own.
    """
    found = []
    rest = reasoning
    for citation in sorted(citations, key=lambda citation: -len(citation.quote)):
        number = citation.number
        quoted = f"\u201c{citation.quote}\u201d [{number}]"
        if quoted not in rest:
            found.append(f"the reasoning does not quote [{number}] word for word")
        rest = rest.replace(quoted, "")
        if not 1 <= number <= len(evidence):
            found.append(f"[{number}] is not in the evidence")
        elif evidence[number - 1].text[citation.start : citation.end] != citation.quote:
            found.append(f"the quotation of [{number}] is not in its text word for word")
    for number in sorted({int(mark) for mark in _MARK.findall(rest)}):
        inside = 1 <= number <= len(evidence)
        found.append(f"[{number}] has no quotation" if inside else f"[{number}] is not in the evidence")
    return found
