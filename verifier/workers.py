"""Many claims at once: several workers, each with models of its own, over one store.

The workers are processes of this machine, or actors of Ray, which may run on many machines. Their results come back
in the order of the rows, so a run that was stopped goes on where it stopped, with whichever engine.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import InputError, VerifierError
from kb.place import is_folder
from verifier.batch import CLAIM_FIELD, Row, one_result

if TYPE_CHECKING:
    from verifier.service import Checker
    from verifier.settings import Settings

Produce = Callable[[Sequence[Row]], Iterator[dict[str, Any]]]
"""Rows -> their results, in the order of the rows."""

_AT_ONCE = 4
"""Rows that a worker takes at a time: after them it writes what it noted in the store."""
_MOST_WORKERS = 1_024
_RAY_MISSING = "the engine ray is not installed; run: pip install -r requirements-ray.txt"


class Engine(StrEnum):
    """Where claims are checked: in this process, in several, or by Ray."""

    LOCAL = "local"
    PROCESS = "process"
    RAY = "ray"


@dataclass(frozen=True, slots=True)
class Plan:
    """An engine, how many workers (0: one for each core), and the address of a Ray that runs already ("": start one)."""

    engine: Engine = Engine.LOCAL
    workers: int = 0
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Check the parts.

        Raises:
            InputError: the number of workers is out of bounds, or an address was given for another engine.
        """
        if not 0 <= self.workers <= _MOST_WORKERS:
            raise InputError(f"--workers must be from 1 to {_MOST_WORKERS}, or 0 for one each core, not {self.workers}")
        if self.ray_address and self.engine is not Engine.RAY:
            raise InputError(f"--ray-address is for --engine ray, not for {self.engine}")

    @property
    def count(self) -> int:
        """How many workers there will be."""
        return self.workers or os.cpu_count() or 1


@dataclass(slots=True)
class Worker:
    """Checks rows in one process; loads the models with the first of them, once."""

    settings: Settings
    _checker: Checker | None = field(default=None, init=False)

    def results(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """One result for each row, and everything noted in the store.

        Raises:
            ModelError: a weight file cannot be loaded.
            StoreError: the store failed.
        """
        from verifier.report.as_json import result_to_dict

        checker = self._loaded()
        found = [one_result(row, lambda fields: result_to_dict(checker.verify(fields[CLAIM_FIELD]))) for row in rows]
        checker.close()
        return found

    def _loaded(self) -> Checker:
        if self._checker is None:
            from verifier.service import Checker

            self._checker = Checker(self.settings)
        return self._checker


def producer(plan: Plan, settings: Settings) -> Produce:
    """What checks rows by `plan`, whose engine is not `LOCAL`.

    Raises:
        InputError: the engine is not installed.
    """
    if plan.engine is Engine.RAY and find_spec("ray") is None:
        raise InputError(_RAY_MISSING)
    by_engine = _by_ray if plan.engine is Engine.RAY else _by_processes
    return lambda rows: by_engine(rows, plan, _for_workers(settings))


def _for_workers(settings: Settings) -> Settings:
    """The settings of a worker: one thread, for there are as many workers as cores; and paths that hold in any folder."""
    return replace(
        settings,
        threads=1,
        encoder_threads=1,
        kb_uri=str(Path(settings.kb_uri).resolve()) if is_folder(settings.kb_uri) else settings.kb_uri,
        weights=settings.weights.resolve(),
        log_path=settings.log_path.resolve(),
        domains_path=settings.domains_path.resolve(),
        search=replace(settings.search, cache_path=settings.search.cache_path.resolve()),
    )


def _parts(rows: Sequence[Row], workers: int) -> list[list[Row]]:
    """Portions of a few rows, small enough that every worker gets some."""
    size = max(1, min(_AT_ONCE, len(rows) // workers))
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]


_worker: Worker | None = None


def _start_process(settings: Settings) -> None:
    global _worker
    _worker = Worker(settings)


def _in_process(rows: list[Row]) -> list[dict[str, Any]]:
    assert _worker is not None
    return _worker.results(rows)


def _by_processes(rows: Sequence[Row], plan: Plan, settings: Settings) -> Iterator[dict[str, Any]]:
    """The results of several processes of this machine.

    Raises:
        VerifierError: a worker could not go on; the error is its own.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(
        plan.count, multiprocessing.get_context("spawn"), initializer=_start_process, initargs=(settings,)
    )
    try:
        for found in pool.map(_in_process, _parts(rows, plan.count)):
            yield from found
    except BrokenProcessPool as exc:
        raise VerifierError(
            f"a worker process died, which it does for want of memory; run again with fewer than {plan.count} workers"
        ) from exc
    finally:
        pool.shutdown(cancel_futures=True)


class RayWorker:
    """A worker as Ray wants it: columns in, columns out. An error travels as text, for Ray would try again."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is loaded yet."""
        self._worker = Worker(settings)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        """Check the rows of `part`, which holds JSON of one portion of rows in each cell."""
        answers = [self._answer(str(text)) for text in batch["part"]]
        return {"results": [results for results, _ in answers], "error": [error for _, error in answers]}

    def _answer(self, text: str) -> tuple[str, str]:
        rows = [Row(number, fields, error) for number, fields, error in json.loads(text)]
        try:
            return json.dumps(self._worker.results(rows)), ""
        except VerifierError as exc:
            return "[]", str(exc)


def _by_ray(rows: Sequence[Row], plan: Plan, settings: Settings) -> Iterator[dict[str, Any]]:
    """The results of Ray's actors, on this machine or on those of `plan.ray_address`.

    Raises:
        InputError: no Ray answers at the address.
        VerifierError: a worker could not go on.
    """
    _start_ray(plan)
    import ray
    from ray.exceptions import RayError

    try:
        parts = [json.dumps([(row.number, row.fields, row.error) for row in part]) for part in _parts(rows, plan.count)]
        pool = ray.data.ActorPoolStrategy(size=min(plan.count, len(parts)))
        data = ray.data.from_items([{"part": part} for part in parts], override_num_blocks=len(parts))
        answered = data.map_batches(
            RayWorker, fn_constructor_args=(settings,), batch_size=1, num_cpus=1, compute=pool, max_restarts=0
        )
        for answer in answered.iter_rows():
            if answer["error"]:
                raise VerifierError(answer["error"])
            yield from json.loads(answer["results"])
    except RayError as exc:
        raise VerifierError(f"Ray could not go on: {' '.join(str(exc).split())[:300]}; run again to go on") from exc
    finally:
        ray.shutdown()


def _start_ray(plan: Plan) -> None:
    """Start Ray on this machine, reachable from this machine alone and telling nobody; or join the one that runs."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.data import DataContext

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if plan.ray_address:
            ray.init(address=plan.ray_address, **quiet)
        else:
            ray.init(
                address="local", num_cpus=plan.count, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet
            )
    except (ConnectionError, RuntimeError, ValueError) as exc:
        raise InputError(
            f"no Ray could be reached or started at {plan.ray_address or 'this machine'}: {' '.join(str(exc).split())[:200]}"
        ) from exc
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
