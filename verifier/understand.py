"""The claim's half of a check: what kind of claim, what of it is checked, in which parts and by which queries (C2 to C5).

Rules and the bundled classifier do it; an assistant, where there is one, is asked for what they cannot do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from errors import InputError
from verifier.assistant import Assistant
from verifier.claim.classify import classify
from verifier.claim.framing import unframed
from verifier.claim.intake import clean_claim
from verifier.claim.language import foreign_language, in_english
from verifier.claim.plan import Complexity, Plan, make_plan
from verifier.claim.split import MAX_PARTS, split_claim, statements_of
from verifier.consult import consult
from verifier.interfaces import Classifier
from verifier.readable import readable_claim
from verifier.schema import ClaimType, Classification, Stage
from verifier.trace import Steps, Trace


def classified(
    original: str, classifier: Classifier, assistant: Assistant | None, trace: Trace
) -> Steps[Classification]:
    """What kind of claim it is, and what of it is to be checked, in English where the assistant can translate."""
    plain = readable_claim(original)
    if plain != original:
        trace.warn(f"only this is checked, the rest is not part of a claim: {plain}")
    claim = yield from _in_english(plain, assistant, trace)
    kind = classify(claim, classifier)
    trace.tool_calls += 1
    one = len(statements_of(claim)) == 1  # of several sentences none may be lost
    if kind.claim_type is ClaimType.MIXED and one and not unframed(claim)[1]:
        part = yield from consult(
            assistant, trace, Stage.CLASSIFY, "the factual part", lambda a, limits: a.factual_part(claim, limits)
        )
        if part:
            kind = replace(
                kind, claim=part, reason=f"it contains a judgement beside a fact; only the fact is checked: {part}"
            )
    yield trace.step(Stage.CLASSIFY, f"Type {kind.claim_type}: {kind.reason}")
    if kind.fell_back and not foreign_language(claim):
        trace.warn(f"claim type unknown: {kind.reason}")
    return kind


def _in_english(claim: str, assistant: Assistant | None, trace: Trace) -> Steps[str]:
    """The claim, or its translation; the reader is told of either where it is in another language."""
    language = foreign_language(claim)
    if not language:
        return claim
    english = yield from consult(
        assistant, trace, Stage.CLASSIFY, "a translation", lambda a, limits: a.english(claim, limits)
    )
    done = f"it is checked in this translation: {english}" if english else "the bundled models read English"
    trace.warn(f"the claim seems to be written in another language ({language}); {done}")
    return english or claim


def parts_of(claim: str, assistant: Assistant | None, trace: Trace) -> Steps[list[str]]:
    """The statements that a claim makes: by rules, and by the assistant where these find one in a complex claim."""
    parts = split_claim(claim)
    if len(parts) == 1 and make_plan(claim).complexity is Complexity.HIGH:
        found = yield from consult(
            assistant, trace, Stage.DECOMPOSE, "the parts of the claim", lambda a, limits: a.parts(claim, limits)
        )
        parts = found or parts
    return parts


def better_plan(assistant: Assistant, trace: Trace) -> Callable[[str, Plan], Steps[Plan]]:
    """What makes, of a claim and its plan, the plan with the assistant's queries for the web."""

    def plan_of(claim: str, plan: Plan) -> Steps[Plan]:
        queries = yield from consult(
            assistant, trace, Stage.PLAN, "queries", lambda a, limits: a.queries(claim, limits)
        )
        return replace(plan, queries=(plan.queries[0], *queries)) if queries else plan

    return plan_of


def queries_for(text: str) -> tuple[str, ...]:
    """What search engines would be asked about a claim by the rules alone, each query once; none for what is no claim."""
    try:
        plain = readable_claim(clean_claim(text))
    except InputError:
        return ()
    found = (query for part in split_claim(plain)[:MAX_PARTS] for query in make_plan(part, in_english(part)).queries)
    return tuple(dict.fromkeys(found))
