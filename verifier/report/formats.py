"""List the forms a result can be saved in, for command line and page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from errors import InputError
from verifier.report.as_claimreview import result_to_claim_review_text
from verifier.report.as_csv import result_to_csv
from verifier.report.as_html import result_to_html
from verifier.report.as_json import result_to_dict
from verifier.report.as_markdown import result_to_markdown
from verifier.report.as_text import result_to_text
from verifier.schema import VerificationResult


@dataclass(frozen=True, slots=True)
class Format:
    """One form: its name, file ending (with the dot), media type, and writer."""

    name: str
    suffix: str
    mime: str
    render: Callable[[VerificationResult], str]

    def file_name(self, result: VerificationResult) -> str:
        """Name the file after its check, in letters, digits and hyphens."""
        words = re.findall(r"[a-z0-9]+", result.claim.lower())[:8]
        session = re.sub(r"[^a-z0-9]", "", result.session_id.lower())[:8]
        return "-".join(["claim", *words, session])[:80].rstrip("-") + self.suffix


class HasSuffix(Protocol):
    """What a format is chosen by."""

    @property
    def suffix(self) -> str:
        """The ending of its files, with the dot."""


Named = TypeVar("Named", bound=HasSuffix)


def _text(result: VerificationResult) -> str:
    return result_to_text(result) + "\n"


def _json(result: VerificationResult) -> str:
    return json.dumps(result_to_dict(result), ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Format] = {
    made.name: made
    for made in (
        Format("text", ".txt", "text/plain", _text),
        Format("json", ".json", "application/json", _json),
        Format("markdown", ".md", "text/markdown", result_to_markdown),
        Format("html", ".html", "text/html", result_to_html),
        Format("csv", ".csv", "text/csv", result_to_csv),
        Format("claimreview", ".jsonld", "application/ld+json", result_to_claim_review_text),
    )
}
"""Every format by its name."""


def choose_format(name: str | None, out: Path | None) -> Format:
    """Choose the named format, or else by the file's ending; text without either.

    Raises:
        InputError: the ending is unknown, or the file cannot be written there.
    """
    return chosen(FORMATS, name, out)


def chosen(formats: Mapping[str, Named], name: str | None, out: Path | None) -> Named:
    """Choose among `formats`, which include one named text; see `choose_format`."""
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise InputError(f"cannot write {out}: name a file in a folder that exists")
    if name is not None:
        return formats[name]
    if out is None:
        return formats["text"]
    for made in formats.values():
        if out.suffix.lower() == made.suffix:
            return made
    endings = ", ".join(made.suffix for made in formats.values())
    raise InputError(f"the ending of {out} tells no format: use one of {endings}, or name it with --format")


def save(result: VerificationResult, made: Format, out: Path) -> None:
    """Write the result to a file, replacing an existing one.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        out.write_text(made.render(result), encoding="utf-8")
    except OSError as exc:
        raise InputError(f"cannot write {out}: {exc.strerror}; choose another file") from exc
