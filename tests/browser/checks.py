"""What a user does on the page, and waits for."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

PATIENCE = 60_000
"""Milliseconds for a check on a slow machine."""
DONE = "#cv-steps details"
"""What is there once a check is over."""


def open_page(page: Page, url: str) -> None:
    """Open the app, and wait until it runs and its models are loaded."""
    page.goto(url)
    page.wait_for_selector("#cv-claim textarea", timeout=PATIENCE)
    page.wait_for_selector("#cv-announce[role=status]", state="attached")
    expect(page.locator("#cv-state .cv-loading")).to_have_count(0, timeout=PATIENCE)


def check(page: Page, claim: str) -> None:
    """Check a claim, and wait for its result."""
    page.fill("#cv-claim textarea", claim)
    page.click("#cv-check")
    page.wait_for_selector(DONE, timeout=PATIENCE)


def tab(page: Page, name: str) -> None:
    """Turn to a tab."""
    page.get_by_role("tab", name=name, exact=True).click()
    expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")


def verdict(page: Page) -> str:
    """The verdict that is shown."""
    return re.sub(r"^\W+", "", page.inner_text("#cv-verdict h2")).strip()
