"""Average the weights of two runs of one model, the second of which went on from the first.

The average is often better than either on what each was trained for (Wortsman et al., "Robust fine-tuning of zero-shot
models", CVPR 2022).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch


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
