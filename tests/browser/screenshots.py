"""`python -m tests.browser.screenshots [FOLDER]`: pictures of the page's main states, for the README; docs/images by default."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.checks import check, open_page, tab
from tests.browser.serving import served
from tests.served import ROOT

CHROMIUM = shutil.which(os.environ.get("CHROMIUM", "chromium")) or "chromium"
BRIDGE = "The Halvard Crossing bridge in Port Halvard is 2.4 kilometres long."
PARTS = "India became independent in 1947 and the Eiffel Tower is in Berlin."
TEXT = (
    "Notes on common beliefs\n\nThe Earth is flat. Water boils at 100 degrees Celsius at sea level. India became independent in 1947. "
    "The Great Wall of China is visible from the Moon with the naked eye. Who would have believed it?\n\n"
    "According to a shop owner, the Eiffel Tower is in Berlin. The lighthouse of Vellmar was painted green in 1911. "
    "Pizza tastes better than burgers.\n"
)
BATCH = (
    "The Earth is flat\nIndia became independent in 1947\n5G towers spread COVID-19\n"
    "Pizza tastes better than burgers\nThe Eiffel Tower is in Berlin\nMy neighbour owns a red bicycle\n"
)


@dataclass(frozen=True, slots=True)
class Studio:
    """Where pictures are taken: a browser, the app's address, and the folder that they go to."""

    browser: Browser
    url: str
    folder: Path

    def page(self, width: int = 1100, height: int = 900) -> Page:
        """The app in a window of its own."""
        page = self.browser.new_page(viewport={"width": width, "height": height})
        open_page(page, self.url)
        return page

    def take(self, page: Page, name: str, height: int) -> None:
        """Write the upper `height` pixels of the page, or all of it where it is less."""
        page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        size = page.viewport_size or {"width": 1100, "height": height}
        content = int(page.evaluate("document.querySelector('#cv-page').getBoundingClientRect().bottom")) + 4
        page.set_viewport_size({"width": size["width"], "height": min(height, content)})
        page.wait_for_timeout(300)
        save(page.screenshot(), self.folder / f"{name}.png")
        page.close()


def save(screenshot: bytes, path: Path) -> None:
    """Write a picture with a palette of its commonest colours: large areas keep theirs, text stays sharp, and the file small."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    counted = Counter(zip(*[iter(picture.tobytes())] * 3, strict=True))
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour, _ in counted.most_common(256) for part in colour])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def main(arguments: Sequence[str]) -> int:
    """Take all pictures."""
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept, served(Path(kept)) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        studio = Studio(browser, url, folder)
        for picture in (checks, parts, steps, whole_text, knowledge_base, batch):
            picture(studio)
        browser.close()
    return 0


def checks(studio: Studio) -> None:
    """One claim, in light, in dark and on a phone."""
    for name, width, height in (("check-light", 1100, 1000), ("check-dark", 1100, 1000), ("check-phone", 390, 844)):
        page = studio.page(width, height)
        if name == "check-dark":
            page.click("#cv-theme")
        check(page, "The Earth is flat")
        studio.take(page, name, height)


def parts(studio: Studio) -> None:
    """A claim of two parts."""
    page = studio.page()
    check(page, PARTS)
    studio.take(page, "parts", 1000)


def steps(studio: Studio) -> None:
    """How a claim was checked on the web."""
    page = studio.page(height=700)
    check(page, BRIDGE)
    page.click("#cv-steps summary")
    save(page.locator("#cv-steps section").screenshot(), studio.folder / "steps.png")
    page.close()


def whole_text(studio: Studio) -> None:
    """A text with its statements marked, and the card of one."""
    page = studio.page(1280)
    tab(page, "Whole text")
    page.fill("#cv-doc-box textarea", TEXT)
    page.click("#cv-doc-go")
    page.wait_for_selector("text=Choose a marked sentence", timeout=60_000)
    page.click("#cv-doc-text .cv-doc-text .cv-s-false >> nth=-1")
    page.wait_for_selector("#cv-doc-card .cv-result")
    studio.take(page, "text", 1000)


def knowledge_base(studio: Studio) -> None:
    """What a search of the store finds."""
    page = studio.page()
    tab(page, "Knowledge base")
    page.fill("#cv-kb-query input, #cv-kb-query textarea", "height of the Eiffel Tower")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cv-kb-results .cv-piece")
    studio.take(page, "knowledge-base", 760)


def batch(studio: Studio) -> None:
    """A file of claims."""
    page = studio.page()
    tab(page, "Batch")
    upload = {"name": "claims.txt", "mimeType": "text/plain", "buffer": BATCH.encode()}
    page.set_input_files("#cv-batch-file input[type=file]", upload)  # type: ignore[arg-type]
    page.wait_for_selector("#cv-batch-file >> text=claims")
    page.click("#cv-batch-go")
    page.wait_for_selector("#cv-batch-csv", timeout=60_000)
    studio.take(page, "batch", 1000)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
