"""Measure the evidence store in use: embedding and adding texts, and many searches at once.

python -m lab.benchmarks.store_use ingest [--texts FILE.jsonl] [--limit N]
python -m lab.benchmarks.store_use load [--rows 10000] [--seconds 60] [--rest 0.25]

`ingest` adds the texts of a file (by default the starter facts) as `python -m kb add` does, 500 at a time, and reports
the embedding's share. `load` runs eight reading and two writing processes on one store, and compares a search's time
with that of one reader alone. A reader rests a while after each search, as a check does. Every access that a writer
notes is counted at the end: none may be missing.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.benchmarks.store import EMBEDDER
from lab.benchmarks.store_data import TOP, WIDTH, World

READERS, WRITERS, PORTION = 8, 2, 500


def ingest(texts: Path | None, limit: int) -> dict[str, object]:
    """Texts a second, from the file to the store, and of the embedder alone."""
    from kb.intake.ingest import read_evidence
    from kb.starter.seed import seed_facts
    from kb.store.evidence_store import EvidenceStore
    from verifier.build import load_embedder
    from verifier.settings import Settings

    items = (read_evidence(texts) if texts else seed_facts())[:limit]
    embedder = load_embedder(Settings())
    embedding = 0.0

    def embed(part: Sequence[str]) -> NDArray[np.float32]:
        nonlocal embedding
        start = time.perf_counter()
        vectors = embedder.embed(part)
        embedding += time.perf_counter() - start
        return vectors

    embedder.embed(["to load the model"] * 128)
    with tempfile.TemporaryDirectory() as folder:
        store = EvidenceStore(folder, embed, EMBEDDER)
        start, worked = time.perf_counter(), time.process_time()
        for begin in range(0, len(items), PORTION):
            store.add(items[begin : begin + PORTION])
        store.close()
        seconds, work = time.perf_counter() - start, time.process_time() - worked
    return {
        "texts": len(items),
        "words_each": round(sum(len(item.text.split()) for item in items) / len(items), 1),
        "texts_per_s": round(len(items) / seconds, 1),
        "cpu_ms_per_text": round(1000 * work / len(items), 2),
        "embedding_share": round(embedding / seconds, 2),
    }


def _no_embedding(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.zeros((len(texts), WIDTH), dtype=np.float32)


def _read(uri: str, rows: int, seconds: float, rest: float, seed: int, results: Any) -> None:  # noqa: ANN401
    from kb.store.evidence_store import EvidenceStore

    store, queries, times = EvidenceStore(uri, _no_embedding, EMBEDDER), World(rows).queries(), []
    rng, end = np.random.default_rng(seed), time.monotonic() + seconds
    while time.monotonic() < end:
        i = int(rng.integers(len(queries.texts)))
        start = time.perf_counter()
        hits = store.search(queries.texts[i], queries.vectors[i], TOP)
        times.append(1000 * (time.perf_counter() - start))
        if len(hits) != TOP:
            raise AssertionError(f"a search found {len(hits)} records")
        time.sleep(rest)
    results.put(("read", times))


def _write(uri: str, seconds: float, rest: float, number: int, results: Any) -> None:  # noqa: ANN401
    """Repeatedly add a web search's worth of texts, and use a record all writers share."""
    from kb.record import NewEvidence
    from kb.store.evidence_store import EvidenceStore
    from kb.store.usage import Usage

    store, rounds = EvidenceStore(uri, _no_embedding, EMBEDDER), 0
    rng, end = np.random.default_rng((7, number)), time.monotonic() + seconds
    shared = NewEvidence("the record that all writers use")
    one = np.eye(1, WIDTH, dtype=np.float32)
    while time.monotonic() < end:
        vectors = rng.normal(size=(20, WIDTH)).astype(np.float32)
        items = [NewEvidence(f"writer {number} wrote {rounds} {i}", "https://a.example/1") for i in range(20)]
        store.add(items, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        (key,) = store.add([shared], one).ids
        store.record_usage([Usage(key, 1.0, True)])
        rounds += 1
        time.sleep(rest)
    store.close()
    results.put(("write", [float(rounds)]))


def _together(work: Sequence[tuple[Any, tuple[object, ...]]]) -> dict[str, list[float]]:
    """Run functions in processes of their own, and return their results by kind."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=target, args=(*given, results)) for target, given in work]
    for process in processes:
        process.start()
    found: dict[str, list[float]] = {"read": [], "write": []}
    for _ in processes:
        kind, values = results.get(timeout=300)
        found[kind] += values
    for process in processes:
        process.join()
    return found


def load(rows: int, seconds: float, rest: float) -> dict[str, object]:
    """A search's time under load, and whether every write is there."""
    from kb.record import NewEvidence
    from kb.store.evidence_store import EvidenceStore

    with tempfile.TemporaryDirectory() as folder:
        store = EvidenceStore(folder, _no_embedding, EMBEDDER)
        for batch in World(rows).batches():
            store.add([NewEvidence(text) for text in batch.texts], batch.vectors)
        (shared,) = store.add([NewEvidence("the record that all writers use")], np.eye(1, WIDTH, dtype=np.float32)).ids
        store.optimize()
        before = store.count()
        idle = _together([(_read, (folder, rows, min(15.0, seconds), rest, 0))])["read"]
        readers = [(_read, (folder, rows, seconds, rest, number)) for number in range(READERS)]
        writers = [(_write, (folder, seconds, rest, number)) for number in range(WRITERS)]
        busy = _together([*readers, *writers])
        rounds = int(sum(busy["write"]))
        (record,) = store.get([shared])
        return {
            "rows": rows,
            "searches": len(busy["read"]),
            "writes": rounds,
            "idle_p50_p95_ms": [round(float(value), 1) for value in np.percentile(idle, [50, 95])],
            "busy_p50_p95_ms": [round(float(value), 1) for value in np.percentile(busy["read"], [50, 95])],
            "lost_texts": before + 20 * rounds - store.count(),
            "lost_uses": rounds - record.access_count,
        }


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    filling = commands.add_parser("ingest")
    filling.add_argument("--texts", type=Path)
    filling.add_argument("--limit", type=int, default=5_000)
    using = commands.add_parser("load")
    using.add_argument("--rows", type=int, default=10_000)
    using.add_argument("--seconds", type=float, default=60.0)
    using.add_argument("--rest", type=float, default=0.25)
    args = parser.parse_args()
    found = ingest(args.texts, args.limit) if args.command == "ingest" else load(args.rows, args.seconds, args.rest)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
