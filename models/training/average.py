"""Average the weights of two runs of one model, the second of which went on from the first.

python -m models.training.average --first A.gguf --second B.pt --share 0.6 [--raise SUPPORTS=0.3] --out model.pt

The average is often better than either on what each was trained for (Wortsman et al., "Robust fine-tuning of zero-shot
models", CVPR 2022). `--raise` adds to a label's logit, for a run whose rows favoured another label more than the world does.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import torch

from models.training.export_gguf import read_back
from models.training.stance import LABELS


def average(
    first: Mapping[str, torch.Tensor], second: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """(1 - share) x first + share x second, tensor by tensor.

    Raises:
        ValueError: the two do not have the same tensors.
    """
    if first.keys() != second.keys():
        raise ValueError(f"not runs of one model; only one of them has {sorted(first.keys() ^ second.keys())[0]}")
    return {name: (1 - share) * first[name].float() + share * second[name].float() for name in first}


def main() -> None:
    """Average two stance runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=Path, required=True, help="exported GGUF file")
    parser.add_argument("--second", type=Path, required=True, help="model.pt of the run that went on from it")
    parser.add_argument("--share", type=float, required=True, help="weight of the second, 0 to 1")
    parser.add_argument("--raise", dest="raised", default="", help="LABEL=AMOUNT")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    weights = average(read_back(args.first), torch.load(args.second, weights_only=True), args.share)
    if args.raised:
        label, amount = args.raised.split("=")
        weights["output.bias"][LABELS.index(label)] += float(amount)
    torch.save(weights, args.out)


if __name__ == "__main__":
    main()
