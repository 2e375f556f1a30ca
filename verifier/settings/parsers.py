"""Parse the text of an environment variable into a setting's value, within its bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from errors import SettingsError
from models.hub.generators import Choice, Mode, parse_choice
from verifier.settings.variables import Parser

MB = 1_000_000
MOST_TOPICS = 20
AUTO: Choice = Mode.AUTO


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
