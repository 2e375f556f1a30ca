"""Parse when a page says it was published: any usual spelling -> UTC, or None."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_EARLIEST = datetime(1700, 1, 1, tzinfo=UTC)
_UNSET = datetime(1970, 1, 1, tzinfo=UTC)
"""What programs write when they know no date."""


def moment(value: object) -> datetime | None:
    """Return a time from ISO 8601 or e-mail headers; without a zone it is UTC.

    None for what is no time, lies more than a day ahead, or is a placeholder such as 1970-01-01T00:00Z.
    """
    if not isinstance(value, str) or not 4 <= len(value := value.strip()) <= 60:
        return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = parse(value)
            found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        return found if _EARLIEST <= found <= datetime.now(UTC) + timedelta(days=1) and found != _UNSET else None
    return None
