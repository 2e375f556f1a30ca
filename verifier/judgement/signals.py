"""Detect how a text presents a claim: as fact, hearsay, question, plan, fiction or falsehood.

A passage that repeats a claim word for word is not evidence for it if it only reports, asks or denies it. The cues are
plain phrases; their weights are fitted (`coefficients.json`), not decided here.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, fields

_TOLD = re.compile(
    r"\b(?:claim(?:s|ed|ing)?(?! (?:[\w,.-]+ ){0,4}?lives\b)|alleg(?:e[sd]?|ing|edly|ations?)|say(?:s|ing)?|said|assert(?:s|ed)|insist(?:s|ed)|according to|rumou?rs?|rumou?red|viral|posts?(?! (?:of|as|offices?)\b)|posted(?! an? \w*\s?(?:profit|loss|gain|surplus|deficit|record)\b)|"
    r"shar(?:es?|ed|ing) (?:it|this|that|them|on|online|by|widely|thousands|millions|(?:an?|the|this|that) (?:\w+ )?(?:posts?|videos?|photos?|pictures?|images?|claims?|links?|memes?|stor(?:y|ies)|messages?|screenshots?))|caption(?:ed)?|message|screenshot|leaflet|accus\w+|suggest(?:s|ed|ing)?|believ(?:e|es|ed)|swear[s]?|swore|"
    r"purport\w*|supposed(?:ly)?|reportedly|word (?:is|was|had it)|hearsay|gossip|told|tells|going round|doing the rounds|circulat\w+|"
    r"forward(?:ed|ing)|videos?(?! (?:games?|stores?|rentals?|recorders?)\b)|tiktok|facebook|whatsapp|tweet\w*|theory(?! of\b)|legend|folklore|story goes)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\?\W*$|\b(?:whether|wonder(?:s|ed|ing)?|asked if|unclear|unknown|question of)\b", re.IGNORECASE)
_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|propos\w+|would|(?-i:will|WILL)|aims? to|hopes? to|intends? to|target(?:s|ed)?|forecast\w*|expect(?:s|ed)?|predict\w*|"
    r"project(?:s|ed|ions?)|draft|could|might|(?-i:may)|pledg\w+|promis\w+|consider(?:s|ing|ed)?|calls? for|bid|motion|ambition|if)\b",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    r"\b(?:satir\w+|parod\w+|spoof\w*|fiction\w*|imagin(?:e[ds]?|ing|ary|ations?|ative)|what if|suppose|hypothetical\w*|in (?:the|an?|his|her|this) (?:game|film|movie|series|play|story|sketch|novel|comic|comedy|thriller)|"
    r"april fool\w*|joke\w*|scenario|pretend\w*|invented (?:it|this|that|him|her|them|the story)|(?:is|are|was|were|been|wholly|entirely) invented(?! (?:by|in|at|for)\b)|"
    r"dream\w*|simulat\w+|(?:is|was|were|as|just|only|part of) an? (?:\w+ )?exercise)\b",
    re.IGNORECASE,
)
_WORK = re.compile(r"\b(?:novels?|comed(?:y|ies)|comics?|screenplays?|thrillers?)\b", re.IGNORECASE)
_OF_THE_WORK = re.compile(
    r"\b(?:prizes?|awards?|awarded|won|wins|shortlist\w*|nominat\w+|publish\w+|wrote|writes|written|author|novelist|translat\w+|sold|sales|best-?sell\w*|"
    r"copies|edition|printed|premier\w+|directed|director|released|starr\w+|grossed|adapted|filmed|banned|reviewed|critics?)\b",
    re.IGNORECASE,
)
"""What is said about a novel or film as a thing in this world, not about what happens in it."""
_DENIED = re.compile(
    r"\b(?:false|fake|untrue|incorrect(?:ly)?|wrong(?:ly)?|hoax|myth|debunk\w*|misinformation|no (?:evidence|truth|basis|record|sign|trace)|not true|"
    r"unfounded|baseless|fabricat\w+|doctored|made[- ]up(?! (?:[a-z]+ly )?(?:of|for|to|from|about|over|under|nearly|almost|some|more|less|most|half|a third|a quarter|\d[\d.,]*)\b)|den(?:y|ies|ied|ials?)|refut\w+|retract\w*|withdrawn|withdrew|correct(?:ed|ion)|erroneous\w*|"
    r"mistake\w*|never happened|nothing of the (?:kind|sort)|did not happen|contrary to|in fact|in reality|actually|rather|instead|not a word)\b",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"\b(?:confirm(?:s|ed|ing)?|verif(?:y|ies|ied)|proved? (?:right|true|correct)|turned out to be (?:true|right|correct)|is true|was true|were true|"
    r"are true|records? (?:show|confirm)s?|documents? (?:show|confirm)s?|(?:data|figures) shows?|officially|checks out|accurate|bears? (?:it|this|that) out|"
    r"borne out|indeed|was right|were right|correctly|signed|published|measured|counted)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|nobody|nothing|cannot|fail(?:s|ed)?|false|untrue|hoax|myth|refus\w+|reject\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_IN_A_CLAUSE = re.compile(
    r"\b(?:(?:who|whoever|which|that)(?: (?:do|does|did|has|have|had|is|are|was|were|can|could|will|would|may))?|(?:if|when|where)(?: [\w'\u2019-]+){0,4}) ?$",
    re.IGNORECASE,
)
"""What precedes a negation inside a relative or conditional clause."""
_BEFORE = 200
"""Characters examined before a negation: five words. The limit keeps long texts from being searched over and over."""


def denies(here: str) -> bool:
    """Return whether a sentence has its own negation.

    In "A person who does not get enough of it falls ill" it only says who is meant.
    """
    return any(
        not _IN_A_CLAUSE.search(here[max(0, found.start() - _BEFORE) : found.start()])
        for found in NEGATION.finditer(here)
    )


@dataclass(frozen=True, slots=True)
class Signals:
    """Cues in the closest sentence (`*_here`) and the rest of the text (`*_elsewhere`): 1.0 or 0.0."""

    told_here: float
    asked_here: float
    planned_here: float
    denied_here: float
    confirmed_here: float
    told_elsewhere: float
    denied_elsewhere: float
    confirmed_elsewhere: float
    imagined: float
    told_and_denied: float
    negations_differ: float

    def values(self) -> tuple[float, ...]:
        """Return the values in the order of `NAMES`."""
        return astuple(self)


NAMES = tuple(field.name for field in fields(Signals))


def signals_of(claim: str, here: str, rest: str) -> Signals:
    """Find the cues in a text.

    A cue that the claim itself holds ("officials say", "will", "myth") is what is checked, not a frame around it.

    Args:
        claim: what is checked.
        here: the sentence of the text that is closest to it.
        rest: the other sentences.
    """

    def has(pattern: re.Pattern[str], text: str) -> float:
        return float(bool(pattern.search(text)) and not pattern.search(claim))

    denied_here, denied_elsewhere = has(_DENIED, here), has(_DENIED, rest)
    told_here = has(_TOLD, here)
    odd = len(NEGATION.findall(here)) % 2 != len(NEGATION.findall(claim)) % 2
    return Signals(
        told_here=told_here,
        asked_here=has(_ASKED, here),
        planned_here=has(_PLANNED, here),
        denied_here=denied_here,
        confirmed_here=has(_CONFIRMED, here),
        told_elsewhere=has(_TOLD, rest),
        denied_elsewhere=denied_elsewhere,
        confirmed_elsewhere=has(_CONFIRMED, rest),
        imagined=max(
            has(_IMAGINED, here), has(_IMAGINED, rest), float(_in_a_work(f"{here} {rest}") and not _WORK.search(claim))
        ),
        told_and_denied=float(bool(told_here and (denied_here or denied_elsewhere))),
        negations_differ=float(odd),
    )


def _in_a_work(text: str) -> bool:
    """Return whether a sentence names a work of fiction, but not as a real thing."""
    return any(_WORK.search(part) and not _OF_THE_WORK.search(part) for part in re.split(r"(?<=[.!?])\s", text))
