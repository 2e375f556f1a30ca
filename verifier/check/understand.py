"""Understand a claim: its kind, what of it is checked, its parts and its queries.

Rules and the bundled classifier do this; an assistant, if there is one, is asked for what they cannot do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from errors import AnswerUnusable, GenerationTimeout, InputError, ModelError
from verifier.check.consult import consult
from verifier.check.trace import Steps, Trace
from verifier.claim.classify import classify
from verifier.claim.intake import clean_claim
from verifier.claim.parsed import ParsedClaim, parse_claim
from verifier.claim.plan import Complexity, Plan, make_plan
from verifier.claim.split import MAX_PARTS, split_claim
from verifier.interfaces import Classifier
from verifier.llm.assistant import Assistant, Limits
from verifier.report.languages import phrases_of
from verifier.schema import ClaimType, Classification, Stage
from verifier.text.language import name_of
from verifier.text.phrases import Phrases
from verifier.text.sanitise import readable_claim

_NO_TRANSLATION = (AnswerUnusable, GenerationTimeout)
"""Failures of one answer.

Any other failure means the model cannot be used at all, as if there were none.
"""


@dataclass(frozen=True, slots=True)
class Understood:
    """A typed claim, parsed as it is to be checked.

    `translation` is its English, if it was translated. `language` is then the claim's own language (ISO 639-1), and ""
    otherwise.
    """

    kind: Classification
    claim: ParsedClaim
    language: str = ""
    translation: str = ""

    @property
    def phrases(self) -> Phrases:
        """Wording for the answer in the claim's language."""
        return phrases_of(self.language)


def classified(original: str, classifier: Classifier, assistant: Assistant | None, trace: Trace) -> Steps[Understood]:
    """Classify the claim and parse what of it is checked.

    That is its English if the assistant can translate.

    Raises:
        ModelError: there is an assistant, but its translation fails: a claim that is not translated right is not judged.
    """
    plain = readable_claim(original)
    if plain != original:
        trace.warn(f"only this is checked, the rest is not part of a claim: {plain}")
    typed = parse_claim(plain)
    claim = yield from _in_english(typed, assistant, trace)
    language, translation = (typed.foreign, claim.text) if claim is not typed else ("", "")
    kind = classify(claim, classifier)
    trace.tool_calls += 1
    one = len(claim.sentences) == 1  # with several sentences, none may be lost
    if kind.claim_type is ClaimType.MIXED and one and not claim.denied:
        part = yield from consult(
            rewriting(assistant),
            trace,
            Stage.CLASSIFY,
            "the factual part",
            lambda a, limits: a.factual_part(claim.text, limits),
        )
        if part:
            kind = replace(
                kind, claim=part, reason=f"it contains a judgement beside a fact; only the fact is checked: {part}"
            )
    yield trace.step(Stage.CLASSIFY, f"Type {kind.claim_type}: {kind.reason}")
    if kind.fell_back and not claim.foreign:
        trace.warn(f"claim type unknown: {kind.reason}")
    checked = claim if kind.claim == claim.text else parse_claim(kind.claim)
    return Understood(kind, checked, language, translation)


def _in_english(claim: ParsedClaim, assistant: Assistant | None, trace: Trace) -> Steps[ParsedClaim]:
    """Translate a claim from another language; warn if no usable language model can do it.

    Raises:
        ModelError: the model gave no translation in time, or one that does not hold.
    """
    if not claim.foreign:
        return claim
    failed: list[ModelError] = []

    def translation(a: Assistant, limits: Limits) -> str:
        try:
            return a.english(claim.text, limits, claim.foreign)
        except ModelError as exc:
            failed.append(exc)
            raise

    english = yield from consult(assistant, trace, Stage.CLASSIFY, "a translation", translation)
    language = name_of(claim.foreign)
    if english:
        yield trace.step(Stage.CLASSIFY, f"Translated from {language}: {english}")
        return parse_claim(english)
    if assistant is None or any(not isinstance(exc, _NO_TRANSLATION) for exc in failed):
        told = f"the claim seems to be written in another language ({claim.foreign}); the bundled models read English"
        trace.warn(told)
        return claim
    why = failed[0] if failed else "there was no answer in its share of the time"
    raise AnswerUnusable(f"the claim could not be translated from {language} ({why}); write it in English")


def rewriting(assistant: Assistant | None) -> Assistant | None:
    """Return the assistant, if it may also do what rules do."""
    return assistant if assistant and assistant.rewrites else None


def parts_of(whole: Plan, assistant: Assistant | None, trace: Trace) -> Steps[list[Plan]]:
    """Plan the statements of a claim, as rules split it.

    If rules find only one in a complex claim, ask the assistant.
    """
    claim = whole.claim
    parts = split_claim(claim)
    if len(parts) == 1 and whole.complexity is Complexity.HIGH:
        found = yield from consult(
            assistant,
            trace,
            Stage.DECOMPOSE,
            "the parts of the claim",
            lambda a, limits: a.parts(claim.text, limits),
        )
        parts = found or parts
    return [whole if part == claim.text else make_plan(parse_claim(part)) for part in parts]


def better_plan(assistant: Assistant, trace: Trace) -> Callable[[Plan], Steps[Plan]]:
    """Return a function that puts the assistant's web queries into a plan."""

    def plan_of(plan: Plan) -> Steps[Plan]:
        queries = yield from consult(
            assistant, trace, Stage.PLAN, "queries", lambda a, limits: a.queries(plan.claim.text, limits)
        )
        return replace(plan, queries=(plan.queries[0], *queries)) if queries else plan

    return plan_of


def queries_for(text: str) -> tuple[str, ...]:
    """List the search queries that the rules alone make for a claim, each once.

    There is none if it is not a claim.
    """
    try:
        plain = readable_claim(clean_claim(text))
    except InputError:
        return ()
    parts = split_claim(parse_claim(plain))[:MAX_PARTS]
    found = (query for part in parts for query in make_plan(parse_claim(part)).queries)
    return tuple(dict.fromkeys(found))
