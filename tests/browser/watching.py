"""Eyes for what must not happen in a page: errors, dialogs, requests to another server."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request

_CUT = ("AbortError: signal is aborted", "Connection errored out")
"""What Gradio's client says of a stream that is cut; of the page that was left it may be told after the next has come."""
_LATE = 10.0
"""Seconds in which that may still be told."""


@dataclass  # without slots: Playwright keeps its own handle on an object whose method it calls
class Watch:
    """What went wrong in a page of the app at `url`, one line each."""

    url: str
    seen: list[str] = field(default_factory=list)
    leaving: bool = False
    """Whether the page is being left for another: a stream that is cut then is no fault of either."""
    left_at: float = float("-inf")
    """When another page had come, in seconds of the monotonic clock."""

    def over(self, page: Page) -> None:
        """Watch a page from now on."""
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("console", self._told)
        page.on("dialog", self._asked)
        page.on("request", self._requested)
        page.on("domcontentloaded", self._arrived)

    def _told(self, message: ConsoleMessage) -> None:
        late = any(cut in message.text for cut in _CUT) and time.monotonic() - self.left_at < _LATE
        if message.type == "error" and not self.leaving and not late:
            self.seen.append(f"error in the console: {message.text}")

    def _asked(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _arrived(self, _page: Page) -> None:
        if self.leaving:
            self.left_at = time.monotonic()
        self.leaving = False

    def _requested(self, request: Request) -> None:
        self.leaving = self.leaving or request.is_navigation_request()
        if not request.url.startswith((self.url, "data:", f"blob:{self.url}")):
            self.seen.append(f"request to {request.url}")
