"""What a browser's user was told of the web search, and allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether the web may be asked, and whether a check was made with the notice in sight."""

    web: bool = True
    told: bool = False


def as_kept(consent: Consent) -> dict[str, bool]:
    """The form in which a browser keeps it."""
    return {"web": consent.web, "told": consent.told}


def consent_of(kept: object) -> Consent:
    """What a browser has kept; anything else counts as nothing kept."""
    if not isinstance(kept, dict):
        return Consent()
    return Consent(kept.get("web") is not False, kept.get("told") is True)


def notice(engines: Sequence[str], consent: Consent) -> str:
    """Which queries go where: in full before the first check, folded away afterwards."""
    if not engines:
        return ""
    names = ", ".join(f"<b>{escape(name)}</b>" for name in engines)
    said = (
        "<p>A check first looks into the evidence stored on this machine. Only if that is not enough, two to four search queries made "
        f"from your claim are sent to: {names}. The pages they find are fetched by this machine. "
        "Nothing else leaves it. Untick the box to keep everything here.</p>"
    )
    if consent.told:
        return f'<details class="cv-notice"><summary>What is sent to search engines</summary>{said}</details>'
    return f'<section class="cv-notice cv-first" aria-label="What is sent to search engines">{said}</section>'
