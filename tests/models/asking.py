"""What the tests of the generator ask it."""

from __future__ import annotations

from collections.abc import Sequence

from errors import GenerationCut
from models.llm.chat import Message, Speaker
from models.llm.generator import Generator
from models.llm.grammar import Schema

SYSTEM = Message(Speaker.SYSTEM, "You check claims. Answer in JSON. " * 12)
VERDICT: Schema = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["true", "false", 'not "sure"']},
        "reasons": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 3},
        "confidence": {"type": "number"},
    },
    "required": ["verdict", "reasons", "confidence"],
}


def user(text: str) -> list[Message]:
    return [SYSTEM, Message(Speaker.USER, text)]


def written(generator: Generator, messages: Sequence[Message], tokens: int = 40, temperature: float = 0.0) -> str:
    """What comes, be it cut."""
    pieces = []
    try:
        for piece in generator.generate(messages, max_tokens=tokens, temperature=temperature, deadline=60):
            pieces.append(piece)
    except GenerationCut:
        pass
    return "".join(pieces)
