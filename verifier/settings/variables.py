"""Describe a setting, and read a record of settings from environment variables."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum, auto
from typing import Any, Generic, TypeVar

_PREFIX = "VERIFIER_"
_METADATA = "setting"
_LOG = logging.getLogger(__name__)

T = TypeVar("T")
Parser = Callable[[str, str], T]
"""Makes a value from a variable's name and its non-empty text.

Raises SettingsError, with the rule, for a bad text.
"""


class Exposure(Enum):
    """Who may reach the server: only this machine, strangers, or a Hugging Face Space's visitors."""

    PRIVATE = auto()
    PUBLIC = auto()
    SPACE = auto()


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting: its variable, its default, the parser of its text, and what it does."""

    default: T
    name: str
    parse: Parser[T]
    help: str
    """For `.env.example` and the docs; a setting without one is left out of them."""
    example: str | None = None
    """What the docs show instead of the default."""
    public: T | None = None
    """The default if strangers may reach the server; None means the same one."""
    space: T | None = None
    """The default on a Hugging Face Space; None means that of any public server."""
    also: str = ""
    """Another variable, read if the first is not set."""

    def read(self, values: Mapping[str, str], exposure: Exposure) -> T:
        """Return the value that the variables give it; an empty text means the default.

        Raises:
            SettingsError: the text is not allowed.
        """
        for name in filter(None, (self.name, self.also)):
            text = values.get(name, "").strip()
            if text:
                return self.parse(name, text)
        if exposure is Exposure.SPACE and self.space is not None:
            return self.space
        return self.default if exposure is Exposure.PRIVATE or self.public is None else self.public


def setting(
    default: T,
    name: str,
    parse: Parser[T],
    help: str,
    *,
    example: str | None = None,
    public: T | None = None,
    space: T | None = None,
    also: str = "",
    secret: bool = False,
) -> T:
    """Make a field of a settings record, with its `Setting`.

    A secret value is never printed.
    """
    described = Setting(default, name, parse, help, example, public, space, also)
    return field(default=default, repr=not secret, metadata={_METADATA: described})


def part(record: type[T], described: Mapping[str, Setting[Any]] | None = None) -> T:
    """Make a field that holds another settings record.

    `described` is for a record that describes no settings itself.
    """
    return field(default_factory=record, metadata={_METADATA: described})


def described_in(record: type[Any], described: Mapping[str, Setting[Any]] | None = None) -> Iterator[Setting[Any]]:
    """Yield all settings of a record and of the records in it, in order."""
    for each in fields(record):
        if each.default_factory is not MISSING and _METADATA in each.metadata:
            yield from described_in(each.default_factory, each.metadata[_METADATA])  # type: ignore[arg-type]  # it is a class
        elif found := _setting_of(each, described):
            yield found


def read_record(
    record: type[T], values: Mapping[str, str], exposure: Exposure, described: Mapping[str, Setting[Any]] | None = None
) -> T:
    """Make a record with the variables' values, and defaults for its other fields.

    Raises:
        SettingsError: a text is not allowed.
    """
    made: dict[str, Any] = {}
    for each in fields(record):  # type: ignore[arg-type]  # it is the class of a dataclass
        if each.default_factory is not MISSING and _METADATA in each.metadata:
            made[each.name] = read_record(each.default_factory, values, exposure, each.metadata[_METADATA])  # type: ignore[arg-type]
        elif found := _setting_of(each, described):
            made[each.name] = found.read(values, exposure)
    return record(**made)


def _setting_of(each: Field[Any], described: Mapping[str, Setting[Any]] | None) -> Setting[Any] | None:
    found: Setting[Any] | None = (described or {}).get(each.name) or each.metadata.get(_METADATA)
    return found


def warn_of_unknown(values: Mapping[str, str], known: set[str]) -> None:
    """Warn about each variable of ours that is no setting; name the likely one."""
    for name in sorted(name for name in values if name.startswith(_PREFIX) and name not in known):
        near = difflib.get_close_matches(name, known, 1, 0.85)
        meant = f"; did you mean {near[0]}?" if near else ""
        _LOG.warning("there is no setting %s, so it changes nothing%s (.env.example lists all)", name, meant)
