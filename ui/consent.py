"""Ask for consent to web search: what is sent where, and what the user allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from verifier.check.understand import queries_for
from verifier.report.markup import visible, web_address


@dataclass(frozen=True, slots=True)
class Consent:
    """Consent to ask the web, and whether a check was made under the full notice."""

    web: bool = True
    told: bool = False


def as_kept(consent: Consent) -> dict[str, bool]:
    """Return consent in the form that a browser keeps."""
    return {"web": consent.web, "told": consent.told}


def consent_of(kept: object) -> Consent:
    """Read what a browser kept; anything else counts as nothing."""
    if not isinstance(kept, dict):
        return Consent()
    return Consent(kept.get("web") is not False, kept.get("told") is True)


def notice(engines: Sequence[str], consent: Consent, queries: Sequence[str] = ()) -> str:
    """Say which queries go where: in full before the first check, folded away afterwards.

    Args:
        engines: their names.
        consent: whether the reader has seen this before.
        queries: what would be asked about the claim in the box, if there is one.
    """
    if not engines:
        return ""
    names = ", ".join(f"<b>{escape(name)}</b>" for name in engines)
    said = (
        "<p>A check first looks into the evidence stored on this machine. Only if that is not enough, two to four search queries made "
        f"from your claim are sent to: {names}. The pages they find are fetched by this machine. "
        "Nothing else leaves it. Untick the box to keep everything here.</p>"
    )
    if queries:
        listed = "".join(f"<li>{escape(visible(query))}</li>" for query in queries)
        said += f'<p>Of this claim these would be sent:</p><ul class="cv-queries">{listed}</ul>'
    shown = "" if consent.told else " open"
    kind = "cv-notice" if consent.told else "cv-notice cv-first"
    return f'<details class="{kind}"{shown}><summary>What is sent to search engines</summary>{said}</details>'


def before_check(engines: Sequence[str], consent: Consent, claim: str) -> str:
    """Write the notice with the typed claim's queries.

    Returns "" for a reader who has seen it in full.
    """
    return "" if consent.told or web_address(claim.strip()) else notice(engines, consent, queries_for(claim))
