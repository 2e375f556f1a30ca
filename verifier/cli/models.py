"""Provide the commands that run one model or measure whole checks: classify, stance, evaluate."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import InputError
from verifier.cli.common import progress_bar, settings_of, tell_rows
from verifier.evaluation import SETS

if TYPE_CHECKING:
    from verifier.cli.common import Commands
    from verifier.evaluation.endtoend import EndToEnd
    from verifier.report.answers import TypeAnswer
    from verifier.settings import Settings


def add_commands(commands: Commands) -> None:
    """Add the commands that run one model or measure whole checks."""
    _add_models(commands)
    _add_evaluate(commands)


def _add_models(commands: Commands) -> None:
    classify = commands.add_parser("classify", help="say whether texts can be checked")
    classify.add_argument("claim", nargs="?")
    classify.add_argument("--json", action="store_true")
    classify.add_argument("--in", dest="input", type=Path, help="one claim a line")
    classify.add_argument("--out", type=Path)
    classify.set_defaults(run=run_classify)

    stance = commands.add_parser("stance", help="judge pairs of claim and evidence")
    stance.add_argument(
        "--in", dest="input", type=Path, required=True, help="JSON lines with the fields claim and evidence"
    )
    stance.add_argument("--out", type=Path, required=True)
    stance.set_defaults(run=run_stance)


def _add_evaluate(commands: Commands) -> None:
    evaluate = commands.add_parser("evaluate", help="measure whole checks on claims with known answers")
    evaluate.add_argument(
        "--suite", default="endtoend", help="endtoend: single claims; documents: whole texts (default: %(default)s)"
    )
    evaluate.add_argument("--data", type=Path, help="folder of public data, for a public set (see docs/models.md)")
    evaluate.add_argument("--split", choices=("dev", "test"), default="test", help="which part (default: %(default)s)")
    evaluate.add_argument("--limit", type=int, help="at most this many cases")
    evaluate.add_argument(
        "--out", type=Path, metavar="FILE", help="write the figures to this CSV file too; see --guarantee"
    )
    evaluate.add_argument(
        "--cases",
        action="append",
        help=f"a .jsonl or .csv file (id, claim, expected), or a public set: {', '.join(SETS)}; with --guarantee several times",
    )
    evaluate.add_argument("--kb", metavar="URI", help="check against this store, which stays as it is")
    evaluate.add_argument("--evidence", type=Path, help="check against the texts of this JSON-lines file alone")
    evaluate.add_argument(
        "--given", action="store_true", help="judge each case by the texts of its topic in --evidence alone"
    )
    evaluate.add_argument("--pictures", type=Path, help="a folder for the confusion matrix and two diagrams")
    evaluate.add_argument(
        "--guarantee",
        type=float,
        action="append",
        metavar="SHARE",
        help="test how sure verdicts must be for at most this share of them to be wrong, and write that to --out as JSON",
    )
    evaluate.set_defaults(run=run_evaluate)


def run_classify(args: argparse.Namespace) -> None:
    """Say whether texts can be checked."""
    from verifier.build import load_claim_type
    from verifier.claim.classify import classify
    from verifier.claim.intake import clean_claim
    from verifier.claim.parsed import parse_claim
    from verifier.report.as_json import classification_to_dict

    if (args.claim is None) == (args.input is None) or (args.input is None) != (args.out is None):
        raise InputError("give either a claim, or --in FILE.txt with --out FILE.jsonl")
    if args.claim is not None:
        clean_claim(args.claim)
    model = load_claim_type(settings_of(args))

    def one(text: str) -> TypeAnswer:
        claim = clean_claim(text)
        return classification_to_dict(claim, classify(parse_claim(claim), model))

    if args.input is None:
        result = one(args.claim)
        print(
            json.dumps(result, ensure_ascii=False, indent=1)
            if args.json
            else f"{result['claim_type']}: {result['reason']}"
        )
        return
    from verifier.serve.batch import CLAIM_FIELD, read_rows, run_batch

    rows = read_rows(args.input)
    report = run_batch(rows, args.out, lambda row: one(row[CLAIM_FIELD]), progress_bar(len(rows), "claims"))
    tell_rows(report.done, report.skipped, report.failed, args.out)


def run_stance(args: argparse.Namespace) -> None:
    """Judge pairs of claim and evidence."""
    from verifier.build import load_stance
    from verifier.claim.parsed import parse_claim
    from verifier.judgement.stance import stance_of
    from verifier.serve.batch import read_rows, run_batch

    rows = read_rows(args.input, ("claim", "evidence"))
    model = load_stance(settings_of(args))

    def one(row: dict[str, str]) -> dict[str, Any]:
        if not row["claim"].strip() or not row["evidence"].strip():
            raise InputError("claim and evidence must not be empty")
        stance, note = stance_of(parse_claim(row["claim"]), row["evidence"], model)
        probabilities = {"supports": stance.supports, "refutes": stance.refutes, "neutral": stance.neutral}
        return row | {
            "label": str(stance.label),
            "probabilities": {label: round(value, 4) for label, value in probabilities.items()},
            "note": note,
        }

    report = run_batch(rows, args.out, one, progress_bar(len(rows), "pairs"))
    tell_rows(report.done, report.skipped, report.failed, args.out)


def run_evaluate(args: argparse.Namespace) -> None:
    """Measure whole checks on claims with known answers."""
    from verifier.evaluation.endtoend import EndToEnd, evaluate_endtoend
    from verifier.settings import Settings

    if args.suite == "documents":
        _evaluate_documents(args)
        return
    if args.suite != "endtoend":
        raise InputError(f"single models are measured by: python -m lab.evaluation {args.suite}")
    if not args.cases:
        raise InputError("evaluate needs --cases: a file, or one of " + ", ".join(SETS))
    requests = [
        EndToEnd(
            cases=cases,
            data=args.data,
            split=args.split if Path(cases).exists() else "",
            limit=args.limit,
            kb=args.kb,
            evidence=args.evidence,
            given=args.given,
            out=args.out,
            pictures=args.pictures,
        )
        for cases in args.cases
    ]
    settings = Settings.from_env()
    if args.guarantee:
        _evaluate_guarantee(args, requests, settings)
    elif len(requests) > 1:
        raise InputError("several --cases are run together only with --guarantee; give one")
    else:
        print(evaluate_endtoend(requests[0], settings, lambda total: progress_bar(total, "cases")))


def _evaluate_guarantee(args: argparse.Namespace, requests: Sequence[EndToEnd], settings: Settings) -> None:
    from verifier.evaluation.endtoend import evaluate_guarantee

    wrong = [share for share in args.guarantee if not 0 < share < 1]
    if wrong:
        raise InputError(f"--guarantee must be a share between 0 and 1, such as 0.05, got {wrong[0]:g}")
    missing = [request.cases for request in requests if not Path(request.cases).exists()]
    if missing:
        raise InputError(f"--guarantee needs --cases that are files, and {missing[0]} is none")
    if args.out is None:
        raise InputError("--guarantee needs --out FILE.json, where the grades go")
    print(evaluate_guarantee(requests, args.guarantee, args.out, settings, lambda total: progress_bar(total, "cases")))


def _evaluate_documents(args: argparse.Namespace) -> None:
    from verifier.evaluation.documents import CASES, evaluate_documents
    from verifier.settings import Settings

    path = Path(args.cases[0]) if args.cases else CASES
    print(
        evaluate_documents(
            path, args.split, args.limit, args.out, Settings.from_env(), lambda total: progress_bar(total, "texts")
        )
    )
