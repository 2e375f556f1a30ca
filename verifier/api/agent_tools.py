"""Offer the MCP tools.

Programs rely on them, so their arguments and answers must not change. Each returns text, and most return JSON. Gradio
and the server on standard input and output serve these methods and publish their docstrings. So each docstring has one
line for each argument and ends with "Returns:".
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from errors import InputError
from kb.record import Origin
from verifier.api.bounds import Serving, Tell, query_of, quiet
from verifier.api.endpoints import Endpoints
from verifier.api.web_search import search_web
from verifier.check.user_evidence import MISS, NO_WEB_MATCH, labelled_line, line_of, read_given
from verifier.claim.intake import clean_claim
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.claim.plan import make_plan
from verifier.evidence.rerank import best, score
from verifier.evidence.retrieve import retrieve
from verifier.history.kept import NOTED
from verifier.report.answers import MarkAnswer
from verifier.report.public import public
from verifier.schema import ClaimType, Status, Tier, Verdict, VerificationResult
from verifier.serve.checker import Checker

MAX_HITS = 5
NAMES = (
    "analyze_claim_structure",
    "search_databases",
    "search_web",
    "determine_verdict",
    "log_verification",
    "verify_claim",
    "check_text",
)
_READ = 10
"""Number of nearest records that the cross-encoder reads."""
_MEANT = {
    "SUPPORTED": Verdict.TRUE,
    "REFUTED": Verdict.FALSE,
    "NEI": Verdict.NOT_ENOUGH_EVIDENCE,
    "MIXED": Verdict.PARTIALLY_TRUE,
} | {verdict.value.upper(): verdict for verdict in Verdict}


class AgentTools:
    """The seven tools, for one caller. Each raises VerifierError."""

    def __init__(
        self, service: Serving, tell: Tell = quiet, turn: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Take `service`, which does the work, and `tell`, which reports progress.

        The claims of a text wait for a `turn`, a few at a time.
        """
        self._service, self._tell = service, tell
        self._endpoints = Endpoints(service, tell, turn)

    def analyze_claim_structure(self, claim: str) -> str:
        """Take a claim apart: what it is about, what to search for, and how much there is to check.

        Args:
            claim: The claim, in a sentence.

        Returns:
            JSON with the fields entities, queries and complexity (High or Low).
        """
        text = clean_claim(claim)
        plan = make_plan(parse_claim(text))
        found = {"entities": list(plan.entities), "queries": list(plan.queries), "complexity": str(plan.complexity)}
        return json.dumps(found, ensure_ascii=False)

    def search_databases(self, query: str) -> str:
        """Search what is on this machine: claims that others have labelled, and the evidence store. The web is not asked.

        Args:
            query: A claim or a query.

        Returns:
            One finding a line, such as [FEVER DB] Claim: '...' | Label: SUPPORTS, or NO_DB_MATCH.
        """
        text = query_of(query)
        return "\n".join(_known(text, self._service.checker())) or MISS

    def search_web(self, query: str) -> str:
        """Search the web: trusted news, then fact-checkers, then everything. The query is sent to search engines.

        Args:
            query: A claim or a query.

        Returns:
            One passage a line, such as [WEB] Text: '...' | Source: https://..., or NO_WEB_MATCH where the search engines found nothing.
        """
        found = search_web(query, self._service.checker(), self._tell)
        pieces = [passage.piece for passage in found.passages]
        lines = [line_of("WEB", piece.text, piece.source, piece.title) for piece in pieces]
        return "\n".join(lines) or NO_WEB_MATCH

    def determine_verdict(self, claim: str, evidence: str | list[Any]) -> str:
        """Judge a claim by the evidence given here alone; neither the evidence store nor the web is asked.

        Args:
            claim: The claim, in a sentence.
            evidence: Findings as the searches return them, a list of texts or of objects with text and source, or texts with an empty line between them.

        Returns:
            JSON with the fields verdict (SUPPORTED, REFUTED or NEI), reason, confidence, tier, held_back (the rule that
            withheld a verdict, or an empty text) and warnings.
        """
        given = read_given(evidence, self._service.checker().lists.publisher_of)
        found = [replace(item, origin=Origin.WEB) for item in given]  # a program found it, so no person vouches for it
        result = self._endpoints.run(claim, web=False, given=found)
        told = {
            "verdict": result.verdict.three_way,
            "reason": result.reasoning,
            "confidence": result.confidence,
            "tier": str(result.tier),
            "held_back": result.held_back,
            "warnings": [public(warning) for warning in result.warnings],
        }
        return json.dumps(told, ensure_ascii=False)

    def log_verification(self, claim: str, verdict: str) -> str:
        """Note a verdict in the log on this machine, marked as noted by a program. Fails where no log is kept, as on public servers.

        Args:
            claim: The claim.
            verdict: SUPPORTED, REFUTED or NEI; or True, False, Partially True, Misleading, Not Enough Evidence, Not Verifiable.

        Returns:
            The line that was noted.
        """
        text = clean_claim(claim)
        meant = _MEANT.get(verdict[:40].strip().upper())
        if meant is None:
            raise InputError(
                f"verdict must be SUPPORTED, REFUTED or NEI, or one of {', '.join(Verdict)}, not {verdict[:40]!r}"
            )
        if self._service.settings.public:  # otherwise a stranger's sentence would get a page that looks like a verdict
            raise InputError("this server is public and notes no verdicts of programs, so nothing was noted")
        log = self._service.checker().log
        if log is None:
            raise InputError("no log is kept on this server (VERIFIER_LOG=off), so nothing was noted")
        log.append(_noted(text, meant))
        return f"CLAIM: {text} | VERDICT: {verdict.strip()}"

    def verify_claim(self, claim: str, web: bool = True) -> str:
        """Check a claim from beginning to end: by the evidence store and, if that is not enough, by the web.

        Args:
            claim: The claim, in a sentence.
            web: Whether the web may be searched.

        Returns:
            JSON with the verdict, confidence, reasoning, citations, evidence, steps and timings.
        """
        return json.dumps(self._endpoints.verify(claim, web), ensure_ascii=False)

    def check_text(self, text: str, web: bool = True) -> str:
        """Check a whole text (an article, an answer of a chatbot, a speech): up to 50 statements in it, the most checkworthy first.

        Args:
            text: The text, up to 200,000 characters.
            web: Whether the web may be searched, for two minutes in all.

        Returns:
            JSON with a summary, the statements (their places in the text, what was checked, verdict, confidence, reasoning), how many sentences are of each kind, and warnings.
        """
        *_, whole = self._endpoints.verify_text(text, web)
        kinds = Counter(sentence["kind"] for sentence in whole["sentences"])
        told = {
            "summary": whole["summary"],
            "statements": [_statement(mark) for mark in sorted(whole["claims"], key=lambda mark: mark["start"])],
            "sentences": dict(kinds),
            "warnings": whole["warnings"],
        }
        return json.dumps(told, ensure_ascii=False)


def _statement(mark: MarkAnswer) -> dict[str, object]:
    """Describe a statement without its evidence, which would fill an agent's memory."""
    result = mark["result"]
    kept = ("start", "end", "text", "claim", "speaker", "outcome", "verdict", "reason")
    told: dict[str, object] = {name: mark[name] for name in kept}  # type: ignore[literal-required]  # they are its own
    if result:
        told |= {"confidence": result["confidence"], "tier": result["tier"], "reasoning": result["reasoning"]}
        told["sources"] = list(dict.fromkeys(citation["source"] for citation in result["citations"]))
    return told


def _known(text: str, checker: Checker) -> Iterator[str]:
    """Find labelled claims similar to the query, then records relevant to it."""
    from kb.intake.labelled import LabelledClaims

    models, settings = checker.verifier.models, checker.settings
    if checker.store is None:
        return
    vector = models.embedder.embed([text])[0]
    labelled = LabelledClaims(settings.kb_uri, models.embedder.embed, checker.store.embedder)
    for hit in labelled.search(text, vector, MAX_HITS):
        yield labelled_line(hit)
    near = retrieve(text, checker.store, models.embedder, settings.retrieval, _READ, checker.lists.publisher_of)
    read = score(parse_statement(text), near, models.reranker)
    for piece in best(read, models.embedder, settings.retrieval, MAX_HITS):
        yield line_of("EVIDENCE DB", piece.text, piece.source, piece.title)


def _noted(claim: str, verdict: Verdict) -> VerificationResult:
    """Turn a verdict from a program into a result that says where it came from."""
    return VerificationResult(
        session_id=str(uuid.uuid4()),
        checked_at=datetime.now(UTC),
        original_claim=claim,
        claim=claim,
        claim_type=ClaimType.FACTUAL,
        type_reason=NOTED,
        verdict=verdict,
        confidence=0.0,
        tier=Tier.LOW,
        status=Status.OK,
        reasoning=f"Noted: {NOTED}.",
        evidence=(),
        citations=(),
        steps=(),
        tool_calls=0,
        store_version=None,
        warnings=(NOTED,),
    )
