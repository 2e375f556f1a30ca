"""Measure what an instruct model adds to the rules, task by task.

The figures are right answers, answers that code rejects, seconds and tokens. Every row is answered by the rules and by
the model. What counts as right depends on the task:

- factual part: the words that a person wrote;
- parts: as many as a person wrote, each with three quarters of its words;
- queries: the share of the texts on the claim's subject that a search engine finds by them (BM25 over all texts of the
  news claims, five per query, as many queries of either);
- reasons: no figure and no name that is in neither claim nor piece.

With a file for the answers, those that it holds are not asked for again.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from errors import InputError, ModelError
from lab.evaluation.figures import Figure
from lab.evaluation.gathered import with_evidence
from lab.world.pages import Kind, Page
from lab.world.ranking import Index, parse_query
from lab.world.sites import Role, with_role
from models.hub.download import find_local
from models.llm.generator import Generator, Usage
from verifier.build import load_claim_type, load_embedder, load_models
from verifier.claim.extract import factual_part
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.claim.split import split_claim
from verifier.evaluation.cases import read_cases, with_texts_of_topic
from verifier.evaluation.stores import filled_store
from verifier.judgement.explain import Finding
from verifier.judgement.verdict import Circumstances, judge
from verifier.llm.assistant import Assistant, Limits
from verifier.schema import Evidence, Reason, Verdict
from verifier.settings import Settings

TASKS = ("factual_part", "parts", "long parts", "queries", "reasons")
_DATA = Path("tests/data")
_SECONDS = 120.0
_SAME = 0.75
_FOUND = 5
_GOLDEN = (5**0.5 - 1) / 2
"""Its multiples modulo 1 are spread evenly, however many are taken."""
_FEWER = 2
"""Reasons take several times as long as other tasks, so they get half the rows."""

Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One question of a task: how to ask it, and what the rules answer.

    `right` says how right an answer is (0 to 1).
    """

    task: str
    claim: str
    ask: Callable[[Assistant, Limits], Texts]
    rules: Texts
    right: Callable[[Texts], float]


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer, or why it does not count, with seconds and CPU seconds.

    `read` does not count the `kept` tokens.
    """

    task: str
    claim: str
    said: Texts
    failed: str
    seconds: float
    cpu: float
    read: int
    kept: int
    written: int


def evaluate(settings: Settings, limit: int | None = None, answers: Path | None = None) -> list[Figure]:
    """Return every task's figures by rules and by the model, of at most `limit` rows.

    Raises:
        InputError: there is no instruct model on this machine.
    """
    path = find_local(settings.llm)
    if path is None:
        raise InputError("there is no instruct model on this machine; run: python -m models download")
    generator = Generator(path, settings.threads)
    assistant = Assistant(lambda: generator)
    known = _read(answers)
    figures: list[Figure] = []
    for task in TASKS:
        rows = rows_of(task, settings, limit or 24)
        given = []
        for row in tqdm(rows, desc=task):
            answer = known.get((task, row.claim)) or _ask(row, assistant, generator)
            if answers and (task, row.claim) not in known:
                with answers.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")
            given.append(answer)
        figures += figures_of(rows, given)
    return figures


def rows_of(task: str, settings: Settings, limit: int) -> list[Row]:
    """At most `limit` rows of a task, spread evenly over its development rows."""
    if task == "factual_part":
        return _factual(settings, limit)
    if task in {"parts", "long parts"}:
        return _parts(task, _DATA / ("compound_claims.jsonl" if task == "parts" else "long_claims.jsonl"), limit)
    return _queries(limit) if task == "queries" else _reasons(settings, limit // _FEWER)


def figures_of(rows: Sequence[Row], answers: Sequence[Answer]) -> list[Figure]:
    """Return a task's figures; as in a check, the rules' answer replaces a rejected one."""
    count = len(rows)
    name = rows[0].task

    def figure(who: str, measure: str, values: Sequence[float]) -> Figure:
        return Figure("tasks", f"{name}, {who}", count, measure, sum(values) / max(1, len(values)))

    good = [row.right(answer.said) for row, answer in zip(rows, answers, strict=True) if not answer.failed]
    in_use = [row.right(answer.said or row.rules) for row, answer in zip(rows, answers, strict=True)]
    by_rules = [figure("rules", "right", [row.right(row.rules) for row in rows])] if rows[0].rules else []
    return [
        *by_rules,
        figure("model", "right", good),
        figure("model", "right, else rules", in_use),
        figure("model", "rejected", [bool(answer.failed) for answer in answers]),
        figure("model", "seconds", [answer.seconds for answer in answers]),
        figure("model", "CPU seconds", [answer.cpu for answer in answers]),
        figure("model", "tokens read", [answer.read for answer in answers]),
        figure("model", "kept", [answer.kept for answer in answers]),
        figure("model", "written", [answer.written for answer in answers]),
    ]


def _read(path: Path | None) -> dict[tuple[str, str], Answer]:
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["task"], row["claim"]): Answer(**{**row, "said": tuple(row["said"])}) for row in rows}


def _ask(row: Row, assistant: Assistant, generator: Generator) -> Answer:
    start, used = time.monotonic(), time.process_time()
    said, failed, generator.usage = Texts(), "", None
    try:
        said = row.ask(assistant, Limits(_SECONDS))
    except ModelError as exc:
        failed = str(exc)
    usage = generator.usage or Usage(0, 0, 0, 0.0, 0.0)  # stopped while reading the prompt
    seconds, cpu = round(time.monotonic() - start, 2), round(time.process_time() - used, 2)
    return Answer(row.task, row.claim, said, failed, seconds, cpu, usage.prompt - usage.kept, usage.kept, usage.written)


def _every(rows: Sequence[dict[str, object]], limit: int) -> list[dict[str, object]]:
    """Return `limit` rows, spread evenly; a lower limit gives a subset of a higher one."""
    order = sorted(range(len(rows)), key=lambda number: number * _GOLDEN % 1)
    return [rows[number] for number in order[:limit]]


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _factual(settings: Settings, limit: int) -> list[Row]:
    classifier = load_claim_type(settings)
    mixed = [row for row in _rows(_DATA / "claim_types.jsonl") if row["type"] == "MIXED"]
    found = []
    for row in _every(mixed, limit):
        claim, part = str(row["claim"]), _words(str(row["factual_part"]))
        by_rules = factual_part(claim, lambda text: classifier.probabilities(text)["FACTUAL"])
        found.append(
            Row(
                "factual_part",
                claim,
                lambda a, limits, claim=claim: (a.factual_part(claim, limits),),  # type: ignore[misc]
                (by_rules,),
                lambda said, part=part: float(_words(said[0]) == part),  # type: ignore[misc]
            )
        )
    return found


def _parts(task: str, path: Path, limit: int) -> list[Row]:
    found = []
    for row in _every(_rows(path), limit):
        claim, parts = str(row["claim"]), row["parts"]
        assert isinstance(parts, list)
        wanted = tuple(map(str, parts))
        found.append(
            Row(
                task,
                claim,
                lambda a, limits, claim=claim: tuple(a.parts(claim, limits)),  # type: ignore[misc]
                tuple(split_claim(parse_claim(claim))),
                lambda said, wanted=wanted: float(_same_parts(said, wanted)),  # type: ignore[misc]
            )
        )
    return found


def _same_parts(said: Texts, wanted: Texts) -> bool:
    pairs = zip(said, wanted, strict=False)
    return len(said) == len(wanted) and all(_shared(one, other) >= _SAME for one, other in pairs)


def _shared(one: str, other: str) -> float:
    first, second = set(_words(one)), set(_words(other))
    return len(first & second) / max(1, len(first | second))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _queries(limit: int) -> list[Row]:
    texts = _rows(_DATA / "news_passages.jsonl")
    index = Index([_page(row) for row in texts])
    settled = {"True", "False", "Partially True", "Misleading"}
    cases = [row for row in _rows(_DATA / "news_claims.jsonl") if row["split"] == "dev" and row["expected"] in settled]
    found = []
    for row in _every(cases, limit):
        claim, topic = str(row["claim"]), str(row["topic"])
        wanted = sum(text["topic"] == topic for text in texts)
        queries = make_plan(parse_claim(claim)).queries
        found.append(
            Row(
                "queries",
                claim,
                lambda a, limits, claim=claim, first=queries[0]: (first, *a.queries(claim, limits)),  # type: ignore[misc]
                queries,
                lambda said, topic=topic, wanted=wanted: _recall(index, said, topic, wanted),  # type: ignore[misc]
            )
        )
    return found


def _recall(index: Index, queries: Texts, topic: str, wanted: int) -> float:
    """Return the share of a topic's texts that the first three queries find.

    Only the first results of each query count.
    """
    hits = {
        hit.page.path
        for query in queries[:3]
        for hit in index.search(parse_query(query), _FOUND)
        if hit.page.event_id == topic
    }
    return len(hits) / wanted


def _page(row: dict[str, object]) -> Page:
    text = str(row["text"])
    site = with_role(Role.NEWS)[0]
    return Page(site, text, Kind.NEWS, "", (text,), datetime(2026, 1, 1, tzinfo=UTC), "", str(row["topic"]))


def _reasons(settings: Settings, limit: int) -> list[Row]:
    """Development news claims that the small models settle, with their evidence."""
    return [_reason_row(*each) for each in _settled(replace(settings, web=False), limit)]


def _settled(settings: Settings, limit: int) -> Iterator[tuple[Finding, str]]:
    cases = read_cases(_DATA / "news_claims.jsonl", "dev")
    chosen = with_texts_of_topic(cases[:: max(1, len(cases) // (3 * limit))], _DATA / "news_passages.jsonl")
    embedder = load_embedder(settings)
    models = load_models(settings, embedder)
    found = 0
    with filled_store(settings, embedder, None) as store:
        for case, plan, evidence in with_evidence("checks", chosen, models, store, settings):
            judged = judge(plan.claim, evidence, Circumstances(plan.time_bound, datetime.now(UTC)))
            if judged.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
                continue
            yield Finding(plan.claim, judged, evidence, range(1, len(evidence) + 1)), case.claim
            found += 1
            if found == limit:
                return


def _reason_row(finding: Finding, claim: str) -> Row:
    evidence = list(finding.evidence)

    def ask(assistant: Assistant, limits: Limits) -> Texts:
        reasons = assistant.reasons(claim, finding.judgement.verdict, evidence, limits)
        return tuple(_told(reason, evidence) for reason in reasons)

    known = f"{claim} {' '.join(piece.text for piece in evidence)}"
    return Row("reasons", claim, ask, (), lambda said: float(all(_holds(one, known) for one in said)))


def _told(reason: Reason, evidence: Sequence[Evidence]) -> str:
    return f"{reason.sentence}: \u201c{evidence[reason.position].text[reason.start : reason.end]}\u201d"


def _holds(sentence: str, known: str) -> bool:
    """Whether all figures and names of a sentence are in what is known.

    The first word does not count as a name.
    """
    telling = re.findall(r"\d+(?:[.,]\d+)*|(?<=\s)[A-Z]\w+", sentence.partition("\u201c")[0])
    return all(word in known for word in telling)
