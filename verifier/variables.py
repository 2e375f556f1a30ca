"""Environment variables as values: a switch, a number, an address, a key. Whatever is not allowed is one line that names the variable."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Mapping

from errors import SettingsError

MOST_TOPICS = 20
_PREFIX = "VERIFIER_"
_LOG = logging.getLogger(__name__)


class Asked(dict[str, str]):
    """Variables that note which of them were asked for, so that a name that nobody asks for can be told."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]  # of all overloads this one is used
        """The value, as of any mapping."""
        self.asked.add(name)
        return super().get(name, default)

    def warn(self) -> None:
        """Name each setting of ours that does not exist, with the one that may have been meant."""
        for name in sorted(name for name in self if name.startswith(_PREFIX) and name not in self.asked):
            near = difflib.get_close_matches(name, self.asked, 1, 0.85)
            meant = f"; did you mean {near[0]}?" if near else ""
            _LOG.warning("there is no setting %s, so it changes nothing%s (.env.example lists all)", name, meant)


def switch(values: Mapping[str, str], name: str, default: bool) -> bool:
    """on, 1, true or yes; off, 0, false or no; nothing is the default.

    Raises:
        SettingsError: it is anything else.
    """
    text = values.get(name, "").strip().lower()
    if text in {"", "on", "1", "true", "yes"}:
        return True if text else default
    if text in {"off", "0", "false", "no"}:
        return False
    raise SettingsError(f"{name} must be on or off, not {values[name]!r}")


def number(values: Mapping[str, str], name: str, default: float, low: float, high: float) -> float:
    """A number from `low` to `high`, a whole one where the default is; nothing is the default.

    Raises:
        SettingsError: it is none, or lies outside.
    """
    text = values.get(name, "").strip()
    parse: Callable[[str], float] = int if isinstance(default, int) else float
    try:
        number = parse(text) if text else default
    except ValueError as exc:
        raise SettingsError(f"{name} must be a number from {low:g} to {high:g}, not {text!r}") from exc
    if not low <= number <= high:
        raise SettingsError(f"{name} must be from {low:g} to {high:g}, not {text}")
    return number


def address(values: Mapping[str, str], name: str) -> str:
    """An http(s) address, or "". A user's name in it is refused, and then the address is not repeated: a password stands beside it."""
    text = values.get(name, "").strip()
    if not text:
        return ""
    rule = f"{name} must be an http or https address such as http://localhost:8090"
    if "@" in text.split("?", 1)[0]:
        raise SettingsError(f"{rule}, without a user's name or password in it")
    if not re.fullmatch(r"https?://(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?(?:[/?]\S*)?", text, re.IGNORECASE):
        raise SettingsError(f"{rule}, not {text[:200]!r}")
    return text


def addresses(values: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Addresses with commas between them, each once."""
    parts = filter(None, (part.strip() for part in values.get(name, "").split(",")))
    return tuple(dict.fromkeys(address({name: part}, name) for part in parts))


def key(values: Mapping[str, str], name: str, longest: int = 500) -> str:
    """A key as it can stand in a header. It is not repeated where it cannot."""
    text = values.get(name, "").strip()
    if not re.fullmatch(rf"[!-~]{{0,{longest}}}", text):
        raise SettingsError(f"{name} must be a key of letters, digits and signs without spaces; its value is not shown")
    return text


def topic_list(values: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A few topics with commas between them, each once: every one is a search at every refresh."""
    parts = tuple(dict.fromkeys(filter(None, (" ".join(part.split()) for part in values.get(name, "").split(",")))))
    bad = [part for part in parts if len(part) > 100 or not any(map(str.isalnum, part))]
    if bad or len(parts) > MOST_TOPICS:
        raise SettingsError(
            f"{name} must be at most {MOST_TOPICS} topics of up to 100 characters with commas between them, "
            f"not {bad[0][:120]!r}"
            if bad
            else f"{name} must be at most {MOST_TOPICS} topics, not {len(parts)}"
        )
    return parts


def rate(values: Mapping[str, str], name: str, minute: int, hour: int) -> tuple[int, int]:
    """Two whole numbers with a slash between them, or "off"."""
    text = values.get(name, "").strip().lower()
    if not text or text in {"off", "0"}:
        return (0, 0) if text else (minute, hour)
    found = re.fullmatch(r"(\d{1,6})\s*/\s*(\d{1,6})", text)
    limits = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= limits[0] <= limits[1]:
        raise SettingsError(
            f"{name} must be off, or checks a minute and checks an hour such as {minute}/{hour}, not {text[:40]!r}"
        )
    return limits
