"""Understand a text: its sentences with their kinds, and its claims.

It also says how much each claim deserves a check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass

from errors import InputError
from verifier.claim.classify import ORDER, classify
from verifier.claim.clauses import subject_of
from verifier.claim.intake import MAX_CHARACTERS, clean_claim
from verifier.claim.parsed import parse_claim
from verifier.document.schema import DocumentClaim, Sentence, SentenceKind
from verifier.document.sentences import Shape, Span, spans
from verifier.document.speech import Speech, saying, speech_in
from verifier.document.standalone import Alone, Context, leans
from verifier.document.worth import worth_of
from verifier.interfaces import Classifier
from verifier.schema import ClaimType, Classification
from verifier.text.language import foreign_language
from verifier.text.sanitise import is_addressed

Tell = Callable[[int, int], None]
"""Called with the number of sentences read and their total.

May raise to end the work.
"""
_SHAPES = {
    Shape.HEADING: "it is a heading",
    Shape.TABLE: "it is a row of a table",
    Shape.CODE: "it is code",
}
_INSTRUCTION = re.compile(
    r"^(?:please\b|(?:subscribe|sign up|log in|make sure|find out|read more|learn more|click here)\b"
    r"|(?:add|use|choose|check|call|visit|download|open|press|enter|go|put|mix|bake|turn|stay|keep|avoid|try|get|remove|install|run|set|start|stir|pour|cut|"
    r"buy|join|contact|learn|vote|help|support|send|bring|leave|pick|place|drink|eat|do(?: not|n['\u2019]t))"
    r" (?:the|a|an|your|our|my|this|these|it|them|us|me|all|any|more|up|out|on|in|into|down|to|with|here|every|some|for|\d+)\b)",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^(?:(?:sure|certainly|of course)[,!]? )?(?:here(?: is| are|['\u2019]s)|below (?:is|are)|the following|in this (?:article|section|post|chapter))\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:\*\*|__)[^*_]{1,60}(?::(?:\*\*|__)|(?:\*\*|__):)\s+(?=\S)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|`")
"""Markdown marks, which chatbots write."""
_ASKS = re.compile(r"[?\uff1f\u061f]['\"\u201d\u2019)\]]*$")
_QUOTES = "\"'\u201c\u201d\u2018\u2019()[] "
_FEW = 3
"""A sentence with fewer words states nothing."""
_FRAGMENT = 9
"""A line of fewer words without a full stop may be no sentence.

It may be a title, a name or a note.
"""
FAILED = "the claim-type model failed on some sentences, which count as facts: {}"


@dataclass(frozen=True, slots=True)
class Understood:
    """The sentences of a text in reading order, and its claims, most checkworthy first.

    `warning` says where a model could not be used; "" if none failed.
    """

    sentences: tuple[Sentence, ...]
    claims: tuple[DocumentClaim, ...]
    warning: str = ""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a sentence is, and its claim if it has one.

    Also that someone said so, if it names who.
    """

    kind: SentenceKind
    reason: str = ""
    claim: tuple[Alone, str, float] | None = None
    failed: str = ""
    saying: str = ""


def understand(text: str, classifier: Classifier) -> Generator[tuple[int, int], None, Understood]:
    """Read a text from its beginning.

    Yield how many sentences are done, and of how many.

    Raises:
        InputError: the text is too long or has no words.
    """
    places = spans(text)
    if not places:
        raise InputError("the text holds no words: give a text of at least one sentence")
    context, sentences, claims, warning = Context(), [], [], ""
    for number, span in enumerate(places):
        found = _read(text[span.start : span.end], span, context, classifier)
        sentences.append(Sentence(span.start, span.end, found.kind, found.reason, bool(found.saying)))
        warning = warning or (FAILED.format(found.failed) if found.failed else "")
        if found.claim:
            alone, speaker, worth = found.claim
            claims.append(DocumentClaim(number, alone.text, worth, alone.resolved, speaker))
            if found.saying:  # what was said comes first
                claims.append(DocumentClaim(number, found.saying, round(worth / 2, 4), True, speaker, was_said=True))
        yield number + 1, len(places)
    ranked = sorted(claims, key=lambda claim: (-claim.worth, claim.sentence))
    return Understood(tuple(sentences), tuple(ranked), warning)


def understood(text: str, classifier: Classifier, tell: Tell = lambda done, total: None) -> Understood:
    """Read a text to its end; `tell` is called after every sentence. See `understand`."""
    steps = understand(text, classifier)
    while True:
        try:
            tell(*next(steps))
        except StopIteration as end:
            found: Understood = end.value
            return found


def _read(words: str, span: Span, context: Context, classifier: Classifier) -> _Read:
    """Say what a sentence is; the context records what it names."""
    if span.shape in _SHAPES or len(words) > MAX_CHARACTERS:
        context.forget()
        long = f"it has {len(words):,} characters, and a claim may have {MAX_CHARACTERS:,}"
        return _Read(SentenceKind.UNREAD, _SHAPES.get(span.shape, long))
    try:
        sentence = clean_claim(_EMPHASIS.sub("", _LABEL.sub("", words)))
    except InputError:
        return _Read(SentenceKind.UNREAD, "it is no sentence in words")
    plain = _plain_kind(sentence)
    speech = None if plain else speech_in(sentence)
    alone, speaker = context.reported(speech) if speech else (context.alone(sentence), "")
    if plain or alone.unclear:
        context.note(Alone(sentence, unclear=alone.unclear))
        return plain or _Read(SentenceKind.UNREAD, alone.unclear)
    alone, kind = _typed(alone, speech.said if speech else sentence, context, classifier)
    context.note(Alone(sentence) if speech else alone)
    return _told(alone, kind, speech, speaker)


def _plain_kind(sentence: str) -> _Read | None:
    """Return what a sentence is, if its form alone says so."""
    bare = sentence.strip(_QUOTES)
    words = len(bare.split())
    if is_addressed(sentence):
        return _Read(SentenceKind.INSTRUCTION, "it tells a machine that reads it what to answer")
    if _ASKS.search(sentence):
        return _Read(SentenceKind.QUESTION, "it asks")
    if foreign := foreign_language(sentence):
        return _Read(
            SentenceKind.UNREAD, f"it is written in another language ({foreign}), which the bundled models do not read"
        )
    if ORDER.match(bare) or _INSTRUCTION.match(bare):
        return _Read(SentenceKind.INSTRUCTION, "it tells its reader what to do")
    if _ANNOUNCES.match(bare):
        return _Read(SentenceKind.UNREAD, "it only announces what follows")
    ended = sentence.rstrip(_QUOTES)[-1:] in ".!;:\u2026"
    if (words < _FEW and sentence.isascii()) or (words < _FRAGMENT and not ended and not _has_verb(bare)):
        return _Read(SentenceKind.UNREAD, "it is no whole sentence")
    return None


def _has_verb(sentence: str) -> bool:
    return bool(subject_of(sentence)[0]) or bool(re.search(r"(?<!^)\b[a-z]{2,}ed\b", sentence))


def _typed(alone: Alone, stated: str, context: Context, classifier: Classifier) -> tuple[Alone, Classification]:
    """Type a statement with the claim-type model.

    Add what the text is about, in brackets, if it leans on others. A statement that is an opinion in the words of the
    text stays one.
    """
    kind = classify(parse_claim(stated if alone.in_brackets else alone.text), classifier)
    if kind.claim_type is ClaimType.OPINION:
        return alone, kind
    if kind.claim_type is ClaimType.AMBIGUOUS or leans(alone.text):
        alone = context.leaning(alone)
    return alone, classify(parse_claim(alone.text), classifier) if alone.in_brackets else kind


def _told(alone: Alone, kind: Classification, speech: Speech | None, speaker: str) -> _Read:
    """Return what a sentence is, by the type of its statement."""
    failed = kind.reason if kind.fell_back else ""
    of_whom = f", which the text reports of {speaker or 'somebody'}" if speech else ""
    if kind.claim_type is ClaimType.OPINION:
        return _Read(SentenceKind.OPINION, kind.reason + of_whom)
    if kind.claim_type is ClaimType.AMBIGUOUS:
        return _Read(SentenceKind.UNREAD, kind.reason)
    claim = alone, speaker, worth_of(alone.text, kind.probabilities)
    if speech:
        said = saying(speech, speaker, alone.text)
        whether = f"and whether {speaker} said it" if said else "and not whether it was said"
        told = f"what {speaker or 'somebody'} is reported to have said is checked, {whether}"
        return _Read(SentenceKind.SPEECH, told, claim, failed, said)
    return _Read(SentenceKind.FACT, kind.reason, claim, failed)
