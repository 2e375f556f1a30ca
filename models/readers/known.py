"""List hub readers known to fit, and parse a user's name for one.

The user may name another one too. None ships with the repository: each is fetched only on request. Sizes are rounded;
the hub says the exact one.
"""

from __future__ import annotations

from dataclasses import dataclass

from errors import InputError
from models.hub.generators import is_repository


@dataclass(frozen=True, slots=True)
class KnownReader:
    """A repository whose classifier tells support, contradiction and neither apart.

    It takes about `disk_gb` GB to fetch.
    """

    name: str
    repo: str
    licence: str
    disk_gb: float
    note: str


READERS: tuple[KnownReader, ...] = (
    KnownReader(
        "deberta-v3-base",
        "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
        "MIT",
        0.4,
        "184 million parameters, English; trained on MNLI, FEVER and ANLI",
    ),
    KnownReader(
        "modernbert-base",
        "tasksource/ModernBERT-base-nli",
        "Apache-2.0",
        0.6,
        "150 million parameters, English; trained on many inference sets",
    ),
    KnownReader(
        "nli-deberta-v3-base",
        "cross-encoder/nli-deberta-v3-base",
        "Apache-2.0",
        0.7,
        "184 million parameters, English; trained on SNLI and MNLI",
    ),
    KnownReader(
        "mdeberta-v3-base",
        "MoritzLaurer/mDeBERTa-v3-base-mnli-xnli",
        "MIT",
        1.1,
        "279 million parameters, a hundred languages; trained on XNLI and MNLI",
    ),
)
"""The first is the default."""


def repository_of(name: str) -> str:
    """Return the repository meant by `name`: that of a known reader, or OWNER/REPO itself.

    Raises:
        InputError: it is neither.
    """
    known = next((known.repo for known in READERS if known.name == name), None)
    if known:
        return known
    if not is_repository(name):
        names = ", ".join(known.name for known in READERS)
        raise InputError(f"the reader must be one of {names}, or OWNER/REPO on the hub, not {name!r}")
    return name
