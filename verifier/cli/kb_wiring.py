"""Open what the store's commands work on: settings, the store with its embedder, the web."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError
from kb.cli.commands import counter_to
from kb.store import place

if TYPE_CHECKING:
    from kb.intake.addresses import Web
    from kb.intake.importing import Target
    from kb.intake.ingest import Reading
    from kb.intake.journal import Journal
    from kb.intake.labelled import LabelledClaims
    from kb.intake.sources import Problem, Source
    from kb.store.evidence_store import Embed, EvidenceStore
    from kb.upkeep.refresh import Refresh
    from models.encoders.embedder import Embedder
    from verifier.settings import Settings

_MAX_BYTES = 10_000_000
"""Largest page, feed, sitemap or PDF that an import fetches."""


def settings_of(args: argparse.Namespace) -> Settings:
    """Read the settings, with the store named by `--kb`.

    From now on, stores are opened with their keys.
    """
    from verifier.settings import Settings

    settings = Settings.from_env()
    place.use(settings.kb_access)
    return replace(settings, kb_uri=args.kb) if args.kb else settings


def open_store(args: argparse.Namespace) -> tuple[EvidenceStore, Embedder]:
    """Open the store, fill it with starter facts if empty, and load its embedder."""
    from kb.publishers.lists import DomainLists
    from kb.starter.seed import seed
    from verifier import build

    settings = settings_of(args)
    embedder = build.load_embedder(settings)
    store = build.open_store(settings, embedder.embed, DomainLists(settings.domains_path).publisher_of)
    if not store.count():
        seed(store, counter_to("filling the store for the first time", 0), settings.starter)
    return store, embedder


def load_embed(args: argparse.Namespace) -> Embed:
    """Load the embedder."""
    from verifier.build import load_embedder

    return load_embedder(settings_of(args)).embed


def embedder_checksum() -> str:
    """Return the checksum of the embedder, without loading it."""
    from models.catalogue import WEIGHTS, Role

    return WEIGHTS[Role.EMBEDDER].checksum


def open_refresh(args: argparse.Namespace) -> Refresh:
    """Make a refresh from the feeds and topics in the arguments or else the settings."""
    from kb.publishers.lists import DomainLists
    from verifier.build import build_refresh
    from verifier.settings import with_supplies

    settings = with_supplies(settings_of(args), args.feeds, args.topics)
    lists = DomainLists(settings.domains_path)
    store, _ = open_store(args)
    return build_refresh(settings, store, lists.publisher_of, lists.preferred)


def open_labelled(args: argparse.Namespace) -> tuple[LabelledClaims, Embed]:
    """Open the labelled claims and their embedder."""
    from kb.intake.labelled import LabelledClaims

    embed = load_embed(args)
    return LabelledClaims(settings_of(args).kb_uri, embed, embedder_checksum()), embed


def import_target(args: argparse.Namespace) -> tuple[list[Iterator[Source | Problem]], Target, Journal]:
    """Return an import's sources, its target, and the journal of its progress."""
    from kb.intake.importing import Target
    from kb.intake.ingest import Reading
    from kb.intake.journal import Journal
    from kb.record import Collection
    from web.extract import extract_page

    reading = Reading(extract_page, embedder_checksum(), args.as_backup)
    sources = list(_sources(args, reading))  # before a model is loaded, to report an unreadable source at once
    store, embedder = open_store(args)
    options = [args.format, str(args.as_backup), str(args.collection), str(args.pin)]
    journal = Journal(store.uri, [str(Path(name).resolve()) for name in args.names] + options)
    target = Target(store, embedder.embed, Collection(args.collection) if args.collection else None, args.pin)
    return sources, target, journal


def _sources(args: argparse.Namespace, reading: Reading) -> Iterator[Iterator[Source | Problem]]:
    from kb.intake.addresses import address_sources, is_address, list_sources
    from kb.intake.sources import Kind, path_sources

    kind = Kind(args.format)
    for name in args.names:
        if is_address(name):
            yield address_sources(name, kind, open_web(args))
        elif kind in {Kind.FEED, Kind.SITEMAP}:
            yield list_sources(Path(name), kind, open_web(args))
        else:
            yield path_sources(Path(name), kind, reading)


def open_web(args: argparse.Namespace) -> Web:
    """Open the web.

    Raises:
        InputError: it is turned off.
    """
    settings = settings_of(args)
    if not settings.web:
        raise InputError("VERIFIER_WEB is off, so no address can be read; turn it on, or save the pages as files")
    from verifier.search.import_web import ImportWeb
    from web.fetch import Fetcher

    return ImportWeb(Fetcher(settings.search.allow_private, max_bytes=_MAX_BYTES))
