"""The evidence store's command line: parses, wires the parts together, and prints. The work is done elsewhere in kb/."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, exit_status
from kb import arguments, commands, place

if TYPE_CHECKING:
    from kb.addresses import Web
    from kb.ingest import Reading
    from kb.labelled import LabelledClaims
    from kb.sources import Problem, Source
    from kb.store import EvidenceStore
    from models.embedder import Embedder
    from verifier.settings import Settings

_MAX_BYTES = 10_000_000
"""Of one page, feed, sitemap or PDF that an import fetches."""


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    top = argparse.ArgumentParser(prog="python -m kb", description="Look after the evidence store.")
    parts = top.add_subparsers(dest="command", required=True)
    add = parts.add_parser("add", help="add the texts of a file")
    add.add_argument("file", help="as import, without its options; .jsonl rows have text, source, title, published_at")
    add.set_defaults(run=_import, format="auto", collection=None, pin=False, resume=False, as_backup=False)
    search = parts.add_parser("search", help="find records")
    search.add_argument("query")
    search.add_argument("--limit", type=int, default=10)
    search.set_defaults(run=_search)
    stats = parts.add_parser("stats", help="count what is in the store")
    stats.set_defaults(run=_stats)
    seed = parts.add_parser("seed", help="add the starter facts that are missing")
    seed.add_argument(
        "--vectors",
        action="store_true",
        help="first make kb/seed_vectors.npz anew (after the facts or the embedder changed)",
    )
    seed.set_defaults(run=_seed)
    starter = parts.add_parser("starter", help="make the starter pack anew from a folder of public-domain figures")
    starter.add_argument("--data", type=Path, required=True, metavar="DIR", help="holds factbook/ and world_stats/")
    starter.set_defaults(run=_starter)
    reembed = parts.add_parser("reembed", help="make all vectors anew after the embedder was replaced")
    reembed.set_defaults(run=_reembed)
    moving = {"import": arguments.import_command(parts), "export": arguments.export_command(parts)}
    moving |= arguments.upkeep_commands(parts)
    moving |= {f"labelled {name}": part for name, part in arguments.labelled_commands(parts).items()}
    _add_domains_parser(parts)
    for name, command in moving.items():
        command.set_defaults(run=_MOVING[name])
    for command in (add, search, stats, seed, starter, reembed, *moving.values()):
        command.add_argument("--kb", metavar="URI", help="evidence store (default: VERIFIER_KB_URI, or ./data/kb)")
        command.add_argument("--json", action="store_true", help="print JSON")
    return top


def _add_domains_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    domains = commands.add_parser("domains", help="your own lists of domains: who may decide, who is never heard")
    actions = domains.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add", help="allow a domain, or deny it")
    add.add_argument("domain", help='"example.org" with all beneath it, or "*.example.org" for what is beneath alone')
    add.add_argument("--deny", action="store_true", help="never show, store or cite it")
    add.add_argument("--type", default="", help="news, academic, fact_checker, government, social or unknown")
    add.add_argument("--credibility", default="", help="above 0, at most 1; above 0.9 it may decide alone")
    add.add_argument("--note", default="", help="why, for you to read")
    remove = actions.add_parser("remove", help="take a domain off the list")
    remove.add_argument("domain")
    show = actions.add_parser("list", help="show the list")
    for action in (add, remove, show):
        action.add_argument("--file", type=Path, help="the list (default: VERIFIER_DOMAINS, or ./data/domains.csv)")
        action.add_argument("--json", action="store_true", help="print JSON")
        action.set_defaults(run=_domains, kb=None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0, or 2 after an error, of which one line is printed."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: args.run(args), "stopped; what was written stays")


def _settings(args: argparse.Namespace) -> Settings:
    from verifier.settings import Settings

    settings = Settings.from_env()
    place.use(settings.kb_access)
    return replace(settings, kb_uri=args.kb) if args.kb else settings


def _open(args: argparse.Namespace) -> tuple[EvidenceStore, Embedder]:
    """The store, with its starter facts, and the embedder that goes with it."""
    from kb.lists import DomainLists
    from kb.seed import seed
    from verifier.build import load_embedder, open_store

    settings = _settings(args)
    embedder = load_embedder(settings)
    store = open_store(settings, embedder.embed, DomainLists(settings.domains_path).publisher_of)
    if not store.count():
        seed(store, _progress("filling the store for the first time"), settings.starter)
    return store, embedder


def _progress(name: str) -> Callable[[int, int], None]:
    from tqdm import tqdm

    bar = tqdm(total=0, desc=name, file=sys.stderr)

    def tell(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return tell


def _import(args: argparse.Namespace) -> None:
    from kb.importing import Target
    from kb.ingest import Reading
    from kb.journal import Journal
    from kb.record import Collection
    from models.catalogue import WEIGHTS, Role
    from web.extract import extract_page

    if args.command == "add":
        args.names = [args.file]
    reading = Reading(extract_page, WEIGHTS[Role.EMBEDDER].checksum, args.as_backup)
    sources = list(_sources(args, reading))  # before a model is loaded: what cannot be read is said at once
    store, embedder = _open(args)
    options = [args.format, str(args.as_backup), str(args.collection), str(args.pin)]
    journal = Journal(store.uri, [str(Path(name).resolve()) for name in args.names] + options)
    target = Target(store, embedder.embed, Collection(args.collection) if args.collection else None, args.pin)
    commands.import_into(args, chain.from_iterable(sources), target, journal)


def _sources(args: argparse.Namespace, reading: Reading) -> Iterator[Iterator[Source | Problem]]:
    from kb.addresses import address_sources, is_address, list_sources
    from kb.sources import Kind, path_sources

    kind = Kind(args.format)
    for name in args.names:
        if is_address(name):
            yield address_sources(name, kind, _web(args))
        elif kind in {Kind.FEED, Kind.SITEMAP}:
            yield list_sources(Path(name), kind, _web(args))
        else:
            yield path_sources(Path(name), kind, reading)


def _web(args: argparse.Namespace) -> Web:
    settings = _settings(args)
    if not settings.web:
        raise InputError("VERIFIER_WEB is off, so no address can be read; turn it on, or save the pages as files")
    from verifier.import_web import ImportWeb
    from web.fetch import Fetcher

    return ImportWeb(Fetcher(settings.search.allow_private, max_bytes=_MAX_BYTES))


def _labelled(args: argparse.Namespace) -> tuple[LabelledClaims, Embedder]:
    from kb.labelled import LabelledClaims
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder

    settings = _settings(args)
    embedder = load_embedder(settings)
    return LabelledClaims(settings.kb_uri, embedder.embed, WEIGHTS[Role.EMBEDDER].checksum), embedder


def _search(args: argparse.Namespace) -> None:
    from kb.fusion import hit_to_dict

    commands.check_query(args.query, args.limit)
    store, embedder = _open(args)
    hits = store.look_up(args.query, embedder.embed([args.query])[0], args.limit)
    if args.json:
        print(json.dumps([hit_to_dict(hit) for hit in hits], ensure_ascii=False, indent=1))
        return
    for hit in hits:
        print(f"{hit.similarity:.2f}  {hit.record.text}\n      {hit.record.source}")


def _stats(args: argparse.Namespace) -> None:
    stats = _open(args)[0].stats()
    print(json.dumps(stats, indent=1) if args.json else "\n".join(f"{name}: {value}" for name, value in stats.items()))


def _seed(args: argparse.Namespace) -> None:
    from kb.seed import save_vectors, seed

    if args.vectors:
        from models.catalogue import WEIGHTS, Role
        from verifier.build import load_embedder

        save_vectors(load_embedder(_settings(args)).embed, WEIGHTS[Role.EMBEDDER].checksum)
    store, _ = _open(args)
    added = seed(store, _progress("seeding"), _settings(args).starter)
    print(
        json.dumps({"added": added, "records": store.count()})
        if args.json
        else f"{added} facts added, {store.count()} records in the store"
    )


def _starter(args: argparse.Namespace) -> None:
    from kb.starter.build import statements
    from kb.starter.pack import write_statements, write_vectors
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder

    found = statements(args.data)
    write_statements(found)
    texts = [statement.text for statement in found]
    write_vectors(texts, load_embedder(_settings(args)).embed(texts), WEIGHTS[Role.EMBEDDER].checksum)
    kinds = Counter(statement.kind.value for statement in found)
    print(
        json.dumps({"statements": len(found), "kinds": kinds})
        if args.json
        else f"{len(found)} statements: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    )


def _reembed(args: argparse.Namespace) -> None:
    from kb.reembed import reembed
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder

    settings = _settings(args)
    count = reembed(
        settings.kb_uri, load_embedder(settings).embed, WEIGHTS[Role.EMBEDDER].checksum, _progress("embedding")
    )
    print(json.dumps({"records": count}) if args.json else f"{count} records have new vectors")


def _domains(args: argparse.Namespace) -> None:
    from kb.lists import COLUMNS, DomainLists, Rule, domain_name, parse_line

    lists = DomainLists(args.file or _settings(args).domains_path)
    if args.action == "add":
        rule = Rule.DENY if args.deny else Rule.ALLOW
        if args.deny and (args.type or args.credibility):
            raise InputError("a denied domain has neither type nor credibility; leave --type and --credibility out")
        lists.add(parse_line(args.domain, rule, args.type, args.credibility, args.note))
    elif args.action == "remove" and not lists.remove(args.domain):
        raise InputError(f"{domain_name(args.domain)} is not on the list; see: python -m kb domains list")
    rows = lists.rows()
    for bad in lists.problems():
        print(f"{lists.path.name}, line {bad.line}: {bad.reason}", file=sys.stderr)
    if args.json:
        print(json.dumps([dict(zip(COLUMNS, row.cells, strict=True)) for row in rows], ensure_ascii=False, indent=1))
    elif args.action == "list":
        print("\n".join("  ".join(filter(None, row.cells)) for row in rows) or "the list is empty")
    else:
        print(f"{domain_name(args.domain)}: done; {len(rows)} domains on the list")


def _refresh(args: argparse.Namespace) -> None:
    from kb.lists import DomainLists
    from verifier.build import build_refresh
    from verifier.settings import with_supplies

    settings = with_supplies(_settings(args), args.feeds, args.topics)
    lists = DomainLists(settings.domains_path)
    store, _ = _open(args)
    commands.refresh_store(args, build_refresh(settings, store, lists.publisher_of, lists.preferred))
    store.close()


def _labelled_search(args: argparse.Namespace) -> None:
    claims, embedder = _labelled(args)
    commands.labelled_search(args, claims, embedder.embed)


_MOVING: dict[str, Callable[[argparse.Namespace], None]] = {
    "import": _import,
    "export": lambda args: commands.export_from(args, _settings(args).kb_uri),
    "check": lambda args: commands.check(args, _settings(args).kb_uri),
    "optimize": lambda args: commands.optimize_store(args, _settings(args).kb_uri),
    "reset": lambda args: commands.reset_store(args, _settings(args).kb_uri),
    "prune": lambda args: commands.prune_store(args, _settings(args).kb_uri),
    "refresh": _refresh,
    "labelled import": lambda args: commands.labelled_import(args, _labelled(args)[0]),
    "labelled search": _labelled_search,
    "labelled stats": lambda args: commands.labelled_stats(args, _settings(args).kb_uri),
    "labelled remove": lambda args: commands.labelled_remove(args, _settings(args).kb_uri),
}

if __name__ == "__main__":
    sys.exit(main())
