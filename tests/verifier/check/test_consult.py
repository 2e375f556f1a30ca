"""The whole pipeline over the real bundled models, with a scripted instruct model beside them."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import AnswerUnusable, GenerationCancelled, GenerationTimeout, ModelError
from kb.record import NewEvidence
from models.llm.generator import Generator, Json
from tests.fakes import ScriptedGenerator
from verifier.build import find_assistant
from verifier.check.consult import consult
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.check.trace import Trace, run_to_end
from verifier.evaluation.run import violations_of
from verifier.judgement.cascade import NOTE
from verifier.llm.assistant import Assistant
from verifier.schema import Stage, Verdict, VerificationResult
from verifier.settings import Settings


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """The language model is asked for unsure verdicts."""
    return replace(settings, judgement=replace(settings.judgement, cascade=0.8, trust=0.5))


FERRY = "The ferry to Orso sank in the harbour"
UNSETTLED = "Divers searched the harbour for the ferry to Orso."


def check(
    models: Models, settings: Settings, claim: str, texts: list[str], *answers: Json | ModelError
) -> tuple[VerificationResult, ScriptedGenerator]:
    generator = ScriptedGenerator(answers)
    verifier = Verifier(models, None, None, settings, Assistant(lambda: generator))
    return verifier.verify(claim, given=[NewEvidence(text) for text in texts]), generator


def messages(result: VerificationResult, stage: Stage) -> list[str]:
    return [step.message for step in result.steps if step.stage is stage]


def test_a_sure_verdict_is_not_asked_for_again(models: Models, settings: Settings) -> None:
    reason: Json = {"sentence": "It says that it sank", "piece": 1, "quote": "sank in the harbour"}
    result, generator = check(models, settings, FERRY, [f"{FERRY}."], {"reasons": [reason]})
    assert result.verdict is Verdict.TRUE and result.confidence >= settings.judgement.cascade
    assert len(generator.prompts) == 1 and "explain a verdict" in generator.prompts[0][0].text
    assert "It says that it sank: \u201csank in the harbour\u201d [1]." in result.reasoning
    (citation,) = result.citations
    assert result.evidence[0].text[citation.start : citation.end] == "sank in the harbour"


def test_an_unsure_one_is_and_both_readings_are_in_the_steps(models: Models, settings: Settings) -> None:
    alone = Verifier(models, None, None, settings).verify(FERRY, given=[NewEvidence(UNSETTLED)])
    result, _ = check(models, settings, FERRY, [UNSETTLED], "neither")
    told = messages(result, Stage.VERDICT)
    assert len(told) == 3 and told[1] == "The language model read the evidence too: [1] neutral"
    assert told[0] == messages(alone, Stage.VERDICT)[0]
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE and result.confidence >= alone.confidence


def test_what_the_model_says_does_not_decide_alone(models: Models, settings: Settings) -> None:
    text = "Seagrass grows in the sound."
    result, _ = check(models, settings, FERRY, [text], "true", {"reasons": []})
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE


def test_without_evidence_no_model_is_asked(models: Models, settings: Settings) -> None:
    result, generator = check(models, settings, FERRY, [])
    assert result.verdict is Verdict.NOT_ENOUGH_EVIDENCE and generator.prompts == []


@pytest.mark.parametrize(
    "failure",
    [
        GenerationTimeout("no answer within 60 s"),
        ModelError("too little memory"),
        {"reasons": [{"sentence": "It sank at sea", "piece": 1, "quote": "sank at sea"}]},
    ],
)
def test_every_failure_falls_back_and_is_told(models: Models, settings: Settings, failure: Json | ModelError) -> None:
    alone = Verifier(models, None, None, settings).verify(FERRY, given=[NewEvidence(f"{FERRY}.")])
    result, _ = check(models, settings, FERRY, [f"{FERRY}."], failure)
    assert (result.verdict, result.confidence, result.reasoning) == (alone.verdict, alone.confidence, alone.reasoning)
    told = messages(result, Stage.EXPLAIN)
    assert told[0].startswith("The language model did not give reasons that hold (")
    assert told[0].endswith("; going on without it")


def test_the_factual_part_and_the_parts_come_from_the_model_where_rules_find_none(
    models: Models, settings: Settings
) -> None:
    claim = "The wonderful ferry to Orso, which everybody adores, sank in the harbour in 1960"
    result, generator = check(models, settings, claim, [], {"factual_part": "The ferry to Orso sank in 1960"})
    if result.claim_type == "MIXED":
        assert result.claim == "The ferry to Orso sank in 1960" and "separate fact" in generator.prompts[0][0].text


def test_what_rules_do_too_is_not_asked_unless_the_user_wants_it(models: Models, settings: Settings) -> None:
    claim = "The wonderful ferry to Orso, which everybody adores, sank in the harbour in 1960"
    generator = ScriptedGenerator([])
    alone = Verifier(models, None, None, settings).verify(claim, given=[])
    verifier = Verifier(models, None, None, settings, Assistant(lambda: generator, rewrites=False))
    result = verifier.verify(claim, given=[])
    assert result.claim_type == "MIXED" and not generator.prompts
    assert (result.claim, result.verdict) == (alone.claim, alone.verdict)
    for wanted in (False, True):
        found = find_assistant(replace(settings, llm=Path(__file__), llm_rewrites=wanted))
        assert found and found.rewrites is wanted


def test_a_claim_in_another_language_is_checked_in_its_translation(models: Models, settings: Settings) -> None:
    claim = "Die F\u00e4hre nach Orso ist im Hafen gesunken und liegt auf Grund"
    result, generator = check(models, settings, claim, [f"{FERRY}."], {"translation": FERRY})
    assert result.verdict is Verdict.TRUE and (result.original_claim, result.claim) == (claim, FERRY)
    assert (result.language, result.translation, len(generator.prompts)) == ("de", FERRY, 1)
    assert f"Translated from German: {FERRY}" in messages(result, Stage.CLASSIFY)
    assert result.reasoning.startswith("Die Belege st\u00fctzen die Aussage (unabh\u00e4ngige Quellen daf\u00fcr: 1).")
    assert "Daf\u00fcr: " in result.reasoning and violations_of(result) == []
    assert "Hinweis: eine Quelle entscheidet allein." in result.reasoning
    assert result.warnings == ("eine Quelle entscheidet allein",)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        ({"translation": "The 3 ferries to Orso sank"}, "the figure 3 is not in the claim"),
        (GenerationTimeout("no answer within 60 s"), "no answer within 60 s"),
    ],
)
def test_a_translation_that_fails_is_one_line_and_no_verdict(
    models: Models, settings: Settings, failure: Json | ModelError, told: str
) -> None:
    claim = "Die F\u00e4hre nach Orso ist im Hafen gesunken und liegt auf Grund"
    with pytest.raises(AnswerUnusable, match=told) as caught:
        check(models, settings, claim, [f"{FERRY}."], failure, failure)
    line = str(caught.value)
    assert line.startswith("the claim could not be translated from German (") and line.endswith("write it in English")
    assert "\n" not in line


@pytest.mark.parametrize("model", [None, ModelError("too little memory")])
def test_without_a_model_that_can_be_used_the_check_says_what_it_cannot_do(
    models: Models, settings: Settings, model: ModelError | None
) -> None:
    claim = "Die F\u00e4hre nach Orso ist im Hafen gesunken und liegt auf Grund"
    if model is None:
        result = Verifier(models, None, None, settings).verify(claim, given=[NewEvidence(f"{FERRY}.")])
    else:
        result, _ = check(models, settings, claim, [f"{FERRY}."], model)
    assert (result.language, result.translation) == ("", "") and result.claim == claim
    assert any("another language (de); the bundled models read English" in warning for warning in result.warnings)


def test_past_the_deadline_nobody_is_asked(settings: Settings) -> None:
    generator = ScriptedGenerator([])
    asked = consult(
        Assistant(lambda: generator), Trace(-1.0), Stage.PLAN, "queries", lambda a, limits: a.queries("x", limits)
    )
    assert run_to_end(asked) is None and generator.prompts == []


def test_a_user_may_trust_the_model_less(models: Models, settings: Settings) -> None:
    never = replace(settings, judgement=replace(settings.judgement, cascade=0.0))
    result, generator = check(models, never, FERRY, [f"{FERRY}."], {"reasons": []})
    assert result.verdict is Verdict.TRUE and len(generator.prompts) == 1


class Endless:
    """A model that writes until it is cancelled."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    name = "Endless"

    def likelihoods(
        self,
        messages: object,
        text: str,
        endings: object,
        labels: object,
        *,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float64]:
        raise AssertionError("it is not asked for a verdict")

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def answer(
        self,
        messages: object,
        schema: object,
        *,
        max_tokens: int,
        temperature: float,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> Json:
        assert cancel is not None and cancel.wait(timeout=20)
        self.cancelled.set()
        raise GenerationCancelled("the generation was cancelled")


def test_a_reader_hears_that_the_model_works_and_may_leave(models: Models, settings: Settings) -> None:
    endless = Endless()
    stream = Verifier(models, None, None, settings, Assistant(lambda: endless)).stream(
        FERRY, given=[NewEvidence(f"{FERRY}.")]
    )
    first = next(step for step in stream if step.passing)
    assert first.settled and first.settled.verdict is Verdict.TRUE  # the verdict is there before its reasons
    assert next(stream).message == "The language model works on reasons that hold (1 s)"
    stream.close()
    assert endless.cancelled.wait(timeout=2)


class Stuck(Endless):
    """A model that hears of no deadline and no cancellation, as one that is being loaded."""

    def __init__(self, release: threading.Event) -> None:
        super().__init__()
        self.release, self.given = release, list[float]()

    def answer(
        self,
        messages: object,
        schema: object,
        *,
        max_tokens: int,
        temperature: float,
        deadline: float,
        cancel: threading.Event | None = None,
    ) -> Json:
        self.given.append(deadline)
        self.release.wait(timeout=20)
        return {}


def test_one_question_leaves_most_of_the_time_to_the_web() -> None:
    release, trace = threading.Event(), Trace(4.0)
    stuck = Stuck(release)
    asked = consult(
        Assistant(lambda: stuck), trace, Stage.PLAN, "queries", lambda a, limits: a.queries("the ferry sank", limits)
    )
    try:
        assert run_to_end(asked) is None
        assert 2.0 < trace.left < 3.0 and stuck.given == [pytest.approx(1.0, abs=0.1)]
        assert trace.steps[-1].message == (
            "The language model did not give queries (no answer within 1 s, its share of the time); going on without it"
        )
    finally:
        release.set()


def told_by(result: VerificationResult) -> list[str]:
    return [step.message for step in result.steps if "language model" in step.message]


def test_a_real_model_of_random_weights_passes_through_the_whole_cascade(
    models: Models, settings: Settings, tiny: Path
) -> None:
    verifier = Verifier(models, None, None, settings, Assistant(lambda: Generator(tiny, 1)))
    result = verifier.verify(FERRY, given=[NewEvidence(UNSETTLED)])
    assert result.verdict in set(Verdict) and violations_of(result) == []
    assert told_by(result)  # random weights answer, or fail: either is in the steps


@pytest.mark.parametrize("kind", ["no GGUF", "an encoder", "too little memory", "cut short"])
def test_a_model_that_cannot_serve_is_told_and_the_check_goes_on(
    models: Models, settings: Settings, tiny: Path, tmp_path: Path, kind: str
) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"not a model" * 100 if kind == "no GGUF" else tiny.read_bytes()[:2_000])
    path = {"an encoder": settings.weights / "claim-type.gguf", "too little memory": tiny}.get(kind, bad)
    free = 1_000 if kind == "too little memory" else None
    alone = Verifier(models, None, None, settings).verify(FERRY, given=[NewEvidence(UNSETTLED)])
    assistant = Assistant(lambda: Generator(path, 1, free_bytes=free))
    for _ in range(2):  # and the next check works too
        result = Verifier(models, None, None, settings, assistant).verify(FERRY, given=[NewEvidence(UNSETTLED)])
        assert (result.verdict, result.confidence) == (alone.verdict, alone.confidence)
        (told,) = told_by(result)
        assert told.startswith("The language model did not give a verdict (") and "going on without it" in told
        assert any(warning.startswith("the language model could not be used: ") for warning in result.warnings)


def test_the_pieces_that_were_read_in_time_count_and_the_steps_say_how_many_were_not(
    models: Models, settings: Settings
) -> None:
    texts = [f"Piece {n}: {n} tickets for the ferry to Orso are sold in the harbour {'today ' * n}." for n in range(4)]
    always = replace(settings, judgement=replace(settings.judgement, cascade=1.0))
    slow = GenerationTimeout("no answer within 1 s")
    result, generator = check(models, always, FERRY, texts, "neither", slow, {"reasons": []})
    assert len(result.evidence) > 1 and [NOTE in piece.note for piece in result.evidence].count(True) == 1
    (told,) = [message for message in told_by(result) if "read the evidence too" in message]
    assert told.endswith(f"[1] neutral; {len(result.evidence) - 1} more could not be read in time")
