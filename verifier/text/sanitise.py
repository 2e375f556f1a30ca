"""Sanitise the part of a text that models read.

Evidence is data; words that address the reader's machine are neither fact nor claim. Removed are marks of markup and of
conversations, structured data, sentences that tell a machine what to answer, and sentences in another language than the
text's. They stay in the text that people see; a removed sentence is never quoted.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kb.chunk import sentences
from verifier.text.language import foreign_language

_VERDICT = (
    r"(?:true|false|misleading|supported|refuted|partially true|not enough evidence|not verifiable|correct|incorrect)"
)
_TURN = r"(?:system|assistant|user|human|ai|developer)"
_MACHINE = r"(?:ai|a\.i\.|assistant|language model|llm|chatbot|fact[- ]checking (?:system|model|bot)|checker|classifier|verifier|model)"
_MARKS = re.compile(
    r"<!--.*?(?:-->|\Z)|<think>.*?(?:</think>|\Z)|```.*?(?:```|\Z)"
    r"|<\|(?:im_start|start_header_id)\|>.*?(?:<\|(?:im_end|eot_id)\|>|\Z)|<(verdict|answer|system|instructions?|output)>.*?(?:</\1>|\Z)|<{2,}VERDICT>{2,}\s*\w+|<{2,}[^<>]{1,60}>{2,}"
    r"|<\|[^|<>]{1,40}\|>|</?[a-z][\w-]{0,30}(?:\s[^<>]{0,120})?/?>"
    r"|\[/?INST\]|<</?SYS>>"
    rf"|^[ \t]*#+[ \t]*{_TURN}\b[^\n]*$|^[ \t]*{_TURN}[ \t]*:[^\n]*$"
    r"|[{\[][^{}\[\]]*[\"'][^{}]*:[^{}]*[}\]]+,?[}\])]*"
    r"|\[(?:developer|system|assistant|admin)[^\]]{0,600}\]"
    r"|\((?:source|see|cf\.?):?\s*\[[^()]*\)|,?\s*(?:see|as)\s+\[\d[^\]]*\][^.]*(?=\.|$)|\[\d+(?:,\s*[\d-]+)*\]"
    r"|\[\d+\]\s+(?:refute|confirm|prove|support|contradict)s?\b[^.\n]*\.?|\bcite \[\d+\][^.\n]*\.?"
    r"|\x1b\[[\d;]*[A-Za-z]|(?:\b(?-i:TRUE|FALSE)\b\W*(?:answer|verdict)?\W*){2,}"
    r"|-{3,}|={3,}|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_NEXT_PART = re.compile(r"\s#{2,}\s|</claim>|\s(?:end of (?:data|claim|input))\b", re.IGNORECASE)
_OTHER_SCRIPT = re.compile(
    r"[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufaff](?:[^\n]{0,12}?[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufaff]){3,}[^A-Za-z\n]*"
)
_WIDE = {0xFF01 + i: 0x21 + i for i in range(94)}
"""Full-width Latin letters and signs, as wide as Chinese ones."""
_RUN = re.compile(r"([^\w\s])(?:\s*\1){3,}|\b([^\W_]{2,12})(?:[\W_]+\2){3,}")
_ASIDE = re.compile(r"\([^()]{1,400}\)|\[[^\[\]]{1,400}\]")
_ROW = re.compile(rf"^[^;|\n]*(?:[;|][^;|\n]*)*[;|]\s*{_VERDICT}\s*(?:[;|].*)?$", re.IGNORECASE | re.MULTILINE)
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override|do not follow)\b[^.]{0,60}\b(?:above|previous|prior|instructions?|prompt|rules|evidence)\b"
    rf"|\b(?:answer|respond|reply|output|return|print|write|label|mark|rate|classify|repeat|tag|countersign)\b[^.]{{0,60}}\b{_VERDICT}\b[^.]{{0,30}}$"
    rf"|\b(?:the|your) (?:\w+ )?(?:verdict|answer|output|reply|label)\b[^.]{{0,40}}\b(?:is|must|should|shall|has to|:)[^.]{{0,40}}\b{_VERDICT}\b"
    rf"|\bas (?:an?|the) (?:ai|language model|chatbot)\b|\b(?:dear|note (?:to|for)|attention,?|hey) (?:an?|the|any)?\s*{_MACHINE}\b|\byou (?:must|are|should|have to|will)\b[^.]{{0,60}}\b(?:{_VERDICT}|verdict|ai)\b"
    rf"|\byour (?:earlier|previous|last) (?:reply|answer|verdict)\b|\bbefore you (?:answer|reply|decide)\b|^answer\W+{_VERDICT}\W*$",
    re.IGNORECASE,
)
_MIN_WORDS = 4


@lru_cache(maxsize=1_024)  # within a check, the reranker and the stance of each part read the same texts
def readable(text: str) -> str:
    """Return the text as models read it; unchanged if nothing else would be left."""
    plain = _unmarked(text)
    kept = [sentence for sentence in sentences(plain) if not is_addressed(sentence)]
    english = [sentence for sentence in kept if not foreign_language(sentence)]
    if any(len(sentence.split()) >= _MIN_WORDS for sentence in english):
        kept = english
    return " ".join(kept) or plain or text


def is_addressed(sentence: str) -> bool:
    """Return whether a sentence tells a machine what to answer."""
    return bool(_ADDRESSED.search(sentence))


def _unmarked(text: str) -> str:
    plain = _ASIDE.sub(lambda aside: " " if is_addressed(aside[0][1:-1]) else aside[0], text.translate(_WIDE))
    plain = _RUN.sub(r"\1\2", _MARKS.sub(" ", _ROW.sub(" ", plain)))
    latin = sum(character.isascii() for character in plain if character.isalpha())
    if latin > sum(character.isalpha() for character in plain) / 2:
        plain = _OTHER_SCRIPT.sub(" ", plain)
    return "\n".join(" ".join(line.split()) for line in plain.splitlines()).strip()


def readable_claim(claim: str) -> str:
    """Return the claim as it is checked.

    It is cut where someone made another part of a prompt seem to begin.
    """
    return readable(_NEXT_PART.split(claim, maxsplit=1)[0] or claim).strip()
