"""A check of a health claim by the literature: what stands decides, what was retracted is shown and decides nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from kb.publishers.urls import doi_address
from kb.store.evidence_store import EvidenceStore
from models.encoders.embedder import Embedder
from verifier.build import build_refresh, build_search
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.report.as_json import result_to_dict
from verifier.report.markup import remarks
from verifier.schema import StanceLabel, Verdict, VerificationResult
from verifier.settings import SearchSettings, Settings
from verifier.settings.providers import ProviderSettings

CLAIM = "Velorin lowers blood pressure in adults with hypertension."
WORKS = {
    "10.1136/velorin.1": (
        "systematic-review",
        "Velorin lowers blood pressure in adults with hypertension. We pooled 14 trials.",
    ),
    "10.1016/velorin.2": (
        "Clinical Trial",
        "In this trial of 800 adults with hypertension, velorin lowered blood pressure by 9 mmHg.",
    ),
}


class Services:
    """Europe PMC, OpenAlex and Crossref over the same works, of which some are retracted."""

    def __init__(self, server: HTTPServer) -> None:
        self.url, self.retracted, self.asked = server.url_for("/").rstrip("/"), set[str](), list[str]()
        server.expect_request("/epmc/search").respond_with_handler(self.europe_pmc)
        server.expect_request("/openalex/works").respond_with_handler(self.openalex)
        server.expect_request(re.compile("/crossref/works/.+")).respond_with_handler(self.crossref)

    def europe_pmc(self, request: Request) -> Response:
        self.asked.append("Europe PMC")
        works = [
            {
                "source": "MED",
                "doi": doi,
                "title": "Velorin and blood pressure",
                "abstractText": text,
                "firstPublicationDate": "2019-04-02",
                "pubTypeList": {"pubType": [kind, *["Retracted Publication"] * (doi in self.retracted)]},
                "journalInfo": {"journal": {"title": "Journal of Trials"}},
            }
            for doi, (kind, text) in WORKS.items()
        ]
        return Response(json.dumps({"resultList": {"result": works}}))

    def openalex(self, request: Request) -> Response:
        self.asked.append("OpenAlex")
        asked = request.args.get("filter", "")
        known = [doi for doi in WORKS if doi in asked]
        return Response(
            json.dumps({"results": [{"doi": doi_address(doi), "is_retracted": doi in self.retracted} for doi in known]})
        )

    def crossref(self, request: Request) -> Response:
        self.asked.append("Crossref")
        doi = request.path.removeprefix("/crossref/works/")
        notice = {"type": "retraction", "updated": {"date-parts": [[2022, 11, 3]]}}
        work = {"DOI": doi, "title": ["Velorin"], "updated-by": [notice] if doi in self.retracted else []}
        return Response(json.dumps({"status": "ok", "message": work}))


@pytest.fixture
def services(httpserver: HTTPServer) -> Services:
    return Services(httpserver)


@pytest.fixture
def online(settings: Settings, empty: EvidenceStore, services: Services, tmp_path: Path) -> Settings:
    """Settings over an empty store, with the literature alone."""
    providers = ProviderSettings(
        duckduckgo=False,
        gdelt=False,
        europe_pmc_url=f"{services.url}/epmc",
        openalex_url=f"{services.url}/openalex",
        crossref_url=f"{services.url}/crossref",
    )
    search = SearchSettings(cache_path=tmp_path / "answers", cache_hours=0, providers=providers)
    return replace(settings, kb_uri=empty.uri, web=True, search=search)


@pytest.fixture
def check(models: Models, empty: EvidenceStore, online: Settings) -> Iterator[Verifier]:
    search = build_search(online.search)
    yield Verifier(models, empty, search, online)
    search.close()
    empty.close()


def told(result: VerificationResult) -> list[tuple[str, ...]]:
    return [remarks(piece) for piece in result.evidence]


def test_two_works_of_two_publishers_decide_and_are_quoted(check: Verifier, services: Services) -> None:
    result = check.verify(CLAIM)
    assert result.verdict is Verdict.TRUE
    assert {citation.source for citation in result.citations} <= {doi_address(doi) for doi in WORKS}
    titles = [piece.title for piece in result.evidence]
    assert any(title.startswith("Systematic review in Journal of Trials: ") for title in titles)
    assert services.asked == ["Europe PMC", "OpenAlex"] or services.asked == ["OpenAlex", "Europe PMC"]


def test_retracted_works_are_shown_and_decide_nothing(check: Verifier, services: Services) -> None:
    services.retracted = set(WORKS)
    result = check.verify(CLAIM)
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE and "2 retracted works count for nothing" in result.reasoning
    assert {piece.source for piece in result.evidence} == {doi_address(doi) for doi in WORKS}
    assert all(piece.stance and piece.stance.label is StanceLabel.NEUTRAL for piece in result.evidence)
    why = "Note: the work was retracted, so it is shown and decides nothing"
    assert told(result) == [(why, "Retracted (Europe PMC)")] * 2
    assert all(piece["rating"] == "Retracted (Europe PMC)" for piece in result_to_dict(result)["evidence"])


def test_one_work_that_stands_does_not_decide_with_a_retracted_one(check: Verifier, services: Services) -> None:
    services.retracted = {next(iter(WORKS))}
    result = check.verify(CLAIM)
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE and "a single source" in result.held_back


def test_a_refresh_takes_the_verdict_back_that_rested_on_works_since_retracted(
    check: Verifier, services: Services, models: Models, empty: EvidenceStore, online: Settings, embedder: Embedder
) -> None:
    assert check.verify(CLAIM).verdict is Verdict.TRUE
    offline = Verifier(models, empty, None, replace(online, web=False))
    assert offline.verify(CLAIM).verdict is Verdict.TRUE
    services.retracted, services.asked = set(WORKS), []
    report = build_refresh(online, empty).run()
    assert report.works.retracted == tuple(sorted(WORKS)) and report.works.problems == ()
    assert sorted(services.asked) == ["Crossref", "Crossref", "OpenAlex"]
    result = offline.verify(CLAIM)
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    assert {said[1] for said in told(result)} == {"Retracted on 2022-11-03 (Crossref)"}


def test_a_retraction_that_the_web_knows_of_counts_before_the_store_does(
    check: Verifier, services: Services, models: Models, empty: EvidenceStore
) -> None:
    """The store has one of the works as it stood, which alone is not enough, so that the web is asked."""
    doi, (kind, text) = next(iter(WORKS.items()))
    check.verify(CLAIM)
    kept = [
        row["id"]
        for row in empty._table.search().select(["id", "source"]).to_list()
        if row["source"] != doi_address(doi)
    ]
    empty._table.delete(" OR ".join(f"id = '{key}'" for key in kept))
    services.retracted = set(WORKS)
    result = check.verify(CLAIM)
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    assert all(piece.retracted for piece in result.evidence)
    rows = empty._table.search().select(["source", "rating"]).to_list()
    assert {row["rating"] for row in rows if row["source"] == doi_address(doi)} == {"Retracted (Europe PMC)"}
