"""Read the text of a Word document (.docx): a ZIP archive of XML.

Both may be hostile.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from kb.intake.formats.pages import MAX_FILE_BYTES
from verifier.document.schema import DocumentText

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_XML = 40_000_000
"""Most bytes of the main part when unpacked."""
MAX_PARTS = 5_000
MAX_RATIO = 300
"""Unpacked bytes per packed byte at which a large part is a bomb.

Prose packs to a tenth.
"""
_LARGE = 1_000_000
_MAIN = "word/document.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEFT_OUT = {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",  # repeats what stands elsewhere
    f"{_W}del",
    f"{_W}moveFrom",
}
_UNREAD = {
    "word/footnotes.xml": "footnotes",
    "word/endnotes.xml": "endnotes",
    "word/comments.xml": "comments",
}
_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_docx(path: Path) -> DocumentText:
    """Read a document's paragraphs, one per line, and table rows with tabs between cells.

    Raises:
        InputError: it is missing, too large, locked, damaged, no Word document, or made to burst when unpacked.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path.name}: at most {MAX_FILE_BYTES // 1_000_000} MB can be read; split it")
        with zipfile.ZipFile(path) as archive:
            xml = _main_part(archive, path.name)
            unread = [said for part, said in _UNREAD.items() if part in archive.NameToInfo]
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as exc:
        raise InputError(f"{path.name}: the file is damaged ({str(exc)[:100]}); save it again as .docx") from exc
    text = _text(_root(xml, path.name))
    warnings = (f"its {' and '.join(unread)} were not read",) if unread else ()
    return DocumentText(text, path.name, warnings=warnings)


def _main_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack the main part, but never more than is allowed, whatever size the archive states."""
    part = archive.NameToInfo.get(_MAIN)
    if part is None:
        raise InputError(f"{name}: it is no Word document; save the text as .docx, .txt or .pdf")
    if part.flag_bits & 1:
        raise InputError(f"{name}: it is protected by a password; save a copy without one")
    if len(archive.NameToInfo) > MAX_PARTS:
        raise InputError(f"{name}: it holds more than {MAX_PARTS:,} parts, which no text needs; save it again as .docx")
    with archive.open(part) as packed:
        xml = packed.read(MAX_XML + 1)
    if len(xml) > MAX_XML or (len(xml) > _LARGE and len(xml) > MAX_RATIO * max(1, part.compress_size)):
        raise InputError(
            f"{name}: it unpacks to far more than a text needs (over {min(len(xml), MAX_XML) // 1_000_000} MB from "
            f"{part.compress_size:,} bytes) and was not read; paste its text"
        )
    return xml


def _root(xml: bytes, name: str) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as exc:
        raise InputError(f"{name}: the file is damaged ({str(exc)[:100]}); save it again as .docx") from exc
    if root.getroottree().docinfo.internalDTD is not None:
        raise InputError(f"{name}: it declares a document type, which no Word document does; save it again as .docx")
    return root


def _text(root: _Element) -> str:
    """Return the text in reading order, without what is hidden, deleted or moved away."""
    found: list[str] = []
    _walk(root, found, "\n")
    return "".join(found).strip("\n")


def _walk(element: _Element, found: list[str], end: str) -> None:
    """Add the text inside `element`; paragraphs there end with `end`. The parser bounds the depth."""
    for child in element:
        tag = child.tag
        if tag == f"{_W}t":
            found.append(child.text or "")
        elif tag in _SIGNS:
            found.append(_SIGNS[tag])
        elif tag not in _LEFT_OUT and not _hidden(child):
            _walk(child, found, " " if tag == f"{_W}tc" else end)
            found.append({f"{_W}p": end, f"{_W}tc": "\t", f"{_W}tr": "\n"}.get(tag, ""))


def _hidden(element: _Element) -> bool:
    mark = element.find(f"{_W}rPr/{_W}vanish")
    return mark is not None and mark.get(f"{_W}val", "true") not in {"0", "false", "off"}
