"""Read articles from the ZIM files of Kiwix, through libzim, shaped like other packs.

libzim is under the GPL, so it is not part of this program: users install it themselves, and only this module loads it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from errors import InputError
from kb.intake.formats.articles import Article, article_of
from kb.intake.formats.rows import BadRow

if TYPE_CHECKING:
    from lxml.html import HtmlElement

SUFFIX = ".zim"
_HTML_BYTES = 2_000_000
"""Bytes of one article; a longer one is cut there."""
_DROPPED = (
    "//table | //style | //script | //figure | //nav | //aside | //math | //noscript | //template | //*[@hidden] | "
    "//*[@aria-hidden='true'] | //*[contains(translate(@style, ' ', ''), 'display:none')] | "
    "//sup[contains(@class, 'reference') or .//a[contains(@href, '#cite')]]"
)
"""What readers do not see, or do not take for an article's text."""
_RAISED = str.maketrans(
    "0123456789+-\u2212", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b"
)
_WIKI = re.compile(
    r"(wikipedia|wikivoyage|wikibooks|wikinews|wikiquote|wikisource|wikiversity|wiktionary)_([a-z-]{2,12})(?:_|$)"
)
"""How Kiwix names a file: the project and the language of a wiki."""


def count_zim(path: Path) -> int:
    """Count the articles of a file, and verify its checksum.

    Raises:
        InputError: libzim is not installed, it is no ZIM file, is cut short or damaged, or does not say where it is from.
    """
    archive = _opened(path)
    _base(path, archive)
    try:
        if archive.has_checksum and not archive.check():
            raise InputError(f"{path.name}: damaged, for its checksum is another; fetch it again")
        return len(_articles(archive))
    except RuntimeError as exc:
        raise _damaged(path, exc) from exc


def read_zim(path: Path, after: int, most: int) -> Iterator[Article | BadRow]:
    """Yield the articles of a file in address order, after the first `after`.

    Args:
        path: the file.
        after: how many are left out.
        most: characters of each that are wanted.

    Raises:
        InputError: as `count_zim`.
    """
    archive = _opened(path)
    base = _base(path, archive)
    try:
        for row, number in enumerate(_articles(archive), start=1):
            if row > after:
                entry = archive._get_entry_by_id(number)
                url = base + quote(entry.path.removeprefix("A/"), safe="/:(),!*@~;'")
                text = text_of(bytes(entry.get_item().content[:_HTML_BYTES]))
                yield article_of(row, {"url": url, "title": entry.title, "text": text}, most)
    except RuntimeError as exc:
        raise _damaged(path, exc) from exc


def text_of(html: bytes) -> str:
    """Write an article's paragraphs and headings as lines.

    Tables, notes and hidden elements are left out.
    """
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    parser = HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        tree = document_fromstring(html, parser=parser)
    except (etree.LxmlError, ValueError):  # nothing in it
        return ""
    for element in tree.xpath(_DROPPED):
        if element.getparent() is not None:
            element.drop_tree()
    for raised in tree.iter("sup"):  # "10<sup>6</sup>" is not 106
        raised.text = (raised.text or "").translate(_RAISED)
    return "\n".join(filter(None, map(_line, tree.iter("p", "h2", "h3", "h4", "h5"))))


def _line(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def _opened(path: Path) -> Any:  # noqa: ANN401
    try:
        from libzim.reader import Archive
    except ImportError as exc:
        raise InputError(f"{path.name}: to read ZIM files, first: pip install libzim (GPL-3.0)") from exc
    try:
        return Archive(path)
    except RuntimeError as exc:
        raise _damaged(path, exc) from exc


def _damaged(path: Path, exc: RuntimeError) -> InputError:
    return InputError(
        f"{path.name}: cannot be read as ZIM ({' '.join(str(exc).split())[:200]}); it may be cut short: fetch it again"
    )


def _articles(archive: Any) -> array[int]:  # noqa: ANN401
    """Return the numbers of the entries that are articles: pages that are no redirects."""
    found = array("I")
    for number in range(archive.all_entry_count):
        entry = archive._get_entry_by_id(number)
        if not entry.is_redirect and entry.get_item().mimetype.startswith("text/html"):
            found.append(number)
    return found


def _base(path: Path, archive: Any) -> str:  # noqa: ANN401
    """Return the address that a file's paths belong to: its source's or its wiki's."""
    said = {
        key: archive.get_metadata(key).decode(errors="replace").strip()
        for key in ("Source", "Name")
        if key in archive.metadata_keys
    }
    source, wiki = said.get("Source", ""), _WIKI.match(said.get("Name", ""))
    if not source and wiki:
        source = f"{wiki[2]}.{wiki[1]}.org"
    try:
        host = urlsplit(source if "://" in source else f"https://{source}").hostname or ""
    except ValueError:
        host = ""
    if not re.fullmatch(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", host):
        raise InputError(f"{path.name}: it does not say which site it is from, so that its articles have no address")
    return f"https://{host}/{'wiki/' if 'wik' in host else ''}"
