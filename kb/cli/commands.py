"""Run the commands on what `verifier.cli.kb_wiring` opens, and print the results."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import InputError, StoreError

if TYPE_CHECKING:
    from kb.intake.importing import Target
    from kb.intake.journal import Journal
    from kb.intake.labelled import LabelledClaims
    from kb.intake.sources import Problem, Source
    from kb.store.evidence_store import Embed, EvidenceStore
    from kb.upkeep.refresh import Refresh


def _counter(name: str) -> Callable[[int], None]:
    """Show a bar for work of unknown length; it appears after two seconds."""
    from tqdm import tqdm

    bar = tqdm(desc=name, unit=" rows", file=sys.stderr, delay=2)
    return lambda rows: bar.update(rows - bar.n) and None


def counter_to(name: str, delay: float = 2) -> Callable[[int, int], None]:
    """Show a bar for work of known length, after `delay` seconds."""
    from tqdm import tqdm

    bar = tqdm(total=0, desc=name, file=sys.stderr, delay=delay)

    def tell(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return tell


def say_problems(problems: Sequence[Problem], skipped: int) -> None:
    """Print the first unusable rows, and count the others."""
    for problem in problems:
        print(f"{problem}; skipped", file=sys.stderr)
    if skipped > len(problems):
        print(f"... and {skipped - len(problems):,} more", file=sys.stderr)


def catch_up(store: EvidenceStore) -> None:
    """Update the indexes after large additions: otherwise every search reads the rows in no index."""
    if store.is_behind():
        print("indexing what was added", file=sys.stderr)
        store.optimize()


def import_into(
    args: argparse.Namespace, sources: Iterable[Source | Problem], target: Target, journal: Journal
) -> None:
    """Import the sources into the store, and print the result."""
    from kb.intake.importing import import_sources

    _take_up(journal, args.resume)
    report = import_sources(sources, target, journal, _counter("importing"))
    say_problems(report.problems, report.skipped)
    if report.denied:
        print(f"{report.denied} texts left out: your list denies their domains", file=sys.stderr)
    if not report.taken + report.denied:
        raise InputError(f"{', '.join(args.names)[:200]}: no row can be used")
    if report.foreign_vectors:
        print(
            f"{report.foreign_vectors} vectors of the file were another model's, and were made again", file=sys.stderr
        )
    catch_up(target.store)
    counts = asdict(report) | {"records": target.store.count()}
    restored = f"{report.restored} restored, " if args.as_backup else ""
    earlier = f"{report.passed_over} taken in before, " if report.passed_over else ""
    summary = f"{restored}{earlier}{report.added} added, {report.merged} known already, {report.skipped} skipped"
    print_result(args, counts, f"{summary}; {counts['records']} records in the store")


def _take_up(journal: Journal, resume: bool) -> None:
    before = journal.load()
    if before and not resume:
        print(f"an earlier run of this import stopped after {before:,} rows; --resume goes on there", file=sys.stderr)
    if not resume:
        journal.forget()


def search_store(args: argparse.Namespace, store: EvidenceStore, embed: Embed) -> None:
    """Find records."""
    from kb.store.fusion import hit_to_dict

    hits = store.look_up(args.query, embed([args.query])[0], args.limit)
    lines = [f"{hit.similarity:.2f}  {hit.record.text}\n      {hit.record.source}" for hit in hits]
    if args.json or lines:
        print_result(args, [hit_to_dict(hit) for hit in hits], "\n".join(lines))


def stats_of(args: argparse.Namespace, store: EvidenceStore) -> None:
    """Count what is in the store."""
    stats = store.stats()
    print_result(args, stats, "\n".join(f"{name}: {value}" for name, value in stats.items()))


def seed_store(args: argparse.Namespace, store: EvidenceStore, starter: bool) -> None:
    """Add the starter facts that are missing."""
    from kb.starter.seed import seed

    added, records = seed(store, counter_to("seeding", 0), starter), store.count()
    print_result(args, {"added": added, "records": records}, f"{added} facts added, {records} records in the store")


def reembed_store(args: argparse.Namespace, uri: str, embed: Embed, embedder: str) -> None:
    """Replace all vectors; `embedder` is the checksum of the model behind `embed`."""
    from kb.upkeep.reembed import reembed

    count = reembed(uri, embed, embedder, counter_to("embedding", 0))
    print_result(args, {"records": count}, f"{count} records have new vectors")


def edit_domains(args: argparse.Namespace, path: Path) -> None:
    """Show or change the user's list of domains."""
    from kb.publishers.lists import DomainLists
    from kb.publishers.rules import COLUMNS, Rule, domain_name, parse_line

    lists = DomainLists(path)
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


def export_from(args: argparse.Namespace, uri: str) -> None:
    """Write the store to a file."""
    from kb.intake.exporting import Selection, export
    from kb.record import parse_collection

    try:
        collection = parse_collection(args.collection) if args.collection else None
    except ValueError as exc:
        raise InputError(f"--collection must be static, current or pack/NAME, not {args.collection[:80]!r}") from exc
    selection = Selection(collection, args.since, args.with_vectors)
    done = export(uri, args.file, selection, _counter("exporting"))
    print_result(args, asdict(done), f"{done.records} records written to {done.path} ({done.bytes:,} bytes)")


def check(args: argparse.Namespace, uri: str) -> None:
    """Report which parts of the store are sound.

    Raises:
        StoreError: something is damaged.
    """
    from kb.upkeep.check import check_store

    findings = check_store(uri)
    print(json.dumps([asdict(found) for found in findings], indent=1) if args.json else "\n".join(map(str, findings)))
    if not all(found.sound for found in findings):
        raise StoreError(f"the store at {uri} is damaged; what to do stands behind each point")


def optimize_store(args: argparse.Namespace, uri: str) -> None:
    """Compact the store."""
    from kb.upkeep.maintenance import optimize

    done = optimize(uri)
    text = (
        f"{done.records} records: {done.files_before} files became {done.files_after}, "
        f"{done.bytes_before:,} bytes {done.bytes_after:,}; {done.indexed} rows were indexed"
    )
    print_result(args, asdict(done), text)


def reset_store(args: argparse.Namespace, uri: str) -> None:
    """Delete the evidence."""
    from kb.upkeep.maintenance import reset

    count = reset(uri, args.yes)
    print_result(
        args, {"deleted": count}, f"{'a damaged store' if count is None else f'{count} records'} deleted from {uri}"
    )


def refresh_store(args: argparse.Namespace, refresh: Refresh) -> None:
    """Refresh the store, and print what each source returned."""
    report = refresh.run(args.force, args.dry_run, progress=counter_to("refreshing"))
    for source in report.sources:
        for problem in source.problems:
            print(problem, file=sys.stderr)
    for problem in report.works.problems:
        print(problem, file=sys.stderr)
    told = f"{report.brought} texts brought, {report.staged} of them new; "
    would = "would be " if args.dry_run else ""
    ends = f"{report.added} {would}added, {report.expired} expired {would}removed, {report.denied} denied"
    works = report.works
    ends += f"; {works.works} works with a DOI" * bool(works.works)
    ends += f", now marked as retracted: {', '.join(works.retracted)}" * bool(works.retracted)
    ends += f", no longer retracted: {', '.join(works.restored)}" * bool(works.restored)
    stale = "".join(f"\n{page.told}" for page in report.revisit.stale)
    print_result(args, asdict(report), f"{told}{ends}; {refresh.store.count()} records in the store{stale}")
    refresh.store.close()


def prune_store(args: argparse.Namespace, uri: str) -> None:
    """Remove expired records and those over the caps, or list them."""
    from kb.upkeep.retention import Caps, prune

    caps = Caps(args.max_per_source, args.max_static, args.max_current, args.max_records, args.max_bytes)
    report = prune(uri, caps, args.dry_run)
    lines = [f"{count:>8}  {reason}" for reason, count in report.by_reason.items()]
    if args.dry_run:
        lines += [f"{count:>8}  {domain}" for domain, count in list(report.by_domain.items())[:10]]
        lines += [
            f"  {going.usefulness:.3f}  {going.domain or '(none)'}: {going.text[:100]}" for going in report.examples
        ]
    if report.over:
        lines.append(f"{report.over} more are over the caps; they are starter facts or pinned, and stay")
    done = "would go" if args.dry_run else "removed"
    total = f"{report.removed} records {done}, {report.remain} remain; {report.bytes_before:,} bytes"
    lines.append(total if args.dry_run else f"{total} became {report.bytes_after:,}")
    print_result(args, asdict(report), "\n".join(lines))


def labelled_import(args: argparse.Namespace, claims: LabelledClaims) -> None:
    """Import a labelled claim set."""
    from kb.intake.formats.claim_sets import Dataset, read_claims

    rows = read_claims(args.file, Dataset(args.dataset), args.label or "")
    report = claims.add(rows, args.file.name, _counter("importing"))
    say_problems(report.problems, report.skipped)
    if not report.added + report.known:
        raise InputError(f"{args.file.name}: no row can be used; is it a file of the set {args.dataset}?")
    text = f"{report.added} added, {report.known} known already, {report.skipped} skipped"
    print_result(args, asdict(report), text)


def labelled_search(args: argparse.Namespace, claims: LabelledClaims, embed: Embed) -> None:
    """Show the labels that others gave to similar claims."""
    check_query(args.claim, args.limit)
    if not 0 <= args.min_similarity <= 1:
        raise InputError(f"--min-similarity must be from 0 to 1, not {args.min_similarity:g}")
    hits = claims.search(args.claim, embed([args.claim])[0], args.limit, args.min_similarity)
    rows = [{"says": hit.says, "similarity": round(hit.similarity, 4)} | asdict(hit.labelled) for hit in hits]
    lines = [f"{hit.similarity:.2f}  {hit.labelled.claim}\n      {hit.says}  {hit.labelled.source_url}" for hit in hits]
    print_result(args, rows, "\n".join(line.rstrip() for line in lines) or "no labelled claim is like this one")


def labelled_stats(args: argparse.Namespace, uri: str) -> None:
    """Count the labelled claims."""
    from kb.intake.labelled import stats

    counts = stats(uri)
    lines = [f"{name}: {', '.join(f'{mark} {n}' for mark, n in marks.items())}" for name, marks in counts.items()]
    print_result(args, counts, "\n".join(lines) or "no labelled claims yet")


def labelled_remove(args: argparse.Namespace, uri: str) -> None:
    """Delete the claims of one set."""
    from kb.intake.formats.claim_sets import Dataset
    from kb.intake.labelled import remove

    count = remove(uri, Dataset(args.dataset))
    print_result(args, {"removed": count}, f"{count} labelled claims removed")


def print_result(args: argparse.Namespace, value: Any, text: str) -> None:  # noqa: ANN401
    """Print a command's result, as JSON if requested, otherwise as text."""
    print(json.dumps(value, ensure_ascii=False, indent=1, default=str) if args.json else text)


def check_query(query: str, limit: int) -> None:
    """Refuse a query without words, or an unreasonable limit."""
    if not any(character.isalnum() for character in query):
        raise InputError("the query is empty: give some words to look for")
    if not 1 <= limit <= 1_000:
        raise InputError(f"--limit must be from 1 to 1,000, not {limit}")
