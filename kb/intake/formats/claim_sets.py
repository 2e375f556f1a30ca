"""Read published labelled claim sets into claims with the labels that others gave."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import quote

from errors import InputError
from kb.intake.formats.pages import read_text
from kb.intake.formats.rows import MAX_TEXT, BadRow, parse_time
from kb.intake.formats.tables import MAX_LINE, csv_lines, json_lines, open_text
from kb.publishers.urls import domain_of


class Dataset(StrEnum):
    """The sets whose files can be read."""

    FEVER = "fever"
    ISOT = "isot"
    LIAR = "liar"
    CLAIMREVIEW = "claimreview"
    CREAK = "creak"

    @property
    def display(self) -> str:
        """The set's name as people write it."""
        return "ClaimReview" if self is Dataset.CLAIMREVIEW else self.value.upper()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim and the label that others gave it.

    `label` is in their own word, `scale` lists the words that they choose from.
    """

    claim: str
    label: str
    scale: str
    dataset: Dataset
    source_url: str = ""
    publisher: str = ""
    language: str = "en"
    published_at: datetime | None = None


_LIAR = ("true", "mostly-true", "half-true", "barely-true", "false", "pants-fire")
_FEVER = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_ISOT_DATES = ("%B %d, %Y", "%b %d, %Y", "%d-%b-%y")
_MAX_LABEL = 200


def read_claims(path: Path, dataset: Dataset, label: str = "") -> Iterator[Labelled | BadRow]:
    """Read the claims of a set's file; rows that cannot be used become BadRow.

    Args:
        path: the file as it is published.
        dataset: which set it is.
        label: for ISOT, whose files hold no labels: "real" or "fake"; "" goes by the names True.csv and Fake.csv.

    Raises:
        InputError: the file cannot be read, or is not of that set.
    """
    match dataset:
        case Dataset.FEVER:
            return _json_rows(path, _fever)
        case Dataset.CREAK:
            return _json_rows(path, _creak)
        case Dataset.LIAR:
            return _liar_rows(path)
        case Dataset.ISOT:
            return _isot_rows(path, label)
        case Dataset.CLAIMREVIEW:
            return _reviews(path)


def _json_rows(path: Path, parse: Callable[[Mapping[str, Any]], Labelled]) -> Iterator[Labelled | BadRow]:
    with open_text(path) as file:
        for line in json_lines(file):
            yield line if isinstance(line, BadRow) else _tried(line.number, lambda values=line.values: parse(values))  # type: ignore[misc]


def _tried(number: int, parse: Callable[[], Labelled]) -> Labelled | BadRow:
    try:
        return parse()
    except InputError as exc:
        return BadRow(number, str(exc))


def _made(claim: object, label: object, scale: str, dataset: Dataset, **more: Any) -> Labelled:  # noqa: ANN401
    """Return a checked claim.

    Raises:
        InputError: no claim, no label, or one too long.
    """
    words, mark = _clean(claim), _clean(label)
    if not any(character.isalpha() for character in words):
        raise InputError("the claim is empty or has no letters")
    if len(words) > MAX_TEXT:
        raise InputError(f"a claim may have at most {MAX_TEXT:,} characters, this one has {len(words):,}")
    if not mark:
        raise InputError("it has no label")
    if len(mark) > _MAX_LABEL:
        raise InputError(f"a label may have at most {_MAX_LABEL} characters, this one has {len(mark)}")
    return Labelled(words, mark, scale, dataset, **more)


def _clean(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return " ".join(value.encode(errors="replace").decode().replace("\0", "").split())


def _one_of(label: object, allowed: tuple[str, ...]) -> str:
    mark = _clean(label)
    if mark not in allowed:
        raise InputError(f"the label must be one of {', '.join(allowed)}, not {mark[:40]!r}")
    return mark


def _fever(row: Mapping[str, Any]) -> Labelled:
    label, page = _one_of(row.get("label"), _FEVER), _fever_page(row.get("evidence"))
    url = f"https://en.wikipedia.org/wiki/{quote(page)}" if page else ""
    return _made(
        row.get("claim"), label, "/".join(_FEVER), Dataset.FEVER, publisher="the FEVER annotators", source_url=url
    )


def _fever_page(evidence: object) -> str:
    """Return the first page that the annotators cite; the data spells its brackets as words."""
    value = evidence
    for _ in range(2):
        value = value[0] if isinstance(value, list) and value else None
    page = value[2] if isinstance(value, list) and len(value) > 2 else None
    return _clean(page).replace("-LRB-", "(").replace("-RRB-", ")").replace("-COLON-", ":")[:200]


def _creak(row: Mapping[str, Any]) -> Labelled:
    label, page = _one_of(row.get("label"), ("true", "false")), row.get("en_wiki_pageid")
    known = str(page) if isinstance(page, (int, str)) and str(page).isdecimal() else ""
    url = f"https://en.wikipedia.org/?curid={known}" if known else ""
    return _made(
        row.get("sentence"), label, "true/false", Dataset.CREAK, publisher="the CREAK annotators", source_url=url
    )


def _liar_rows(path: Path) -> Iterator[Labelled | BadRow]:
    """Read unnamed columns: id, label, statement, subjects, speaker, and others that are not kept."""
    with open_text(path) as file:
        lines = iter(lambda: file.readline(MAX_LINE), "")
        for number, cells in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            if len(cells) < 3:
                yield BadRow(number, "fewer than 3 columns parted by tabs; is this a LIAR .tsv file?")
            else:
                yield _tried(number, lambda cells=cells: _liar(cells))  # type: ignore[misc]


def _liar(cells: list[str]) -> Labelled:
    label = _one_of(cells[1], _LIAR)
    return _made(cells[2], label, "/".join(_LIAR), Dataset.LIAR, publisher="PolitiFact")


def _isot_rows(path: Path, label: str) -> Iterator[Labelled | BadRow]:
    names = {"true": "real", "real": "real", "fake": "fake", "false": "fake"}
    mark = names.get((label or path.stem).lower())
    if mark is None:
        raise InputError(
            f"{path.name}: ISOT files are named True.csv or Fake.csv; for another name give --label real or fake"
        )
    return _isot(path, mark)


def _isot(path: Path, label: str) -> Iterator[Labelled | BadRow]:
    for line in csv_lines(path, needed="title"):
        if isinstance(line, BadRow):
            yield line
            continue
        title, when = line.values.get("title"), _isot_date(line.values.get("date"))
        yield _tried(
            line.number,
            lambda title=title, when=when: _made(  # type: ignore[misc]
                title, label, "real/fake", Dataset.ISOT, publisher="the ISOT collection", published_at=when
            ),
        )


def _isot_date(value: object) -> datetime | None:
    text = _clean(value)
    for form in _ISOT_DATES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _reviews(path: Path) -> Iterator[Labelled | BadRow]:
    """Read reviews from a DataFeed, a list, or lines; rows are counted by review."""
    text = read_text(path)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _json_rows(path, _review)
    return _review_rows(whole, path)


def _review_rows(whole: object, path: Path) -> Iterator[Labelled | BadRow]:
    reviews = list(_found_reviews(whole, 0))
    if not reviews:
        raise InputError(f"{path.name}: no ClaimReview in it")
    for number, review in enumerate(reviews, start=1):
        yield _tried(number, lambda review=review: _review(review))  # type: ignore[misc]


def _found_reviews(value: object, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield every ClaimReview inside a DataFeed, its items, a graph or a list of them."""
    if depth > 8:
        return
    if isinstance(value, list):
        for item in value:
            yield from _found_reviews(item, depth + 1)
    elif isinstance(value, dict):
        if "claimReviewed" in value:
            yield value
        for key in ("dataFeedElement", "item", "@graph"):
            yield from _found_reviews(value.get(key), depth + 1)


def _review(row: Mapping[str, Any]) -> Labelled:
    rating = row.get("reviewRating")
    rating = rating if isinstance(rating, dict) else {}
    low, best = rating.get("worstRating"), rating.get("bestRating")
    ends = f"{low} to {best}" if low is not None and best is not None else ""
    label = _clean(rating.get("alternateName") or rating.get("name"))
    if not label and rating.get("ratingValue") is not None:
        label = f"{rating['ratingValue']} on a scale of {ends}" if ends else str(rating["ratingValue"])
    author, url = row.get("author"), _clean(row.get("url"))
    author = author[0] if isinstance(author, list) and author else author
    name = _clean(author.get("name")) if isinstance(author, dict) else ""
    try:
        published = parse_time("datePublished", row.get("datePublished"))
    except InputError:
        published = None
    return _made(
        row.get("claimReviewed"),
        label,
        ends[:100],
        Dataset.CLAIMREVIEW,
        source_url=url if url.startswith(("http://", "https://")) else "",
        publisher=name[:200] or domain_of(url),
        language=(_clean(row.get("inLanguage")) or "en")[:12],
        published_at=published,
    )
