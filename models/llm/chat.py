"""Turn the messages of a conversation into the tokens that a model reads.

Text is data. A chat template marks who speaks with control tokens such as `<|im_start|>`. Someone who writes those
marks into a message must not become the speaker. So the template never sees a message: it is rendered with a
placeholder for each, and only what the template itself wrote is read as control tokens. Each text then replaces its
placeholder, unchanged, as ordinary tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from errors import ModelError


class Speaker(StrEnum):
    """Who speaks a message, by the names that chat templates use."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a conversation, up to where the model's answer begins.

    The first `shared` tokens come before the last message's text; other prompts are likely to begin with them too.
    """

    tokens: tuple[int, ...]
    shared: int


_STAND_IN = "\ue000{}\ue001"  # private use: no template writes or changes these
_FOUND = re.compile("\ue000(\\d+)\ue001")


def encode(
    messages: Sequence[Message],
    render: Callable[[list[dict[str, str]]], str],
    tokenize_markup: Callable[[str], list[int]],
    tokenize_text: Callable[[str], list[int]],
) -> Prompt:
    """Build the prompt for `messages`.

    `render` applies the chat template; the other functions tokenize its parts and the texts.

    Raises:
        ModelError: there is no message, or the template leaves one out.
    """
    if not messages:
        raise ModelError("a conversation must have at least one message, got none")
    stand_ins = [
        {"role": message.speaker.value, "content": _STAND_IN.format(number)} for number, message in enumerate(messages)
    ]
    parts = _FOUND.split(render(stand_ins))  # markup, number, markup, number, ..., markup
    missing = set(range(len(messages))) - {int(number) for number in parts[1::2]}
    if missing:
        raise ModelError(f"the model's chat template leaves out {_names(messages, missing)}; choose another model")
    tokens = tokenize_markup(parts[0])
    shared = 0
    for number, markup in zip(map(int, parts[1::2]), parts[2::2], strict=True):
        if number == len(messages) - 1 and not shared:
            shared = len(tokens)
        tokens += tokenize_text(messages[number].text.strip())
        tokens += tokenize_markup(markup)
    return Prompt(tuple(tokens), shared)


def _names(messages: Sequence[Message], numbers: set[int]) -> str:
    return ", ".join(f"message {number + 1} ({messages[number].speaker})" for number in sorted(numbers))
