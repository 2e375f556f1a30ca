"""The real app as people start it, and a real Chromium to look at it with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from pytest_httpserver import HTTPServer

from tests.browser.extension import ALL_SITES, Installed, install
from tests.browser.serving import served
from tests.browser.watching import Watch


@pytest.fixture(scope="package")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the one app of all these tests, with a store of its own and the invented web; ends in a slash."""
    with served(tmp_path_factory.mktemp("served")) as url:
        yield url


# Its event loop runs in this thread until it is closed: the tests of other packages need theirs.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=30_000)  # not 5 s: two processes share two cores, and each page asks for models
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser. Chrome itself will not do: it takes no extension from its command line."""
    path = shutil.which(os.environ.get("CHROMIUM", "chromium")) or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine: install the package chromium, or name its path in CHROMIUM")
    return path


@pytest.fixture(scope="package")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    yield started
    started.close()


@pytest.fixture(scope="module")
def installed(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory, app_url: str
) -> Iterator[Installed]:
    """The extension, told through its options page where the app is and to show the button beside selected text."""
    made = install(playwright, chromium, tmp_path_factory.mktemp("profile") / "user", ALL_SITES)
    made.set_up(app_url)
    yield made
    made.context.close()


@pytest.fixture(scope="session")
def make_httpserver() -> Iterator[HTTPServer]:
    """A server with a thread for each connection: a browser keeps some open that it does not use yet."""
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        yield server


@pytest.fixture(scope="package")
def returning(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """A browser that keeps the page's scripts, compiled, as that of a returning user does: reading them anew is a third of what a load costs."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("returning") / "user",
        executable_path=chromium,
        args=["--no-sandbox"],
        viewport={"width": 1100, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield context
    context.close()


@pytest.fixture
def page(returning: BrowserContext, app_url: str) -> Iterator[Page]:
    """An empty page of a user who left nothing here; it fails the test if anything goes wrong in it or it asks another server."""
    page = returning.new_page()
    watch = Watch(app_url)
    watch.over(page)
    yield page
    blank, *others = returning.pages  # a browser without a page would close
    for each in others:
        each.close()
    left = {
        "origin": app_url.rstrip("/"),
        "storageTypes": "cookies,local_storage,indexeddb,service_workers,cache_storage",
    }
    returning.new_cdp_session(blank).send("Storage.clearDataForOrigin", left)
    assert watch.seen == []
