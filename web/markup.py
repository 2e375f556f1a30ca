"""Turn HTML into a tree that is safe to read.

It is bounded in size and depth, without scripts, and without text that no reader sees.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from web.words import one_line, visible_markup

if TYPE_CHECKING:
    from lxml.etree import _Element
    from lxml.html import HtmlElement

MAX_HTML = 5_000_000
"""Characters of HTML that are read; the rest of a longer page is ignored."""
MAX_ELEMENTS = 15_000
"""Elements kept, the first ones: several times those of a news page. Extraction takes time for each."""

_NOT_TEXT = (
    "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "canvas", "video", "audio", "select", "textarea", "frame",
)  # fmt: skip
_HIDDEN_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0*\.?0+(?:%|;|$)|font-size:0*\.?0+(?:[a-z%]|;|$)|font-size:[01]px"
    r"|(?:max-)?(?:height|width):0(?:px|em|rem|%)?(?:;|$)|color:transparent|text-indent:-\d{3,}|(?:left|top|right|bottom):-\d{3,}"
    r"|clip:rect\((?:0|1)(?:px)?[, ]|clip-path:inset\((?:50|100)%|transform:scale\(0\)|mso-hide:all)"
)
_HIDDEN_CLASS = re.compile(r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|offscreen|assistive-text)(?:\s|$)")
_COLOUR = re.compile(r"(?:^|;)color:([^;]{1,40})")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;]{1,40})")
_WHITE = frozenset({"white", "#fff", "#ffffff", "rgb(255,255,255)", "#fefefe", "snow", "ivory"})
_MAX_STYLE = 2_000
_UNSEEN = "x-unseen"


def parse_html(html: str) -> HtmlElement | None:
    """Return the tree of a page, or None if there is no markup.

    The parser loads nothing and stops at 256 levels.
    """
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    parser = HTMLParser(
        huge_tree=False, no_network=True, remove_comments=True, remove_pis=True, collect_ids=False, encoding="utf-8"
    )
    try:
        text = visible_markup(html[:MAX_HTML])
        return document_fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except (LxmlError, AssertionError, ValueError):  # lxml asserts that a document has a root
        return None


def keep_first(root: _Element, count: int) -> None:
    """Cut a tree's elements after the first `count`, with the text that follows them."""
    beyond = next(islice(root.iter("*"), count, None), None)
    keep = False  # the first one beyond goes itself; of its ancestors only what follows them goes
    while beyond is not None and (parent := beyond.getparent()) is not None:
        del parent[parent.index(beyond) + keep :]
        beyond, keep = parent, True


def drop_unseen(tree: HtmlElement) -> None:
    """Remove what is not shown: scripts, hidden text, and all beyond MAX_ELEMENTS.

    Hidden text is what the page's author says to machines and not to readers, so it is no evidence of anything. It is
    found by attributes; what a style sheet hides is not known here.
    """
    from lxml.etree import strip_elements

    strip_elements(tree, *_NOT_TEXT, with_tail=False)
    keep_first(tree, MAX_ELEMENTS)
    behind: dict[HtmlElement | None, str] = {None: "white"}  # the background of each element; parents come first
    for element in list(tree.iter("*")):
        style = _style(element)
        found = _BACKGROUND.search(style)
        behind[element] = found.group(1) if found else behind[element.getparent()]
        if element.tag not in {"html", "head", "body"} and _is_hidden(element, style, behind[element]):
            element.tag = _UNSEEN
    strip_elements(tree, _UNSEEN, with_tail=False)


def text_of(snippet: str, limit: int) -> str:
    """Return the visible words of an HTML snippet in one line.

    The line has at most `limit` characters.
    """
    snippet = snippet[: 20 * limit]
    if "<" not in snippet and "&" not in snippet:
        return one_line(snippet, limit)
    tree = parse_html(f"<div>{snippet}</div>")
    if tree is None:
        return ""
    drop_unseen(tree)
    return one_line(" ".join(tree.itertext()), limit)


def _is_hidden(element: HtmlElement, style: str, background: str) -> bool:
    """Return whether the element's attributes hide it, or colour its text like its background."""
    if element.get("hidden") is not None or (element.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    if _HIDDEN_CLASS.search((element.get("class") or "")[:_MAX_STYLE].lower()):
        return True
    colour = _COLOUR.search(style)
    return bool(_HIDDEN_STYLE.search(style)) or (colour is not None and _same_colour(colour.group(1), background))


def _style(element: HtmlElement) -> str:
    """Return the style attribute in lower case, without blanks, comments and escapes."""
    style = element.get("style") or ""
    if element.get("bgcolor"):
        style = f"background:{element.get('bgcolor')};{style}"
    if not style:
        return ""
    plain = re.sub(r"/\*.{0,500}?\*/|\s+|!important", "", style[:_MAX_STYLE].lower())
    return re.sub(r"\\0{0,4}([2-7][0-9a-f])", lambda found: chr(int(found.group(1), 16)), plain)


def _same_colour(one: str, other: str) -> bool:
    return one == other or (one in _WHITE and other in _WHITE)
