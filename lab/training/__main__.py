"""Make one of the weights: train, export, calibrate, report.

python -m lab.training reader --data DIR --encoder DIR --out DIR --hours 8
python -m lab.training reader --start models/weights/reader --out DIR --hours 1.5    # a second stretch
python -m lab.training reader --start DIR --rank 16 --out DIR --hours 0.14   # a change of low rank, for a graphics card

The same seed gives the same rows in the same order; the weights agree up to rounding, which differs between processors.
Run the same command again to resume a stopped run from its last checkpoint.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from errors import InputError, VerifierError
from lab.data.hub import ENCODER, READER_ENCODER, fetch_encoder, fetch_sets
from lab.training.network import Job
from models.reader import NETWORK


def _claim_type(job: Job) -> dict[str, Any]:
    from lab.training import calibrate, claim_type

    report = claim_type.train(job)
    return report | _finish_classifier(job, "claim-type", claim_type.LABELS, calibrate.claim_type_rows)


def _finish_classifier(
    job: Job, name: str, labels: tuple[str, ...], rows: Callable[[Job], list[tuple[tuple[str, ...], str]]]
) -> dict[str, Any]:
    from lab.training.calibrate import fit_temperature
    from lab.training.export_gguf import export_trained
    from models.encoders.classifier import EncoderClassifier

    path = job.out / f"{name}.gguf"
    export_trained(job, path, name, labels)
    return fit_temperature(EncoderClassifier(path, 1, labels), rows(job))


def _embedder(job: Job) -> dict[str, Any]:
    from lab.training import embedder
    from lab.training.export_gguf import export_trained

    report = embedder.train(job)
    export_trained(job, job.out / "embedder.gguf", "embedder")
    return report


def _reader(job: Job) -> dict[str, Any]:
    from lab.training import calibrate, reader
    from lab.training.export_reader import export_adapter, export_folder, export_onnx
    from models.adapter import adapters_of
    from models.reader import Reader

    recipe = reader.recipe_of(job)
    model, report = reader.train(job, recipe)
    start = job.start / NETWORK if job.start and (job.start / NETWORK).exists() else None
    if recipe.rank and start:
        export_onnx(job.encoder, job.out / "model.pt", job.out / "merged")
        export_adapter(model, job.out / "merged", start, job.out / "reader", adapters_of(start))
    else:
        export_onnx(job.encoder, job.out / "model.pt", job.out / "reader", start, recipe.frozen_layers)
    export_folder(job.encoder, job.out / "model.pt", job.out / "reader-folder")
    return report | calibrate.fit_reader(Reader(job.out / "reader", _THREADS), job)


ROLES = {"reader": _reader, "claim-type": _claim_type, "embedder": _embedder}
_THREADS = 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.training", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("role", choices=sorted(ROLES))
    parser.add_argument(
        "--data", type=Path, help="folder of public data; without it, what the hub has is fetched to OUT"
    )
    parser.add_argument(
        "--encoder",
        type=Path,
        help="folder of all-mpnet-base-v2 (reader) or all-MiniLM-L6-v2; without it, it is fetched to OUT",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the weights and report.json")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hours", type=float, default=8.0, help="reader: how long to train (default: %(default)s)")
    parser.add_argument(
        "--start", type=Path, help="reader: folder with model.pt or reader.onnx to go on from, as a second stretch"
    )
    parser.add_argument("--rate", type=float, help="reader: learning rate of the encoder (default: the stretch's)")
    parser.add_argument("--batch", type=int, help="reader: rows a step (default: the stretch's)")
    parser.add_argument(
        "--frozen", type=int, help="reader: lower layers that stay as they are (default: the stretch's)"
    )
    parser.add_argument(
        "--rank",
        type=int,
        default=0,
        help="reader: train a change of this rank of every weight of START, and write its next adapter",
    )
    parser.add_argument(
        "--keep", type=float, default=1.0, help="reader: the share of a change of low rank to keep (default: all)"
    )
    parser.add_argument(
        "--share",
        action="append",
        default=[],
        metavar="SOURCE=ROWS",
        help="reader: use at most ROWS rows of SOURCE, as report.json names it; may be repeated",
    )
    return parser


def _share(text: str) -> tuple[str, int]:
    source, _, rows = text.partition("=")
    if not source or not rows.isdecimal():
        raise InputError(f"--share must be SOURCE=ROWS, such as news=4000, got {text!r}")
    return source, int(rows)


def _job(args: argparse.Namespace) -> Job:
    for folder in (args.data, args.encoder, args.start):
        if folder and not folder.is_dir():
            raise InputError(f"{folder} is not a folder")
    if args.hours <= 0:
        raise InputError(f"--hours must be above 0, got {args.hours:g}")
    if args.batch is not None and args.batch < 1:
        raise InputError(f"--batch must be at least 1, got {args.batch}")
    if args.rank < 0:
        raise InputError(f"--rank must not be below 0, got {args.rank}")
    if args.rank and not (args.start and (args.start / NETWORK).exists()):
        raise InputError(f"--rank changes the {NETWORK} of a folder; name it with --start")
    if not 0 < args.keep <= 1:
        raise InputError(f"--keep must be above 0 and at most 1, got {args.keep:g}")
    if args.role != "reader" and (args.start or args.rate or args.batch or args.frozen or args.share):
        raise InputError(f"--start, --rate, --batch, --frozen and --share are for the reader, not for {args.role}")
    shares = dict(map(_share, args.share))
    args.out.mkdir(parents=True, exist_ok=True)
    encoder = args.encoder or fetch_encoder(args.out / "encoder", READER_ENCODER if args.role == "reader" else ENCODER)
    data = args.data or fetch_sets(args.out / "data")
    return Job(
        data,
        encoder,
        args.out,
        args.seed,
        args.hours,
        args.start,
        args.rate,
        args.batch,
        args.frozen,
        args.rank,
        shares,
        args.keep,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after printing an error in one line."""
    args = _parser().parse_args(arguments)
    try:
        report = ROLES[args.role](_job(args))
    except (VerifierError, OSError) as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return 130
    text = json.dumps(report, indent=1)
    (args.out / "report.json").write_text(text)
    tqdm.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
