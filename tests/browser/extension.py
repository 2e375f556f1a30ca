"""The extension in a real Chromium, and eyes for what it draws where pages cannot look: in closed shadow roots."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright, Worker

EXTENSION = Path(__file__).resolve().parents[2] / "extension"
ALL_SITES = ("http://*/*", "https://*/*")
PATIENCE_SECONDS = 60.0
Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Installed:
    """A browser with the extension in it."""

    context: BrowserContext
    worker: Worker

    def address(self, page: str) -> str:
        """The address of one of the extension's own pages."""
        return f"{self.worker.url.removesuffix('worker/main.js')}{page}"

    def opened(self, page: str) -> Page:
        """One of the extension's own pages that it opened by itself, as the options after the installation."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := [one for one in self.context.pages if one.url == self.address(page)]):
            assert time.monotonic() < deadline, f"{page} was not opened"
            self.context.pages[0].wait_for_timeout(50)  # news of pages comes only while Playwright waits
        return found[0]

    def set_up(self, app_url: str) -> None:
        """Say on the options page, which it opened by itself, where the app is, and show the button beside selected text."""
        options = self.opened("options.html")
        wait_for(lambda: options.input_value("#server"), bool, PATIENCE_SECONDS)  # the page has filled its form
        options.fill("#server", app_url)
        options.click("text=Save")
        wait_for(
            lambda: options.inner_text("#server-said"),
            lambda said: f"Saved. The app at {app_url} is" in said,
            PATIENCE_SECONDS,
        )
        options.check("#button")
        wait_for(lambda: options.inner_text("#button-said"), lambda said: said.startswith("On"), PATIENCE_SECONDS)
        options.close()

    def choose(self, **settings: object) -> None:
        """Store settings as the options page does."""
        self.worker.evaluate("settings => chrome.storage.local.set(settings)", settings)

    def press_menu(self, page: Page, text: str) -> None:
        """What the browser tells the extension when its entry in the context menu is chosen; without text, that for the page."""
        info = {"menuItemId": "check-claim", "selectionText": text} if text else {"menuItemId": "check-page"}
        self.worker.evaluate(
            """async ({url, info}) => {
                const tab = (await chrome.tabs.query({})).find((one) => one.url === url);
                chrome.contextMenus.onClicked.dispatch(info, tab);
            }""",
            {"url": page.url, "info": info},
        )


def install(playwright: Playwright, chromium: str, profile: Path, allowed: Sequence[str]) -> Installed:
    """Start Chromium with the extension as it ships.

    Nobody can press the browser's own "Allow" in these tests. Chromium does not ask again for what was allowed before, so
    the profile says that the `allowed` match patterns once were; the extension still has to ask, and has nothing until it does.
    """
    manifest = json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))
    hosts = [*manifest["host_permissions"], *allowed]
    permissions = {
        "api": manifest["permissions"],
        "explicit_host": hosts,
        "manifest_permissions": [],
        "scriptable_host": [],
    }
    granted = {"granted_permissions": permissions, "runtime_granted_permissions": permissions}
    known = {_extension_id(): granted | {"location": 8, "path": str(EXTENSION)}}
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text(json.dumps({"extensions": {"settings": known}}))
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=chromium,
        headless=False,  # Playwright's own headless mode is a browser that takes no extensions
        args=[
            "--headless=new",
            "--no-sandbox",
            f"--disable-extensions-except={EXTENSION}",
            f"--load-extension={EXTENSION}",
        ],
    )
    workers = context.service_workers or [context.wait_for_event("serviceworker")]
    return Installed(context, workers[0])


def _extension_id() -> str:
    """The id that Chromium derives from the folder of an unpacked extension."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(str(EXTENSION).encode()).hexdigest()[:32])


class Shadow:
    """What the extension shows over a page, read through the debugging protocol."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._cdp: CDPSession = page.context.new_cdp_session(page)

    def root(self) -> Node | None:
        """The closed shadow root that was added last, or None."""
        whole = self._cdp.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
        closed = [
            root
            for node in _walk(whole)
            for root in node.get("shadowRoots", [])
            if root["shadowRootType"] == "closed" and node["nodeName"] == "DIV"
        ]
        return closed[-1] if closed else None

    def text(self) -> str:
        """All of its text, in order, with line ends between the pieces."""
        return _text(self.root())

    def find(self, tag: str) -> list[Node]:
        """Its elements of one tag."""
        root = self.root()
        return [node for node in _walk(root) if node["nodeName"] == tag.upper()] if root else []

    def click(self, words: str) -> None:
        """Click the button or summary whose text holds `words`, as a person does: with the mouse, where it is."""
        targets = [node for tag in ("button", "summary") for node in self.find(tag) if words in _text(node)]
        quad = self._cdp.send("DOM.getBoxModel", {"backendNodeId": targets[0]["backendNodeId"]})["model"]["content"]
        self._page.mouse.click((quad[0] + quad[4]) / 2, (quad[1] + quad[5]) / 2)

    def focused(self) -> str:
        """The tag and text of the element that has the focus inside, or ""."""
        root = self.root()
        if root is None:
            return ""
        remote = self._cdp.send("DOM.resolveNode", {"backendNodeId": root["backendNodeId"]})["object"]["objectId"]
        function = (
            "function () { const one = this.activeElement; return one ? `${one.tagName} ${one.textContent}` : ''; }"
        )
        told = self._cdp.send(
            "Runtime.callFunctionOn", {"objectId": remote, "functionDeclaration": function, "returnByValue": True}
        )
        return str(told["result"]["value"])

    def own_script(self, worker: str) -> Callable[[str], object]:
        """Run an expression as the extension's own script in this page does."""
        contexts: list[Node] = []
        self._cdp.on("Runtime.executionContextCreated", lambda event: contexts.append(event["context"]))
        self._cdp.send("Runtime.enable")
        ours = next(one["id"] for one in contexts if one["origin"] and worker.startswith(one["origin"]))

        def run(expression: str) -> object:
            asked = {"expression": expression, "contextId": ours, "awaitPromise": True, "returnByValue": True}
            return self._cdp.send("Runtime.evaluate", asked)["result"].get("value")

        return run

    def heard(self) -> list[tuple[str, str]]:
        """The role and name of everything that a screen reader finds on the page."""
        nodes = self._cdp.send("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")
        ]

    def wait(self, words: str, seconds: float = PATIENCE_SECONDS) -> str:
        """The text, as soon as it holds `words`."""
        return wait_for(self.text, lambda text: words in text, seconds)

    def wait_gone(self) -> None:
        """Return as soon as nothing is shown over the page."""
        wait_for(self.text, lambda text: not text, PATIENCE_SECONDS)


def wait_for(read: Callable[[], str], good: Callable[[str], bool], seconds: float) -> str:
    """What `read` returns, as soon as it is good."""
    end = time.monotonic() + seconds
    while not good(last := read()):
        assert time.monotonic() < end, f"after {seconds} s there was still only: {last!r}"
        time.sleep(0.05)
    return last


def attributes(node: Node) -> dict[str, str]:
    """The attributes of an element."""
    flat = node.get("attributes", [])
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in [*node.get("shadowRoots", []), *node.get("children", [])]:
        yield from _walk(child)


def _text(node: Node | None) -> str:
    return "\n".join(one["nodeValue"] for one in _walk(node) if one["nodeType"] == 3) if node else ""
