"""`.env.example` and the table of settings in the docs are those that the settings make."""

from __future__ import annotations

from lab.settings_docs import EXAMPLE, GUIDE, env_example, guide

FIX = "it is not what the settings say; run: python -m lab.settings_docs"


def test_the_example_and_the_table_of_settings_are_up_to_date() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    assert EXAMPLE.read_text(encoding="utf-8") == env_example(), f"{EXAMPLE.name}: {FIX}"
    assert page == guide(page) and page.count("| `VERIFIER_") > 50, f"{GUIDE.name}: {FIX}"
