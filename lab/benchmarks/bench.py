"""Measure the figures that the README states: `make bench`.

python -m lab.benchmarks.bench [--checks N] [--accuracy]

Store only, no web. Figures are medians unless they say otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tqdm import tqdm

ROOT = Path(__file__).parents[2]
CLAIMS = ROOT / "tests" / "data" / "claims.jsonl"
REPEATS, PARTS = 5, 50


def claims() -> list[dict[str, str]]:
    """Return every second evaluation claim with its expected verdict.

    The other claims were used to choose thresholds and rules.
    """
    return [json.loads(line) for line in CLAIMS.read_text(encoding="utf-8").splitlines()[1::2]]


def timed(command: list[str], env: dict[str, str]) -> float:
    """Seconds that a command takes, from start to end."""
    start = time.perf_counter()
    subprocess.run(command, env=env, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - start


def median_of(run: Callable[[], float]) -> float:
    """The median of several runs, after one that is not counted."""
    run()
    return statistics.median(run() for _ in range(REPEATS))


def measure_commands(env: dict[str, str]) -> dict[str, float]:
    """Time whole commands: help, and a first check in a new process.

    The check runs on a new store and on an existing one.
    """
    python = [sys.executable, "-m", "verifier"]
    check = [*python, "verify", "The Earth is flat", "--no-web", "--json"]

    def first_ever() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return timed(check, env | {"VERIFIER_KB_URI": f"{folder}/kb"})

    return {
        "python -m verifier --help (s)": median_of(lambda: timed([*python, "--help"], env)),
        "command line, cold, to a verdict (s)": median_of(lambda: timed(check, env)),
        "the same, filling a new store first (s)": median_of(first_ever),
    }


def measure_app(env: dict[str, str], port: int = 7991) -> dict[str, float]:
    """Measure seconds to first page and first verdict, and the process's peak memory in GB."""
    first, ready, peak = [], [], []
    for _ in tqdm(range(3), desc="app"):
        start = time.perf_counter()
        app = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=env | {"PORT": str(port)}, stdout=subprocess.DEVNULL
        )
        try:
            first.append(_wait_for(f"http://127.0.0.1:{port}/", start))
            from gradio_client import Client

            client = Client(f"http://127.0.0.1:{port}", verbose=False, analytics_enabled=False)
            client.predict(claim="The Earth is flat", web=False, api_name="/verify")
            ready.append(time.perf_counter() - start)
            for row in claims()[:100:2]:
                client.predict(claim=row["claim"], web=False, api_name="/verify")
            peak.append(_peak_memory(app.pid))
        finally:
            app.terminate()
            app.wait()
    return {
        "app, first page (s)": statistics.median(first),
        "app, first verdict (s)": statistics.median(ready),
        "app, peak memory after 50 checks (GB)": statistics.median(peak),
    }


def _wait_for(url: str, start: float) -> float:
    while time.perf_counter() - start < 120:
        try:
            with urlopen(url, timeout=5) as answer:
                answer.read()
                return time.perf_counter() - start
        except (URLError, ConnectionError):
            time.sleep(0.05)
    raise SystemExit(f"error: nothing answered at {url} within 120 s")


def _peak_memory(pid: int) -> float:
    """Peak resident memory in GB, as Linux counts it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) / 1e6


def measure_checks(count: int | None) -> dict[str, float]:
    """Measure warm checks of evaluation claims in one process: time per check and stage, accuracy."""
    from verifier import Checker, Settings
    from verifier.report.as_json import result_to_dict

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_env({"VERIFIER_KB_URI": f"{folder}/kb", "VERIFIER_WEB": "off", "VERIFIER_LOG": "off"})
        checker = Checker(settings)
        rows = claims()
        rows = rows if count is None else rows[:: max(1, len(rows) // count)]
        checker.verify("The Earth is flat")
        results = [(row, result_to_dict(checker.verify(row["claim"]))) for row in tqdm(rows, desc="checks")]
        checker.close()
    times = sorted(result["timings"]["total"] for _, result in results)
    found = Counter((row["expected"], result["verdict"]) for row, result in results)
    right = sum(n for (expected, verdict), n in found.items() if expected == verdict)
    opposite = found["True", "False"] + found["False", "True"]
    decided = [n for (_, verdict), n in found.items() if verdict in {"True", "False"}]
    right_decided = found["True", "True"] + found["False", "False"]
    stages = {stage for _, result in results for stage in result["timings"]}
    figures = {
        "checks": float(len(rows)),
        "one check, warm, p50 (ms)": statistics.median(times),
        "one check, warm, p95 (ms)": times[int(len(times) * 0.95)],
        "accuracy on the evaluation claims": right / len(rows),
        "called True or False": sum(decided) / len(rows),
        "right among those": right_decided / max(1, sum(decided)),
        "the very opposite": opposite / len(rows),
    }
    for stage in sorted(stages - {"total"}):
        figures[f"  {stage}, p50 (ms)"] = statistics.median(result["timings"].get(stage, 0.0) for _, result in results)
    for (expected, verdict), n in sorted(found.items()):
        figures[f"  {expected} called {verdict}"] = float(n)
    return figures


def measure_parts() -> dict[str, float]:
    """Measure warm checks of three-part claims, joined from evaluation claims, over the starter facts."""
    from verifier import Checker, Settings
    from verifier.claim.parsed import parse_claim
    from verifier.claim.split import split_claim

    rows = [row["claim"].rstrip(".") for row in claims()]
    joined = ["; ".join(rows[i : i + 3]) for i in range(0, len(rows) - 2, 3)]
    three = [claim for claim in joined if len(split_claim(parse_claim(claim))) == 3][:PARTS]
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(
            Settings.from_env({"VERIFIER_KB_URI": f"{folder}/kb", "VERIFIER_WEB": "off", "VERIFIER_LOG": "off"})
        )
        checker.verify("The Earth is flat")
        times = []
        for claim in tqdm(three, desc="claims with three parts"):
            start = time.perf_counter()
            checker.verify(claim)
            times.append((time.perf_counter() - start) * 1000)
        checker.close()
    return {
        f"claims with three parts ({len(three)}), p50 (ms)": statistics.median(times),
        "  their p95 (ms)": sorted(times)[int(len(times) * 0.95)],
    }


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checks", type=int, help="a sample of so many evaluation claims (default: all)")
    parser.add_argument("--accuracy", action="store_true", help="only the warm checks")
    args = parser.parse_args()
    figures = measure_checks(args.checks) | measure_parts()
    if not args.accuracy:
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "VERIFIER_KB_URI": f"{folder}/kb", "VERIFIER_WEB": "off", "VERIFIER_LOG": "off"}
            figures |= measure_commands(env) | measure_app(env)
    print(f"| figure | measured on {os.cpu_count()} cores |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:.0f} |" if value >= 100 or value == int(value) else f"| {name} | {value:.3g} |")


if __name__ == "__main__":
    main()
