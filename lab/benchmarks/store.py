"""Measure an evidence store of a given size: speed, recall, memory and disk.

python -m lab.benchmarks.store --rows 10000|100000|1000000 [--against chromadb] [--out FILE.json] [--folder DIR]

The data are made here from a fixed seed:

- Vectors: one topic for every 500 rows, drawn evenly on the sphere of 384 dimensions, plus normal noise of the same
  length, so that two texts of a topic have a cosine of about 0.5.
- Texts: 20 words and a number of their own. 12 words come from the topic's 200, the others from all 20,000, frequent
  words more often, as in a language.
- Queries: further draws from the same topics, with 6 words of a topic's text.

Each row goes through `EvidenceStore.add` with its vector, 10,000 at a time, including the search for near-duplicates.
The build ends when both indexes hold everything; making the data does not count. Recall is the share of the 20 nearest
rows, by cosine, that the index finds. Queries run one after the other, and the first ten do not count. Memory is the
peak of this process. Disk is what the folder holds at the end, and what is left of it without earlier versions.
ChromaDB, if asked for, gets the same vectors and texts in the same batches and searches by vectors alone. Each engine
runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.benchmarks.store_data import BATCH, QUERIES, TOP, WIDTH, Batch, Vectors, World, nearest_of_all

if TYPE_CHECKING:
    from lancedb.table import Table

    from kb.store.evidence_store import EvidenceStore

WARM_UP, RECALL_QUERIES = 10, 100
EMBEDDER = "synthetic"


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured. Milliseconds for queries, seconds for the build, megabytes for disk and memory."""

    engine: str
    rows: int
    stored: int
    build_s: float
    build_cpu_s: float
    index_s: float
    open_s: float
    vector_p50_ms: float
    vector_p95_ms: float
    vector_cpu_ms: float
    hybrid_p50_ms: float | None
    hybrid_p95_ms: float | None
    hybrid_cpu_ms: float | None
    recall_at_20: float
    disk_mb: float
    live_mb: float
    peak_memory_mb: float


def timed(ask: Callable[[int], object]) -> tuple[float, float, float]:
    """Return a query's median, 95th percentile and median processor time, in milliseconds."""
    times, work = [], []
    for i in range(QUERIES):
        start, worked = time.perf_counter(), time.process_time()
        ask(i)
        times.append(1000 * (time.perf_counter() - start))
        work.append(1000 * (time.process_time() - worked))
    p50, p95 = np.percentile(times[WARM_UP:], [50, 95])
    return float(p50), float(p95), float(np.median(work[WARM_UP:]))


class Clock:
    """Count the seconds that work takes, and its processor seconds; several pieces add up."""

    def __init__(self) -> None:
        self.seconds = self.work = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what happens inside."""
        start, worked = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.work += time.process_time() - worked


def disk_mb(folder: Path) -> float:
    """What the folder holds."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def peak_memory_mb() -> float:
    """The most that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tell(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def no_embedding(texts: Sequence[str]) -> Vectors:
    """Stand in for an embedder: every vector comes with its text."""
    if texts:
        raise AssertionError("every vector comes with its text")
    return np.zeros((0, WIDTH), dtype=np.float32)


def _fill(store: EvidenceStore, world: World, clock: Clock) -> float:
    """Add all rows, then finish both indexes; returns the seconds of the first part."""
    from kb.record import NewEvidence, Origin

    names = [f"https://site{n}.example/page" for n in range(1_000)]
    for number, batch in enumerate(world.batches()):
        items = [
            NewEvidence(text, f"{names[i % 1_000]}/{number * BATCH + i}", origin=Origin.WEB)
            for i, text in enumerate(batch.texts)
        ]
        with clock.running():
            store.add(items, batch.vectors)
        if number % 10 == 9:
            tell(f"{(number + 1) * BATCH:>9,} rows after {clock.seconds:.0f} s, {clock.work:.0f} s of work")
    filled = clock.seconds
    with clock.running():
        store.close()
        store.optimize()
    tell(f"built after {clock.seconds:.0f} s")
    return filled


def _nearest_of_table(table: Table, vector: Vectors) -> set[str]:
    """The ids of the 20 nearest rows, by comparing with every one."""
    query = table.search(vector).distance_type("cosine").bypass_vector_index()
    return {row["id"] for row in query.select(["id"]).limit(TOP).to_list()}


def _recall(store: EvidenceStore, queries: Batch) -> float:
    """Return the share of the truly nearest rows that the index finds."""
    from kb.store.find import nearest

    table = store._table
    found = sum(
        len({row.id for row in nearest(table, vector, TOP)} & _nearest_of_table(table, vector))
        for vector in queries.vectors[:RECALL_QUERIES]
    )
    return found / (TOP * RECALL_QUERIES)


def measure_store(world: World, folder: Path) -> Figures:
    """Fill an evidence store and ask it."""
    from kb.store.evidence_store import EvidenceStore
    from kb.store.find import nearest
    from kb.store.policy import UpkeepPolicy

    logging.basicConfig(level=logging.WARNING)
    clock = Clock()
    filled = _fill(EvidenceStore(str(folder), no_embedding, EMBEDDER), world, clock)
    begin = time.perf_counter()
    again = EvidenceStore(str(folder), no_embedding, EMBEDDER)
    opened = time.perf_counter() - begin
    queries = world.queries()
    recall = _recall(again, queries)
    vector = timed(lambda i: nearest(again._table, queries.vectors[i], TOP))
    hybrid = timed(lambda i: again.search(queries.texts[i], queries.vectors[i], TOP))
    peak, disk = peak_memory_mb(), disk_mb(folder)
    EvidenceStore(str(folder), no_embedding, EMBEDDER, policy=UpkeepPolicy(keep_versions=timedelta(0))).optimize()
    return Figures(
        "evidence store",
        world.rows,
        again.count(),
        *(clock.seconds, clock.work, clock.seconds - filled, opened),
        *vector,
        *hybrid,
        recall_at_20=recall,
        disk_mb=disk,
        live_mb=disk_mb(folder),
        peak_memory_mb=peak,
    )


def measure_chromadb(world: World, folder: Path) -> Figures:
    """Fill a ChromaDB collection (HNSW, cosine, its own defaults) and ask it."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    collection = client.create_collection("evidence", configuration={"hnsw": {"space": "cosine"}})
    step = min(5_000, client.get_max_batch_size())
    clock = Clock()
    for number, batch in enumerate(world.batches()):
        with clock.running():
            for start in range(0, len(batch.texts), step):
                part = slice(start, start + step)
                ids = [str(number * BATCH + start + i) for i in range(len(batch.texts[part]))]
                collection.upsert(ids=ids, embeddings=list(batch.vectors[part]), documents=batch.texts[part])
        if number % 10 == 9:
            tell(f"chromadb: {(number + 1) * BATCH:>9,} rows after {clock.seconds:.0f} s")
    queries = world.queries()

    def ask(i: int) -> list[str]:
        found = collection.query(query_embeddings=[queries.vectors[i]], n_results=TOP, include=["documents"])
        return list(found["ids"][0])

    true = nearest_of_all(world, queries.vectors[:RECALL_QUERIES])
    found = sum(len(set(ask(i)) & true[i]) for i in range(RECALL_QUERIES))
    vector = timed(ask)
    return Figures(
        "chromadb",
        world.rows,
        collection.count(),
        *(clock.seconds, clock.work, 0.0, 0.0),
        *vector,
        *(None,) * 3,
        recall_at_20=found / (TOP * RECALL_QUERIES),
        disk_mb=disk_mb(folder),
        live_mb=disk_mb(folder),
        peak_memory_mb=peak_memory_mb(),
    )


ENGINES = {"store": measure_store, "chromadb": measure_chromadb}


def _measured_apart(engine: str, rows: int, folder: Path | None) -> dict[str, object]:
    """Measure one engine in its own process, so that its memory is its own."""
    command = [sys.executable, "-m", "lab.benchmarks.store", "--rows", str(rows), "--only", engine]
    command += ["--folder", str(folder)] if folder else []
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, object] = json.loads(run.stdout)
    return found


def main() -> None:
    """Measure, print JSON, and write it to a file where one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--against", choices=["chromadb"])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, help="where the stores are made for the time of the run")
    parser.add_argument("--only", choices=sorted(ENGINES), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder:
        args.folder.mkdir(parents=True, exist_ok=True)
    if args.only:
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            print(json.dumps(asdict(ENGINES[args.only](World(args.rows), Path(folder)))))
        return
    engines = ["store", *([args.against] if args.against else [])]
    found = [_measured_apart(engine, args.rows, args.folder) for engine in engines]
    text = json.dumps(found, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
