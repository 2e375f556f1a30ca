"""Compare whole checks before and after a change that should alter nothing: verdicts, confidences, quotes.

python -m lab.same_verdicts write FILE      # before
python -m lab.same_verdicts compare FILE    # after; ends with 1 and prints what differs
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from verifier import Checker

DATA = Path(__file__).parents[1] / "tests" / "data"
FROM_THE_STORE = ("claims", "starter_claims", "compound_claims", "claim_types")
"""Files whose claims are checked against the starter pack; others use their own texts."""
WITH_TEXTS = ("adversarial", "adversarial_more", "adversarial_repetition", "independent_reports", "retellings")


def cases(every: int) -> Iterator[tuple[str, str, list[str] | None]]:
    """Yield (name, claim, texts or None for the store) of every `every`-th test line."""
    for name in (*FROM_THE_STORE, *WITH_TEXTS, "reader_pairs", "news_claims"):
        rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        for number, row in list(enumerate(rows))[::every]:
            yield f"{name}:{number}", row["claim"], None if name in FROM_THE_STORE else _texts(row)


def _texts(row: dict[str, Any]) -> list[str]:
    if "topic" in row:
        passages = map(json.loads, (DATA / "news_passages.jsonl").read_text(encoding="utf-8").splitlines())
        return [passage["text"] for passage in passages if passage["topic"] == row["topic"]]
    told = row.get("evidence", row.get("passage"))
    return [
        text if isinstance(text, str) else text["text"] for text in ([told] if isinstance(told, str) else told or [])
    ]


def told(checker: Checker, claim: str, texts: list[str] | None) -> dict[str, Any]:
    """Return what a check says, without what differs between runs; or the error's line."""
    from errors import VerifierError
    from kb.record import NewEvidence

    try:
        result = checker.verify(claim, None if texts is None else [NewEvidence(text) for text in texts], web=False)
    except VerifierError as exc:
        return {"error": str(exc)}
    return {
        "verdict": result.verdict,
        "confidence": round(result.confidence, 3),
        "tier": result.tier,
        "reasoning": result.reasoning,
        "quotes": [citation.quote for citation in result.citations],
        "parts": [part.verdict for part in result.parts],
        "warnings": list(result.warnings),
    }


def main() -> int:
    """Run the command line. Returns 0, or 1 where something differs."""
    from verifier import Checker, Settings

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=1, help="check every N-th claim only (default: all)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(Settings.from_env(), kb_uri=f"{folder}/kb", log=False)
        with Checker(settings) as checker:
            now = {
                name: told(checker, claim, texts)
                for name, claim, texts in tqdm(list(cases(args.every)), desc="checks", unit="")
            }
    if args.action == "write":
        args.file.write_text("".join(json.dumps([name, said]) + "\n" for name, said in now.items()), encoding="utf-8")
        return 0
    before = dict(json.loads(line) for line in args.file.read_text(encoding="utf-8").splitlines())
    same = json.loads(json.dumps(now))
    differ = [name for name in same.keys() & before.keys() if same[name] != before[name]]
    for name in sorted(differ):
        tqdm.write(f"{name}\n  before {before[name]}\n  now    {same[name]}")
    tqdm.write(f"{len(differ)} of {len(same.keys() & before.keys())} checks differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
