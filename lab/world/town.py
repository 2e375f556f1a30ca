"""Route requests to engines, controls and sites, with faults and counts for all.

Engines and controls are on the server's own address, sites under their names.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict

from errors import InputError
from lab.world.desk import Desk
from lab.world.engines import duckduckgo_html, duckduckgo_news, duckduckgo_start, gdelt, searxng, yacy
from lab.world.exchange import Reply, Request, Wait, json_reply, page_reply
from lab.world.faults import Fault, Faults, Repetitions, loop, spoil
from lab.world.keyed_engines import brave, event_registry, fact_check, newsapi, serpapi
from lab.world.literature import crossref, europe_pmc, openalex
from lab.world.ranking import Index
from lab.world.sites import BY_DOMAIN
from lab.world.web import Web
from lab.world.wikis import HOSTS, answer
from lab.world.wording import INJECTION

Engine = Callable[[Request, Desk], Reply]
_ENGINES: Mapping[tuple[str, str], tuple[str, Engine]] = {
    ("GET", "/yacy/yacysearch.json"): ("yacy", yacy),
    ("GET", "/searxng/search"): ("searxng", searxng),
    ("POST", "/duckduckgo/html/"): ("duckduckgo", duckduckgo_html),
    ("GET", "/duckduckgo/html/"): ("duckduckgo", duckduckgo_html),
    ("GET", "/duckduckgo"): ("duckduckgo", duckduckgo_start),
    ("GET", "/duckduckgo/"): ("duckduckgo", duckduckgo_start),
    ("GET", "/duckduckgo/news.js"): ("duckduckgo", duckduckgo_news),
    ("GET", "/gdelt/api/v2/doc/doc"): ("gdelt", gdelt),
    ("POST", "/eventregistry/api/v1/article/getArticles"): ("eventregistry", event_registry),
    ("GET", "/eventregistry/api/v1/article/getArticles"): ("eventregistry", event_registry),
    ("GET", "/newsapi/v2/everything"): ("newsapi", newsapi),
    ("GET", "/brave/res/v1/web/search"): ("brave", brave),
    ("GET", "/serpapi/search.json"): ("serpapi", serpapi),
    ("GET", "/serpapi/search"): ("serpapi", serpapi),
    ("GET", "/factcheck/v1alpha1/claims:search"): ("factcheck", fact_check),
    ("GET", "/europepmc/search"): ("europepmc", europe_pmc),
    ("GET", "/openalex/works"): ("openalex", openalex),
}
_CROSSREF = "/crossref/works/"
OWN_HOSTS = frozenset({"127.0.0.1", "localhost"})


class Town:
    """The whole world behind one port. Safe to ask from several threads."""

    def __init__(self, port: int, faults: Faults) -> None:
        self.web = Web(port)
        self._port = port
        self._index = Index(self.web.pages)
        self._lock = threading.Lock()
        self._start = faults
        self.reset()

    def reset(self) -> None:
        """Forget all counts, and go back to the faults of the start."""
        with self._lock:
            self.faults = self._start
            self._asked: Counter[str] = Counter()
            self._happened: Counter[str] = Counter()
            self._repetitions = Repetitions()

    def requests(self) -> dict[str, object]:
        """Return how many requests were made, by purpose, and how many met which fault.

        The controls do not count.
        """
        with self._lock:
            return {"total": self._asked.total(), "kinds": dict(self._asked), "faults": dict(self._happened)}

    def handle(self, request: Request, wait: Wait) -> tuple[Reply, Fault | None]:
        """Return the answer to a request, and the fault that it met."""
        if request.host not in OWN_HOSTS | HOSTS and request.host not in BY_DOMAIN:
            return page_reply("<!DOCTYPE html><title>421</title><h1>No such host here</h1>", 421), None
        if request.host in OWN_HOSTS and request.path.startswith("/world/"):
            return self._control(request), None
        with self._lock:
            faults = self.faults
            fault = faults.choose(request, self._repetitions.next(request))
        if wait(faults.latency + (faults.slow_seconds if fault is Fault.SLOW else 0)):
            return page_reply("", 503), None
        kind, reply = self._answer(request, fault)
        with self._lock:
            self._asked[kind] += 1
            if fault is not None:
                self._happened[fault] += 1
        return spoil(reply, fault, request), fault

    def _answer(self, request: Request, fault: Fault | None) -> tuple[str, Reply]:
        if request.path.startswith("/world-loop/"):
            return "loop", loop(request.path)
        if request.host in BY_DOMAIN:
            return self.web.answer(request)
        note = INJECTION if fault is Fault.INJECTION else ""
        if request.host in HOSTS:
            return answer(request, note)
        method = "GET" if request.method == "HEAD" else request.method
        one_work = method == "GET" and request.path.startswith(_CROSSREF)
        found = ("crossref", crossref) if one_work else _ENGINES.get((method, request.path))
        if found is None:
            return "unknown", page_reply("<!DOCTYPE html><title>404</title><h1>No such page</h1>", 404)
        name, engine = found
        return name, engine(request, Desk(self._index, self._port, note))

    def _control(self, request: Request) -> Reply:
        """Return what a test or a demonstration asks of the world itself."""
        match request.method, request.path:
            case "GET", "/world/requests":
                return json_reply(self.requests())
            case "POST", "/world/reset":
                self.reset()
                return json_reply(self.requests())
            case "GET", "/world/faults":
                return json_reply(asdict(self.faults))
            case "POST", "/world/faults":
                return self._change_faults(request)
        return json_reply({"error": f"{request.method} {request.path} is no control of the world"}, 404)

    def _change_faults(self, request: Request) -> Reply:
        try:
            with self._lock:
                self.faults = self.faults.changed(request.posted)
        except InputError as exc:
            return json_reply({"error": str(exc)}, 400)
        return json_reply(asdict(self.faults))
