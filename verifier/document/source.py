"""Read what a person hands over to be checked as a whole.

That is a file, an article's address, or a pasted text.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from errors import InputError
from kb.intake.formats.pages import MAX_FILE_BYTES, markdown_text
from verifier.document.schema import DocumentText, Place
from verifier.search.pages import Page

MAX_TEXT_BYTES = 2_000_000
"""Most bytes of one text, in UTF-8."""
ENDINGS = (".txt", ".md", ".html", ".pdf", ".docx", ".srt", ".vtt")
_OTHER_ENDINGS = {".markdown": ".md", ".htm": ".html", ".xhtml": ".html"}
_BINARY = {
    b"%PDF-": "a PDF: give its name the ending .pdf",
    b"PK\x03\x04": "a ZIP archive, as .docx files are: give its name the ending .docx, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old or a locked Office file: save it as .docx without a password",
    b"{\\rtf": "a rich text file: save it as .docx or .txt",
    b"\x89PNG": "a picture: run it through text recognition (OCR) first",
    b"\xff\xd8\xff": "a picture: run it through text recognition (OCR) first",
    b"GIF8": "a picture: run it through text recognition (OCR) first",
}
"""How files begin that are not text, and what they are."""
_BAD_SHARE = 50
"""One control character in this many is too much for a text."""
_FEW_BAD = 2
_SURROGATES = {code: "\ufffd" for code in range(0xD800, 0xE000)}
_GOES_ON = "abcdefghijklmnopqrstuvwxyz"

Tell = Callable[[int], None]
"""Takes the number of pages read so far."""


def read_pasted(text: str, name: str = "pasted text") -> DocumentText:
    """Take a text as it is.

    Raises:
        InputError: it is empty, has no letters, is too long, or is not text.
    """
    return _checked(DocumentText(text, name))


def read_document(path: Path, tell: Tell = lambda pages: None) -> DocumentText:
    """Read the text of a file; the ending of its name gives its kind.

    Args:
        path: the file.
        tell: called with the number of pages of a PDF read so far, a few times a second.

    Raises:
        InputError: it is missing, of another kind, not what its name says, empty, locked, too large, or without text.
    """
    ending = _OTHER_ENDINGS.get(path.suffix.lower(), path.suffix.lower())
    if ending not in ENDINGS:
        raise InputError(
            f"{path.name}: a text must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; rename or convert it"
        )
    if ending == ".pdf":
        return _checked(_read_pdf(path, tell))
    if ending == ".docx":
        return _checked(_read_docx(path))
    body = _bytes_of(path)
    if ending == ".html":
        return _checked(_read_html(body, path))
    source = _decoded(body, path.name)
    if ending == ".md":
        return _checked(_read_markdown(source, path))
    if ending in {".srt", ".vtt"}:
        from verifier.document.subtitles import read_subtitles

        return _checked(read_subtitles(source, path.name))
    return _checked(DocumentText(source, path.name))


def read_address(url: str, load: Callable[[str, float], Page], seconds: float) -> DocumentText:
    """Read the article at an address.

    `load` fetches and reads a page, with a timeout in seconds.

    Raises:
        FetchError: the page cannot be fetched.
        InputError: it is not an article, or has no text that can be checked.
    """
    page = load(url, seconds)
    if not page.is_article:
        raise InputError(f"{url[:200]} is a front page or a list, not an article: give the address of one article")
    from web.page import MAX_TEXT

    cut = (f"only the first {MAX_TEXT:,} characters of the article were read",) if len(page.text) >= MAX_TEXT else ()
    return _checked(DocumentText(page.text, page.title or page.url, page.url, warnings=cut))


def _checked(document: DocumentText) -> DocumentText:
    """Return the document with line ends as line feeds, or refuse it."""
    text = document.text if document.places else _with_line_feeds(document.text)
    text = text if text.isascii() else text.translate(_SURROGATES)
    name = document.name[:120]
    size = len(text.encode())
    if size > MAX_TEXT_BYTES:
        raise InputError(
            f"{name}: at most {MAX_TEXT_BYTES // 1_000_000} MB of text can be checked at once, this has {size / 1e6:.1f} MB; split it"
        )
    if not text.strip():
        raise InputError(f"{name}: it is empty; give a text with at least one sentence")
    bad = sum(text.count(sign) for sign in map(chr, range(32)) if sign not in "\n\t\f\v") + text.count("\ufffd")
    if bad > _FEW_BAD + len(text) // _BAD_SHARE:
        raise InputError(f"{name}: it is no text (it holds {bad:,} control characters); save it as UTF-8 text")
    if not any(character.isalpha() for character in text):
        raise InputError(f"{name}: there are no letters in it; give a text with at least one sentence")
    return replace(document, text=text)


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _bytes_of(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InputError(
                f"{path.name}: at most {MAX_FILE_BYTES // 1_000_000} MB can be read, this file has {size // 1_000_000} MB; split it"
            )
        body = path.read_bytes()
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    for start, told in _BINARY.items():
        if body.startswith(start):
            raise InputError(f"{path.name}: it is no text, but {told}")
    return body


def _decoded(body: bytes, name: str) -> str:
    """Decode UTF-8, or UTF-16 with its mark.

    Other encodings are not guessed: a wrong guess would garble quotations.
    """
    is_wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_wide and b"\x00" in body:
        raise InputError(f"{name}: it is no text (byte {body.index(0)} is zero); save it as UTF-8 text")
    try:
        return _with_line_feeds(body.decode("utf-16" if is_wide else "utf-8-sig"))
    except UnicodeDecodeError as exc:
        raise InputError(f"{name}: not UTF-8 text (byte {exc.start}); save it as UTF-8") from exc


def _read_html(body: bytes, path: Path) -> DocumentText:
    from web.charset import decode
    from web.extract import extract_page

    page = extract_page(decode(body))
    if page is None:
        raise InputError(
            f"{path.name}: no readable text found in this page; save the article itself, or paste its text into a .txt file"
        )
    return DocumentText(page.text, page.title or path.name, page.url)


def _read_markdown(source: str, path: Path) -> DocumentText:
    """Read the prose, without its marks; a warning names what is not prose."""
    from markdown_it import MarkdownIt

    title, text = markdown_text(source)
    kinds = {token.type for token in MarkdownIt("commonmark").enable("table").parse(source)}
    names = {"tables": {"table_open"}, "code": {"fence", "code_block"}, "HTML": {"html_block"}}
    unread = [name for name, types in names.items() if kinds & types]
    warnings = (f"its {' and '.join(unread)} were not read",) if unread else ()
    return DocumentText(text, title or path.name, warnings=warnings)


def _read_docx(path: Path) -> DocumentText:
    from verifier.document.docx import read_docx

    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise InputError(
            f"{path.name}: it is protected by a password, or an old .doc; save a copy as .docx without one"
        )
    return read_docx(path)


def _read_pdf(path: Path, tell: Tell) -> DocumentText:
    """Read the pages; a sentence that continues on the next page stays one."""
    from kb.intake.formats.pdf import pdf_pages
    from kb.intake.formats.rows import BadRow

    text, places, warnings, title = "", list[Place](), list[str](), path.name
    for page in pdf_pages(path, tell=tell):
        if isinstance(page, BadRow):
            if not places:
                raise InputError(f"{path.name}: {page.reason}")
            warnings.append(f"not all of it was read: {page.reason}")
            continue
        if text:
            text += " " if page.text[:1] in _GOES_ON and text[-1] not in ".!?:" else "\n"
        places.append(Place(len(text), f"page {page.number}"))
        text, title = text + page.text, page.title
        if len(text) > MAX_TEXT_BYTES:
            break
    return DocumentText(text, title, places=tuple(places), warnings=tuple(warnings))
