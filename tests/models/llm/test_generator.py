"""llama.cpp for real, on models small enough for a test, whose random weights write noise."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import llama_cpp
import pytest

from errors import GenerationCancelled, GenerationCut, GenerationTimeout, ModelError, PromptTooLong
from models.llm.chat import Message, Speaker
from models.llm.generator import Generator
from models.llm.language_model import BATCH_TOKENS
from tests.models.asking import VERDICT, user, written


def test_the_same_prompt_gets_the_same_answer_whatever_was_asked_before(tiny: Path, generator: Generator) -> None:
    alone = written(generator, user("Is it so?"))
    drawn = written(generator, user("Is it so?"), temperature=1.0)
    assert len(alone) > 20 and drawn != alone
    assert written(generator, user("Something else, and longer than that?")) != alone
    assert written(generator, user("Is it so?")) == alone
    assert written(generator, [Message(Speaker.USER, "Is it so?")]) != alone
    assert written(generator, user("Is it so?"), temperature=1.0) == drawn
    fresh = Generator(generator._path, 1)
    assert written(fresh, user("Is it so?")) == alone


def test_another_seed_draws_another_answer(tiny: Path) -> None:
    first, second = (written(Generator(tiny, 1, seed=seed), user("Is it so?"), temperature=1.0) for seed in (1, 2))
    assert first != second


def counted_by_llama_cpp(generator: Generator) -> int:
    counted = llama_cpp.llama_perf_context(generator._model._llama.ctx)
    return int(counted.n_p_eval + counted.n_eval)


def test_what_prompts_share_is_read_once(generator: Generator) -> None:
    system = Message(Speaker.SYSTEM, "Another system prompt, told at some length so that it is worth keeping. " * 9)

    def read(question: str) -> int:
        before = counted_by_llama_cpp(generator)
        written(generator, [system, Message(Speaker.USER, question)], tokens=1)
        return counted_by_llama_cpp(generator) - before

    first, second = read("One?"), read("Two or three?")
    assert first > 200 and second < 40
    usage = generator.usage
    assert usage and usage.prompt - usage.kept < 40 and usage.written == 1
    written(generator, user("One with another system prompt in between?"), tokens=1)
    assert read("Four?") < 40


def test_kept_states_do_not_grow_without_end(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.llm.prefixes.KEPT_BYTES", 500_000)
    generator = Generator(tiny, 1)
    for number in range(12):
        written(generator, [Message(Speaker.SYSTEM, f"{number} " * 300), Message(Speaker.USER, "?")], tokens=1)
    assert 1 <= len(generator._prefixes.kept) < 12
    assert sum(state.nbytes for state in generator._prefixes.kept.values()) <= 500_000


def test_a_budget_that_ends_too_soon_is_an_error_and_the_next_call_works(generator: Generator) -> None:
    with pytest.raises(GenerationCut, match="did not end within 4 tokens"):
        generator.answer(user("?"), VERDICT, max_tokens=4, temperature=0, deadline=60)
    assert generator.answer(user("?"), {"const": "yes"}, max_tokens=9, temperature=0, deadline=60) == "yes"


def test_an_answer_may_fill_its_budget_exactly(generator: Generator) -> None:
    tokens = generator.count_tokens('"yes"')
    assert generator.answer(user("?"), {"const": "yes"}, max_tokens=8, temperature=0, deadline=60) == "yes"
    assert generator.usage and generator.usage.written <= 8
    exact = generator.usage.written
    assert exact >= tokens
    assert generator.answer(user("?"), {"const": "yes"}, max_tokens=exact, temperature=0, deadline=60) == "yes"


def test_the_context_ends_an_answer_as_the_budget_does(tiny: Path) -> None:
    generator = Generator(tiny, 1, 256)
    used = len(generator.encode([Message(Speaker.USER, "hello")]).tokens)
    with pytest.raises(GenerationCut, match=f"within {256 - used} tokens"):
        "".join(generator.generate([Message(Speaker.USER, "hello")], {"type": "string", "minLength": 900}, max_tokens=999, temperature=0, deadline=60))  # fmt: skip
    with pytest.raises(PromptTooLong, match=r"the prompt has \d+ tokens and the context 256"):
        generator.generate(user("word " * 300), max_tokens=9, temperature=0, deadline=60)


def test_a_deadline_ends_a_call_while_it_reads_and_while_it_writes(generator: Generator) -> None:
    text = user("word " * 500)
    with pytest.raises(GenerationTimeout, match="no answer within 0 s"):
        "".join(generator.generate(text, max_tokens=9, temperature=0, deadline=0))
    pieces = []
    with pytest.raises(GenerationTimeout, match=r"no answer within 0\.5 s"):
        for piece in generator.generate(user("?"), {"type": "string"}, max_tokens=3000, temperature=0, deadline=0.5):
            pieces.append(piece)
            time.sleep(0.1)
    assert pieces and len(pieces) < 20
    assert generator.answer(user("?"), {"const": 1}, max_tokens=9, temperature=0, deadline=60) == 1


def test_a_batch_that_is_being_read_is_given_up(generator: Generator) -> None:
    model = generator._model
    model.forget()
    looks = []

    def check() -> None:
        looks.append(1)
        if len(looks) == 3:
            model.stop()  # as from another thread: the third batch is read no further
        if len(looks) == 4:
            raise GenerationCancelled("the generation was cancelled")

    with pytest.raises(GenerationCancelled):
        model.read([5] * (BATCH_TOKENS * 8), check)
    assert len(looks) == 4 and model._llama.n_tokens == BATCH_TOKENS * 2
    with pytest.raises(ModelError, match="llama.cpp failed"):
        model.read([5])
    assert generator.answer(user("?"), {"const": 1}, max_tokens=9, temperature=0, deadline=60) == 1


def test_a_cancelled_call_ends_soon_and_the_next_works(generator: Generator) -> None:
    cancel = threading.Event()
    pieces = []
    with pytest.raises(GenerationCancelled, match="cancelled"):
        for piece in generator.generate(
            user("?"), {"type": "string"}, max_tokens=3000, temperature=0, deadline=60, cancel=cancel
        ):
            pieces.append(piece)
            if len(pieces) == 3:
                cancel.set()
    assert len(pieces) == 3
    assert generator.answer(user("?"), {"const": 1}, max_tokens=9, temperature=0, deadline=60) == 1


def test_calls_take_turns_and_waiting_counts(generator: Generator) -> None:
    alone = written(generator, user("Is it so?"))
    first = generator.generate(user("Is it so?"), max_tokens=40, temperature=0, deadline=60)
    next(iter(first))  # from here on the model is held
    with pytest.raises(GenerationTimeout, match=r"within 0\.2 s"):
        generator.answer(user("?"), {"const": 1}, max_tokens=9, temperature=0, deadline=0.2)
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    start = time.monotonic()
    with pytest.raises(GenerationCancelled):
        generator.answer(user("?"), {"const": 1}, max_tokens=9, temperature=0, deadline=60, cancel=cancel)
    assert time.monotonic() - start < 20
    first.close()  # type: ignore[attr-defined]
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(written(generator, user("Is it so?")))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone, alone]


def test_a_conversation_needs_a_message(generator: Generator) -> None:
    with pytest.raises(ModelError, match="at least one message"):
        generator.generate([], max_tokens=9, temperature=0, deadline=9)
    with pytest.raises(ModelError, match="max_tokens must be >= 1"):
        generator.generate(user("?"), max_tokens=0, temperature=0, deadline=9)


def test_a_model_tells_what_it_is(tiny: Path) -> None:
    info = Generator(tiny, 1).describe()
    assert (info.name, info.architecture, info.quantisation, info.context) == ("Tiny Instruct", "llama", "F32", 4096)
    assert info.parameters * 4 <= info.file_bytes < info.parameters * 4 + 30_000


def test_weights_are_not_repacked(generator: Generator) -> None:
    assert generator._model._llama.model_params.use_extra_bufts is False
