"""Fit the calibration numbers of the catalogue on held-out data, with the file that ships.

A classifier gets a temperature, relevance a scale and an offset (`models/readers/fitting.py`).
"""

from __future__ import annotations

import random

import numpy as np
from tqdm import tqdm

from lab.data.pairs import load_pairs
from lab.evaluation.classifier import Classifier, logits_of
from lab.evaluation.stance import STANCE_OF, held_out
from lab.training.claim_type import own_claims
from lab.training.mining import Ranked, Vectors, mined_negatives, question_rows
from lab.training.network import Job
from models.metrics import expected_calibration_error, softmax
from models.pairs import DEV, REFUTES, SUPPORTS
from models.reader import Reader
from models.readers.fitting import fit_scale, temperature_of

ROWS_PER_SET = 500
_SETTLED = 700
_CLAIM_SETS = ("vitaminc_real", "fever_dev_gold", "fever_nli", "fever_symmetric", "scifact", "factcheckgpt_stance")


def stance_rows(job: Job) -> list[tuple[tuple[str, ...], str]]:
    """Up to 500 development rows of every set, so that no large set decides alone."""
    found = held_out(job.data, DEV, ROWS_PER_SET)
    return [((pair.claim, pair.evidence), STANCE_OF[pair.label]) for pairs in found.values() for pair in pairs]


def claim_type_rows(job: Job) -> list[tuple[tuple[str, ...], str]]:
    """Return the fifth of our own claims that training leaves out."""
    return [((text,), label) for text, label in own_claims(random.Random(job.seed))[1]]


def fit_temperature(model: Classifier, rows: list[tuple[tuple[str, ...], str]]) -> dict[str, float]:
    """Temperature, accuracy, and calibration error before and after."""
    logits = logits_of(model, [texts for texts, _ in rows], "calibrating")
    truth = np.array([model.labels.index(label) for _, label in rows])
    temperature = temperature_of(logits, truth)
    return {
        "calibration rows": len(rows),
        "accuracy": float((logits.argmax(1) == truth).mean()),
        "temperature": temperature,
        "calibration error before": expected_calibration_error(softmax(logits), truth),
        "calibration error after": expected_calibration_error(softmax(logits / temperature), truth),
    }


def relevance_rows(job: Job, embed: Vectors) -> list[Ranked]:
    """Return held-out claims with texts that settle them or are irrelevant, and questions with sentences."""
    pool = [
        pair for pair in load_pairs(job.data)[DEV] if pair.label in {SUPPORTS, REFUTES} and pair.source in _CLAIM_SETS
    ]
    chosen = random.Random(job.seed).sample(pool, min(_SETTLED, len(pool)))
    texts = [(pair.claim, pair.evidence) for pair in chosen]
    mined = mined_negatives(texts, sorted({text for _, text in texts}), embed, job.seed)
    return [*(Ranked(claim, text, True, "settles") for claim, text in texts), *mined, *question_rows(job.data)[DEV]]


def fit_reader(reader: Reader, job: Job) -> dict[str, float]:
    """Fit the stance temperature and the relevance scale and offset, with the file that ships."""
    from models.catalogue import WEIGHTS, Role
    from models.encoders.embedder import Embedder
    from models.files import checked_path

    stance = fit_temperature(reader, stance_rows(job))
    rows = relevance_rows(job, Embedder(checked_path(WEIGHTS[Role.EMBEDDER]), 1).embed)
    read = reader.read([(row.query, row.text) for row in tqdm(rows, desc="relevance")])
    raw, truth = np.array([reading.relevance for reading in read]), np.array([row.relevant for row in rows])
    return stance | fit_scale(raw, truth)
