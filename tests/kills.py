"""Processes that write and are killed at random moments: what they said was done is there, once, and what they deleted stays away.

    python -m tests.kills --times 30

Each kind of work runs in a process of its own that says after every step what is done: "+12" is stored, "~12" is
about to be deleted, "-12" is deleted. It is ended by
SIGKILL at a random moment, then what is there is compared with what was said; the next process goes on in the same place.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from kb.record import NewEvidence, content_hash
from kb.store.evidence_store import EvidenceStore
from kb.store.policy import UpkeepPolicy
from kb.store.table import embedder_of
from kb.upkeep.reembed import reembed
from tests.kb.stores import EMBEDDER, opened, spread, statements

ROOT = Path(__file__).parent.parent
OTHER = "f" * 64
_BUSY = UpkeepPolicy(every_writes=3, max_unindexed=10, max_small_fragments=5)
_ROWS = 400
"""Of the store that is embedded anew, and of a batch: so many that a run lasts longer than it is let live."""


def say(done: str) -> None:
    """Acknowledge a step."""
    sys.stdout.write(f"{done}\n")
    sys.stdout.flush()


def add(place: Path, start: int) -> None:
    """Add five texts at a time, and delete one of them."""
    store = opened(place / "kb", _BUSY)
    for first in range(start, start + 1_000_000, 5):
        store.add(statements(*range(first, first + 5)))
        for number in range(first, first + 5):
            say(f"+{number}")
        remove(store, first)


def optimise(place: Path, start: int) -> None:
    """The same, with all indexes made and all pieces gathered each time."""
    store = opened(place / "kb", _BUSY)
    for number in range(start, start + 1_000_000, 2):
        store.add(statements(number, number + 1))
        say(f"+{number}")
        say(f"+{number + 1}")
        remove(store, number)
        store.optimize()


def refresh(place: Path, start: int) -> None:
    """Put texts into the store by way of a staging table, and delete one of them."""
    store = opened(place / "kb", _BUSY)
    for first in range(start, start + 1_000_000, 5):
        staging = store.staging()
        staging.put(statements(*range(first, first + 5)))
        staging.swap((), datetime.now(UTC))
        for number in range(first, first + 5):
            say(f"+{number}")
        staging.drop()
        remove(store, first)


def embed(place: Path, start: int) -> None:
    """Embed the store anew with one model and the other in turn, after adding and deleting a text each time."""
    uri = str(place / "kb")
    for number in range(start, start + 1_000_000, 2):
        store = of_today(uri)
        store.add(statements(number, number + 1))
        say(f"+{number}")
        say(f"+{number + 1}")
        remove(store, number)
        other = OTHER if store.embedder == EMBEDDER else EMBEDDER
        reembed(uri, spread, other, lambda done, total: None)


def batch(place: Path, start: int) -> None:
    """Write one line for each row of a batch, going on where the last process stopped."""
    from verifier.serve.batch import Row, run_batch

    rows = [Row(number, {"claim": f"claim {number}"}) for number in range(1, 50 * _ROWS)]
    at = len((place / "out.jsonl").read_bytes().split(b"\n")) - 1 if (place / "out.jsonl").exists() else 0

    def tick() -> None:
        nonlocal at
        at += 1
        say(f"+{at}")
        time.sleep(0.002)

    run_batch(rows, place / "out.jsonl", lambda row: {"verdict": "True", "text": "x" * 20_000}, tick)


def log(place: Path, start: int) -> None:
    """Log checks, and delete every third."""
    from tests.verifier.report.report_cases import result
    from verifier.history.log import VerificationLog

    kept = VerificationLog(place / "log.jsonl", 90)
    for number in range(start, start + 1_000_000):
        kept.append(replace(result(), session_id=str(number), reasoning="x" * 100_000))
        say(f"+{number}")
        if number % 3 == 0:
            say(f"~{number}")
            kept.delete(str(number))
            say(f"-{number}")


def remove(store: EvidenceStore, number: int) -> None:
    """Delete a text, and say so before and after."""
    say(f"~{number}")
    store._table.delete(f"id = '{key_of(number)}'")
    say(f"-{number}")


def key_of(number: int) -> str:
    """The id of the text of that number."""
    (item,) = statements(number)
    return content_hash(item.text)[:32]


def of_today(uri: str) -> EvidenceStore:
    """The store, with the embedder that it has now."""
    try:
        return opened(uri)
    except Exception:  # noqa: BLE001  # it has the other one
        return EvidenceStore(uri, spread, OTHER)


def stored(place: Path, said: Said) -> list[str]:
    """The ids of the records, each as often as it is there; a reader can search, and an upkeep can be made."""
    store = of_today(str(place / "kb"))
    if (place / "embedding").exists():
        reembed(store.uri, spread, store.embedder, lambda done, total: None)  # what was begun is finished
        store = of_today(store.uri)
    assert embedder_of(store._table) == store.embedder and len(store.search("statement", spread(["x"])[0], 5)) == 5
    return list(store._table.to_arrow()["id"].to_pylist())


def written(place: Path, said: Said) -> list[str]:
    """The numbers of a batch's rows, as far as they are whole lines."""
    lines = (place / "out.jsonl").read_bytes().split(b"\n")[:-1]
    return [str(json.loads(line)["row"]) for line in lines]


def logged(place: Path, said: Said) -> list[str]:
    """The ids of the checks that the log holds."""
    from verifier.history.log import VerificationLog

    return [str(entry["session_id"]) for entry in VerificationLog(place / "log.jsonl", 90).entries()]


@dataclass(slots=True)
class Said:
    """What was acknowledged so far."""

    done: set[int] = field(default_factory=set)
    deleted: set[int] = field(default_factory=set)
    doomed: set[int] = field(default_factory=set)

    def hear(self, line: str) -> None:
        """Note a line of a process."""
        {"+": self.done, "-": self.deleted, "~": self.doomed}[line[0]].add(int(line[1:]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of all kills of one kind: acknowledged steps, and those lost, doubled, or deleted and there again."""

    kills: int
    acknowledged: int
    lost: int
    doubled: int
    returned: int


Work = tuple[Callable[[Path, int], None], Callable[[Path, Said], list[str]], Callable[[int], str]]
WORK: dict[str, Work] = {
    "add": (add, stored, key_of),
    "refresh": (refresh, stored, key_of),
    "re-embed": (embed, stored, key_of),
    "optimise": (optimise, stored, key_of),
    "batch": (batch, written, str),
    "log": (log, logged, str),
}


def kill(kind: str, times: int, place: Path, seed: int = 0) -> Outcome:
    """Kill a process of one kind so often, each within a second of its first step, and compare after each."""
    _, look, name = WORK[kind]
    rng, said = random.Random(seed), Said()
    if kind in {"add", "refresh", "re-embed", "optimise"}:
        opened(place / "kb").add([NewEvidence(f"Row {number} of the store that stays.") for number in range(_ROWS)])
    if kind == "re-embed":
        (place / "embedding").touch()
    lost: set[int] = set()
    doubled = returned = 0
    for turn in range(times):
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.kills",
                "--work",
                kind,
                "--place",
                str(place),
                "--start",
                str((turn + 1) * 10**6),
            ],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert process.stdout is not None
        said.hear(process.stdout.readline())
        time.sleep(rng.uniform(0.0, 1.0))
        process.kill()
        out, _ = process.communicate()
        for line in out.split("\n")[:-1]:
            said.hear(line)
        found = look(place, said)
        once = set(found)
        doubled += len(found) - len(once)
        lost |= {n for n in said.done - said.deleted - said.doomed if name(n) not in once}
        returned += sum(name(number) in once for number in said.deleted)
    return Outcome(times, len(said.done) + len(said.deleted), len(lost), doubled, returned)


def main() -> None:
    """Kill each kind of work so often, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--only", choices=sorted(WORK), nargs="*", default=list(WORK))
    parser.add_argument("--work", choices=sorted(WORK), help=argparse.SUPPRESS)
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        WORK[args.work][0](args.place, args.start)
        return
    for kind in args.only:
        with tempfile.TemporaryDirectory() as place:
            sys.stdout.write(f"{kind}: {kill(kind, args.times, Path(place))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
