from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from errors import GenerationCancelled, GenerationTimeout, ModelError, PromptTooLong
from models.llm.chat import Message, Speaker
from models.llm.cores import free_threads, usable_cores
from models.llm.generator import Generator
from models.llm.limits import Limits

ASKED = [Message(Speaker.SYSTEM, "You check claims. " * 20), Message(Speaker.USER, 'Claim: "It is long."\n')]
ENDINGS, LABELS = ("A) yes B) no C) so", "A) so B) no C) yes"), ("A", "B", "C")


def test_likelihoods_are_of_the_labels_alone_and_the_same_each_time(generator: Generator) -> None:
    first = generator.likelihoods(ASKED, "Text: one\n", ENDINGS, LABELS, deadline=60)
    assert first.shape == (2, 3) and np.allclose(first.sum(axis=1), 1) and len(np.unique(first)) == 6
    other = generator.likelihoods(ASKED, "Text: two, and more\n", ENDINGS, LABELS, deadline=60)
    usage = generator.usage
    assert not np.allclose(other, first) and usage and usage.kept > usage.prompt / 2  # the claim was kept
    assert np.array_equal(generator.likelihoods(ASKED, "Text: one\n", ENDINGS, LABELS, deadline=60), first)
    fresh = Generator(generator._path, 2)  # neither what is kept nor the threads change a bit of it
    assert np.array_equal(fresh.likelihoods(ASKED, "Text: one\n", ENDINGS[1:], LABELS, deadline=60), first[1:])


def test_a_likelihood_is_that_of_the_next_token_of_the_same_message(generator: Generator) -> None:
    shares = generator.likelihoods(ASKED, "Text: one\n", ENDINGS[:1], ("A", "B"), deadline=60)
    model = generator._model
    (a, *_), (b, *_) = model.tokens_of_label("A"), model.tokens_of_label("B")
    prompt = generator.encode([*ASKED[:1], Message(Speaker.USER, f"{ASKED[1].text}Text: one\n{ENDINGS[0]}")])
    model.forget()
    model.read(prompt.tokens)
    logits = model.logits().astype(float)
    assert shares[0, 0] == pytest.approx(1 / (1 + np.exp(logits[b] - logits[a])), abs=0.05)  # cut into tokens elsewhere


@pytest.mark.parametrize(
    ("text", "labels", "error", "told"),
    [
        ("x", ("A", "supported by all"), ModelError, "'supported by all' is not one token"),
        ("word " * 5_000, LABELS, PromptTooLong, "shorten the messages"),
    ],
)
def test_what_cannot_be_asked_is_said(
    generator: Generator, text: str, labels: tuple[str, ...], error: type[ModelError], told: str
) -> None:
    with pytest.raises(error, match=told):
        generator.likelihoods(ASKED, text, ENDINGS, labels, deadline=60)


def test_a_batch_is_stopped_from_outside_and_the_next_call_works(tiny: Path) -> None:
    generator = Generator(tiny, 1)
    model = generator._model
    alone = generator.likelihoods(ASKED, "x", ENDINGS, LABELS, deadline=60)
    model.stop()
    with pytest.raises(ModelError, match="llama.cpp failed"):
        model.read([1, 2, 3])
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(GenerationCancelled):
        generator.likelihoods(ASKED, "x", ENDINGS, LABELS, deadline=60, cancel=cancel)
    assert np.array_equal(generator.likelihoods(ASKED, "x", ENDINGS, LABELS, deadline=60), alone)


def test_limits_stop_what_is_watched() -> None:
    cancel, stopped = threading.Event(), threading.Event()
    limits = Limits(60, cancel)
    with limits.watched(stopped.set):
        assert not stopped.wait(0.06)
        cancel.set()
        assert stopped.wait(5)
    with pytest.raises(GenerationCancelled):
        limits.check()
    late = Limits(0.05, None)
    stopped.clear()
    with late.watched(stopped.set):
        assert stopped.wait(5)
    with pytest.raises(GenerationTimeout, match=r"within 0\.05 s"):
        late.check()


@pytest.mark.parametrize(("idle", "expected"), [(100, "all"), (0, 1)])
def test_as_many_threads_as_cores_are_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: int, expected: int | str
) -> None:
    (tmp_path / "proc").mkdir()
    stat = tmp_path / "proc/stat"
    stat.write_text("cpu  100 0 100 1000 0 0 0 0\n")
    passed = lambda seconds: stat.write_text(f"cpu  {200 - idle} 0 100 {1000 + idle} 0 0 0 0\n")  # noqa: E731
    monkeypatch.setattr("models.llm.cores.time.sleep", passed)
    most = usable_cores()
    assert free_threads(most, tmp_path) == (most if expected == "all" else expected)
    assert free_threads(8, tmp_path / "nowhere") == 8 and free_threads(1, tmp_path) == 1
