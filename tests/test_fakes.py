from __future__ import annotations

import json

import pytest

from errors import GenerationCut
from models.llm.chat import Message, Speaker
from tests.fakes import ScriptedGenerator


def asked(text: str) -> list[Message]:
    return [Message(Speaker.USER, text)]


def test_scripted_answers_come_in_turn() -> None:
    scripted = ScriptedGenerator([{"verdict": "true"}, "Two words", GenerationCut("cut")])
    options = {"max_tokens": 9, "temperature": 0.0, "deadline": 9.0}
    assert scripted.answer(asked("One?"), {"type": "null"}, **options) == {"verdict": "true"}  # type: ignore[arg-type]
    assert list(scripted.generate(asked("Two?"), **options)) == ["Two ", "words"]  # type: ignore[arg-type]
    with pytest.raises(GenerationCut):
        scripted.answer(asked("Three?"), {"type": "null"}, **options)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="no answer is left for prompt 4"):
        scripted.answer(asked("Four?"), {"type": "null"}, **options)  # type: ignore[arg-type]
    assert [prompt[-1].text for prompt in scripted.prompts] == ["One?", "Two?", "Three?", "Four?"]
    assert json.loads("".join(ScriptedGenerator([[1]]).generate(asked("?"), {"type": "null"}, **options))) == [1]  # type: ignore[arg-type]
