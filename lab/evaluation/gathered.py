"""The evidence of cases, gathered as in a check, for fitting and measuring what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from verifier.check.gather import Gatherer, Models
from verifier.check.trace import Trace, run_to_end
from verifier.check.web import Sources
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import Plan, make_plan
from verifier.claim.split import split_claim
from verifier.evaluation.cases import Case
from verifier.interfaces import Store
from verifier.schema import Evidence, Verdict
from verifier.settings import Settings

ANSWERS = (Verdict.TRUE, Verdict.FALSE, Verdict.NOT_ENOUGH_EVIDENCE)
"""The verdicts that a claim that states one thing can have."""


def with_evidence(
    name: str, cases: Sequence[Case], models: Models, store: Store | None, settings: Settings
) -> Iterator[tuple[Case, Plan, list[Evidence]]]:
    """Yield cases that state one thing and are one of `ANSWERS`, with plan and evidence.

    `store` is None where all cases have texts given.
    """
    for case in tqdm(cases, desc=name):
        claim = parse_claim(case.claim)
        if case.expected not in ANSWERS or len(split_claim(claim)) > 1:
            continue
        plan = make_plan(claim)
        sources = Sources(None, store) if case.given is None else Sources(case.given)
        steps = Gatherer(models, sources, settings, Trace(settings.deadline)).gather(plan)
        yield case, plan, run_to_end(steps).evidence
