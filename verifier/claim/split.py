"""Split a claim into its statements and their parts, each verifiable by itself.

A claim may be several sentences; each is a statement, and a compound one is cut into its clauses (`clauses`). Nothing
of the claim is dropped: the caller lists what is too much to check.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.chunk import sentences
from verifier.claim.clauses import clauses_of, self_contained, subject_of
from verifier.text.framing import unframed

if TYPE_CHECKING:
    from verifier.claim.parsed import ParsedClaim

MAX_PARTS = 5
"""As many as a user can take in; the rest is listed as unchecked."""
MIN_CHARACTERS = 20
MIN_WORDS = 3
"""Fewest words with which a sentence may state something.

A shorter one is joined to the sentence before it.
"""
_MARKER = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*\u2022\u2013])\s+(?=\S)")
_LIST_MARKER = re.compile(r"(?:(?<=[.!?;])|^)\s*(?:\(?\d{1,2}[.)]|[-*\u2022])\s+(?=[A-Z])")
EMPTY_IT = re.compile(
    r"^it(?:['\u2019]s|\s+(?:is|was|has been))\s+(?:[\w-]+\s+){0,6}?(?:that|who|to)\b"
    r"|^it\s+(?:rain|snow|take|took)\w*\b|^it\s+(?:seem|appear|turn|happen|follow)\w*\s+(?:out\s+)?(?:that|to|as)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing.

Examples: "It is known that", "It was in 1990 that", "It rained".
"""
_PRONOUNS = frozenset("he she it they his her its their".split())

_NO_SUBJECT = _PRONOUNS | frozenset("i we you this that these those there who what nobody everybody".split()) | {""}


def split_claim(claim: ParsedClaim) -> list[str]:
    """Split `claim` into sub-claims in its own words, however many.

    A short claim, or one without a cut, gives its text alone. A denied statement is not cut: saying that two things are
    not both true does not say that both are false.
    """
    if len(claim.text) < MIN_CHARACTERS:
        return [claim.text]
    single = len(claim.sentences) == 1
    parts = [
        part
        for one in claim.sentences
        for part in ([one] if (claim.denied if single else unframed(one)[1]) else clauses_of(one))
    ]
    return [claim.text] if len(parts) < 2 else list(dict.fromkeys(part.rstrip(".!") for part in parts))


def statements_of(text: str) -> list[str]:
    """List the statements of a text in order, without list marks.

    It is `[text]` if there is one sentence. A statement that begins with a pronoun gets the subject of the one before
    it.
    """
    found: list[str] = []
    for sentence in sentences(_LIST_MARKER.sub(" ", text)):
        bare = _MARKER.sub("", sentence)
        if found and (len(bare.split()) < MIN_WORDS or len(found[-1].split()) < MIN_WORDS):
            found[-1] = f"{found[-1]} {bare}"
        else:
            found.append(bare)
    if len(found) < 2:
        return [text]
    subject, whole = "", []
    for sentence in found:
        whole.append(_with_subject(sentence, subject))
        named = subject_of(unframed(whole[-1])[0])[0]
        subject = subject if named.lower() in _NO_SUBJECT else named
    return whole


def _with_subject(sentence: str, subject: str) -> str:
    """Put `subject` in place of a pronoun at the start of `sentence`."""
    begins = sentence.split()[0].lower()
    if not subject or begins not in _PRONOUNS or EMPTY_IT.match(sentence):
        return sentence
    return self_contained(sentence, subject, "")
