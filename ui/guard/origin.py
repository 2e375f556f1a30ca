"""Check a request's origin: another site's page must not act for the server's user."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from ui.guard.answers import App, Message, Receive, Refusal, Send, refuse, safety_headers
from verifier.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class OwnPages:
    """Refuses requests from pages of other sites, in front of everything else.

    Gradio's own rules for them allow any site on a public server.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        """`app` answers everything else."""
        self._app, self._settings = app, settings

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] == "http":
            try:
                check_origin(
                    {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}, self._settings
                )
            except Refusal as refusal:
                await refuse(send, refusal, safety_headers(self._settings.server.on_space))
                return
        await self._app(scope, receive, send)


def check_origin(headers: Mapping[str, str], settings: Settings) -> None:
    """Check the Host and the Origin of a request.

    A browser sends the page's origin with every request that changes something, and with every one whose answer the
    page may read. Otherwise a site could use a login required by a proxy in front of this server, or the server of a
    user who visits the site.

    Args:
        headers: the request's, with names in lower case.
        settings: say whether strangers may reach the server, and which other origins may use it.

    Raises:
        Refusal: a header is malformed, or names another site.
    """
    host = _split(f"//{headers.get('host', '')}", "Host")
    if not settings.public and host.hostname not in _LOOPBACK:
        raise Refusal(
            403,
            f"this server answers as localhost only, not as {str(host.hostname)[:80]!r}; behind a proxy, set VERIFIER_TRUST_PROXY=1",
        )
    said = headers.get("origin")
    if said is None:
        return
    origin = _split(said, "Origin")
    if not _ours(origin, host, headers, settings):
        raise Refusal(
            403, f"pages of {said[:80]!r} may not use this server; its owner can allow them with VERIFIER_ORIGINS"
        )


def _ours(origin: SplitResult, host: SplitResult, headers: Mapping[str, str], settings: Settings) -> bool:
    if origin.scheme not in {"http", "https"}:
        return bool(origin.scheme and origin.netloc)  # an extension that the user installed; "null" has no scheme
    if f"{origin.scheme}://{origin.netloc}".lower() in settings.server.origins:
        return True
    if not settings.public:
        return origin.hostname in _LOOPBACK
    names = [host]
    if settings.server.trust_proxy:
        names += [_split(f"//{name.strip()}", "Host") for name in headers.get("x-forwarded-host", "").split(",")]
    return any(_same(origin, name) for name in names)


def _same(origin: SplitResult, host: SplitResult) -> bool:
    """Compare host names, and ports only if one is named.

    Proxies often drop the port from the name that they pass on.
    """
    return bool(host.hostname) and origin.hostname == host.hostname and host.port in {None, _port(origin)}


def _port(origin: SplitResult) -> int:
    return origin.port or (443 if origin.scheme == "https" else 80)


def _split(address: str, name: str) -> SplitResult:
    try:
        found = urlsplit(address)
        _ = found.port, found.hostname
    except ValueError as exc:
        raise Refusal(400, f"the header {name} must hold the name of a server, not {address[:80]!r}") from exc
    return found
