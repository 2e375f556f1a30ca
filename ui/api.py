"""Serve the endpoints for programs and the MCP tools through Gradio.

They are typed and named, with results equal to the command line's. verifier/api/endpoints.py and
verifier/api/agent_tools.py do the work.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar, get_args

import gradio as gr

from errors import InputError, VerifierError
from ui.running import asked, check_wanted, streamed, visitor_now
from verifier.api.agent_tools import NAMES, AgentTools
from verifier.api.endpoints import Endpoints
from verifier.report.public import public
from verifier.serve.service import Service
from verifier.serve.turns import Turns

Answer = TypeVar("Answer")
_KINDS = {str: "a text", bool: "true or false", int: "a whole number"}
BATCHES = 8
"""Batches that may run at once; their rows take turns."""
_FREE = ("health", "export")
"""Endpoints that wait for no model."""
_ENDPOINTS = (
    "verify",
    "verify_batch",
    "verify_text",
    "classify",
    "search_kb",
    "search_web",
    "add_evidence",
    "article",
    "export",
    "health",
)


def add_endpoints(service: Service, concurrency_id: str) -> None:
    """Add all endpoints to the page being laid out, and the MCP tools if enabled.

    Args:
        service: does the work.
        concurrency_id: the queue of checks, in which all that use the models take turns. Batches and whole texts have
            their own queue, so that no visitor waits for another's fifty claims: several run at once, and take turns a
            few claims at a time.
    """

    @contextmanager
    def turn() -> Iterator[None]:
        with service.turns.rows.taken(visitor_now()):
            check_wanted()
            yield

    tools = Endpoints(service, _tell, turn)
    checks = service.turns.checks
    for name in _ENDPOINTS:
        work = getattr(tools, name)
        if name == "verify_batch":
            called = _endpoint(work, None, is_tool=False)
            gr.api(called, api_name=name, concurrency_id=f"{concurrency_id}-batch", concurrency_limit=BATCHES)
        elif name == "verify_text":
            streaming = _streaming(work)
            gr.api(streaming, api_name=name, concurrency_id=f"{concurrency_id}-batch-text", concurrency_limit=BATCHES)
        elif name in _FREE:
            gr.api(_endpoint(work, None, is_tool=False), api_name=name)
        else:
            gr.api(_endpoint(work, checks, is_tool=False), api_name=name, concurrency_id=concurrency_id)
    if service.settings.mcp:
        agents = AgentTools(service, _tell, turn)
        for name in NAMES:
            long = name == "check_text"  # it takes a turn for a few claims at a time
            called = _endpoint(getattr(agents, name), None if long else checks, is_tool=True)
            queue = {"concurrency_id": f"{concurrency_id}-batch", "concurrency_limit": BATCHES} if long else {}
            gr.api(called, api_name=f"tool_{name}", **({"concurrency_id": concurrency_id} | queue))


def _tell(done: int, total: int | None, message: str) -> None:
    """Report progress to the client whose call this thread serves.

    Raises:
        VerifierError: that client has left.
    """
    check_wanted()
    gr.Progress()((done, total), desc=public(message))


def _check(given: Mapping[str, object], signature: inspect.Signature) -> None:
    """Refuse a value of the wrong type: Gradio passes on whatever JSON a client sends."""
    for name, value in given.items():
        wanted = signature.parameters[name].annotation
        if wanted in _KINDS and type(value) is not wanted:
            raise InputError(f"{name} must be {_KINDS[wanted]}, not {str(value)[:40]!r}")


def _endpoint(
    work: Callable[..., Answer], turns: Turns | None, is_tool: bool
) -> Callable[..., Coroutine[None, None, Answer]]:
    """Wrap a call for Gradio: errors are one line, without a traceback in the log.

    It runs in a thread that holds one of `turns`. A client that cancels waits for nothing, and gains no second turn.
    """
    signature = inspect.signature(work, eval_str=True)

    @functools.wraps(work)
    async def called(*args: object, **kwargs: object) -> Answer:
        try:
            _check(signature.bind(*args, **kwargs).arguments, signature)
            return await asked(functools.partial(work, *args, **kwargs), work.__name__, turns)
        except VerifierError as exc:
            raise gr.Error(public(str(exc)), print_exception=False) from exc

    called.__signature__ = signature  # type: ignore[attr-defined]  # Gradio reads types, not their names
    if not is_tool:
        _mark_as_no_tool(called, work.__name__)
    return called


def _streaming(work: Callable[..., Iterator[Answer]]) -> Callable[..., AsyncGenerator[Answer, None]]:
    """Wrap a call that answers repeatedly, as `_endpoint` does others. It takes turns itself."""
    signature = inspect.signature(work, eval_str=True)
    (answer,) = get_args(signature.return_annotation)

    @functools.wraps(work)
    async def called(*args: object, **kwargs: object) -> AsyncGenerator[Answer, None]:
        try:
            _check(signature.bind(*args, **kwargs).arguments, signature)

            def answers() -> Generator[Answer, None, None]:
                yield from work(*args, **kwargs)

            async with contextlib.aclosing(streamed(answers, work.__name__)) as news:
                async for one in news:
                    yield one
        except VerifierError as exc:
            raise gr.Error(public(str(exc)), print_exception=False) from exc

    called.__signature__ = signature.replace(return_annotation=answer)  # type: ignore[attr-defined]
    _mark_as_no_tool(called, work.__name__)
    return called


def _mark_as_no_tool(called: Callable[..., object], name: str) -> None:
    """Mark an endpoint as no tool.

    Otherwise Gradio offers every public endpoint as a tool, under the function's name.
    """
    called.__name__ = f"{name}_endpoint"
    called._mcp_type = "endpoint"  # type: ignore[attr-defined]
