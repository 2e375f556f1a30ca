"""Endpoints for programs: typed, named, with results equal to the command line's."""

from __future__ import annotations

from typing import Any, TypedDict

import gradio as gr

from errors import VerifierError
from verifier.report.as_json import result_to_dict
from verifier.service import Service


class HealthAnswer(TypedDict):
    """The state of the service: status "loading", "ok" or "failed", the number of records, and an error or ""."""

    status: str
    kb_size: int
    error: str


class Api:
    """The handlers behind the endpoints."""

    def __init__(self, service: Service) -> None:
        """`service` does the work."""
        self._service = service

    def verify(self, claim: str, web: bool = True) -> dict[str, Any]:
        """Check a claim against the evidence store and, if that is not enough, the web.

        Args:
            claim: A statement, headline or snippet of up to 2,000 characters.
            web: Whether the web may be searched.

        Returns:
            The verdict with confidence, reasoning, citations, evidence, steps and timings.
        """
        try:
            return result_to_dict(self._service.checker().verify(claim, web=web))
        except VerifierError as exc:
            raise gr.Error(str(exc)) from exc

    def health(self) -> HealthAnswer:
        """Say whether the models are loaded and how many records the evidence store holds."""
        health = self._service.health()
        return {"status": health.status, "kb_size": health.kb_size, "error": health.error}
