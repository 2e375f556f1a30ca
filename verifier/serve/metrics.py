"""Count what a running verifier does, for Prometheus.

Every label comes from a closed set: stages, verdicts, outcomes, kinds of error, and the providers whose limits are
known. Text from a user or a page is never a label or a value.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from errors import VerifierError
from verifier.schema import ClaimType, Stage, Verdict, VerificationResult
from verifier.search.base import Outcome
from verifier.search.guard.limits import known

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_STAGE_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_CHECK_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_QUERY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_OTHER = "other"
_CHECKED = frozenset({ClaimType.FACTUAL, ClaimType.MIXED})


class Metrics:
    """The counts of one process, in a registry of their own.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        """Start every count at zero.

        Each verdict and stage has a series at once, so that rates have a first value.
        """
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        own = self._registry = CollectorRegistry()
        self._lock = threading.Lock()
        self._checks = Counter("verifier_checks", "Checks that ended with a verdict.", ["verdict"], registry=own)
        self._errors = Counter("verifier_errors", "Checks that ended without a verdict.", ["kind"], registry=own)
        self._check_seconds = Histogram(
            "verifier_check_seconds", "How long checks took.", registry=own, buckets=_CHECK_SECONDS
        )
        self._stages = Histogram(
            "verifier_stage_seconds", "How long stages took.", ["stage"], registry=own, buckets=_STAGE_SECONDS
        )
        self._gathered = Counter("verifier_gathered", "Checks that looked for evidence.", registry=own)
        self._relevant = Counter("verifier_evidence_matches", "Of these, with relevant evidence.", registry=own)
        self._rated = Counter("verifier_fact_check_matches", "Of these, with a fact-checker's rating.", registry=own)
        self._corroborated = Counter(
            "verifier_corroborated", "Of these, with evidence that other sites report too.", registry=own
        )
        self._queries = Counter(
            "verifier_queries", "Queries to search engines, by how they ended.", ["provider", "outcome"], registry=own
        )
        self._hits = Counter("verifier_cache_hits", "Queries answered without a request.", ["provider"], registry=own)
        self._query_seconds = Histogram(
            "verifier_query_seconds",
            "How long queries took that were not answered from the cache.",
            ["provider"],
            registry=own,
            buckets=_QUERY_SECONDS,
        )
        self._breakers = Gauge("verifier_breaker_open", "1 while a provider rests.", ["provider"], registry=own)
        self._records = Gauge("verifier_kb_records", "Records in the evidence store.", registry=own)
        for verdict in Verdict:
            self._checks.labels(verdict)
        for stage in Stage:
            self._stages.labels(stage)

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Count any error, crashes included, that ends the block, and pass it on."""
        start = time.perf_counter()
        try:
            yield
        except Exception as exc:
            self.check_failed(exc, time.perf_counter() - start)
            raise

    def check_done(self, result: VerificationResult, seconds: float) -> None:
        """Count a check that ended with a verdict."""
        with self._lock:  # one check's counts change together, so that no share exceeds one
            self._checks.labels(result.verdict).inc()
            self._check_seconds.observe(seconds)
            for step in result.steps:
                self.observe_stage(step.stage, step.seconds)
            if result.claim_type in _CHECKED:
                self._gathered.inc()
                self._relevant.inc(bool(result.evidence))
                self._rated.inc(any(piece.rating and not piece.retracted for piece in result.evidence))
                self._corroborated.inc(any(piece.also for piece in result.evidence))

    def check_failed(self, error: Exception, seconds: float) -> None:
        """Count a check that ended without a verdict."""
        with self._lock:
            self._errors.labels(_kind(error)).inc()
            self._check_seconds.observe(seconds)

    def observe_stage(self, stage: Stage, seconds: float) -> None:
        """Count a stage."""
        self._stages.labels(stage).observe(seconds)

    def observe_query(self, provider: str, outcome: Outcome, seconds: float, cached: bool) -> None:
        """Count a query; `cached` means that it was answered without a request."""
        name = known(provider) or _OTHER
        self._queries.labels(name, outcome).inc()
        if cached:
            self._hits.labels(name).inc()
        else:
            self._query_seconds.labels(name).observe(seconds)

    def breaker(self, provider: str, is_open: bool) -> None:
        """Note whether a provider's breaker is open."""
        self._breakers.labels(known(provider) or _OTHER).set(is_open)

    def records(self, count: int) -> None:
        """Note how many records the evidence store holds."""
        self._records.set(count)

    def text(self) -> bytes:
        """Write all counts in Prometheus' text format.

        Reads only memory: no store, no file, no network.
        """
        from prometheus_client import generate_latest

        with self._lock:
            return generate_latest(self._registry)


def _kind(error: Exception) -> str:
    """Return the name of the error's class if it is defined in errors.py.

    Any other is a crash, and "other".
    """
    own = (made.__name__ for made in type(error).__mro__ if made.__module__ == VerifierError.__module__)
    return next(own, _OTHER)
