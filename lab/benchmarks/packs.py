"""Measure how long a pack of invented articles takes to become searchable and to search.

python -m lab.benchmarks.packs --articles 2000 [--folder DIR] [--out FILE.json] [--write FILE.parquet]

The articles are made here from a fixed seed, with the fields id, url, title and text. The text is a lead of 3 to 7
sentences of invented names, places, years and figures (about 100 words, so 2 to 3 passages of 40 words), then a section
outside the lead. `--write` only makes the file. The benchmark uses the bundled embedder and a real store. A pack is
searchable when the indexes hold everything. Recall is the share of the 20 nearest passages that the index finds.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lab.benchmarks.store import disk_mb, tell
from lab.benchmarks.store_data import TOP

if TYPE_CHECKING:
    from kb.store.evidence_store import EvidenceStore
    from models.encoders.embedder import Embedder

_GROUP, _QUERIES, _RECALL, _TOLD_EVERY = 2_000, 110, 50, 10_000
_KINDS = (
    "town",
    "river",
    "mountain",
    "painter",
    "composer",
    "railway",
    "battle",
    "lake",
    "bridge",
    "university",
    "beetle",
)
_FACTS = (
    "It was first described in {year} by {name}, who lived in {place} for {number} years.",
    "The {kind} has {number} parts, of which the largest is named after {name}.",
    "In {year} it was moved from {place} to a site {number} kilometres further north.",
    "Its length is {number} metres, and {name} measured it again in {year}.",
    "About {number} people visit it each year, most of them from {place} and the villages around it.",
    "The name comes from an old word of the language of {place}, and was spelt otherwise until {year}.",
    "{name} wrote a book about it in {year}, of which {number} copies were printed in {place}.",
    "Since {year} it has belonged to the district of {place}, together with {number} others.",
)


def _word(rng: np.random.Generator) -> str:
    parts = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
    return "".join(rng.choice(parts, int(rng.integers(2, 5)))).capitalize()


def articles(count: int) -> Iterator[dict[str, str]]:
    """Make so many articles, always the same ones."""
    rng = np.random.default_rng(7)
    for n in range(count):
        title, kind = f"{_word(rng)} {_word(rng)}", str(rng.choice(_KINDS))
        said = [f"{title} is a {kind} near {_word(rng)}, known since {rng.integers(900, 2020)}."]
        for fact in rng.choice(_FACTS, int(rng.integers(3, 8)), replace=False):
            values = {"kind": kind, "name": f"{_word(rng)} {_word(rng)}", "place": _word(rng)}
            said.append(str(fact).format(**values, year=rng.integers(900, 2020), number=rng.integers(2, 99_999)))
        text = f"{' '.join(said)}\n\nHistory\n\nThe history of {title} is told elsewhere. " + "It goes on. " * 20
        yield {"id": str(n), "url": f"https://invented.example/wiki/{n}", "title": title, "text": text}


def write_articles(path: Path, count: int) -> None:
    """Write a Parquet file of invented articles."""
    schema = pa.schema([(name, pa.string()) for name in ("id", "url", "title", "text")])
    with pq.ParquetWriter(path, schema) as writer:
        rows: list[dict[str, str]] = []
        for row in articles(count):
            rows.append(row)
            if len(rows) == _GROUP:
                writer.write_table(pa.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(pa.Table.from_pylist(rows, schema))


def _search(store: EvidenceStore, embedder: Embedder, count: int) -> dict[str, float]:
    """Measure milliseconds of a search by meaning and words, without embedding, and recall by meaning."""
    from kb.store.find import nearest

    titles = [row["title"] for row in articles(min(count, _QUERIES))]
    queries = [f"When was {title} first described?" for title in titles]
    vectors, times, found = embedder.embed(queries), list[float](), 0
    for query, vector in zip(queries, vectors, strict=True):
        start = time.perf_counter()
        store.search(query, vector, TOP)
        times.append(1000 * (time.perf_counter() - start))
    for vector in vectors[:_RECALL]:
        exact = store._table.search(vector).distance_type("cosine").bypass_vector_index().select(["id"]).limit(TOP)
        found += len({row.id for row in nearest(store._table, vector, TOP)} & {row["id"] for row in exact.to_list()})
    p50, p95 = np.percentile(times[10:], [50, 95])
    return {
        "search_p50_ms": round(float(p50), 1),
        "search_p95_ms": round(float(p95), 1),
        "recall_at_20": found / (TOP * min(_RECALL, len(queries))),
    }


def _teller() -> Callable[[int, int], None]:
    """Return a callback that reports every ten thousand articles as soon as they are written."""
    told = 0

    def told_of(done: int, total: int) -> None:
        nonlocal told
        if done - told >= _TOLD_EVERY:
            told = done
            tell(f"{done:,} of {total:,} articles")

    return told_of


def measure(count: int, folder: Path) -> dict[str, object]:
    """Make a pack, add it to a store, and search it."""
    from kb.intake.pack_files import Pack
    from kb.intake.packs import add_pack
    from kb.store.evidence_store import EvidenceStore
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder
    from verifier.settings import Settings

    file = folder / "invented.parquet"
    write_articles(file, count)
    embedder = load_embedder(Settings())
    embedder.embed(["to load the model"] * 128)
    store = EvidenceStore(str(folder / "kb"), embedder.embed, WEIGHTS[Role.EMBEDDER].checksum)
    start, worked = time.perf_counter(), time.process_time()
    report = add_pack(Pack("invented", (file,)), store, _teller())
    store.close()
    store.optimize()
    seconds, work = time.perf_counter() - start, time.process_time() - worked
    return {
        "articles": count,
        "passages": report.added,
        "file_to_searchable_s": round(seconds, 1),
        "cpu_s": round(work, 1),
        "passages_per_s": round(report.added / seconds, 1),
        "passages_per_cpu_s": round(report.added / work, 1),
        "disk_mb": round(disk_mb(folder / "kb"), 1),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        **_search(store, embedder, count),
    }


def main() -> None:
    """Measure, print JSON, and write it to a file where one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=2_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, help="where the store is made for the time of the run")
    parser.add_argument("--write", type=Path, help="only write the pack to this file")
    args = parser.parse_args()
    if args.write:
        write_articles(args.write, args.articles)
        return
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        text = json.dumps(measure(args.articles, Path(folder)), indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
