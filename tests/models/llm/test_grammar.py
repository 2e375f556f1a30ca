"""What a model writes with a schema is of the schema, be its weights noise."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import GenerationCut, ModelError
from models.llm.generator import Generator, Json
from models.llm.grammar import Schema, schema_grammar
from models.llm.sampling import Grammar
from tests.models.asking import VERDICT, user
from tests.models.tiny_generator import write_tiny_generator

SCHEMAS: dict[str, Schema] = {
    "verdict": VERDICT,
    "bounded text": {"type": "string", "minLength": 2, "maxLength": 12},
    "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 4},
    "choice": {"enum": [1, "naïve\n中", None, {"a": [True]}]},
    "nothing": {"type": "object", "properties": {}},
    "either": {"anyOf": [{"type": ["boolean", "null"]}, {"type": "array", "items": {"type": "null"}, "maxItems": 2}]},
    "nested": {
        "type": "object",
        "properties": {
            "parts": {
                "type": "array",
                "maxItems": 2,
                "items": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 9}}},
            }
        },
    },
}


def fits(value: Json, schema: Schema) -> bool:
    """Whether `value` is of `schema`, judged by other code than the grammar's."""
    if "anyOf" in schema:
        return any(fits(value, option) for option in schema["anyOf"])  # type: ignore[attr-defined]
    if "enum" in schema:
        return value in schema["enum"]  # type: ignore[operator]
    kind = schema["type"]
    if isinstance(kind, list):
        return any(fits(value, {"type": each}) for each in kind)
    if isinstance(value, dict):
        properties: dict[str, Schema] = schema["properties"]  # type: ignore[assignment]
        return (
            kind == "object" and list(value) == list(properties) and all(fits(value[k], properties[k]) for k in value)
        )
    if isinstance(value, list):
        bounds: int = schema.get("maxItems", 99)  # type: ignore[assignment]
        return kind == "array" and len(value) <= bounds and all(fits(v, schema["items"]) for v in value)  # type: ignore[arg-type]
    if isinstance(value, str):
        value.encode()  # no half of a surrogate pair
        return kind == "string" and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 9_999)  # type: ignore[operator]
    names = {bool: "boolean", type(None): "null", int: "integer", float: "number"}
    return names[type(value)] == kind or (kind == "number" and type(value) is int)


def test_what_ends_by_itself_parses_and_is_of_the_schema(tiny: Path) -> None:
    ended: Counter[tuple[str, float]] = Counter()
    for seed in range(8):
        generator = Generator(tiny, 1, 1024, seed=seed)
        for name, temperature, question in product(SCHEMAS, (0.0, 2.0), ("Is it so?", "12", "🎉")):
            try:
                value = generator.answer(
                    user(question), SCHEMAS[name], max_tokens=300, temperature=temperature, deadline=60
                )
            except GenerationCut:
                continue
            ended[name, temperature] += 1
            assert fits(value, SCHEMAS[name]), (name, value)
    assert len(ended) == 2 * len(SCHEMAS) and min(ended.values()) >= 20, ended


def test_the_bounds_of_texts_and_lists_hold_up_to_the_largest(generator: Generator) -> None:
    long: Schema = {"type": "string", "minLength": 1000, "maxLength": 1000}
    text = generator.answer(user("?"), long, max_tokens=2000, temperature=2.0, deadline=60)
    assert isinstance(text, str) and len(text) == 1000
    many: Schema = {"type": "array", "items": {"type": "null"}, "minItems": 300, "maxItems": 300}
    assert generator.answer(user("?"), many, max_tokens=3000, temperature=0.0, deadline=60) == [None] * 300


def test_a_schema_that_cannot_be_kept_is_refused() -> None:
    refused: list[tuple[Schema, str]] = [
        ({"type": "integer", "minimum": 0}, "the schema has minimum, which a grammar cannot keep"),
        ({"type": "text"}, "type of the schema must be one of .* is 'text'"),
        ({"type": "string", "maxLength": 5000}, "must lie between 0 and 1000, found 5000"),
        ({"type": "string", "minLength": 5, "maxLength": 4}, "minLength of the schema must be at most maxLength"),
        ({"type": "object", "properties": {"a": {"type": "null"}}, "required": []}, "must name every property"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "would never end"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "items of 'a' must be one schema"),
        ({"enum": []}, "enum of the schema must be a list of values"),
    ]
    for schema, message in refused:
        with pytest.raises(ModelError, match=message):
            schema_grammar(schema)


def test_a_grammar_that_llama_cpp_refuses_is_an_error_not_a_free_text(generator: Generator) -> None:
    inner: Schema = {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": 1000}
    deep: Schema = {"type": "array", "items": inner, "maxItems": 1000}
    with pytest.raises(ModelError, match="llama.cpp refuses the grammar"):
        generator.answer(user("?"), deep, max_tokens=9, temperature=0, deadline=9)


def test_large_vocabularies_are_not_searched_for_every_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = Grammar.allows

    def counted(self: Grammar, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        asked.append(len(tokens))
        return real(self, tokens)

    monkeypatch.setattr(Grammar, "allows", counted)
    generator = Generator(write_tiny_generator(tmp_path / "large.gguf", vocabulary=50_000), 1)
    text: Schema = {"type": "string", "minLength": 400, "maxLength": 900}
    assert generator.answer(user("?"), text, max_tokens=999, temperature=0, deadline=60)
    assert generator.usage and generator.usage.written > 20
    assert sum(asked) < generator.usage.written * 50_000 / 4
