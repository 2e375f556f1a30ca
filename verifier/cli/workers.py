"""Check claims with several workers, each with its own models.

Workers are processes, or Ray actors on one machine or many. The work is split into parts, and the answers come back in
the order of the parts. Parts and answers are JSON, so that they mean the same in every process.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from errors import InputError, VerifierError
from kb.store.place import is_folder
from verifier.serve.batch import CLAIM_FIELD, Row, one_row

if TYPE_CHECKING:
    from verifier.settings import Settings

Task = Callable[[str], str]
Start = Callable[["Settings"], Task]
"""Makes a task where it runs: a module's function, which every process finds by name."""

_MOST_WORKERS = 1_024
_ROWS_AT_ONCE = 4
"""Number of rows after which a worker writes its notes to the store."""
_T = TypeVar("_T")


class Engine(StrEnum):
    """Where the work runs: in this process, in several, or in Ray."""

    LOCAL = "local"
    PROCESS = "process"
    RAY = "ray"


@dataclass(frozen=True, slots=True)
class Plan:
    """An engine, its number of workers, and the address of a running Ray.

    0 workers means one per core; "" as the address starts a Ray.
    """

    engine: Engine = Engine.LOCAL
    workers: int = 0
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            InputError: the number of workers is out of bounds, or the engine is not installed or takes no address.
        """
        if not 0 <= self.workers <= _MOST_WORKERS:
            raise InputError(f"--workers must be from 1 to {_MOST_WORKERS}, or 0 for one each core, not {self.workers}")
        if self.ray_address and self.engine is not Engine.RAY:
            raise InputError(f"--ray-address is for --engine ray, not for {self.engine}")
        if self.engine is Engine.RAY and find_spec("ray") is None:
            raise InputError("the engine ray is not installed; run: pip install -r requirements-ray.txt")

    @property
    def count(self) -> int:
        """The number of workers."""
        return 1 if self.engine is Engine.LOCAL else self.workers or os.cpu_count() or 1


def checking(plan: Plan, settings: Settings) -> Callable[[Sequence[Row]], Iterator[dict[str, Any]]]:
    """Return a function that makes the results of rows, for `write_results`.

    They are the same as those that `run_batch` would write, in the same order. The function raises VerifierError if a
    worker cannot go on.
    """

    def results(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
        parts = [
            json.dumps([(row.number, row.fields, row.error) for row in part])
            for part in portions(rows, plan.count, _ROWS_AT_ONCE)
        ]
        for answer in run_parts(plan, start_checking, settings, parts):
            yield from json.loads(answer)

    return results


def start_checking(settings: Settings) -> Callable[[str], str]:
    """Load a Checker and return a function from rows to their results.

    Raises:
        ModelError: a weight file cannot be loaded.
        StoreError: the store cannot be opened.
    """
    from verifier.report.as_json import result_to_dict
    from verifier.serve.checker import Checker

    checker = Checker(settings)

    def check(part: str) -> str:
        rows = [Row(number, fields, error) for number, fields, error in json.loads(part)]
        found = [one_row(row, lambda fields: result_to_dict(checker.verify(fields[CLAIM_FIELD]))) for row in rows]
        checker.close()  # a worker may be killed without notice
        return json.dumps(found)

    return check


def portions(items: Sequence[_T], workers: int, most: int) -> list[list[_T]]:
    """Split items in order into portions of at most `most`, some for every worker."""
    size = max(1, min(most, len(items) // workers))
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def run_parts(plan: Plan, start: Start, settings: Settings, parts: Sequence[str]) -> Iterator[str]:
    """Yield the answers to the parts, in order.

    Args:
        plan: which workers do the work.
        start: called once by every worker, with its first part.
        settings: for `start`; a worker gets one thread, because there are as many workers as cores.
        parts: JSON texts.

    Raises:
        VerifierError: a worker could not go on; its earlier answers have been yielded.
    """
    by_engine = _by_ray if plan.engine is Engine.RAY else _by_processes
    return by_engine(plan, start, _for_workers(settings), parts)


def _for_workers(settings: Settings) -> Settings:
    """Return the settings for a worker: one thread, and absolute paths."""
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


class Worker:
    """Runs a task in its own process.

    An error travels as text, because Ray would retry after an exception.
    """

    def __init__(self, start: Start, settings: Settings) -> None:
        """Load nothing before the first part."""
        self._start, self._settings = start, settings
        self._task: Task | None = None

    def answer(self, part: str) -> tuple[str, str]:
        """Return the answer and "", or "" and the error."""
        try:
            self._task = self._task or self._start(self._settings)
            return self._task(part), ""
        except VerifierError as exc:
            return "", str(exc)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        """Answer in the form that Ray wants: columns in, columns out."""
        answers = [self.answer(str(part)) for part in batch["part"]]
        return {"answer": [answer for answer, _ in answers], "error": [error for _, error in answers]}


def _checked(answer: str, error: str) -> str:
    if error:
        raise VerifierError(error)
    return answer


_worker: Worker | None = None


def _start_process(start: Start, settings: Settings) -> None:
    global _worker
    _worker = Worker(start, settings)


def _in_process(part: str) -> tuple[str, str]:
    assert _worker is not None
    return _worker.answer(part)


def _by_processes(plan: Plan, start: Start, settings: Settings, parts: Sequence[str]) -> Iterator[str]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(
        plan.count, multiprocessing.get_context("spawn"), initializer=_start_process, initargs=(start, settings)
    )
    try:
        for answer, error in pool.map(_in_process, parts):
            yield _checked(answer, error)
    except BrokenProcessPool as exc:
        raise VerifierError(
            f"a worker process died, which it does for want of memory; run again with fewer than {plan.count} workers"
        ) from exc
    finally:
        pool.shutdown(cancel_futures=True)


def _by_ray(plan: Plan, start: Start, settings: Settings, parts: Sequence[str]) -> Iterator[str]:
    _start_ray(plan)
    import ray
    from ray.exceptions import RayError

    try:
        pool = ray.data.ActorPoolStrategy(size=min(plan.count, len(parts)))
        data = ray.data.from_items([{"part": part} for part in parts], override_num_blocks=len(parts))
        answered = data.map_batches(
            Worker, fn_constructor_args=(start, settings), batch_size=1, num_cpus=1, compute=pool, max_restarts=0
        )
        for row in answered.iter_rows():
            yield _checked(row["answer"], row["error"])
    except RayError as exc:
        raise VerifierError(f"Ray could not go on: {' '.join(str(exc).split())[:300]}; run again to go on") from exc
    finally:
        ray.shutdown()


def _start_ray(plan: Plan) -> None:
    """Start Ray on this machine without its telemetry, or join a running one.

    Ray listens on all networks of the machine, even when set to 127.0.0.1, and runs whatever it is sent. So a Ray that
    is started here accepts only requests with a token that no other process has.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not plan.ray_address:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    import ray
    from ray.data import DataContext

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    own: dict[str, Any] = {"num_cpus": plan.count, "include_dashboard": False}
    try:
        ray.init(address=plan.ray_address, **quiet) if plan.ray_address else ray.init(address="local", **own, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as exc:
        place = f"reached at {plan.ray_address}" if plan.ray_address else "started on this machine"
        raise InputError(f"Ray could not be {place}: {' '.join(str(exc).split())[:200]}") from exc
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
