"""Turn research papers into results: abstract as evidence, DOI as source, kind of work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from kb.publishers.urls import doi_address, doi_of
from kb.record import RETRACTED
from verifier.search.base import SearchResult
from verifier.search.results import plain, result

MOST_ABSTRACT = 6_000
"""Characters of an abstract that are kept; longer ones are cut."""


class Study(StrEnum):
    """The kinds of works in reading order: summaries of many studies before single ones."""

    GUIDELINE = "guideline"
    SYSTEMATIC = "systematic review"
    META_ANALYSIS = "meta-analysis"
    REVIEW = "review"
    TRIAL = "trial"
    STUDY = "study"
    COMMENT = "comment"
    PREPRINT = "preprint, not peer-reviewed"


ORDER = tuple(Study)
_TYPES = (
    (Study.GUIDELINE, re.compile(r"guideline|consensus development|consensus statement", re.IGNORECASE)),
    (Study.SYSTEMATIC, re.compile(r"systematic[- ]review|cochrane review|umbrella review", re.IGNORECASE)),
    (Study.META_ANALYSIS, re.compile(r"meta-?\s?analys[ei]s", re.IGNORECASE)),
    (Study.REVIEW, re.compile(r"review(?:-article)?", re.IGNORECASE)),
    (Study.TRIAL, re.compile(r"randomi[sz]ed|(?:clinical|controlled) trial", re.IGNORECASE)),
    (Study.COMMENT, re.compile(r"editorial|letter|comment|news|paratext|erratum|peer-review", re.IGNORECASE)),
)
_IN_TITLE = (Study.GUIDELINE, Study.SYSTEMATIC, Study.META_ANALYSIS, Study.TRIAL)
"""Kinds that a title is trusted to name; "review" in a title may mean anything."""
_PREPRINTS = re.compile(
    r"10\.1101/\d{4}\.?\d{2}|10\.48550/arxiv|10\.21203/rs|10\.31234/|10\.31219/|10\.20944/preprints|10\.2139/ssrn|10\.26434/chemrxiv"
)
"""DOIs of preprint servers; bioRxiv shares its prefix with journals."""


def study_of(types: Sequence[str], title: str, doi: str) -> Study:
    """Return a work's kind, from its index types, its title and its DOI's origin."""
    said = " | ".join(types)
    if "preprint" in said.lower() or _PREPRINTS.match(doi):
        return Study.PREPRINT
    found = [kind for kind, pattern in _TYPES if pattern.search(said)]
    found += [kind for kind, pattern in _TYPES if kind in _IN_TITLE and pattern.search(title)]
    return min(found or [Study.STUDY], key=ORDER.index)


def paper(
    doi: object,
    title: object,
    abstract: str,
    date: object,
    journal: object,
    types: Sequence[str],
    *,
    retracted: str = "",
) -> SearchResult | None:
    """Return a paper as a result; None if its DOI, title or abstract is missing.

    Args:
        doi: bare, or as an address.
        title: as in the index.
        abstract: markup allowed.
        date: of publication.
        journal: its name, or that of the preprint server.
        types: what the index calls the work.
        retracted: who lists the work as retracted; "" if no one does.
    """
    key = doi_of(doi) if isinstance(doi, str) else ""
    headline = plain(title, 250).rstrip(".")
    text = plain(re.sub(r"\s*</h\d>", ": ", abstract), MOST_ABSTRACT)
    if not key or not headline or not any(character.isalpha() for character in text):
        return None
    study = study_of(types, headline, key)
    place = plain(journal, 80)
    kind = f"{study[0].upper()}{study[1:]}{f' in {place}' if place and study is not Study.PREPRINT else ''}"
    shown = f"{f'{RETRACTED}: ' if retracted else ''}{kind}: {headline}"
    rating = f"{RETRACTED} ({retracted})" if retracted else ""
    made = result(doi_address(key), shown, text, date, place, rating=rating)
    return replace(made, passages=(text,), study=study.value) if made else None
