"""Fit when to ask the instruct model on this machine, and how far to trust it.

python -m lab.evaluation.cascade [--cases FILE] [--evidence FILE] [--limit N]

Every case is judged by the small models, and its evidence read by the instruct model. Its trust is the share of its answers that
are right, after Laplace; the threshold is the lowest whose verdicts are within half a point of the best. Nothing is written:
the last line says what to set.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from errors import InputError, ModelError, exit_status
from lab.evaluation.gathered import ANSWERS, with_evidence
from verifier.build import find_assistant, load_embedder, load_models
from verifier.check.gather import Models
from verifier.claim.parsed import ParsedClaim
from verifier.evaluation.cases import Case, read_cases, with_texts_of_topic
from verifier.evaluation.stores import filled_store
from verifier.interfaces import Store
from verifier.judgement.cascade import fused, unsure
from verifier.judgement.verdict import Circumstances, judge
from verifier.llm.assistant import Assistant, Limits
from verifier.schema import Advice, Evidence, Judgement, Verdict
from verifier.settings import Settings

_OWN = Path("tests/data")
_SECONDS = 120.0
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_NEARLY = 0.005


@dataclass(frozen=True, slots=True)
class Read:
    """One case, read by both: what is right, the evidence, the small models' judgement, the instruct model's advice, if any."""

    case: Case
    claim: ParsedClaim
    evidence: list[Evidence]
    around: Circumstances
    alone: Judgement
    advice: Advice | None


@dataclass(frozen=True, slots=True)
class Row:
    """What a threshold is worth: the share of cases that the instruct model is asked about, and of right verdicts."""

    threshold: float
    asked: float
    right: float


def read_both(
    cases: Sequence[Case], models: Models, store: Store, assistant: Assistant, settings: Settings
) -> list[Read]:
    """The cases that state one thing and have evidence; an advice that failed is None."""
    found = []
    for case, plan, evidence in with_evidence("cases", cases, models, store, settings):
        if not evidence:
            continue
        around = Circumstances(plan.time_bound, datetime.now(UTC))
        alone = judge(plan.claim, evidence, around)
        try:
            advice = assistant.advice(case.claim, evidence, Limits(_SECONDS))
        except ModelError:
            advice = None
        found.append(Read(case, plan.claim, evidence, around, alone, advice))
    return found


def trust_of(read: Sequence[Read]) -> float:
    """The share of right answers among the instruct model's, as if it had given one of each kind more."""
    answers = [each for each in read if each.advice]
    right = sum(each.advice is not None and each.advice.verdict is each.case.expected for each in answers)
    return (right + 1) / (len(answers) + len(ANSWERS))


def rows_of(read: Sequence[Read], trust: float) -> list[Row]:
    """What every threshold is worth."""
    rows = []
    for threshold in THRESHOLDS:
        asked = [unsure(each.alone, threshold) for each in read]
        verdicts = [_verdict(each, trust) if ask else each.alone.verdict for each, ask in zip(read, asked, strict=True)]
        right = sum(verdict is each.case.expected for verdict, each in zip(verdicts, read, strict=True))
        rows.append(Row(threshold, sum(asked) / len(read), right / len(read)))
    return rows


def _verdict(each: Read, trust: float) -> Verdict:
    if each.advice is None:
        return each.alone.verdict
    return judge(each.claim, fused(each.evidence, each.advice, trust), each.around).verdict


def chosen(rows: Sequence[Row]) -> Row:
    """The row of the lowest threshold that is nearly as good as the best: a question costs seconds."""
    best = max(row.right for row in rows)
    return next(row for row in rows if row.right >= best - _NEARLY)


def report(read: Sequence[Read]) -> str:
    """The table, and what to set.

    Raises:
        InputError: there is nothing to fit on.
    """
    if not read:
        raise InputError("no case has evidence and states one thing that is true, false or open; give other cases")
    trust = trust_of(read)
    rows = rows_of(read, trust)
    best = chosen(rows)
    failed = sum(each.advice is None for each in read)
    lines = [f"{len(read)} cases, {failed} of them without an answer; of its answers {trust:.0%} are right", ""]
    lines += ["| asked below | share asked | right |", "|---|---|---|"]
    lines += [f"| {row.threshold:g} | {row.asked:.0%} | {row.right:.1%} |" for row in rows]
    set_ = f"VERIFIER_CASCADE={best.threshold:g} VERIFIER_LLM_TRUST={min(0.99, max(0.34, trust)):.2f}"
    worth = set_ if best.threshold > 0 and trust > 1 / len(ANSWERS) else "VERIFIER_LLM=off: it gains nothing here"
    return "\n".join([*lines, "", worth])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print, from the command line; 2 after an error, of which one line is printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=_OWN / "news_claims.jsonl")
    parser.add_argument("--evidence", type=Path, default=_OWN / "news_passages.jsonl")
    parser.add_argument("--limit", type=int, default=60)
    args = parser.parse_args(arguments)
    return exit_status(lambda: _measure(args.cases, args.evidence, args.limit), "stopped")


def _measure(cases: Path, evidence: Path, limit: int) -> None:
    settings = replace(Settings.from_env(), web=False)
    assistant = find_assistant(settings)
    if assistant is None:
        raise InputError("there is no instruct model on this machine; run: python -m models download")
    embedder = load_embedder(settings)
    models = load_models(settings, embedder)
    chosen_cases = [case for case in read_cases(cases) if case.split != "test"][:limit]
    with filled_store(settings, embedder, None) as store:
        read = read_both(with_texts_of_topic(chosen_cases, evidence), models, store, assistant, settings)
    sys.stdout.write(report(read) + "\n")


if __name__ == "__main__":
    sys.exit(main())
