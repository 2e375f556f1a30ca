"""Find the figures in a text, each with what it counts.

A figure is a year, a day, a share, an amount of money, or a number with its noun or unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from verifier.text.number_words import NUMBER, PART, PARTS, SCALE, SCALES, read_number
from verifier.text.rates import speed_of

_MONTHS = "january february march april may june july august september october november december".split()
_SHARE_OF = re.compile(
    rf"\b(?:(?P<many>an?|one|two|three|four|nine)[ -](?P<part>{PART})s?|(?P<half>half))(?= of (?!an? (?:{SCALE}|century|hour|minute|mile|year|day)\b))",
    re.IGNORECASE,
)
"""A part of something, in words: "a third of the voters", "half of it"."""
_ORDINAL = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_MONTH = "|".join(f"{month[:3]}(?:{'t?' if month[0] == 's' else ''}|{month[3:]})" for month in _MONTHS)
_DAY = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?!(?-i:may|march)\b)(?P<m1>{_MONTH})|"
    rf"(?!(?-i:may|march)\b)(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))\b",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(rf"\b(?:{'|'.join(m.capitalize() for m in _MONTHS)})\b")
_MAY_IS_A_MONTH = re.compile(
    r"\b(?:in|since|until|till|by|from|of|last|next|this|early|late|mid|during|before|after|between|through|and|to)[ -]$",
    re.IGNORECASE,
)
_PLAIN_SPACE = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))
_BLANK, _GAP = "/", ";"
_DIGITS = r"(?>\d{1,3}(?:(?:,\d{3}){1,6}|(?: \d{3}){1,6})(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?![.,:]?\d)"
_ENDS_THE_NOUN = (
    "and|or|but|to|of|in|at|on|for|by|as|than|with|from|into|per|is|are|was|were|be|been|being|has|have|had|will|would|can|could|may|might|do|does|did|"
    "not|who|which|that|this|these|those|the|a|an|its?|their|his|her|they|he|she|we|if|when|while|where|after|before|since|until|during|because|about|"
    "over|under|above|below|beneath|beyond|within|inside|outside|through|between|across|there|so|then"
)
_FIGURE = re.compile(
    rf"(?P<money>[$\u20ac\u00a3\u00a5]\s?)?(?P<sign>(?<!\w)[-\u2212\u2013]|\bminus )?(?<![\w.,:])(?:(?<![a-z]-)|(?<=\bmid-)|(?<=\bpre-)|(?<=\bpost-))"
    rf"(?P<number>{_DIGITS}|\b{NUMBER}\b(?!-(?:{_ORDINAL})\b))"
    rf"(?P<half> and a half\b)?(?:(?P<rank>st|nd|rd|th)|(?P<decade>s)|[ -]?(?P<scale>{SCALE}|bn|m|(?-i:k))\b(?! (?:high|long|wide|tall|deep)))?"
    rf"(?:(?<=hundred)(?:(?: and | )(?P<more>{NUMBER}|one)\b(?!-|[ -](?:dozen|hundred)))?(?:[ -](?P<again>thousand|[mbt]r?illion)\b)?)?"
    rf"(?P<unit>(?:kms?|kg|cm|mm|\s?\u00b0\s?[cf]|(?-i:[CF]))\b)?(?!\w|\s?[ap]\.?m\b)(?P<share>\s?%|[\s-]?per ?cent\b(?! points?))?"
    rf"(?P<after>(?:[ -](?!(?:{_ENDS_THE_NOUN})\b)[^\W\d_]+){{0,3}})",
    re.IGNORECASE,
)
_CURRENCY = re.compile(
    r"^[ -]?(?:(?:us|american|canadian|australian) )?(?:dollars?|euros?|pounds?|crowns?|francs?|yen|rupees?|pesos?|lira|krone[rn]?)\b",
    re.IGNORECASE,
)
_SIGNS = {"$": "dollar", "\u20ac": "euro", "\u00a3": "pound", "\u00a5": "yen"}
_BEFORE = 40
"""Characters read before a figure for words that limit it: bounded, so that long texts take linear time."""
_MORE = re.compile(
    r"\b(?:(?<!no )(?<!not )more than|over|at least|above|exceed\w*|upwards of|no[t ]? ?(?:fewer|less) than)\s*$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:(?<!no )(?<!not )(?:less|fewer) than|under|below|at most|not? more than)\s*$",
    re.IGNORECASE,
)
_ROUGH = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|approximately|close to|just (?:over|under))\s*$", re.IGNORECASE
)
_RANGE = re.compile(r"\s?[-\u2013\u2014]\s?| to ")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_YEAR_FOLLOWS = re.compile(
    rf"(?:\b(?:in|since|until|during|before|after|year|late|early|{'|'.join(_MONTHS)})|{_BLANK},?)\s*$", re.IGNORECASE
)
_MAY_PRECEDE_A_YEAR = re.compile(
    r"\b(?:by|from|of|to|and|the|an?|this|that|its|his|her|their|\w+['\u2019]s?)\s+$", re.IGNORECASE
)
_MODERN = "1900"
"""From this year on, a number after "of" or "the" is read as a year, not as a count."""
_WORD = re.compile(r"[^\W\d_]+")
_UNITS = {
    "km": "kilometre", "kms": "kilometre", "kilometer": "kilometre", "m": "metre", "meter": "metre", "cm": "centimetre", "mm": "millimetre",
    "kg": "kilogram", "kilo": "kilogram", "ton": "tonne", "hr": "hour", "min": "minute", "yr": "year", "people": "person", "inhabitant": "person",
    "resident": "person", "pupil": "student", "children": "child", "men": "man", "women": "woman", "lives": "life", "c": "celsius", "f": "fahrenheit",
}  # fmt: skip
_PLURAL = re.compile(
    r"[a-z]*(?:[^\Wsu]s|people|men|women|children|staff|crew|police|kms?|kg|c?m|metre|meter|kilomet\w+)"
)
_ENDING = re.compile(r"(?:ies|ie|(?<=[^aeiou])y|es|e|(?<![su])s)$")
_DIFFERENCE = re.compile(
    r"\b(?:more|less|fewer|ago|later|earlier|sooner|quicker|faster|slower|higher|lower|longer|shorter|older|younger|bigger|smaller|taller|cheaper)\b"
)
_SAYS_NOTHING = frozenset(
    "more fewer less other new old big large small further additional extra different total separate young local".split()
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in a text: its kind and its value.

    The kind is "year", "decade", "day", "month", "share", "money", "rank" or "count". `nouns` are the stems of what is
    counted or ranked; for money, its currency. `bound` is +1 for "more than" and the lower end of a range, -1 for
    "less than" and the upper end, 0 otherwise. `difference`: it says by how much ("ten minutes quicker"). `span` is its
    place in the text.
    """

    kind: str
    value: float
    shown: str
    nouns: frozenset[str] = frozenset()
    bound: int = 0
    rough: bool = False
    difference: bool = False
    span: tuple[int, int] = field(default=(0, 0), compare=False)


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text.

    Days come first, then months, shares in words, and the rest, each in reading order.
    """
    text = text.translate(_PLAIN_SPACE)
    for match in _DAY.finditer(text):
        month, day = (match["m1"] or match["m2"])[:3].lower(), int(match["d1"] or match["d2"])
        number = next(i for i, name in enumerate(_MONTHS) if name.startswith(month))
        yield Figure("day", number * 100 + day, match[0], span=match.span())
    rest = _DAY.sub(lambda match: _BLANK * len(match[0]), text)
    for match in _MONTH_ONLY.finditer(rest):
        if match[0] != "May" or _may_is_a_month(rest, match.start(), match.end()):
            yield Figure("month", float(_MONTHS.index(match[0].lower())), match[0], span=match.span())
    for match in _SHARE_OF.finditer(rest):
        yield _share(match, rest)
    rest = _SHARE_OF.sub(lambda match: _GAP * len(match[0]), rest)
    matches = list(_FIGURE.finditer(rest))
    plain = [_figure(match, rest) for match in matches]
    position = 0
    while position < len(matches):
        pair = slice(position, position + 2)
        ends = _is_range(matches[pair], rest) and _ends(plain[pair], matches[pair])
        yield from ends or plain[position : position + 1]
        position += len(ends or ()) or 1


def _may_is_a_month(text: str, start: int, end: int) -> bool:
    """Return whether "May" is a month, not a name or a verb.

    Examples: "in May", "May 2019", not "Theresa May".
    """
    return bool(_MAY_IS_A_MONTH.search(text[max(0, start - 10) : start]) or re.match(r",? \d", text[end : end + 3]))


def _is_range(matches: Sequence[re.Match[str]], text: str) -> bool:
    """Return whether two figures are the ends of a range.

    Examples: "10-20", "10 to 20", "between 10 and 20".
    """
    if len(matches) < 2:
        return False
    joint = text[matches[0].end() : matches[1].start()]
    if not (joint == " and " or _RANGE.fullmatch(joint)):
        return False
    before = _before(matches[0], text).lower().rstrip()
    return before.endswith("between") if joint == " and " else not before.endswith("from")


def _ends(figures: Sequence[Figure], matches: Sequence[re.Match[str]]) -> tuple[Figure, ...]:
    """Make the ends of a range, with the same noun and scale ("$5-10 million").

    There is none if that is impossible.
    """
    (low, high), scale = figures, _scale(matches[1])
    kind = "money" if (low.kind, high.kind) == ("money", "count") and not high.nouns else high.kind
    if (
        kind not in {"count", "money", "share"}
        or low.kind not in {"count", "year", kind}
        or (low.nouns and kind != "money")
    ):
        return ()
    value = low.value if matches[0]["scale"] or low.value >= high.value / scale else low.value * scale
    if value >= high.value:
        return ()
    nouns = high.nouns or low.nouns
    return replace(low, kind=kind, value=value, nouns=nouns, bound=1), replace(high, kind=kind, nouns=nouns, bound=-1)


def _figure(match: re.Match[str], text: str) -> Figure:
    before, after = _before(match, text), (match["unit"] or "") + match["after"]
    kind = _kind(match, before, after)
    nouns = _currency(match) if kind == "money" else frozenset[str]()
    if kind in {"count", "rank"}:
        nouns = _nouns("metre" if _is_metres(match) else after)
    words, core = match[0].split(), match[0][: match.start("after") - match.start()].split()
    shown = " ".join(words[: max(3, len(core) + (2 if _CURRENCY.match(after) else 1))])
    hedge = before if _WORD.search(before) else ""  # between bare numbers there is no hedge
    bound = 1 if _MORE.search(hedge) else -1 if _LESS.search(hedge) else 0
    if kind == "year":
        shown = match["number"]
    speed = speed_of(nouns, text[match.end() : match.end() + _BEFORE])
    if speed:
        nouns, shown = speed[0], shown + speed[2]
    return Figure(
        kind,
        _value(match) * (speed[1] if speed else 1.0),
        shown,
        nouns,
        bound,
        bool(_ROUGH.search(hedge)),
        bool(_DIFFERENCE.search(after.lower())),
        (match.start(), match.start("after")),
    )


def _share(match: re.Match[str], text: str) -> Figure:
    """Read a part of something as a share.

    "two thirds of" is 66.7%, a rounded figure.
    """
    part = PARTS[(match["part"] or match["half"]).lower()]
    hedge = text[max(0, match.start() - _BEFORE) : match.start()]
    bound = 1 if _MORE.search(hedge) else -1 if _LESS.search(hedge) else 0
    many = read_number(match["many"] or "a")
    return Figure("share", 100 * many * part, match[0], bound=bound, rough=True, span=match.span())


def _currency(match: re.Match[str]) -> frozenset[str]:
    """Return the currency of an amount, by its sign or word.

    It is empty if the amount has neither.
    """
    word = _CURRENCY.match(match["after"])
    name = _SIGNS.get((match["money"] or "").strip()) or (word[0].split()[-1].strip("- ").lower() if word else "")
    return frozenset({_stem(name)}) if name else frozenset()


def _before(match: re.Match[str], text: str) -> str:
    return text[max(0, match.start() - _BEFORE) : match.start()]


def _kind(match: re.Match[str], before: str, after: str) -> str:
    if match["share"]:
        return "share"
    if match["money"] or _CURRENCY.match(after):
        return "money"
    if match["rank"] or match["decade"]:
        return "rank" if match["rank"] else "decade"
    bare = not (match["scale"] or match["unit"] or match["sign"])
    dated = bare and _YEAR.fullmatch(match["number"]) and not _counted(match["number"], before, after)
    return "year" if dated else "count"


def _counted(number: str, before: str, after: str) -> bool:
    """Return whether a number like a year counts.

    Examples: "1200 workers", not "in 1932 workers" or "the 2012 Games".
    """
    if not any(_PLURAL.fullmatch(word) for word in _WORD.findall(after)) or _YEAR_FOLLOWS.search(before):
        return False
    return number < _MODERN or not _MAY_PRECEDE_A_YEAR.search(before)


def _is_metres(match: re.Match[str]) -> bool:
    """Return whether "m" means metres.

    Examples: "412 m", but not "$5m", "5m euros", "20M" or "20m people".
    """
    words = _WORD.findall(match["after"])
    millions = match["money"] or _CURRENCY.match(match["after"]) or (words and _PLURAL.fullmatch(words[0]))
    return match["scale"] == "m" and not millions


def _scale(match: re.Match[str]) -> float:
    scale = 1.0 if _is_metres(match) else SCALES.get((match["scale"] or "").lower(), 1.0)
    return scale * SCALES.get((match["again"] or "").lower(), 1.0)


def _value(match: re.Match[str]) -> float:
    again = SCALES.get((match["again"] or "").lower(), 1.0)
    value = (read_number(match["number"]) + (0.5 if match["half"] else 0.0)) * _scale(match) + (
        read_number(match["more"]) * again if match["more"] else 0.0
    )
    return -value if match["sign"] else value


def _nouns(text: str) -> frozenset[str]:
    """Return the stems of what a number counts.

    That is a temperature scale, the plural noun, or all words after it. "12 fishing boats sank" -> boat; "12-year-old
    boy" -> year, boy.
    """
    words = [word for word in _WORD.findall(text.lower()) if word not in _SAYS_NOTHING]
    scale = [word for word in words if _UNITS.get(word, word) in {"celsius", "fahrenheit"}]
    plurals = [position for position, word in enumerate(words) if _PLURAL.fullmatch(word)]
    while len(plurals) > 1 and plurals[1] == plurals[0] + 1:  # "police officers", "sports cars"
        del plurals[0]
    return frozenset(_stem(word) for word in scale or [words[position] for position in plurals[:1]] or words)


def _stem(word: str) -> str:
    """Cut a word to its first letters, the same for singular and plural: "city" and "cities"."""
    word = _UNITS.get(word) or _UNITS.get(word.removesuffix("s")) or word
    return _ENDING.sub("", word)[:6]
