"""The MCP tools, asked by the official client over streamable HTTP and over standard input and output."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, Tool

from tests.served import ROOT
from tests.ui.conftest import App
from verifier.api.agent_tools import NAMES
from verifier.history.kept import NOTED
from verifier.history.log import VerificationLog
from verifier.settings import Settings

BRIDGE = "The Halvard Crossing bridge is 2.4 kilometres long"
COST = "The Halvard Crossing cost 790 million talers"
Talk = Callable[[ClientSession], Awaitable[None]]


@asynccontextmanager
async def over_http(app: App) -> AsyncIterator[ClientSession]:
    async with streamable_http_client(app.mcp) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def over_stdio(app: App) -> AsyncIterator[ClientSession]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "verifier", "mcp"], env=app.env | {"PYTHONPATH": str(ROOT)}
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        found = await session.initialize()
        assert found.serverInfo.name == "claim-verifier" and "never an instruction" in (found.instructions or "")
        yield session


def said(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def told(session: ClientSession, name: str, **arguments: object) -> tuple[str, list[str]]:
    """What a tool returns, and the progress that it told."""
    messages: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message or "")

    result = await session.call_tool(name, arguments, progress_callback=note)
    assert not result.isError, said(result)
    return said(result), messages


async def error(session: ClientSession, name: str, **arguments: object) -> str:
    result = await session.call_tool(name, arguments)
    assert result.isError
    return said(result)


async def every_tool(session: ClientSession, log: Path) -> None:
    """Each tool once or more, as a program would go from one to the next."""
    structure = json.loads((await told(session, "analyze_claim_structure", claim="Barack Obama was born in Hawaii"))[0])
    assert structure.keys() == {"entities", "queries", "complexity"}
    assert structure["entities"] == ["Barack Obama", "Hawaii"] and structure["complexity"] == "Low"
    assert 2 <= len(structure["queries"]) <= 4

    moon, _ = await told(session, "search_databases", query="The Moon is made of green cheese")
    assert moon.splitlines()[0] == "[FEVER DB] Claim: 'The Moon is made of green cheese.' | Label: REFUTES"
    pope, _ = await told(session, "search_databases", query="The Pope endorses a candidate for president")
    assert "[ISOT DB] Headline: 'Pope Francis endorses a candidate for president' | Label: FAKE" in pope
    earth, _ = await told(session, "search_databases", query="The Earth is flat")
    assert all(
        re.fullmatch(r"\[EVIDENCE DB\] Text: '.+' \| Source: https://\S+.*", line) for line in earth.splitlines()
    )
    assert (await told(session, "search_databases", query="Zorblax quix frump"))[0] == "NO_DB_MATCH"

    web, progress = await told(session, "search_web", query=BRIDGE)
    assert web.startswith("[WEB] Text: '") and "2.4" in web and any("searched" in step for step in progress)

    for evidence, verdict in ((earth, "REFUTED"), ("NO_DB_MATCH", "NEI"), ("", "NEI"), ("Water boils.", "NEI")):
        judged, _ = await told(session, "determine_verdict", claim="The Earth is flat", evidence=evidence)
        assert json.loads(judged)["verdict"] == verdict, (evidence, judged)
    plain = ["The Earth is a sphere, and not flat.", {"text": "The Earth is not flat.", "source": "https://a.example/"}]
    judged, _ = await told(session, "determine_verdict", claim="The Earth is flat", evidence=plain)
    assert json.loads(judged)["verdict"] == "REFUTED"
    judged, progress = await told(session, "determine_verdict", claim=COST, evidence=web)
    assert json.loads(judged)["verdict"] == "REFUTED" and any("given" in step for step in progress)

    before = len(VerificationLog(log, 90).entries())
    noted, _ = await told(session, "log_verification", claim="The Earth is flat", verdict="REFUTED")
    assert noted == "CLAIM: The Earth is flat | VERDICT: REFUTED"
    entry = VerificationLog(log, 90).entries()[-1]
    assert len(VerificationLog(log, 90).entries()) == before + 1
    assert entry["verdict"] == "False" and entry["warnings"] == [NOTED] and entry["confidence"] == 0

    checked, progress = await told(session, "verify_claim", claim="The Earth is flat", web=False)
    assert json.loads(checked)["verdict"] == "False" and json.loads(checked)["citations"]
    assert any(step.removeprefix("Progress ").startswith(("plan:", "rerank:", "stance:")) for step in progress)

    text, progress = await told(session, "check_text", text="The Earth is flat. Who said so?", web=False)
    (statement,) = json.loads(text)["statements"]
    assert statement["verdict"] == "False" and statement["sources"] and statement["end"] == 18
    assert json.loads(text)["sentences"] == {"fact": 1, "question": 1} and "evidence" not in statement
    assert any("of 2 sentences" in step or "of 1 statements" in step for step in progress), progress


async def every_error(session: ClientSession) -> None:
    """What goes wrong is marked as an error, in words."""
    assert "no letters" in await error(session, "verify_claim", claim="!?")
    assert "holds no words" in await error(session, "check_text", text="!?")
    assert "'claim' is a required property" in await error(session, "verify_claim")
    assert "is not of type 'string'" in await error(session, "verify_claim", claim=5)
    assert "verdict must be SUPPORTED" in await error(session, "log_verification", claim="A b c", verdict="maybe")
    assert "50,000 characters" in await error(session, "determine_verdict", claim="A b c", evidence="x" * 50_001)
    assert "evidence 1: a row must be" in await error(session, "determine_verdict", claim="A b c", evidence=[5])
    assert "the query is empty" in await error(session, "search_databases", query="?!")
    assert "nope" in await error(session, "nope")


@pytest.mark.parametrize("over", [over_http, over_stdio])
def test_the_tools_and_their_errors(app: App, over: Callable[[App], Any]) -> None:
    async def talk() -> list[Tool]:
        async with over(app) as session:
            tools = (await session.list_tools()).tools
            assert tuple(tool.name for tool in tools) == NAMES
            await every_tool(session, Path(app.env["VERIFIER_LOG_PATH"]))
            await every_error(session)
            return list(tools)

    for tool in asyncio.run(talk()):
        assert tool.description and "Returns:" in tool.description
        for name, described in tool.inputSchema["properties"].items():
            kinds = [one["type"] for one in described.get("anyOf", [described])]
            assert described["description"] and set(kinds) <= {"string", "boolean", "array"}, name


def test_both_ways_describe_the_same_tools(app: App) -> None:
    from verifier.api.agent_tools import AgentTools
    from verifier.api.mcp_stdio import describe

    async def listed() -> list[Tool]:
        async with over_http(app) as session:
            return list((await session.list_tools()).tools)

    own = [describe(getattr(AgentTools, name)) for name in NAMES]
    for mine, theirs in zip(own, asyncio.run(listed()), strict=True):
        assert (mine.name, mine.description, mine.inputSchema) == (theirs.name, theirs.description, theirs.inputSchema)


def test_standard_output_carries_the_protocol_alone(app: App) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search_databases", "arguments": {"query": "The Earth is flat"}},
    }
    lines = [json.dumps(hello), json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), "no JSON"]
    with subprocess.Popen(
        [sys.executable, "-m", "verifier", "mcp", "--no-web"],
        cwd=ROOT, env=app.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin and server.stdout
        server.stdin.write("\n".join([*lines, json.dumps(call)]) + "\n")
        server.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not any(answer.get("id") == 2 for answer in answers):
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        rest = server.stdout.read()
        assert server.wait(30) == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert all(answer["jsonrpc"] == "2.0" for answer in answers) and "EVIDENCE DB" in json.dumps(answers[-1])


@pytest.mark.parametrize(
    ("env", "on"),
    [
        ({}, True),
        ({"SPACE_ID": "a/b"}, False),
        ({"SPACE_ID": "a/b", "VERIFIER_MCP": "1"}, True),
        ({"VERIFIER_MCP": "off"}, False),
    ],
)
def test_a_public_space_has_no_tools_unless_its_owner_wants_them(env: dict[str, str], on: bool) -> None:
    assert Settings.from_env(env).mcp is on
