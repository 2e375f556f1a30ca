"""Decode bytes to text when server, page and bytes may each say something else."""

from __future__ import annotations

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(
    rb"""<(?:meta|\?xml)\s[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE
)
_META_WITHIN = 4_096
_DETECT_WITHIN = 50_000
"""Bytes that the detector reads: it tries dozens of encodings."""
_SINGLE_BYTE = re.compile(r"cp125\d|cp874|cp866|iso8859-\d+|koi8-[ru]|mac-(?:roman|cyrillic)")
_MULTI_BYTE = frozenset(
    {
        "utf-8",
        "utf-16-le",
        "utf-16-be",
        "gb18030",
        "gbk",
        "gb2312",
        "big5",
        "shift_jis",
        "cp932",
        "euc_jp",
        "euc_kr",
        "cp949",
    }
)
_AS_BROWSERS_DO = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "utf-16": "utf-16-le",
}


def decode(body: bytes, charset: str = "") -> str:
    """Return the text of `body`; what cannot be decoded becomes a replacement character.

    A byte order mark decides. Otherwise it is the first of these that can decode the bytes: UTF-8 if they prove it, the
    server's `charset`, the page's own, what a detector finds. Single-byte encodings nearly always decode, so bytes that
    are valid UTF-8 with a character beyond ASCII are UTF-8 whatever is said: other text does not come out so by chance.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, errors="replace")
    declared = [name for name in (_known(charset), _known(_in_page(body))) if name]
    if declared and declared[0] in _MULTI_BYTE - {"utf-8"}:
        candidates = [*declared, "utf-8"]
    else:
        candidates = ["utf-8", *declared]
    for name in dict.fromkeys(candidates):
        try:
            return body.decode(name)
        except UnicodeDecodeError:
            continue
    if "utf-8" in declared and body.decode("utf-8", errors="replace").count("\ufffd") <= len(body) // 1_000:
        return body.decode("utf-8", errors="replace")  # a page cut in the middle of a letter, or one bad byte
    return body.decode(_detected(body), errors="replace")


def _known(name: str) -> str:
    """Return Python's name of a text encoding that browsers know too, or "".

    Python's own codecs, such as unicode_escape, do not count.
    """
    try:
        found = codecs.lookup(name.strip().lower()).name if name.isascii() else ""
    except (LookupError, ValueError):
        return ""
    found = _AS_BROWSERS_DO.get(found, found)
    return found if found in _MULTI_BYTE or _SINGLE_BYTE.fullmatch(found) else ""


def _in_page(body: bytes) -> str:
    found = _META.search(body[:_META_WITHIN])
    return found.group(1).decode("ascii", errors="replace") if found else ""


def _detected(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:_DETECT_WITHIN], steps=5, chunk_size=512).best()
    return (_known(best.encoding) if best else "") or "cp1252"
