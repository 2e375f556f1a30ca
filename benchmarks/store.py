"""The evidence store at a given size: how fast it fills and answers, how much it finds, what it needs.

python -m benchmarks.store --rows 10000|100000|1000000 [--against chromadb] [--out FILE.json] [--folder DIR]

The data are made here from a fixed seed. Vectors: a topic for each 500 rows, drawn evenly on the sphere of 384
dimensions, plus normal noise of the same length, so that two texts of a topic have a cosine of about 0.5. Texts: 20
words, 12 of them from the 200 that belong to the topic, the others from all 20,000, the frequent more often, as in a
language; and a number of their own. Queries: further draws from the same topics, with 6 words of a topic's text.

Each row goes through `EvidenceStore.add` with its vector, 10,000 at a time, near duplicates looked for and all; the
build ends when both indexes hold everything; making the data does not count. Recall is of the 20 nearest by index among the 20 nearest of all, by
cosine. Queries come one after the other, the first ten uncounted. Memory is the peak of this process, disk what the
folder holds at the end, and what of it is left without earlier versions. ChromaDB, where asked for, gets the same vectors and texts in the same batches, each in a
process of its own; its search is by vectors alone.
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

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
WIDTH, BATCH, TOP = 384, 10_000, 20
ROWS_PER_TOPIC, WORDS, TOPIC_WORDS = 500, 20_000, 200
QUERIES, WARM_UP, RECALL_QUERIES = 210, 10, 100
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
    filtered_p50_ms: float | None
    filtered_p95_ms: float | None
    recall_at_20: float
    disk_mb: float
    live_mb: float
    peak_memory_mb: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of the data set: texts, and their unit vectors of shape (texts, 384)."""

    texts: list[str]
    vectors: Vectors


class World:
    """The data set: topics, and rows and queries drawn from them, always the same ones."""

    def __init__(self, rows: int) -> None:
        """`rows`: how many there will be; their number decides that of the topics."""
        self.rows = rows
        self._topics = _unit(np.random.default_rng(0).normal(size=(max(20, rows // ROWS_PER_TOPIC), WIDTH)))
        self._words = _words()

    def batches(self) -> Iterator[Batch]:
        """All rows, 10,000 at a time."""
        for start in range(0, self.rows, BATCH):
            yield self._draw(np.random.default_rng((1, start)), min(BATCH, self.rows - start), 20, start)

    def queries(self) -> Batch:
        """The queries: as rows are, but of 6 words."""
        return self._draw(np.random.default_rng(2), QUERIES, 6, None)

    def _draw(self, rng: np.random.Generator, count: int, words: int, number_from: int | None) -> Batch:
        topics = rng.integers(0, len(self._topics), count)
        noise = rng.normal(scale=WIDTH**-0.5, size=(count, WIDTH))
        common = (WORDS * rng.random((count, words)) ** 4).astype(int)
        own = (topics[:, None] * 37 + (TOPIC_WORDS * rng.random((count, words)) ** 2).astype(int) * 91) % WORDS
        chosen = np.where(rng.random((count, words)) < 0.6, own, common)
        texts = [" ".join(self._words[i] for i in row) for row in chosen]
        if number_from is not None:
            texts = [f"{text} {number_from + i}" for i, text in enumerate(texts)]
        return Batch(texts, _unit(self._topics[topics] + noise))


def _unit(vectors: NDArray[np.float64]) -> Vectors:
    found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def _words() -> list[str]:
    """20,000 different words of two or three syllables."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
    rng = np.random.default_rng(3)
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(rng.choice(syllables, int(rng.integers(2, 4))))] = None
    return list(found)


def nearest_of_all(world: World, queries: Vectors) -> list[set[str]]:
    """For each query, the numbers of the 20 rows with the highest cosine, by comparing with every row."""
    scores = np.full((len(queries), TOP), -1.0, dtype=np.float32)
    rows = np.zeros((len(queries), TOP), dtype=np.int64)
    for number, batch in enumerate(world.batches()):
        both = np.hstack([scores, queries @ batch.vectors.T])
        places = np.broadcast_to(np.arange(len(batch.texts)) + number * BATCH, (len(queries), len(batch.texts)))
        all_rows = np.hstack([rows, places])
        best = np.argpartition(-both, TOP - 1, axis=1)[:, :TOP]
        scores, rows = np.take_along_axis(both, best, 1), np.take_along_axis(all_rows, best, 1)
    return [{str(row) for row in line} for line in rows.tolist()]


def timed(ask: Callable[[int], object]) -> tuple[float, float, float]:
    """Median and 95th percentile of a query, and the median of what it takes of the processors; milliseconds."""
    times, work = [], []
    for i in range(QUERIES):
        start, worked = time.perf_counter(), time.process_time()
        ask(i)
        times.append(1000 * (time.perf_counter() - start))
        work.append(1000 * (time.process_time() - worked))
    p50, p95 = np.percentile(times[WARM_UP:], [50, 95])
    return float(p50), float(p95), float(np.median(work[WARM_UP:]))


class Clock:
    """Seconds that a piece of work takes, and seconds of processor time; several pieces add up."""

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


def measure_store(world: World, folder: Path) -> Figures:
    """Fill an evidence store and ask it."""
    from kb.record import NewEvidence, Origin
    from kb.sql import Filter
    from kb.store import EvidenceStore
    from kb.upkeep import UpkeepPolicy

    def no_embedding(texts: Sequence[str]) -> Vectors:
        if texts:
            raise AssertionError("every vector is given")
        return np.zeros((0, WIDTH), dtype=np.float32)

    logging.basicConfig(level=logging.WARNING)
    store = EvidenceStore(str(folder), no_embedding, EMBEDDER)
    names = [f"https://site{n}.example/page" for n in range(1_000)]
    clock = Clock()
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
    begin = time.perf_counter()
    again = EvidenceStore(str(folder), no_embedding, EMBEDDER)
    opened = time.perf_counter() - begin
    queries = world.queries()
    hits = [again.nearest(vector, TOP) for vector in queries.vectors[:RECALL_QUERIES]]
    true = [again.nearest(vector, TOP, exact=True) for vector in queries.vectors[:RECALL_QUERIES]]
    found = sum(len({key for key, _ in a} & {key for key, _ in b}) for a, b in zip(hits, true, strict=True))
    vector = timed(lambda i: again.nearest(queries.vectors[i], TOP))
    hybrid = timed(lambda i: again.search(queries.texts[i], queries.vectors[i], TOP))
    peak, disk = peak_memory_mb(), disk_mb(folder)
    bound = Filter(denied_domains=("site7.example",), languages=("en",))
    filtered = timed(lambda i: again.search(queries.texts[i], queries.vectors[i], TOP, where=bound))
    EvidenceStore(str(folder), no_embedding, EMBEDDER, policy=UpkeepPolicy(keep_versions=timedelta(0))).optimize()
    return Figures(
        engine="evidence store",
        rows=world.rows,
        stored=again.count(),
        build_s=clock.seconds,
        build_cpu_s=clock.work,
        index_s=clock.seconds - filled,
        open_s=opened,
        vector_p50_ms=vector[0],
        vector_p95_ms=vector[1],
        vector_cpu_ms=vector[2],
        hybrid_p50_ms=hybrid[0],
        hybrid_p95_ms=hybrid[1],
        hybrid_cpu_ms=hybrid[2],
        filtered_p50_ms=filtered[0],
        filtered_p95_ms=filtered[1],
        recall_at_20=found / (TOP * RECALL_QUERIES),
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
        engine="chromadb",
        rows=world.rows,
        stored=collection.count(),
        build_s=clock.seconds,
        build_cpu_s=clock.work,
        index_s=0.0,
        open_s=0.0,
        vector_p50_ms=vector[0],
        vector_p95_ms=vector[1],
        vector_cpu_ms=vector[2],
        hybrid_p50_ms=None,
        hybrid_p95_ms=None,
        hybrid_cpu_ms=None,
        filtered_p50_ms=None,
        filtered_p95_ms=None,
        recall_at_20=found / (TOP * RECALL_QUERIES),
        disk_mb=disk_mb(folder),
        live_mb=disk_mb(folder),
        peak_memory_mb=peak_memory_mb(),
    )


ENGINES = {"store": measure_store, "chromadb": measure_chromadb}


def _measured_apart(engine: str, rows: int, folder: Path | None) -> dict[str, object]:
    """One engine in a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.store", "--rows", str(rows), "--only", engine]
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
