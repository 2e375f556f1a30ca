"""Read XML from the web safely.

It may declare no entities, none are expanded, and a broken document is read as far as it goes.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from errors import FetchError, FetchFailure
from web.charset import decode

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]{1,30};")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,500}\?>")
_DECLARES = re.compile(r"<!ENTITY|<!ATTLIST|<!ELEMENT", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[[^\]]{0,5000}\]\s*)?>", re.IGNORECASE)


def parse_xml(body: bytes, charset: str = "") -> _Element | None:
    """Return the root of a document, or None if there is none.

    Nothing is loaded, and elements deeper than 256 levels are lost. The bytes are decoded first, so that no encoding
    can hide a declaration. HTML's named entities, which many feeds hold, become their characters.

    Raises:
        FetchError: it declares entities, as bombs and file thefts do and no feed needs (UNREADABLE).
    """
    from lxml import etree

    text = decode(body, charset).lstrip("\ufeff \t\r\n").replace("\x00", "")
    if _DECLARES.search(text):
        raise FetchError(
            "the XML cannot be read: it declares entities, which no feed or sitemap needs; give another one",
            FetchFailure.UNREADABLE,
        )
    text = _DOCTYPE.sub("", _DECLARATION.sub("", text), count=1).lstrip()
    text = _NAMED.sub(lambda found: html.unescape(found.group()), text)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        return etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError:
        return None
