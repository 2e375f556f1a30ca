"""Time watched claims after a refresh, and check their feed against RFC 4287.

    python -m lab.benchmarks.watch --claims 100

The claims are from `tests/data/claims.jsonl`, except `--news` of them from `tests/data/news_claims.jsonl`: the refresh
brings the passages that settle these, so that verdicts change. The web is off. Each run loads its own models, as the
process of `python -m kb refresh` does: of the run before, it knows only what is on disk.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax import make_parser
from xml.sax.handler import ContentHandler, feature_namespaces

from kb.record import Collection, NewEvidence, Origin
from kb.upkeep.job_state import JobFile
from kb.upkeep.news import Brought, Known, Stopped
from kb.upkeep.refresh import Refresh
from verifier.build import upkeep_folder
from verifier.claim.intake import clean_claim
from verifier.history.watch import WatchList
from verifier.history.watch_feed import MOST_ENTRIES, NAMESPACE, atom_feed
from verifier.history.watched import Every
from verifier.serve.checker import Checker
from verifier.serve.watching import Watching, WatchReport
from verifier.settings import Settings

DATA = Path(__file__).parents[2] / "tests" / "data"
ASKED_SECONDS = 60.0
_ONCE = ("id", "title", "updated")
"""What a feed and each entry must have exactly once (RFC 4287, 4.1.1 and 4.1.2)."""


@dataclass(frozen=True, slots=True)
class Passages:
    """A source of given passages, as a feed would bring them."""

    items: tuple[NewEvidence, ...]
    name: str = "passages"

    def read(self, known: Known, stopped: Stopped) -> Brought:
        """All of them."""
        return Brought(self.items)


class _Outline(ContentHandler):
    """Notes the elements of the feed and of each entry, with their texts."""

    def __init__(self) -> None:
        super().__init__()
        self.feed: list[tuple[str, str]] = []
        self.entries: list[list[tuple[str, str]]] = []
        self._depth: list[str] = []
        self._text = ""

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: Any) -> None:  # noqa: ANN401, D102, N802
        self._depth.append(name[1] if name[0] == NAMESPACE else f"{name[0]}:{name[1]}")
        self._text = ""
        if self._depth == ["feed", "entry"]:
            self.entries.append([])

    def characters(self, content: str) -> None:  # noqa: D102
        self._text += content

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: D102, N802
        if len(self._depth) == 2:
            self.feed.append((self._depth[1], self._text))
        elif len(self._depth) == 3 and self._depth[1] == "entry":
            self.entries[-1].append((self._depth[2], self._text))
        self._depth.pop()


def feed_problems(feed: bytes) -> list[str]:
    """Name what RFC 4287 requires and the feed lacks.

    Raises:
        xml.sax.SAXParseException: the feed is not XML.
    """
    outline, parser = _Outline(), make_parser()
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(outline)
    parser.parse(io.BytesIO(feed))
    problems = [] if any(name == "author" for name, _ in outline.feed) else ["the feed has no author"]
    for where, found in (("feed", outline.feed), *(("entry", entry) for entry in outline.entries)):
        for name in _ONCE:
            texts = [text for each, text in found if each == name]
            if len(texts) != 1 or not texts[0]:
                problems.append(f"{where}: {len(texts)} elements {name}")
            elif name == "updated" and datetime.fromisoformat(texts[0]).tzinfo is None:
                problems.append(f"{where}: updated without a zone")
    ids = [text for entry in outline.entries for name, text in entry if name == "id"]
    return problems + (["two entries have one id"] if len(set(ids)) < len(ids) else [])


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def claims(count: int, news: int) -> Iterator[str]:
    """Choose `count` claims, always the same, `news` of them about the news."""
    chance = random.Random(17)  # noqa: S311
    for name, wanted in (("claims.jsonl", count - news), ("news_claims.jsonl", news)):
        yield from dict.fromkeys(clean_claim(row["claim"]) for row in chance.sample(_rows(name), wanted))


def refresh(checker: Checker) -> None:
    """Refresh the store with the passages of the news."""
    assert checker.store is not None
    items = tuple(
        NewEvidence(row["text"], row["source"], "", Origin.WEB, Collection.CURRENT)
        for row in _rows("news_passages.jsonl")
    )
    Refresh(checker.store, [Passages(items)], JobFile(upkeep_folder(checker.settings), "refresh")).run()


def timed(
    settings: Settings, before: Callable[[Checker], None] = lambda checker: None
) -> tuple[str, float, WatchReport]:
    """Check what is due with models of its own, after `before`.

    Returns the seconds of the checks alone, in words and as a number, and the report.
    """
    with Checker(settings) as checker:
        before(checker)
        started, worked = time.perf_counter(), time.process_time()
        report = Watching(checker).run(datetime.now(UTC))
        took, work = time.perf_counter() - started, time.process_time() - worked
    return f"{took:.1f} s ({work:.1f} s of work)", took, report


def main(arguments: list[str]) -> int:
    """Measure, print the figures, and return 1 if one misses its target."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.watch", description=__doc__)
    parser.add_argument("--claims", type=int, default=100)
    parser.add_argument("--news", type=int, default=5)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="watch-") as name:
        folder = Path(name)
        settings = Settings(
            kb_uri=f"{name}/kb", log_path=folder / "log.jsonl", domains_path=folder / "domains.csv", web=False
        )
        watch_list = WatchList(settings.watch_path)
        for claim in claims(args.claims, args.news):
            watch_list.add(claim, Every.DAY, web=False)
        first, _, _ = timed(settings)
        told, seconds, report = timed(settings, refresh)
        again, _, second = timed(settings)
        feed = atom_feed(watch_list.feed(MOST_ENTRIES), "http://127.0.0.1:7860/")
    problems = feed_problems(feed)
    print(f"{report.checked} claims checked after a refresh: {told}; asked: {ASKED_SECONDS:.0f} s")
    print(f"{len(report.changes)} changed, {len(report.failed)} failed; their first checks: {first}")
    print(f"a second run over the same store: {again}, {len(second.changes)} changed")
    print(f"feed: {len(feed):,} bytes, {feed.count(b'<entry>')} entries, problems: {problems or 'none'}")
    return int(seconds > ASKED_SECONDS or bool(problems) or bool(second.changes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
