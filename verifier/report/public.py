"""Make messages safe to show strangers: what went wrong, without paths of this server."""

from __future__ import annotations

import re

PLACE = "(a path on the server)"
_URL = re.compile(r"https?://[^\s'\"<>]+", re.IGNORECASE)
_END = r"[^\s/\\:;,'\"()]*"
_FOLDER = r"[^/\\:;,'\"()\n]+"  # with spaces in it, as long as a slash follows
_PATHS = (
    re.compile(r"(['\"])(?:~?/|[A-Za-z]:\\|\\\\)[^'\"\n]*\1"),
    re.compile(rf"(?<!\w)(?:[A-Za-z]:\\|\\\\)(?:{_FOLDER}\\)*{_END}"),
    re.compile(rf"(?<![\w/.])(?:file://)?~?/(?:{_FOLDER}/)*{_END}(?<!/)"),
)


def public(text: str) -> str:
    """Remove absolute file paths from a text, rather too much than too little.

    Web addresses stay.
    """
    kept: list[str] = []
    start = 0
    for url in _URL.finditer(text):
        kept += [_without_paths(text[start : url.start()]), url[0]]
        start = url.end()
    return "".join([*kept, _without_paths(text[start:])])


def _without_paths(text: str) -> str:
    for pattern in _PATHS:
        text = pattern.sub(PLACE, text)
    return text
