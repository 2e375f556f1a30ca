"""Messages as strangers may read them: what went wrong, without where on this server its files lie."""

from __future__ import annotations

import re

_PLACE = "(a path on the server)"
_POSIX = re.compile(r"(?<![\w:/.~\u2026-])(?:file://)?~?/(?!/)(?:[^\s/:;,'\"()]+/)*[^\s/:;,'\"()]+/?")
_WINDOWS = re.compile(r"(?<![\w])(?:[A-Za-z]:\\|\\\\)[^\s:;,'\"()]+")
_QUOTED = re.compile(r"(['\"])(?:~?/|[A-Za-z]:\\|\\\\)[^'\"\n]*\1")


def public(text: str) -> str:
    """`text` with absolute paths of files taken out; web addresses stay as they are."""
    for pattern in (_QUOTED, _WINDOWS, _POSIX):
        text = pattern.sub(_PLACE, text)
    return text
