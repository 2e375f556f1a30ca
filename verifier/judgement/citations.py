"""J6, second half: no citation leaves the house unchecked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifier.schema import Citation, Evidence

_MARK = re.compile(r"\[(\d+)\]")
_QUOTE = re.compile(r"\u201c(.*?)\u201d \[(\d+)\]", re.DOTALL)


def problems(reasoning: str, citations: Sequence[Citation], evidence: Sequence[Evidence]) -> list[str]:
    """What is wrong with the citations; an empty list when every one holds.

    Every [N] must be a piece of evidence and have a citation, every citation must be used, and every quotation in the
    reasoning must stand in its evidence word for word, where the citation says it stands.
    """
    found = []
    numbers = {int(number) for number in _MARK.findall(_QUOTE.sub(r"[\2]", reasoning))}
    cited = {citation.number for citation in citations}
    for number in sorted(numbers | cited):
        if not 1 <= number <= len(evidence):
            found.append(f"[{number}] is not in the evidence")
        elif number not in cited:
            found.append(f"[{number}] has no quotation")
        elif number not in numbers:
            found.append(f"the quotation of [{number}] is not used")
    quoted = {(quote, int(number)) for quote, number in _QUOTE.findall(reasoning)}
    for citation in citations:
        inside = 1 <= citation.number <= len(evidence)
        if inside and evidence[citation.number - 1].text[citation.start : citation.end] != citation.quote:
            found.append(f"the quotation of [{citation.number}] is not in its text word for word")
        if (citation.quote, citation.number) not in quoted:
            found.append(f"the reasoning does not quote [{citation.number}] word for word")
    return found
