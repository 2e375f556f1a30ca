"""What imported texts and misspelt settings do at a terminal: the first only show, the second are named."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace

import pytest

from errors import InputError, exit_status, shown
from tests.verifier.report.report_cases import result
from verifier.report.as_text import result_to_text
from verifier.settings import Settings

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31mred\x08\x7f\r\u202egnp.exe"
FORBIDDEN = "\x1b\x07\x08\x7f\x9b\r\u202e"


def test_a_text_report_holds_nothing_that_a_terminal_obeys() -> None:
    made = result()
    pieces = tuple(replace(piece, text=EVIL + piece.text, title=EVIL, source=EVIL) for piece in made.evidence)
    text = result_to_text(replace(made, evidence=pieces, original_claim=EVIL, reasoning=EVIL, warnings=(EVIL,)))
    assert not set(text) & set(FORBIDDEN) and "owned" in text


def test_whatever_a_command_prints_only_shows(capsys: pytest.CaptureFixture[str]) -> None:
    def prints() -> None:
        sys.stdout.write(f"{EVIL} plain\ttext\n")

    assert exit_status(prints, "stopped") == 0
    out = capsys.readouterr().out
    assert not set(out) & set(FORBIDDEN) and out.endswith("plain\ttext\n")

    def fails() -> None:
        raise InputError(EVIL)

    assert exit_status(fails, "stopped") == 2
    assert not set(capsys.readouterr().err) & set(FORBIDDEN)
    assert sys.stdout.write("") == 0


def test_plain_text_stays_as_it_is() -> None:
    text = "Zürich, 東京, عربي: “quoted”\n\ta line"
    assert shown(text) == text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("VERIFIER_RATELIMIT", "VERIFIER_RATE_LIMIT"),
        ("VERIFIER_COST_STOPP", "VERIFIER_COST_STOP"),
        ("VERIFIER_XYZ", ""),
    ],
)
def test_a_misspelt_setting_is_named(name: str, meant: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Settings.from_env({name: "1", "VERIFIER_WEB": "off", "OTHER": "x"})
    (said,) = caplog.messages
    assert f"there is no setting {name}" in said and (f"did you mean {meant}?" in said if meant else "mean" not in said)
