"""Describe a setting, and parse the text of an environment variable into its value."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum, auto
from pathlib import Path
from typing import Any, Generic, TypeVar

from errors import SettingsError
from models.hub.generators import Choice, Mode, parse_choice

MB = 1_000_000
MOST_TOPICS = 20
AUTO: Choice = Mode.AUTO
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


def switch(name: str, text: str) -> bool:
    """Parse a switch: on, 1, true or yes; off, 0, false or no.

    Raises:
        SettingsError: it is anything else.
    """
    if text.lower() in {"on", "1", "true", "yes"}:
        return True
    if text.lower() in {"off", "0", "false", "no"}:
        return False
    raise SettingsError(f"{name} must be on or off, not {text!r}")


def number(low: float, high: float) -> Parser[float]:
    """Make a parser of numbers from `low` to `high`."""
    return lambda name, text: _bounded(float, name, text, low, high)


def whole(low: int, high: int) -> Parser[int]:
    """Make a parser of whole numbers from `low` to `high`."""
    return lambda name, text: _bounded(int, name, text, low, high)


def megabytes(low: int, high: int) -> Parser[int]:
    """Make a parser of sizes in MB, which are kept in bytes."""
    return lambda name, text: _bounded(int, name, text, low, high) * MB


_N = TypeVar("_N", int, float)


def _bounded(kind: Callable[[str], _N], name: str, text: str, low: float, high: float) -> _N:
    try:
        value = kind(text)
    except ValueError as exc:
        raise SettingsError(f"{name} must be a number from {low:g} to {high:g}, not {text!r}") from exc
    if not low <= value <= high:
        raise SettingsError(f"{name} must be from {low:g} to {high:g}, not {text}")
    return value


def hours_or_never(name: str, text: str) -> float:
    """Parse the hours between two refreshes: 0, or from 1 to 8760."""
    hours = _bounded(float, name, text, 0, 8_760)
    if 0 < hours < 1:
        raise SettingsError(f"{name} must be 0 (off) or from 1 to 8760, not {hours:g}")
    return hours


def plain(_name: str, text: str) -> str:
    """Return the text as it is."""
    return text


def path(_name: str, text: str) -> Path:
    """Parse a path."""
    return Path(text)


def choice(_name: str, text: str) -> Choice:
    """Parse which instruct model is used."""
    return parse_choice(text)


def address(name: str, text: str) -> str:
    """Parse an http(s) address.

    One with a user name is refused and not repeated, since a password may follow.

    Raises:
        SettingsError: it is not such an address.
    """
    rule = f"{name} must be an http or https address such as http://localhost:8090"
    if "@" in text.split("?", 1)[0]:
        raise SettingsError(f"{rule}, without a user's name or password in it")
    if not re.fullmatch(r"https?://(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?(?:[/?]\S*)?", text, re.IGNORECASE):
        raise SettingsError(f"{rule}, not {text[:200]!r}")
    return text


def address_by_language(name: str, text: str) -> str:
    """Parse an http(s) address in which {language} may stand for the code of a language.

    Raises:
        SettingsError: it is not such an address.
    """
    address(name, text.replace("{language}", "en"))
    return text


def contact(name: str, text: str) -> str:
    """Parse an e-mail or web address for a header, of at most 200 characters.

    Raises:
        SettingsError: it is neither.
    """
    if not re.fullmatch(r"(?=[!-~]{3,200}$)(?:https?://[^()<>@]+|[^()<>@/:]+@[^()<>@/:]+)", text):
        raise SettingsError(f"{name} must be an e-mail or web address such as me@example.org, not {text[:200]!r}")
    return text


def addresses(name: str, text: str) -> tuple[str, ...]:
    """Parse addresses separated by commas, each once."""
    return tuple(dict.fromkeys(address(name, part) for part in map(str.strip, text.split(",")) if part))


def origins(name: str, text: str) -> tuple[str, ...]:
    """Parse sites as scheme://name:port in lower case."""
    return tuple(part.rstrip("/").lower() for part in addresses(name, text))


def key(longest: int = 500) -> Parser[str]:
    """Make a parser of keys that can be used in a header.

    An invalid key is not repeated in the error.
    """

    def parse(name: str, text: str) -> str:
        if not re.fullmatch(rf"[!-~]{{0,{longest}}}", text):
            rule = f"{name} must be a key of letters, digits and signs without spaces"
            raise SettingsError(f"{rule}; its value is not shown")
        return text

    return parse


def token(name: str, text: str) -> str:
    """Parse a secret that strangers must not guess.

    It has 20 to 200 letters, digits and "-._~", as allowed in an address.

    Raises:
        SettingsError: it is too short or too long, or has other signs; its value is not shown.
    """
    if not re.fullmatch(r"[\w.~-]{20,200}", text, re.ASCII):
        raise SettingsError(f"{name} must be 20 to 200 letters, digits and signs of -._~; its value is not shown")
    return text


def topic_list(name: str, text: str) -> tuple[str, ...]:
    """Parse a few topics separated by commas, each once.

    Every one is a search at every refresh.

    Raises:
        SettingsError: there are too many, or one is too long or has no letter.
    """
    parts = tuple(dict.fromkeys(filter(None, (" ".join(part.split()) for part in text.split(",")))))
    bad = [part for part in parts if len(part) > 100 or not any(map(str.isalnum, part))]
    if bad:
        rule = f"{name} must be at most {MOST_TOPICS} topics of up to 100 characters with commas between them"
        raise SettingsError(f"{rule}, not {bad[0][:120]!r}")
    if len(parts) > MOST_TOPICS:
        raise SettingsError(f"{name} must be at most {MOST_TOPICS} topics, not {len(parts)}")
    return parts


def rate(which: int) -> Parser[int]:
    """Make a parser of two rates such as 20/200, per minute and per hour.

    It takes the one at `which`; "off" is 0.
    """

    def parse(name: str, text: str) -> int:
        if text.lower() in {"off", "0"}:
            return 0
        found = re.fullmatch(r"(\d{1,6})\s*/\s*(\d{1,6})", text)
        limits = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= limits[0] <= limits[1]:
            rule = f"{name} must be off, or checks a minute and checks an hour such as 20/200"
            raise SettingsError(f"{rule}, not {text.lower()[:40]!r}")
        return limits[which]

    return parse
