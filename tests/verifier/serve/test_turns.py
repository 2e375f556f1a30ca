"""Turns: so many at once, visitor after visitor."""

from __future__ import annotations

import threading

from verifier.serve.turns import ServiceTurns, Turns


def test_visitors_take_turns_however_much_each_has() -> None:
    turns = Turns()
    order: list[str] = []
    asked = [turns.ask(visitor) for visitor in ("a", "a", "a", "a", "b", "b", "c")]
    for _ in range(len(asked)):
        (now,) = [turn for turn in asked if turn.come.done()]
        order.append(now.visitor)
        asked.remove(now)
        now.end()
    assert order == ["a", "a", "b", "c", "a", "b", "a"]  # the first came before the others asked
    assert turns.held("a") == 0


def test_so_many_at_once_and_a_turn_that_is_given_up_goes_on() -> None:
    turns = Turns(at_once=2)
    one, two, three, four = (turns.ask(visitor) for visitor in "abcd")
    assert [turn.come.done() for turn in (one, two, three, four)] == [True, True, False, False]
    three.end()  # gave up
    four.come.cancel()
    one.end()
    one.end()  # twice is once
    assert turns.held("d") == 0 and not three.come.done()
    last = turns.ask("e")
    assert last.come.done() and not turns.ask("f").come.done()


def test_a_thread_waits_for_its_turn() -> None:
    turns, done = ServiceTurns(), threading.Event()

    def work() -> None:
        with turns.rows.taken("b"):
            done.set()

    with turns.rows.taken("a"):
        thread = threading.Thread(target=work)
        thread.start()
        assert not done.wait(0.1) and turns.held("b") == 1
    assert done.wait(60)
    thread.join()
    assert turns.held("b") == 0
