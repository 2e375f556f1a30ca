"""Word documents written by hand, sound and hostile."""

from __future__ import annotations

import io
import zipfile
from html import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def paragraph(text: str, properties: str = "") -> str:
    return f'<w:p><w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def table(*rows: tuple[str, ...]) -> str:
    lines = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{line}</w:tr>' for line in lines)}</w:tbl>"


def docx(*body: str, head: str = "", **more: str) -> bytes:
    """A document of these parts of XML; `head` stands before the root, `more` are other files in `word/`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        xml = f'<?xml version="1.0"?>{head}<w:document {W}><w:body>{"".join(body)}</w:body></w:document>'
        archive.writestr("word/document.xml", xml)
        for name, content in more.items():
            archive.writestr(f"word/{name}.xml", content)
    return out.getvalue()


def locked(content: bytes) -> bytes:
    """The same with the flag of a locked part set in the list of the archive."""
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"word/document.xml"))
    return content[: at + 8] + bytes([content[at + 8] | 1]) + content[at + 9 :]
