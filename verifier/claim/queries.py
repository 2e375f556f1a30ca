"""Make the 2 to 4 queries for a claim.

They range from the claim itself to the frames of a fact-check and of a debunking. A stranger typed the claim, so
nothing in it may act as an operator of a search engine: a claim cannot decide which site is asked or what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.claim.english import english_words
from verifier.text.language import InEnglish
from verifier.text.names import without_possessive

MAX_QUERIES, MAX_WORDS, MAX_CHARACTERS = 4, 12, 300
_FRAME_WORDS, _PHRASE_WORDS, _WORD_CHARACTERS = 10, 8, 60
_QUOTED = re.compile(r"[\u201c\"\u00ab]([^\u201d\"\u00bb]{3,120})[\u201d\"\u00bb]")
_ADDRESS = re.compile(r"(?<!\w)(?:https?://|www\.)\S+", re.IGNORECASE)
_REPLY = re.compile(r"^(?:\s*@\w{1,50}(?=\s))+")
_EMPTY_TAGS = frozenset(
    "breaking breakingnews news newsflash viral fyp foryou foryoupage trending wow omg lol smh fact facts factcheck truth wakeup wakeuppeople share rt retweet "
    "follow followme like instagood explore update latest thread mustread mustwatch politics video reels".split()
)
"""Tags that say nothing about the topic of a post."""
_TAIL = re.compile(r"(?:(?<=[.!?\u2026\u201d\"])|(?<=\w)(?=(?:\s+[#@]\w{1,50}){2}))(?:\s+[#@]\w{1,50})+\s*$")
_DECORATION = re.compile(
    r"(?<!\w)(?:@|#(?!\d+\b))(\w+)|(?:[\U0001f000-\U0001faff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff][\U000e0020-\U000e007f\u200d]*)|[\ufe0f\u20e3]"
)
_FIELD = re.compile(r"(?<![\w.])([^\W\d_]{2,20}):(?=\S)")
_BOOLEAN = re.compile(r"\b(?:OR|AND|NOT|NEAR)\b")
_MINUS = re.compile(r"(?<![\w)])-(?=\d)")
_SIGN = re.compile(r"(?<![\w)'\u2019])[-+!~^:<>/=&;,.]+(?=[\w\"])")
_NEVER = str.maketrans(dict.fromkeys("\\|*[]{}<>^~`", " "))
_KEYWORD = re.compile(r"(?:[$\u20ac\u00a3]|\u2212(?=\d))?\w(?:[\w'\u2019.,:%-]*\w)?%?")
_SMALL_WORDS = frozenset(
    "the a an this that these those it its he she they we i you his her their our my in on at by for from to of with as and or but so if than "
    "then there here is are was were be been being has have had do does did no not never can could may might must shall should will would very much "
    "more most also just only about over under after before when while which who whom whose what where how why because into onto out up down cannot".split()
)
_DENIAL = re.compile(r"n['\u2019]t$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Words that stay together: a name, a quotation, or one word.

    `telling`: a name, a figure or a quotation.
    """

    words: tuple[str, ...]
    telling: bool


def cleaned(claim: str) -> str:
    """Remove what a search does not need from a claim.

    That is emojis, addresses, @ and # signs, addressees, a tail of tags, and operators. "@a @b It opened. #Velm
    #breaking" -> "It opened. Velm"; if nothing would be left, the words of the tags stay.
    """
    bare = _TAIL.sub(_essential, _REPLY.sub("", _ADDRESS.sub(" ", claim)))
    text = bare if len(re.findall(r"\w+", bare)) > 1 else claim
    text = _DECORATION.sub(lambda match: match[1] or " ", text).translate(_NEVER)
    text = _BOOLEAN.sub(lambda match: match[0].lower(), _FIELD.sub(r"\1 ", text))
    text = _SIGN.sub("", _MINUS.sub("\u2212", text))
    if text.count('"') % 2:
        text = text.replace('"', " ")
    return " ".join(text.split())


def _essential(tail: re.Match[str]) -> str:
    """Keep those tags after a claim that may say what it is about.

    Addressees say nothing.
    """
    return " ".join(["", *(tag for tag in tail[0].split() if tag[0] == "#" and tag[1:].lower() not in _EMPTY_TAGS)])


def queries_for(
    plain: str, statement: str, names: Sequence[str], figures: Sequence[str], english: InEnglish
) -> tuple[str, ...]:
    """Make the queries for a cleaned claim.

    They are the claim itself, key phrases, and the frames of a fact-check and of a debunking. No two have the same
    words; a quotation counts as one word. Each has at most 300 characters, and all but the claim at most 12 words
    besides those of the frame. For a claim not in English, one has its names and figures in English.
    """
    quotations = _QUOTED.findall(statement)
    units = _units(statement, [*quotations, *names], figures)
    frame = " ".join(_selected(units, _FRAME_WORDS)) or plain
    abroad = " ".join(english_words(plain)) if english is not InEnglish.YES else ""
    first = _with_something_telling(plain, [*names, *figures])
    phrases = _phrases(units, quotations or [name for name in names if " " in name][:1])
    if english is InEnglish.NO and abroad:
        wanted = [first, abroad, phrases, f"fact check {abroad}", f"{abroad} false or true"]
    else:
        wanted = [first, phrases, f"fact check {frame}", abroad, f"{frame} false or true"]
    return tuple(_distinct(_cut(query) for query in wanted if query.strip()))[:MAX_QUERIES]


def _phrases(units: Sequence[_Unit], exact: Sequence[str]) -> str:
    """Take quotations or a name word for word, then telling words, then others.

    Words are added while there is room.
    """
    quoted: list[str] = []
    left = _PHRASE_WORDS
    for phrase in exact:
        words = phrase.split()[:_PHRASE_WORDS]
        if words and len(words) <= left:
            quoted.append(" ".join(words))
            left -= len(words)
    told = {without_possessive(word) for phrase in exact[: max(len(quoted), 1)] for word in _keywords(phrase)}
    rest = [
        _Unit(tuple(word for word in unit.words if without_possessive(word) not in told), unit.telling)
        for unit in units
    ]
    more = _selected([unit for unit in rest if unit.words], MAX_WORDS - sum(len(phrase.split()) for phrase in quoted))
    return " ".join([*(f'"{phrase}"' for phrase in quoted), *more])


def _units(text: str, together: Sequence[str], figures: Sequence[str]) -> list[_Unit]:
    """List the words of a text that carry meaning, each once.

    Those of a name or a quotation stay together.
    """
    spans = [(at, at + len(phrase)) for phrase in together if (at := text.find(phrase)) >= 0]
    in_figures = {word for shown in figures for word in _KEYWORD.findall(shown) if _carries(word) or word == "May"}
    units: list[_Unit] = []
    seen: set[str] = set()
    last: tuple[int, int] | None = None
    for match in _KEYWORD.finditer(text):
        word = match[0]
        if word in seen or not (_carries(word) or word in in_figures):
            continue
        seen.add(word)
        span = next((span for span in spans if span[0] <= match.start() < span[1]), None)
        if span and span == last:
            units[-1] = _Unit((*units[-1].words, word), True)
        else:
            units.append(_Unit((word,), bool(span) or word in in_figures or any(sign.isdigit() for sign in word)))
        last = span
    return units


def _selected(units: Sequence[_Unit], room: int) -> list[str]:
    """Choose words while there is room, telling ones first, without cutting a name.

    They keep the order of the text.
    """
    chosen: set[int] = set()
    for telling in (True, False):
        for i, unit in enumerate(units):
            if unit.telling is telling and len(unit.words) <= room:
                chosen.add(i)
                room -= len(unit.words)
    return [word for i in sorted(chosen) for word in units[i].words]


def _keywords(text: str) -> list[str]:
    return [word for word in _KEYWORD.findall(text) if _carries(word)]


def _carries(word: str) -> bool:
    """Return whether a word may be searched for.

    Small words, denials and endless strings may not.
    """
    return word.lower() not in _SMALL_WORDS and not _DENIAL.search(word) and len(word) <= _WORD_CHARACTERS


def _with_something_telling(text: str, telling: Sequence[str]) -> str:
    """Cut the text to the length of a query.

    Append a name or figure if only the part cut off has one.
    """
    kept = _cut(text)
    if any(word in kept for word in telling) or not telling or len(telling[0]) > _WORD_CHARACTERS:
        return kept
    return f"{_cut(text, MAX_CHARACTERS - len(telling[0]) - 1)} {telling[0]}"


def _cut(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Cut the text at the last space within the limit, leaving no quotation open."""
    if len(text) <= limit:
        return text
    space = text.rfind(" ", 0, limit + 1)
    kept = text[: space if space > 0 else limit].rstrip()
    return kept.replace('"', "") if kept.count('"') % 2 else kept


def _distinct(queries: Iterable[str]) -> list[str]:
    """Drop queries that have the words of an earlier one.

    A phrase in quotation marks counts as one word.
    """
    kept: dict[frozenset[str], str] = {}
    for query in queries:
        phrases = re.findall(r'"[^"]*"', query.lower())
        words = re.findall(r"\w+", re.sub(r'"[^"]*"', " ", query.lower()))
        kept.setdefault(frozenset([*phrases, *words]), query)
    return list(kept.values())
