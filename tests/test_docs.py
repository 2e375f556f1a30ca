"""README and docs: links lead somewhere, pictures are drawn by their script, console output is what the commands print."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kb.store.evidence_store import EvidenceStore
from lab.pictures import console, flow

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:verifier|kb|models|web|ui|lab|tests|docs|extension)/[\w./-]+)`")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def links(page: Path) -> Iterator[tuple[bool, str, str]]:
    """Whether it is a picture, the words, and the target of every link outside code."""
    for picture, words, target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        yield bool(picture), words, target


def anchors(page: Path) -> set[str]:
    """The headings of a page as a browser's address names them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for page in console.pages():
        for _, _, target in links(page):
            if "://" in target:
                continue
            path, _, heading = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or (heading and heading not in anchors(file)):
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_every_file_that_a_page_names_exists() -> None:
    named = [(page.name, path) for page in console.pages() for path in PATH.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 50 and [found for found in named if not (ROOT / found[1]).exists()] == []


def test_every_picture_has_words_for_those_who_do_not_see_it() -> None:
    assert [
        (page.name, target) for page in console.pages() for shown, words, target in links(page) if shown and not words
    ] == []


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {target.partition("#")[0] for _, _, target in links(ROOT / "README.md")}
    assert [page.name for page in console.pages()[1:] if f"docs/{page.name}" not in linked] == []


def test_the_flow_is_drawn_by_its_script_and_stays_inside_its_picture() -> None:
    drawn = flow.draw()
    assert flow.PATH.read_text(encoding="utf-8") == drawn, "run: python -m lab.pictures"
    boxes = [box.attrib for box in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")]
    ends = [(float(box["x"]) + float(box["width"]), float(box["y"]) + float(box["height"])) for box in boxes]
    assert len(boxes) == 12 and all(right <= flow.WIDTH and low <= flow.HEIGHT for right, low in ends)


@pytest.mark.parametrize(
    ("shown", "said", "wrong"),
    [
        ("at 2026-01-01T10:00:00 of 3f2c91ab: 0.94", "at 2027-02-03T11:22:33 of 90d1e4c7: 0.96", False),
        ("confidence 0.94", "confidence 0.44", True),
        ("False   confidence 0.94", "True   confidence 0.94", True),
    ],
)
def test_outputs_may_differ_in_times_ids_and_little_in_scores(shown: str, said: str, wrong: bool) -> None:
    assert console.differs(shown, said) is wrong


def test_console_output_is_what_the_commands_print(seeded: EvidenceStore, tmp_path: Path) -> None:
    shutil.copytree(seeded.uri, tmp_path / "kb")  # where the settings of every test look for the store
    found = [
        (page.name, *block) for page in console.pages() for block in console.blocks(page.read_text(encoding="utf-8"))
    ]
    stale = [
        f"{page}: $ {command}"
        for page, command, shown, output in found
        if shown != command or console.differs(output, console.output_of(command))
    ]
    assert len(found) >= 4 and stale == [], "run: python -m lab.pictures"
