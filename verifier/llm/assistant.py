"""Ask an instruct model questions during a check. The model proposes; this code decides.

Every answer is JSON with a fixed schema, checked against the claim or the evidence before it counts. A factual part
uses the claim's own words; parts leave out no figure; queries add none; quotations appear in their text. What a text
says about a claim is not written at all: it is the likelihood of three answers. Any failure is a `ModelError`, and the
caller continues without the model. Claim and evidence reach the model as JSON strings, so nothing in them can end the
string early.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from errors import AnswerUnusable, GenerationTimeout, PromptTooLong
from models.llm.chat import Message, Speaker
from models.llm.grammar import Schema
from verifier.claim.translation import known_names_of, lost_in_translation, without_comment
from verifier.interfaces import Generator
from verifier.llm.likelihood import calibration_of, read_text
from verifier.schema import SIDE_OF, Advice, Evidence, Reason, Stance, Verdict
from verifier.text.language import name_of
from verifier.text.numerals import with_english_figures
from verifier.text.sanitise import readable
from verifier.text.stems import stems

MAX_PROMPT_TOKENS, MAX_ANSWER_TOKENS = 1000, 200
CLASSIFY, JUDGE = 0.0, 0.1
"""Temperatures: what has one right answer is not sampled."""
TRANSLATIONS = 2
"""Maximum number of requests for one translation."""
MAX_QUERIES, MAX_PARTS, MAX_REASONS = 4, 5, 3
_FOLDER = Path(__file__).parent / "prompts"
_SENTENCES = {"type": "string", "minLength": 3, "maxLength": 300}
_NUMBER = re.compile(r"\[\d+\]")
_SPLIT_FIGURE = re.compile(r"(?<=\d), (?=\d{3}(?!\d))")
_NO_MARKS = re.compile(r"[][\u201c\u201d\"]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task: its prompt version, the instructions, and the question template."""

    version: int
    task: str
    question: str


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a question may take, and whether its answer is still wanted."""

    seconds: float
    cancel: threading.Event = field(default_factory=threading.Event)


@cache
def load_prompt(name: str) -> Prompt:
    """Load the prompt of that name from `verifier/llm/prompts`."""
    head, _, rest = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n")
    task, _, question = rest.partition("\n---\n")
    return Prompt(int(head.removeprefix("version: ")), task, question.strip())


class Assistant:
    """Asks an instruct model about claims. Safe to share between threads."""

    def __init__(self, load: Callable[[], Generator], rewrites: bool = True) -> None:
        """`load` makes the model on first use; if it fails, every question raises its `ModelError`.

        `rewrites`: whether the model also removes opinions, splits claims and writes queries, as rules do.
        """
        self._load, self.rewrites = load, rewrites
        self._loaded: Generator | None = None
        self._lock = threading.Lock()

    @property
    def _generator(self) -> Generator:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def factual_part(self, claim: str, limits: Limits) -> str:
        """Extract what can be checked in a MIXED claim, in its own words.

        Raises:
            ModelError: no answer in time, or one with other words than the claim's.
        """
        said = self._text("factual_part", "factual_part", claim, limits)
        words = _words(said)
        if not 3 <= len(words) <= len(_words(claim)) or not set(words) <= {*_words(claim), "a", "an", "the", "is"}:
            raise AnswerUnusable(f"the factual part is not in the claim's own words: {said!r}")
        return said

    def english(self, claim: str, limits: Limits, language: str = "") -> str:
        """Translate a claim from another language into English.

        The model reads the claim's figures as English writes them. A translation that fails its check is requested once
        more, with what is wrong with it, in the remaining time.

        Args:
            claim: the claim as it was made.
            limits: how long it may take.
            language: its code (ISO 639-1).

        Raises:
            ModelError: no answer in time, or one that lost or added a figure or name.
        """
        told = json.dumps(with_english_figures(claim, language), ensure_ascii=False)
        names = ", ".join(known_names_of(claim, language))
        hint, end = f"Names in it: {names}" if names else "", time.monotonic() + limits.seconds
        said = lost = ""
        for _ in range(TRANSLATIONS):
            wrong = f"Not right, {lost}: {json.dumps(said, ensure_ascii=False)}" if lost else ""
            values = {"claim": told, "language": name_of(language), "hints": "\n".join(filter(None, (hint, wrong)))}
            left = Limits(end - time.monotonic(), limits.cancel)
            answer = self._ask("english", _object(translation=_SENTENCES), CLASSIFY, left, **values)
            said = _SPLIT_FIGURE.sub(",", " ".join(str(answer["translation"]).split()))
            said = without_comment(claim, said)
            lost = lost_in_translation(claim, language, said)
            if not lost:
                return said
        raise AnswerUnusable(f"the translation does not hold, {lost}: {said!r}")

    def parts(self, claim: str, limits: Limits) -> list[str]:
        """Split a claim into its statements, one to five, each complete in itself.

        Raises:
            ModelError: no answer in time, or one that adds words or leaves out a figure.
        """
        found = self._texts("parts", "statements", claim, limits, 1, MAX_PARTS)
        known = _stems(claim)
        if any(not _stems(part) <= known for part in found) or set(_figures(claim)) - set(_figures(" ".join(found))):
            raise AnswerUnusable(f"the parts do not say what the claim says: {found}")
        return found

    def queries(self, claim: str, limits: Limits) -> list[str]:
        """Write two to four queries that may find what settles a claim.

        Those that add a figure are dropped.

        Raises:
            ModelError: no answer in time, or no usable one.
        """
        found = self._texts("queries", "queries", claim, limits, 2, MAX_QUERIES)
        usable = [query for query in found if set(_figures(query)) <= set(_figures(claim))]
        if len(usable) < 2:
            raise AnswerUnusable(f"the queries bring in figures that the claim does not have: {found}")
        return usable

    def advice(self, statement: str, texts: Sequence[str], limits: Limits) -> Advice:
        """Judge by likelihood whether each text supports, refutes or leaves open the statement.

        The model writes nothing. The texts are read in order; those not reached in time, or too long for the model, are
        left out.

        Raises:
            ModelError: not one text could be read.
        """
        end = time.monotonic() + limits.seconds
        generator, prompt = self._generator, load_prompt("stance")
        calibration = calibration_of(generator.name)
        stances: list[Stance] = []
        for text in texts:
            left = Limits(end - time.monotonic(), limits.cancel)
            try:
                readings = read_text(generator, prompt, statement, text, left)
            except (GenerationTimeout, PromptTooLong):
                if not stances:
                    raise
                break
            stances.append(calibration.stance(readings))
        return Advice(tuple(stances), len(texts) - len(stances))

    def reasons(self, claim: str, verdict: Verdict, evidence: Sequence[Evidence], limits: Limits) -> list[Reason]:
        """Explain the verdict, one sentence per piece.

        Only the pieces on the verdict's side are shown.

        Raises:
            ModelError: no answer in time, or one that misquotes a piece or adds a figure.
        """
        places = _telling(verdict, evidence)
        telling = [evidence[place] for place in places]
        shown, block = self._numbered("reasons", claim, telling)
        each = _object(
            sentence={"type": "string", "minLength": 10, "maxLength": 240},
            piece={"type": "integer"},
            quote={"type": "string", "minLength": 3, "maxLength": 160},
        )
        schema = _object(reasons={"type": "array", "items": each, "minItems": 1, "maxItems": MAX_REASONS})
        values = {"claim": json.dumps(claim), "verdict": str(verdict), "evidence": block}
        rows = self._ask("reasons", schema, JUDGE, limits, **values)["reasons"]
        if not isinstance(rows, list):
            raise AnswerUnusable("the model gave no list of reasons")
        reasons = [_reason(row, claim, telling[:shown]) for row in rows]
        return [replace(reason, position=places[reason.position]) for reason in reasons]

    def _numbered(self, name: str, claim: str, evidence: Sequence[Evidence]) -> tuple[int, str]:
        """Number the pieces that fit in the prompt, sanitised, best first; return count and lines."""
        prompt = load_prompt(name)
        count = self._generator.count_tokens
        room = MAX_PROMPT_TOKENS - count(prompt.task) - count(prompt.question) - count(json.dumps(claim))
        lines: list[str] = []
        for number, piece in enumerate(evidence, start=1):
            line = f"{number}: {json.dumps(readable(piece.text), ensure_ascii=False)}"
            room -= count(line)
            if room < 0:
                break
            lines.append(line)
        if not lines:
            raise AnswerUnusable(
                f"claim and evidence are longer than the {MAX_PROMPT_TOKENS} tokens that a prompt may have"
            )
        return len(lines), "\n".join(lines)

    def _text(self, name: str, key: str, claim: str, limits: Limits) -> str:
        value = self._ask(name, _object(**{key: _SENTENCES}), CLASSIFY, limits, claim=json.dumps(claim))
        return " ".join(str(value[key]).split())

    def _texts(self, name: str, key: str, claim: str, limits: Limits, least: int, most: int) -> list[str]:
        schema = _object(**{key: {"type": "array", "items": _SENTENCES, "minItems": least, "maxItems": most}})
        found = self._ask(name, schema, CLASSIFY, limits, claim=json.dumps(claim))[key]
        if not isinstance(found, list):
            raise AnswerUnusable(f"the model gave no list of {key}")
        return list(dict.fromkeys(" ".join(str(text).split()) for text in found))

    def _ask(self, name: str, schema: Schema, temperature: float, limits: Limits, **values: str) -> dict[str, object]:
        prompt = load_prompt(name)
        messages = [Message(Speaker.SYSTEM, prompt.task), Message(Speaker.USER, prompt.question.format(**values))]
        answer = self._generator.answer(
            messages,
            schema,
            max_tokens=MAX_ANSWER_TOKENS,
            temperature=temperature,
            deadline=limits.seconds,
            cancel=limits.cancel,
        )
        if not isinstance(answer, dict):
            raise AnswerUnusable(f"the model gave no object for {name}")
        return dict(answer)


def _object(**properties: Schema) -> dict[str, object]:
    return {"type": "object", "properties": properties}


def _positions(numbers: object, shown: int) -> list[int]:
    """Return the positions of numbered pieces.

    Raises:
        ModelError: no piece has one of the numbers.
    """
    asked = numbers if isinstance(numbers, list) else [numbers]
    found = [number - 1 for number in asked if isinstance(number, int) and 1 <= number <= shown]
    if len(found) < len(asked):
        raise AnswerUnusable(f"the model names evidence that is not there: {asked} of {shown}")
    return found


def _telling(verdict: Verdict, evidence: Sequence[Evidence]) -> Sequence[int]:
    """Choose positions of the best pieces on the verdict's side; either side if it is in between; all if none takes one."""
    sides = {SIDE_OF.get(verdict)} if verdict in SIDE_OF else set(SIDE_OF.values())
    taking = [place for place, piece in enumerate(evidence) if piece.stance and piece.stance.label in sides]
    return taking[:MAX_REASONS] or range(len(evidence))


def _reason(row: object, claim: str, shown: Sequence[Evidence]) -> Reason:
    if not isinstance(row, dict):
        raise AnswerUnusable("the model gave a reason that is no object")
    (position,) = _positions(row["piece"], len(shown))
    text = shown[position].text
    quote, sentence = str(row["quote"]).strip(), " ".join(_NUMBER.sub(" ", str(row["sentence"])).split())
    start = text.find(quote)
    if start < 0 or not quote or _NO_MARKS.search(quote):
        raise AnswerUnusable(f"the model quotes what its piece does not say: {quote!r}")
    if not set(_figures(sentence)) <= set(_figures(f"{claim} {text}")):
        raise AnswerUnusable(f"the model brings in a figure: {sentence!r}")
    return Reason(_NO_MARKS.sub("", sentence).rstrip(".: "), position, start, start + len(quote))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _stems(text: str) -> set[str]:
    """Return the stems that carry meaning: of words with four letters or more, no numbers."""
    return {stem for stem in stems(text, shortest=4) if not stem.isdecimal()}


def _figures(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,]\d+)*", text)
