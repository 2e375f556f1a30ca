from __future__ import annotations

from pathlib import Path

import pytest

from errors import SettingsError
from verifier.settings import Settings


def test_the_defaults_are_the_documented_ones() -> None:
    settings = Settings.from_env({})
    assert settings == Settings()
    assert (settings.port, settings.web, settings.log) == (7860, True, True)
    retrieval, search = settings.retrieval, settings.search
    assert (retrieval.top_k, retrieval.access_boost, retrieval.min_relevance, retrieval.rerank_top_k) == (
        20,
        0.02,
        0.3,
        5,
    )
    assert (
        retrieval.max_per_domain,
        retrieval.credibility_weight,
        retrieval.min_pieces,
        retrieval.min_mean_relevance,
    ) == (2, 0.3, 2, 1.0)
    assert (search.trusted_results, search.fact_check_results, search.open_results) == (8, 5, 8)
    assert (search.backoff, search.deadline, settings.deadline) == ((2, 5, 10), 20, 60)


def test_variables_override_them() -> None:
    settings = Settings.from_env(
        {
            "VERIFIER_KB_URI": "memory://",
            "PORT": "7999",
            "VERIFIER_WEB": "off",
            "VERIFIER_LOG_PATH": "/x/log",
            "VERIFIER_DEADLINE": "30",
        }
    )
    assert (settings.kb_uri, settings.port, settings.web, settings.log_path, settings.deadline) == (
        "memory://",
        7999,
        False,
        Path("/x/log"),
        30,
    )


def test_the_limits_of_searches_come_from_the_environment() -> None:
    search = Settings.from_env({}).search
    assert (search.cache_hours, search.cool_down, search.failures) == (24, 600, 3)
    assert (search.cost_warn, search.cost_stop, search.paid_engines) == (100, 2_000, 1)
    search = Settings.from_env(
        {
            "VERIFIER_SEARCH_CACHE": "/x/cache",
            "VERIFIER_SEARCH_CACHE_HOURS": "0.5",
            "VERIFIER_SEARCH_COOL_DOWN": "60",
            "VERIFIER_COST_WARN": "5",
            "VERIFIER_COST_STOP": "0",
            "VERIFIER_PAID_ENGINES": "3",
        }
    ).search
    assert (search.cache_path, search.cache_hours, search.cool_down) == (Path("/x/cache"), 0.5, 60)
    assert (search.cost_warn, search.cost_stop, search.paid_engines) == (5, 0, 3)


def test_a_public_space_keeps_no_log_unless_told_to() -> None:
    assert not Settings.from_env({"SPACE_ID": "a/b"}).log
    assert Settings.from_env({"SPACE_ID": "a/b", "VERIFIER_LOG": "on"}).log


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "x"),
        ("PORT", "0"),
        ("PORT", "70000"),
        ("VERIFIER_WEB", "maybe"),
        ("VERIFIER_THREADS", "1.5"),
        ("VERIFIER_DEADLINE", "301"),
        ("VERIFIER_DEADLINE", "nan"),
        ("VERIFIER_SEARCH_CACHE_HOURS", "-1"),
        ("VERIFIER_COST_STOP", "many"),
        ("VERIFIER_METRICS", "perhaps"),
    ],
)
def test_a_value_that_is_not_allowed_names_variable_value_and_rule(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be .*{value}"):
        Settings.from_env({name: value})


def test_a_token_that_could_be_guessed_or_spoils_an_address_is_refused_and_not_shown() -> None:
    good = "abcDEF-123_456.789~0"
    found = Settings.from_env({"VERIFIER_WATCH_TOKEN": good})
    assert found.watch_token == good and good not in repr(found)
    for bad in (good[:19], good + "&x=1", good + "\u00e9", "x" * 201):
        with pytest.raises(SettingsError, match="VERIFIER_WATCH_TOKEN must be 20 to 200") as caught:
            Settings.from_env({"VERIFIER_WATCH_TOKEN": bad})
        assert bad not in str(caught.value)


def test_private_addresses_are_fetched_only_where_it_is_said() -> None:
    assert not Settings.from_env({}).search.allow_private
    assert Settings.from_env({"VERIFIER_ALLOW_PRIVATE": "1"}).search.allow_private


@pytest.mark.parametrize(
    ("env", "public"),
    [
        ({}, False),
        ({"GRADIO_SERVER_NAME": "localhost"}, False),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, True),
        ({"VERIFIER_TRUST_PROXY": "1"}, True),
        ({"SPACE_ID": "a/b", "GRADIO_SERVER_NAME": "127.0.0.1"}, True),
    ],
)
def test_where_strangers_come_the_store_is_closed_to_them(env: dict[str, str], public: bool) -> None:
    settings = Settings.from_env(env)
    assert (settings.public, settings.allow_add, settings.metrics) == (public, not public, not public)
    assert Settings.from_env(env | {"VERIFIER_ALLOW_ADD": "1"}).allow_add
    assert settings.mcp is ("SPACE_ID" not in env)


@pytest.mark.parametrize(("text", "rates"), [("", (20, 200)), ("off", (0, 0)), ("0", (0, 0)), ("5 / 50", (5, 50))])
def test_rates_of_visitors(text: str, rates: tuple[int, int]) -> None:
    server = Settings.from_env({"VERIFIER_RATE_LIMIT": text}).server
    assert (server.per_minute, server.per_hour) == rates


@pytest.mark.parametrize("text", ["20", "0/5", "50/5", "a/b", "-1/5", "5/50/500", "1/9999999"])
def test_rates_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="VERIFIER_RATE_LIMIT must be off, or checks a minute"):
        Settings.from_env({"VERIFIER_RATE_LIMIT": text})
