"""Read public sets of claims with verdicts, from a folder of data as published.

None of it is part of this project: every set has its own licence, and is only used for measuring.

- scifact (Wadden et al., EMNLP 2020): the official development claims, to be judged by a store of `scifact_corpus`. A
  claim's verdict is that of its gold rationales, Not Enough Evidence if it has none. The test claims are published
  without labels.
- healthver (Sarrouti et al., Findings of EMNLP 2021): the official test part. Its verdicts belong to a claim and one
  text, so each pair is a case; the cases of one claim are kept together. Pairs that occur twice are kept, as its makers
  count them.
- climate_fever (Diggelmann et al., 2020): five sentences of Wikipedia per claim. The folder only has labels of
  sentences; the claim's label follows from them as its makers state: Supported if a sentence supports and none refutes,
  Refuted likewise, disputed (Partially True) if there are both, not enough information if all are neutral.
- averitec (Schlichtkrull et al., NeurIPS 2023): the development claims with their gold questions and answers.
- factcheckbench (Wang et al., Findings of EMNLP 2024): claims of chatbots marked true or false, without evidence.
- fever (Thorne et al., NAACL 2018): a file in its format, {id, claim, label, evidence}. FEVER's own evidence names
  pages and line numbers, not texts, and is ignored; a list of texts is used as evidence.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from errors import InputError
from kb.record import NewEvidence, Origin
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, TEST, detokenise, open_text, read_rows
from verifier.evaluation.cases import Case, Fields, Rationale, cases_of, jsonl_rows
from verifier.schema import Verdict

_OF_PAIR = {
    SUPPORTS: Verdict.TRUE,
    REFUTES: Verdict.FALSE,
    NOT_ENOUGH_INFO: Verdict.NOT_ENOUGH_EVIDENCE,
}
_OF_AVERITEC = {
    "Supported": Verdict.TRUE,
    "Refuted": Verdict.FALSE,
    "Not Enough Evidence": Verdict.NOT_ENOUGH_EVIDENCE,
    "Conflicting Evidence/Cherrypicking": Verdict.PARTIALLY_TRUE,
}
_OF_SCIFACT = {"SUPPORT": Verdict.TRUE, "CONTRADICT": Verdict.FALSE}
_OF_FACTCHECKBENCH = {"true": Verdict.TRUE, "false": Verdict.FALSE}

T = TypeVar("T")

_SCIFACT = Path("ranking/scifact")
_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(?=https?://)")


def load_public(name: str, data: Path, limit: int | None = None) -> list[Case]:
    """Load the cases of one of `PUBLIC`.

    If there are more than `limit`, returns the same sample of them at every call, in order.

    Args:
        name: a key of `PUBLIC`.
        data: the folder with pairs/, ranking/, ...; for "fever" the file itself, plain or gzipped.
        limit: maximum number of cases; None for all.

    Raises:
        InputError: an unknown name, a limit below 1, or data that is missing or not in its makers' format.
    """
    loader = PUBLIC.get(name)
    if loader is None:
        raise InputError(f"no public set {name!r}; there are {', '.join(PUBLIC)}")
    if limit is not None and limit < 1:
        raise InputError(f"limit must be at least 1, not {limit}")
    cases = _read(name, data, loader)
    if limit is None or limit >= len(cases):
        return cases
    return [cases[i] for i in sorted(random.Random(0).sample(range(len(cases)), limit))]


def scifact_corpus(data: Path) -> list[NewEvidence]:
    """Load SciFact's abstracts for a store: the title, then one sentence per line.

    Raises:
        InputError: the corpus is missing or not in its makers' format.
    """

    def load(folder: Path) -> list[NewEvidence]:
        rows = read_rows(folder / _SCIFACT / "corpus")
        return [
            NewEvidence(
                "\n".join(map(_one_line, (row["title"], *row["abstract"]))),
                _scifact_source(row["doc_id"]),
                _one_line(row["title"]),
                Origin.KB,
            )
            for row in rows
        ]

    return _read("scifact", data, load)


def _read(name: str, data: Path, load: Callable[[Path], list[T]]) -> list[T]:
    """Call `load`, and turn errors of files and formats into one-line errors."""
    try:
        return load(data)
    except (OSError, EOFError) as exc:
        raise InputError(
            f"{name}: cannot read the data in {data}: {exc}; --data wants the folder with pairs/, ranking/, ..."
        ) from exc
    except (LookupError, AttributeError, TypeError, ValueError) as exc:
        raise InputError(f"{name}: the data in {data} is not as its makers publish it: {exc!r}; fetch it anew") from exc


def _scifact(data: Path) -> list[Case]:
    abstracts = {str(row["doc_id"]): row["abstract"] for row in read_rows(data / _SCIFACT / "corpus")}
    cases = []
    for row in read_rows(data / _SCIFACT / "claims_dev"):
        found = [(name, each) for name, sets in row["evidence"].items() for each in sets]
        expected = _joined([_OF_SCIFACT[each["label"]] for _, each in found])
        spans = [
            Rationale(_scifact_source(name), tuple(_one_line(abstracts[name][i]) for i in each["sentences"]))
            for name, each in found
        ]
        cases.append(Case(str(row["id"]), row["claim"], expected, evidence_spans=tuple(spans)))
    return cases


def _scifact_source(number: int | str) -> str:
    """Return an abstract's address; SciFact uses the numbers of Semantic Scholar's corpus."""
    return f"https://api.semanticscholar.org/CorpusID:{number}"


def _healthver(data: Path) -> list[Case]:
    rows = [row for row in read_rows(data / "pairs/healthver") if row["split"] == TEST]
    place = {claim: i for i, claim in enumerate(dict.fromkeys(row["claim"] for row in rows))}
    return [
        Case(
            row["id"],
            detokenise(row["claim"]),
            _OF_PAIR[row["label"]],
            given=(NewEvidence(detokenise(row["evidence"])),),
        )
        for row in sorted(rows, key=lambda row: place[row["claim"]])
    ]


def _climate_fever(data: Path) -> list[Case]:
    claims: dict[str, list[dict[str, str]]] = {}
    for row in read_rows(data / "pairs/climate_fever"):
        claims.setdefault(row["group"], []).append(row)
    return [
        Case(
            name,
            detokenise(rows[0]["claim"]),
            _joined([_OF_PAIR[row["label"]] for row in rows]),
            given=tuple(_wikipedia(row["id"], row["evidence"]) for row in rows),
        )
        for name, rows in claims.items()
    ]


def _wikipedia(name: str, text: str) -> NewEvidence:
    """Build evidence from a sentence named "Polar bear:1328": the article, and its sentence number."""
    article = name.rpartition(":")[0]
    return NewEvidence(
        detokenise(text), f"https://en.wikipedia.org/wiki/{quote(article.replace(' ', '_'))}", f"{article} - Wikipedia"
    )


def _joined(parts: Collection[Verdict]) -> Verdict:
    """Join the verdicts of a claim's texts; support and refutation together are true in part."""
    sides = {Verdict.TRUE, Verdict.FALSE} & set(parts)
    if len(sides) == 2:
        return Verdict.PARTIALLY_TRUE
    return sides.pop() if sides else Verdict.NOT_ENOUGH_EVIDENCE


def _averitec(data: Path) -> list[Case]:
    with open_text(data / "eval_only/averitec_dev.json") as file:
        rows = json.load(file)
    return [
        Case(
            str(number),
            row["claim"],
            _OF_AVERITEC[row["label"]],
            kind=" + ".join(row["claim_types"]),
            given=tuple(
                _answer(asked["question"], answer) for asked in row["questions"] for answer in asked["answers"]
            ),
        )
        for number, row in enumerate(rows)
    ]


def _answer(question: str, answer: dict[str, str]) -> NewEvidence:
    """Join a question and its answer into one text, from the publisher behind it.

    The Web Archive only keeps pages; it states nothing itself.
    """
    asked = _one_line(question).rstrip("? ") + "?"
    said = ". ".join(filter(None, (_one_line(answer["answer"]), _one_line(answer.get("boolean_explanation") or ""))))
    source = _ARCHIVED.sub("", (answer["source_url"] or "").strip())
    return NewEvidence(f"{asked} {said}", source if source.startswith("http") else "")  # some say "Metadata"


def _factcheckbench(data: Path) -> list[Case]:
    rows = read_rows(data / "checkers/fire/factcheckbench_data")
    return [
        Case(str(number), row["claim"], _OF_FACTCHECKBENCH[row["label"]]) for number, row in enumerate(rows, start=1)
    ]


def _fever(path: Path) -> list[Case]:
    if path.is_dir():
        raise InputError(f"fever: {path} is a folder; give a .jsonl file in FEVER's format itself")
    with open_text(path.with_name(path.name.removesuffix(".gz"))) as file:
        rows = list(jsonl_rows(file.read(), path.name))
    return cases_of(((line, _from_fever(row)) for line, row in rows), path.name)


def _from_fever(row: Fields) -> Fields:
    """Convert the row to the form that `cases_of` reads."""
    evidence = row.get("evidence")
    texts = isinstance(evidence, list) and bool(evidence) and not isinstance(evidence[0], list)
    return {"id": row.get("id"), "claim": row.get("claim"), "expected": row.get("label")} | (
        {"evidence": evidence} if texts else {}
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


PUBLIC: dict[str, Callable[[Path], list[Case]]] = {
    "scifact": _scifact,
    "healthver": _healthver,
    "climate_fever": _climate_fever,
    "averitec": _averitec,
    "factcheckbench": _factcheckbench,
    "fever": _fever,
}
"""Name of a public set -> its loader."""
