"""Choose the sentence of a text that is read separately for a claim, and quoted.

Among the sentences that share most words with the claim, the reranker picks the most relevant. A sentence that states
the claim outright or rules it out comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from kb.chunk import sentences
from verifier.claim.parsed import Statement
from verifier.evidence.restated import said_outright
from verifier.interfaces import Reranker
from verifier.judgement.majority import has_most
from verifier.judgement.period import is_in_period
from verifier.text.forms import are_forms_of_one, words_of
from verifier.text.sanitise import is_addressed
from verifier.text.stems import stems_and_figures

CANDIDATES = 3
"""How many of the sentences that share most words with the claim are compared. Cross-validated over 608 development
claims for the grades, 56.9% came out right with the most relevant of three, 57.2% with that of all, and 55.0% with the
one that shares most words."""

_SMALL = frozenset(
    "the a an this that these those of in on at by to for from with as and or is are was were be been being has have had do does did its his her "
    "their it he she they who which there".split()
)
"""Words that a sentence may lack and still say the same."""
_FEWEST = 3
"""From this many words on, a sentence that holds them all is no accident: "Humpback whales eat small fish" holds those
of "Whales are fish"."""


def closest_sentence(claim: Statement, text: str, reranker: Reranker | None = None) -> tuple[int, int]:
    """Choose the sentence to read separately and to quote. Return its start and end.

    Without a reranker it is the first of those that share most words with the claim. A question settles nothing, so it
    comes with the sentence that answers it.

    Raises:
        ModelError: the reranker failed.
    """
    (found,) = closest_sentences(claim, [text], reranker)
    return found


def closest_sentences(claim: Statement, texts: Sequence[str], reranker: Reranker | None) -> list[tuple[int, int]]:
    """Choose the closest sentence of each text.

    The reranker reads all candidates at once, which is faster than one by one.

    Raises:
        ModelError: the reranker failed.
    """
    spoken = [_spoken(text) for text in texts]
    found = [_candidates(claim, text, spans) for text, spans in zip(texts, spoken, strict=True)]
    best = [0] * len(texts)
    if reranker and any(len(spans) > 1 for spans in found):
        asked = [text[slice(*span)] for text, spans in zip(texts, found, strict=True) for span in spans]
        scores = iter(reranker.scores(claim.text, asked).tolist())
        best = [max(enumerate(islice(scores, len(spans))), key=lambda place: place[1])[0] for spans in found]
    return [
        _with_answer(text, spans[place], among)
        for text, spans, place, among in zip(texts, found, best, spoken, strict=True)
    ]


def _candidates(claim: Statement, text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rank sentences by words shared with the claim; one that plainly settles it comes alone."""
    plain = [span for span in spans if _settles(claim, text[slice(*span)])]
    if plain:
        return plain[:1]
    return sorted(spans, key=lambda span: -claim.closeness(text[slice(*span)]))[:CANDIDATES]


def _settles(claim: Statement, sentence: str) -> bool:
    told = (reading(claim, sentence) for reading in (said_outright, has_most, is_in_period))
    return any(each is not None for each in told)


def _with_answer(text: str, sentence: tuple[int, int], among: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return a sentence; a question comes with the sentence that follows it."""
    start, end = sentence
    if text[start:end].endswith("?"):
        end = next((after for following, after in among if following >= end), end)
    return start, end


def _spoken(text: str) -> list[tuple[int, int]]:
    """Drop sentences that address a machine, unless there are no others."""
    everything = sentence_spans(text)
    return [span for span in everything if not is_addressed(text[slice(*span)])] or everything


def words_shared(claim: Statement, text: str) -> float:
    """Compute the share of the claim's words that occur in the text, 0 to 1."""
    words = claim.weights.keys()
    return len(words & stems_and_figures(text)) / len(words) if words else 0.0


def holds_all_words(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence holds every meaningful word of the claim, in any form.

    The claim needs at least three such words, or names alone.
    """
    said, said_stems = words_of(sentence), set(stems_and_figures(sentence))
    asked = [word for word in words_of(claim.text) if word[0].isalnum() and word not in _SMALL]
    enough = len(asked) >= _FEWEST or (bool(asked) and claim.name_words.issuperset(asked))
    return enough and all(
        any(are_forms_of_one(word, other) for other in said) or said_stems.issuperset(stems_and_figures(word) or [word])
        for word in asked
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of every sentence; at least one span."""
    spans, end = [], 0
    for sentence in sentences(text):
        start = text.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            spans.append((start, end))
    return spans or [(0, len(text))]
