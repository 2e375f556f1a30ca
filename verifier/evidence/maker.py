"""Read who a text says made the work that a claim tells of: "Hamlet is a play by Shakespeare", "Dickens wrote Hamlet".

A book, a picture or a film has one maker as a rule, so a sentence that names another refutes the claim. Small models find such a
sentence hardly relevant, since it shares the work alone with the claim. Code judges only what is plain, and of a work by its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.chunk import sentences
from verifier.claim.parsed import Statement
from verifier.text.names import name_words

_ARTS = {
    "wrote written author writer": "play tragedy comedy novel novella book poem epic story fable essay drama trilogy",
    "painted painted painter artist": "painting portrait fresco mural",
    "composed composed composer composer": "opera symphony ballet sonata concerto concertos oratorio waltz",
    "directed directed director director": "film movie",
    "sculpted sculpted sculptor sculptor": "sculpture statue",
}
"""Of each art: the deed, its participle, who does it; what is made by it."""
_WORD = r"(?:(?:[A-Z]\.){1,4}|[A-Z\u00c0-\u00de][\w'\u2019-]*)"
_NAME = rf"{_WORD}(?: (?:(?:d[aei]|van|von|de[rn]|of|al|el|bin|la|le) ){{0,2}}{_WORD}){{0,5}}"
_TITLES = (
    r"(?:(?:[A-Z\d][\w'\u2019-]*|of|the|and|in|a|to|with|for|novels?|plays?|paintings?|poems?|operas?|films?),? ){0,30}"
)
"""Other works of a list: "wrote Oliver Twist, Great Expectations and"."""
_LONGEST = 400
"""Characters of a sentence that is still a plain one; all counts above are bounded too, since texts come from strangers."""
_PHRASE_ENDS = re.compile(
    r"(?<!\b[A-Z])\.|[,;:()]| (?:set|in|on|at|from|about|made|that|which|who|whose|between|after|for|to|is|was|were|has|and) "
)
_DATED = re.compile(r",? in \d{4}$")
_KIND_BEFORE = re.compile(
    r"^(?:the )?(?:famous |first )?(?:play|tragedy|novel|book|poem|painting|opera|film|movie) (?=[A-Z])", re.IGNORECASE
)
_NO_DEED = re.compile(
    r"\b(?:not|never|no|nobody|neither|nor|falsely|wrongly|myth|attributed|claimed|said|may|might|translated|based|adapted|with|helped|co-\w+|together)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What makes a sentence no plain one: denials, doubts, help, and another's work on the first."""
_SHARED_TITLE = re.compile(
    r"\d|\b(?:no|op)\.|^(?:requiem|te deum|ave maria|stabat mater|magnificat|gloria|messe?|mass|missa|passion|piet[a\u00e0]|david|moses|"
    r"judith|salome|faust|medea|electra|antigone|orph\w+|don (?:juan|giovanni)|last supper|annunciation|crucifixion|nativity|resurrection|"
    r"last judgement|self-portrait|still life|untitled|poems|collected|nocturnes?|preludes?|etudes?|serenade|carnival)\b",
    re.IGNORECASE,
)
"""Titles that several makers gave their works: another's is no contradiction."""


@dataclass(frozen=True, slots=True)
class _Made:
    """Who is said to have made which work, and by which art."""

    maker: str
    work: str
    art: str


def is_by_claimed_maker(claim: Statement, sentence: str) -> bool | None:
    """Whether a sentence names the claim's maker of the claim's work (True) or another (False); None where that is not plain."""
    asked = _asked(claim.text.rstrip(".!"))
    if asked is None or len(sentence) > _LONGEST or _NO_DEED.search(sentence.replace(asked.work, "")):
        return None
    told = _maker_in(sentence, asked)
    mine, other = _words(asked.maker), _words(told)
    if not mine or not other:
        return None
    if mine & other:
        return True if (mine <= other or other <= mine) and not _DATED.search(claim.text.rstrip(".!")) else None
    return None if mine & set(re.findall(r"\w+", sentence.lower())) else False


def tells_the_maker(claim: Statement, text: str) -> bool:
    """Whether a sentence of a text names who made the claim's work."""
    return any(is_by_claimed_maker(claim, sentence) is not None for sentence in sentences(text))


@lru_cache(maxsize=256)  # within a check the same claim is taken apart for every sentence
def _asked(claim: str) -> _Made | None:
    """What the claim says of a work's maker; None for other claims, and for a denial or a doubt."""
    if len(claim) > _LONGEST:
        return None
    for art, kinds in _ARTS.items():
        deed, done, doer, other = art.split()
        noun = "|".join(kinds.split())
        forms = (
            rf"(?P<maker>{_NAME}) {deed} (?P<work>.+)",
            rf"(?P<maker>{_NAME}) (?:is|was) the (?:{doer}|{other}) of (?P<work>.+)",
            rf"The (?:{doer}|{other}) of (?P<work>.+) (?:is|was) (?P<maker>{_NAME})",
            rf"(?P<work>.+?) (?:is|was) {done} by (?P<maker>{_NAME})",
            rf"(?P<work>.+?) (?:is|was) an? (?:[\w-]+ )?(?:{noun}) by (?P<maker>{_NAME})",
        )
        for form in forms:
            found = re.fullmatch(form, _DATED.sub("", claim))
            if found:
                work = re.sub(r"^[Tt]he ", "", _KIND_BEFORE.sub("", found["work"])).strip(
                    "'\"\u2018\u2019\u201c\u201d "
                )
                named = work[:1].isupper() and not _SHARED_TITLE.search(work)
                plain = not _NO_DEED.search(claim.replace(work, ""))  # "with" may stand in a title
                return _Made(found["maker"], work, art) if named and plain else None
    return None


def _maker_in(sentence: str, asked: _Made) -> str:
    """Who a sentence says made a work; "" where it does not say."""
    deed, done, doer, other = asked.art.split()
    noun = "|".join(_ARTS[asked.art].split())
    work = rf"(?:[Tt]he )?['\"\u2018\u201c]?(?<![A-Z]\w )\b{re.escape(asked.work)}\b['\"\u2019\u201d]?(?! [A-Z]|['\u2019]s)"
    aside = r"(?: \([^)]*\)|, [^,;.]+,)?"
    forms = (
        rf"(?:^|[,;] |\b(?:and|where|when|because|while) )(?P<maker>{_NAME}){aside} (?:also |later )?{deed} {_TITLES}{work}",
        rf"^(?P<maker>{_NAME}){aside} (?:is|was) [^;.]*?\bwho {deed} {_TITLES}{work}",
        rf"(?P<maker>{_NAME}){aside},? (?:is |was )?the (?:{doer}|{other}) of {_TITLES}{work}",
        rf"^{work}{aside} (?:is|was) (?:[a-z]+ )?{done} (?:in \d{{4}} )?by (?P<by>.+)",
        rf"^{work}{aside} (?:is|was) (?:an?|the|one of) [^;.]*?\b(?:{noun})s? (?:[a-z]+ )?by (?P<by>.+)",
        rf"{work}, (?:an?|the) [^;.,]*?\b(?:{noun}) (?:[a-z]+ )?by (?P<by>.+)",
    )
    for form in forms:
        found = re.search(form, sentence)
        if found:
            told = found.groupdict()
            return told.get("maker") or _last_name(_PHRASE_ENDS.split(f"{told['by']} ")[0])
    return ""


def _last_name(phrase: str) -> str:
    """The name at the end of a phrase: of "the Norwegian artist Edvard Munch" that of the artist."""
    names = re.findall(_NAME, phrase)
    return names[-1] if names and phrase.strip().endswith(names[-1]) else ""


def _words(name: str) -> frozenset[str]:
    return frozenset(name_words(f"by {name}")) if name else frozenset()
