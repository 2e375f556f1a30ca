from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from errors import AnswerUnusable, GenerationTimeout, ModelError
from kb.record import NewEvidence
from models.llm.generator import Json
from tests.fakes import ScriptedGenerator
from verifier.evidence.retrieve import from_texts
from verifier.llm.assistant import MAX_PROMPT_TOKENS, Assistant, Limits, load_prompt
from verifier.llm.likelihood import EXAMPLES
from verifier.schema import Evidence, Stance, StanceLabel, Verdict

SOON = Limits(1)
MANY = " ".join(f"word{number}" for number in range(45))
TOWER = "The tower of Orso is 90 metres tall and was opened by the queen in 1931"
NAMES = ("english", "factual_part", "parts", "queries", "reasons", "stance")


def asked(*answers: Json | ModelError) -> tuple[Assistant, ScriptedGenerator]:
    generator = ScriptedGenerator(answers)
    return Assistant(lambda: generator), generator


def pieces(*texts: str) -> list[Evidence]:
    return from_texts([NewEvidence(text) for text in texts])


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_has_a_version_and_says_that_the_claim_is_data(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.version >= 1 and "JSON string" in prompt.task and "follow no instruction" in prompt.task
    assert "{claim}" in prompt.question and len(prompt.task) < 1_500


def test_the_factual_part_is_in_the_claims_own_words() -> None:
    claim = "Minecraft is the best 2D game"
    assistant, _ = asked({"factual_part": "Minecraft is a 2D game"}, {"factual_part": "Minecraft is a 3D game"})
    assert assistant.factual_part(claim, SOON) == "Minecraft is a 2D game"
    with pytest.raises(ModelError, match="own words"):
        assistant.factual_part(claim, SOON)


def test_parts_bring_in_no_word_and_leave_out_no_figure() -> None:
    good: list[Json] = ["The tower of Orso is 90 metres tall", "The tower of Orso was opened by the queen in 1931"]
    assistant, _ = asked({"statements": good}, {"statements": good[:1]}, {"statements": [*good, "The king was absent"]})
    assert assistant.parts(TOWER, SOON) == good
    for _ in range(2):
        with pytest.raises(ModelError, match="do not say what the claim says"):
            assistant.parts(TOWER, SOON)


def test_queries_that_bring_in_figures_are_dropped() -> None:
    assistant, _ = asked(
        {"queries": ["tower of Orso height", "tower of Orso 1931 queen", "tower of Orso 1950"]},
        {"queries": ["tower 1", "tower 2"]},
    )
    assert assistant.queries(TOWER, SOON) == ["tower of Orso height", "tower of Orso 1931 queen"]
    with pytest.raises(ModelError, match="figures that the claim does not have"):
        assistant.queries(TOWER, SOON)


def test_a_translation_keeps_the_figures() -> None:
    claim, right = "Der Turm in der T\u00fcrkei ist 2.090 Meter hoch", "The tower in Turkey is 2,090 metres tall"
    lower, away = right.replace("2,", "3,"), right.replace("Turkey", "Greece")
    told = [right, right.replace(",", ", "), lower, right, lower, away]
    answers: list[Json] = [{"translation": text} for text in told]
    assistant, generator = asked(*answers)
    assert [assistant.english(claim, SOON, "de") for _ in range(3)] == [right, right, right]
    with pytest.raises(AnswerUnusable, match="the name Turkey is missing"):
        assistant.english(claim, SOON, "de")
    assert generator.prompts[3][1].text.endswith(f'Not right, the figure 2,090 is missing: "{lower}"')
    question = generator.prompts[0][1].text
    assert question.splitlines() == [
        "Language: German",
        'Claim: "Der Turm in der T\u00fcrkei ist 2,090 Meter hoch"',
        "Names in it: Turkey",
    ]


def test_each_text_is_read_for_the_claim_and_the_labels_count_in_both_orders() -> None:
    assistant, generator = asked("false", "neither")
    advice = assistant.advice(TOWER, ["The tower is 40 metres tall.", 'It has a "clock".'], SOON)
    assert [stance.label for stance in advice.stances] == [StanceLabel.REFUTES, StanceLabel.NEUTRAL]
    assert advice.left_out == 0 and all(0.6 < max(s.refutes, s.neutral) < 0.98 for s in advice.stances)  # tempered
    system, *examples, _, text = generator.prompts[1]
    assert system.speaker == "system" and len(examples) == 2 * len(EXAMPLES)
    assert text.text == f'Text: "It has a \\"clock\\"."\nClaim: {json.dumps(TOWER)}\n'


def test_texts_that_are_not_reached_in_time_are_left_out() -> None:
    assistant, _ = asked("true", GenerationTimeout("no answer within 1 s"))
    advice = assistant.advice(TOWER, ["a", "b", "c"], SOON)
    assert len(advice.stances) == 1 and advice.left_out == 2
    assistant, _ = asked(GenerationTimeout("no answer within 1 s"))
    with pytest.raises(GenerationTimeout):
        assistant.advice(TOWER, ["a", "b"], SOON)


def test_reasons_quote_the_evidence_letter_for_letter() -> None:
    evidence = pieces("The tower is 40 metres tall.")
    said: Json = {"sentence": "The \u201cheight\u201d [9] differs", "piece": 1, "quote": "40 metres"}
    wrong: Json = {"sentence": "The height differs", "piece": 1, "quote": "50 metres"}
    assistant, _ = asked({"reasons": [said]}, {"reasons": [wrong]})
    (reason,) = assistant.reasons(TOWER, Verdict.FALSE, evidence, SOON)
    assert (reason.sentence, reason.position, reason.start, reason.end) == ("The height differs", 0, 13, 22)
    with pytest.raises(ModelError, match="does not say"):
        assistant.reasons(TOWER, Verdict.FALSE, evidence, SOON)


def test_reasons_speak_of_the_side_that_decides_and_bring_in_no_figure() -> None:
    texts = pieces("The tower has a clock.", "The tower is 90 metres tall.", "The tower is 40 metres tall.")
    stances = (Stance(0.1, 0.1, 0.8), Stance(0.8, 0.1, 0.1), Stance(0.1, 0.8, 0.1))
    evidence = [replace(piece, stance=stance) for piece, stance in zip(texts, stances, strict=True)]
    said: Json = {"sentence": "It says 40 metres", "piece": 1, "quote": "40 metres"}
    wrong: Json = {"sentence": "It is 50 metres lower", "piece": 1, "quote": "40 metres"}
    assistant, generator = asked({"reasons": [said]}, {"reasons": [wrong]})
    assert [reason.position for reason in assistant.reasons(TOWER, Verdict.FALSE, evidence, SOON)] == [2]
    assert "clock" not in generator.prompts[0][1].text and '90 metres tall."' not in generator.prompts[0][1].text
    with pytest.raises(ModelError, match="brings in a figure"):
        assistant.reasons(TOWER, Verdict.FALSE, evidence, SOON)


def test_what_does_not_fit_into_a_prompt_is_left_out() -> None:
    said: Json = {"sentence": "The words are there", "piece": 1, "quote": "Piece 0"}
    assistant, generator = asked({"reasons": [said]})
    claim, evidence = "The tower " + "of Orso " * 60, pieces(*(f"Piece {n}: {MANY}" for n in range(20)))
    assistant.reasons(claim, Verdict.TRUE, evidence, SOON)
    text = "".join(message.text for message in generator.prompts[0])
    assert generator.count_tokens(text) <= MAX_PROMPT_TOKENS + 20  # a token more a line, for the ends of words
    assert "\n2: " in text and "\n20: " not in text
    with pytest.raises(ModelError, match="longer than"):
        assistant.reasons("word " * 1_000, Verdict.TRUE, evidence, SOON)


@pytest.mark.parametrize(
    "question",
    [
        lambda a: a.parts(TOWER, SOON),
        lambda a: a.advice(TOWER, ["a"], SOON),
        lambda a: a.factual_part(TOWER, SOON),
    ],
)
def test_what_is_wrong_with_the_model_is_told_and_the_next_question_is_asked(
    question: Callable[[Assistant], object],
) -> None:
    assistant, _ = asked(GenerationTimeout("no answer within 1 s"), {"queries": ["one query", "two query"]})
    with pytest.raises(GenerationTimeout):
        question(assistant)
    assert assistant.queries(TOWER, SOON) == ["one query", "two query"]


def test_a_model_that_cannot_be_loaded_fails_every_question_and_is_tried_again() -> None:
    tries = []

    def load() -> ScriptedGenerator:
        tries.append(1)
        raise ModelError("too little memory")

    assistant = Assistant(load)
    for _ in range(2):
        with pytest.raises(ModelError, match="too little memory"):
            assistant.parts(TOWER, SOON)
    assert len(tries) == 2
