"""Write the changes of watched claims as an Atom feed (RFC 4287), newest first."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from verifier.history.watched import NO_GRADE, Feed, Standing, Turn
from verifier.report.markup import judged_in_words, visible

NAMESPACE = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"
MOST_ENTRIES = 100
PLACE = "watch.atom"
"""Where the app serves it, relative to its own address."""
_NO_CHARACTER = re.compile("[\ufffe\uffff]")
"""Characters that XML 1.0 forbids and `visible` keeps."""
_CLAIM = 200
"""Characters of a claim in a title."""


def atom_feed(feed: Feed, home: str) -> bytes:
    """Write the feed, in UTF-8.

    Args:
        feed: the changes, newest first.
        home: the app's address, ending in a slash, for the links.
    """
    root = Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    _text(root, "id", feed.id)
    _text(root, "title", "Changed verdicts of watched claims")
    _text(root, "updated", _moment(max((turn.at for turn in feed.turns), default=feed.since)))
    _text(SubElement(root, "author"), "name", "Claim verifier")
    _text(root, "generator", "Claim verifier")
    SubElement(root, "link", {"rel": "self", "type": MEDIA_TYPE, "href": home + PLACE})
    SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": home})
    for turn in feed.turns:
        _entry(root, turn, home)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def turned_in_words(turn: Turn) -> str:
    """Describe a change in one line: "True, 93% (high), before: Not Enough Evidence, left open"."""
    return f"{_said(turn.after)}, before: {_said(turn.before)}"


def _said(standing: Standing) -> str:
    grade = "" if standing.grade in {"", NO_GRADE} else f", grade {standing.grade}"
    return judged_in_words(standing.verdict, standing.confidence, standing.tier) + grade


def _entry(root: Element, turn: Turn, home: str) -> None:
    """Write a change. Its id is the check's, which is unique across changes and lists."""
    entry = SubElement(root, "entry")
    claim = turn.claim if len(turn.claim) <= _CLAIM else f"{turn.claim[:_CLAIM]}\u2026"
    _text(entry, "id", f"urn:uuid:{turn.session}")
    _text(entry, "title", f"{turn.after.verdict}: {claim}")
    _text(entry, "updated", _moment(turn.at))
    _text(entry, "published", _moment(turn.at))
    SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{home}?check={quote(turn.session)}"})
    _text(entry, "summary", turned_in_words(turn))
    _text(entry, "content", f"<pre>{escape(visible(turn.told))}</pre>", "html")


def _text(parent: Element, name: str, text: str, kind: str = "") -> None:
    SubElement(parent, name, {"type": kind} if kind else {}).text = _NO_CHARACTER.sub("", visible(text))


def _moment(moment: datetime) -> str:
    """Write a time in RFC 3339 form."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
