from __future__ import annotations

from kb.record import NewEvidence
from verifier.check.gather import Models
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.evidence.retrieve import from_texts
from verifier.judgement.closest import (
    closest_sentence,
    closest_sentences,
    holds_all_words,
    sentence_spans,
)
from verifier.judgement.quotation import quoted_span
from verifier.judgement.stance import judge_stances


def test_the_closest_sentence_shares_the_words_of_the_claim() -> None:
    text = "Many people visited the fair. The Earth is not flat but round. It rained on Sunday."
    start, end = closest_sentence(parse_statement("The Earth is flat"), text)
    assert text[start:end] == "The Earth is not flat but round."
    assert closest_sentence(parse_statement("Nothing of that"), text) == (0, len("Many people visited the fair."))


def test_the_most_relevant_of_the_closest_sentences_is_read_and_quoted(models: Models) -> None:
    text = (
        "The fourth flight of the Vesta rocket failed on Thursday. Two satellites were lost. "
        "The insurer puts the damage at 94 million euros. It rained."
    )
    claim = parse_claim("The insurer of the failed Vesta rocket flight puts the damage at nearly 200 million euros")
    wanted = "The insurer puts the damage at 94 million euros."
    (judged,) = judge_stances(claim, from_texts([NewEvidence(text)]), models.stance, models.reranker)
    assert judged.closest == wanted and "94 million euros" in judged.note
    assert judged.stance is not None and judged.stance.supports == 0
    start, end = quoted_span(claim.whole, text, judged.stance.label, judged.closest)
    assert f"{text[start:end]}." == wanted


def test_a_question_comes_with_its_answer() -> None:
    claim = "The tower of Orso burned down"
    text = "We asked. Did the tower of Orso burn down? No, only its roof did. It rained."
    assert (
        text[slice(*closest_sentence(parse_statement(claim), text))]
        == "Did the tower of Orso burn down? No, only its roof did."
    )
    unanswered = "It rained. Did the tower of Orso burn down?"
    assert (
        unanswered[slice(*closest_sentence(parse_statement(claim), unanswered))] == "Did the tower of Orso burn down?"
    )


def test_sentence_spans_cover_their_sentences() -> None:
    text = "Dr. Smith left.  He came back!\nThen he slept."
    assert [text[a:b] for a, b in sentence_spans(text)] == ["Dr. Smith left.", "He came back!", "Then he slept."]
    assert sentence_spans("") == [(0, 0)]


def test_sentences_of_many_texts_are_those_of_each(models: Models) -> None:
    claim = parse_statement("The insurer puts the damage at nearly 200 million euros")
    texts = ["It rained. The damage is 94 million euros. The insurer was told.", "The damage is small.", ""]
    assert closest_sentences(claim, texts, models.reranker) == [
        closest_sentence(claim, text, models.reranker) for text in texts
    ]


def test_a_sentence_holds_all_words_of_a_claim_in_any_form() -> None:
    claim = parse_statement("The Sun causes the tides")
    assert holds_all_words(claim, "A tide is also caused by the Sun.")
    assert not holds_all_words(claim, "The tides are caused by the Moon.")
    assert not holds_all_words(parse_statement("Whales are fish"), "Humpback whales eat small fish.")
    assert holds_all_words(
        parse_statement("The Sahara is in Africa"), "The largest hot desert is the Sahara in Africa."
    )
    assert not holds_all_words(parse_statement("It is his"), "It is his.")
