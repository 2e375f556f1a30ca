"""What a user does on the page, and waits for."""

from __future__ import annotations

from playwright.sync_api import Page, expect

PATIENCE = 60_000
"""Milliseconds for a check on a slow machine."""
TABS = {
    "Check": "cv-tab-check",
    "Whole text": "cv-tab-text",
    "Knowledge base": "cv-tab-kb",
    "Batch": "cv-tab-batch",
    "Models": "cv-tab-models",
    "About": "cv-tab-about",
}
"""The names of the tabs, and where their content is."""
DONE = "#cv-steps details"
"""What is there once a check is over."""


def open_page(page: Page, url: str) -> None:
    """Open the app, and wait until it runs and its models are loaded."""
    page.goto(url)
    page.wait_for_selector("#cv-announce[role=status]", state="attached", timeout=PATIENCE)
    expect(page.locator("#cv-state .cv-loading")).to_have_count(0, timeout=PATIENCE)


def start(page: Page, claim: str) -> None:
    """Start a check."""
    page.fill("#cv-claim textarea", claim)
    page.click("#cv-check")


def check(page: Page, claim: str) -> None:
    """Check a claim, and wait for its result."""
    start(page, claim)
    page.wait_for_selector(DONE, timeout=PATIENCE)


def tab(page: Page, name: str) -> None:
    """Turn to a tab, which a narrow window keeps in a menu."""
    here = page.locator("#cv-tabs > .tab-wrapper [role=tab]", has_text=name)
    if here.count():
        here.click()
    else:
        page.click("#cv-tabs > .tab-wrapper [aria-label='More tabs']")
        page.locator("#cv-tabs > .tab-wrapper .overflow-dropdown button", has_text=name).click()
    expect(page.locator(f"#{TABS[name]}")).to_be_visible()


def unfold(page: Page, element: str) -> None:
    """Open an accordion."""
    page.click(f"#{element} > button")


def upload(page: Page, element: str, name: str, content: str) -> None:
    """Give a file to a file box, and wait until the server has it."""
    file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.set_input_files(f"#{element} input[type=file]", file)  # type: ignore[arg-type]
    expect(page.locator(f"#{element}")).to_contain_text(name.rpartition(".")[0])
    page.wait_for_selector(f"#{element} a[download], #{element} .download")


def verdict(page: Page) -> str:
    """The verdict that is shown."""
    return page.inner_text("#cv-verdict h2 span:last-child")
