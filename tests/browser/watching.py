"""Eyes for what must not happen in a page: errors, dialogs, requests to another server."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request


@dataclass  # without slots: Playwright keeps its own handle on an object whose method it calls
class Watch:
    """What went wrong in a page of the app at `url`, one line each."""

    url: str
    seen: list[str] = field(default_factory=list)
    leaving: bool = False
    """Whether the page is being left for another: a stream that is cut then is no fault of either."""

    def over(self, page: Page) -> None:
        """Watch a page from now on."""
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("console", self._told)
        page.on("dialog", self._asked)
        page.on("request", self._requested)
        page.on("domcontentloaded", self._arrived)

    def _told(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self.leaving:
            self.seen.append(f"error in the console: {message.text}")

    def _asked(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _arrived(self, _page: Page) -> None:
        self.leaving = False

    def _requested(self, request: Request) -> None:
        self.leaving = self.leaving or request.is_navigation_request()
        if not request.url.startswith((self.url, "data:", f"blob:{self.url}")):
            self.seen.append(f"request to {request.url}")
