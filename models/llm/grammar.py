"""Turn a JSON schema into a llama.cpp grammar, so a model writes only matching JSON.

What a schema asks for is enforced or refused, never ignored. Objects have exactly the stated properties in the stated
order; `minLength`, `maxLength`, `minItems` and `maxItems` hold; any other keyword is an error. llama-cpp-python's own
`json_schema_to_gbnf` is not used: it ignores keywords such as `minimum`, and lets a text hold half a surrogate pair.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from errors import ModelError

Schema = Mapping[str, object]

MOST_REPEATS = 1000
"""llama.cpp refuses grammars that repeat something more often than about twice this."""

_RULES = """
space ::= " "?
hex ::= [0-9a-fA-F]
char ::= [^"\\\\\\x00-\\x1F\\x7F\\uD800-\\uDFFF] | "\\\\" (["\\\\/bfnrt] | "u" ([0-9a-cefA-CEF] hex hex hex | [dD] [0-7] hex hex))
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,15})?
boolean ::= "true" | "false"
null ::= "null"
"""
_SIMPLE = ("integer", "number", "boolean", "null")
_NOTES = {"title", "description", "default", "examples", "$schema"}
_KNOWN = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength", "maxLength"},
}


def schema_grammar(schema: Schema) -> str:
    """Build the grammar of the JSON values of `schema`; it starts at rule `root`.

    Supported are the types object, array, string, integer, number, boolean and null, a list of them, `enum`, `const`
    and `anyOf`. Numbers have at most 15 digits before and after the point, and no exponent.

    Raises:
        ModelError: the schema has a type or a keyword that cannot be enforced.
    """
    return f"root ::= {_rule(schema, 'the schema')}\n{_RULES}"


def _rule(schema: Schema, where: str) -> str:
    if "anyOf" in schema:
        options = schema["anyOf"]
        if not isinstance(options, list) or not options:
            raise ModelError(f"anyOf of {where} must be a list of schemas, is {options!r}")
        _refuse_others(schema, {"anyOf"}, where)
        return _one_of([_rule(option, where) for option in options])
    if "enum" in schema or "const" in schema:
        _refuse_others(schema, {"enum", "const", "type"}, where)
        choices = schema.get("enum", [schema.get("const")])
        if not isinstance(choices, list) or not choices:
            raise ModelError(f"enum of {where} must be a list of values, is {choices!r}")
        return _one_of([_literal(choice) for choice in choices])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _one_of([_rule({**schema, "type": each}, where) for each in kind])
    if kind not in (*_SIMPLE, *_KNOWN) or not isinstance(kind, str):
        raise ModelError(f"type of {where} must be one of {', '.join((*_KNOWN, *_SIMPLE))}, is {kind!r}")
    _refuse_others(schema, {"type"} | _KNOWN.get(kind, set()), where)
    if kind == "object":
        return _object(schema, where)
    if kind == "array":
        return _array(schema, where)
    return _string(schema, where) if kind == "string" else kind


def _refuse_others(schema: Schema, known: set[str], where: str) -> None:
    others = sorted(schema.keys() - known - _NOTES)
    if others:
        raise ModelError(f"{where} has {', '.join(others)}, which a grammar cannot keep; check it in code instead")


def _object(schema: Schema, where: str) -> str:
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        raise ModelError(f"properties of {where} must be an object, is {properties!r}")
    if schema.get("additionalProperties", False) is not False:
        raise ModelError(f"{where} allows additionalProperties, which would never end; name every property")
    required = schema.get("required", list(properties))
    if not isinstance(required, Sequence) or set(required) != set(properties):
        raise ModelError(f"required of {where} must name every property, is {required!r}; let a value be null instead")
    members = [f'{_literal(name)} ":" space {_rule(value, repr(name))}' for name, value in properties.items()]
    return '"{" ' + ' "," space '.join(members) + ' "}"'


def _array(schema: Schema, where: str) -> str:
    items = schema.get("items")
    if not isinstance(items, Mapping):
        raise ModelError(f"items of {where} must be one schema, is {items!r}")
    least, most = _bounds(schema, "Items", where)
    item = f"({_rule(items, f'an item of {where}')})"
    if most == 0:
        return '"[]"'
    more = f'("," space {item}){_repeat(max(least - 1, 0), None if most is None else most - 1)}'
    return f'"[" {item} {more} "]"' if least else f'"[" ({item} {more})? "]"'


def _string(schema: Schema, where: str) -> str:
    least, most = _bounds(schema, "Length", where)
    return f'"\\"" char{_repeat(least, most)} "\\""'


def _bounds(schema: Schema, what: str, where: str) -> tuple[int, int | None]:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    for value in (least, most if most is not None else 0):
        if not isinstance(value, int) or not 0 <= value <= MOST_REPEATS:
            raise ModelError(
                f"min{what} and max{what} of {where} must lie between 0 and {MOST_REPEATS}, found {value!r}"
            )
    if not isinstance(least, int) or not isinstance(most, int | None) or (most is not None and most < least):
        raise ModelError(f"min{what} of {where} must be at most max{what} ({most}), is {least}")
    return least, most


def _repeat(least: int, most: int | None) -> str:
    return f"{{{least},{'' if most is None else most}}}"


def _one_of(rules: list[str]) -> str:
    return f"({' | '.join(rules)})"


def _literal(value: object) -> str:
    """Write the JSON of `value` as a literal of the grammar."""
    text = json.dumps(value, ensure_ascii=False)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
