"""The evidence of cases, gathered as in a check, for whoever fits what is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from verifier.claim.plan import Plan, make_plan
from verifier.claim.split import split_claim
from verifier.evaluation.cases import Case
from verifier.gather import Gatherer, Models, Sources
from verifier.interfaces import Store
from verifier.schema import Evidence, Verdict
from verifier.settings import Settings
from verifier.trace import Trace, run_to_end

ANSWERS = (Verdict.TRUE, Verdict.FALSE, Verdict.NOT_ENOUGH_EVIDENCE)
"""What a claim that states one thing can be."""


def with_evidence(
    name: str, cases: Sequence[Case], models: Models, store: Store, settings: Settings
) -> Iterator[tuple[Case, Plan, list[Evidence]]]:
    """The cases that state one thing and are one of `ANSWERS`, each with its plan and what it is given or the store holds."""
    for case in tqdm(cases, desc=name):
        if case.expected not in ANSWERS or len(split_claim(case.claim)) > 1:
            continue
        plan = make_plan(case.claim)
        sources = Sources(None, store) if case.given is None else Sources(case.given)
        steps = Gatherer(models, sources, settings, Trace(settings.deadline)).gather(case.claim, plan)
        yield case, plan, run_to_end(steps)
