"""Decide whether a text can be checked, and if only a part can, which."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from errors import ModelError
from verifier.claim.clauses import clauses_of
from verifier.claim.extract import factual_part, judges
from verifier.claim.parsed import ParsedClaim
from verifier.interfaces import Classifier
from verifier.schema import ClaimType, Classification
from verifier.text.figures import figures
from verifier.text.framing import unframed

_REASONS = {
    ClaimType.FACTUAL: "it states something that can be checked",
    ClaimType.OPINION: "it is a preference, a judgement of value or a guess, which no evidence can settle",
    ClaimType.AMBIGUOUS: "it does not say who or what it is about clearly enough to be looked up",
}

SURELY_FACTUAL = 0.8
"""Lowest probability at which a clause of an opinion counts as a separate fact."""
SURELY_OPEN = 0.55
"""Lowest probability at which a claim counts as an opinion or as unclear.

Refusing a fact is worse than looking for evidence of an opinion: of 2,241 development claims, 9 facts are refused with
it and 14 without, and one more of 440 held-out texts is looked up.
"""
SURELY_JUDGING = 0.95
"""Lowest probability at which the last clause of a claim counts as a judgement."""
_LAST_CLAUSE = re.compile(
    r"(?:[,:;]\s+|\s[-\u2013\u2014]\s+|\s(?=and|but|because))((?:which|an?|as|that|and|but|yet|so|because|where)\b [^,:]+)$",
    re.IGNORECASE,
)
_OF_A_WORD = (("Their {} plan", 0.9), ("It is {}.", 0.5))
"""A word judges if both are opinions.

Of 29 plain modifiers none passes the first; "opinion" and "insult" pass both.
"""
_STRESS = re.compile(
    r"\b(?:very|extremely|really|truly|quite|absolutely|totally|completely|incredibly|unbelievably)\s+|"
    r"\bperfect(?:ly)?\s+(?=(?:sphere|circle|square|cube|ball|round|spherical|circular|vacuum)\b)",
    re.IGNORECASE,
)
"""Words that stress a quality; without them a measurable quality is a plain fact.

Examples: "extremely short", "a perfect sphere".
"""
_KIND_OF = re.compile(r"\ban? (?:kind|type|sort|form) of (?=[a-z])", re.IGNORECASE)
"""The model takes "Bats are a kind of bird" for an opinion, and "Bats are bird" for a fact."""
_ALSO_KINDS = re.compile(r"\b(?:music|dance|religion|star|disease|drug)$", re.IGNORECASE)
"""Kinds only after "a kind of": "Jazz is a kind of music", but not "Football is a religion"."""
_MAY = re.compile(r"^(in [a-z ]{3,30}, [^,]{3,60}?) may( never| not| only|)(?= [a-z])", re.IGNORECASE)
"""The model takes a rule with "may" for an opinion: "In football, the goalkeeper may never touch the ball"."""
_MEASURED_EFFECT = re.compile(
    r"\b(?:un)?healthy\b|\b(?:harmful|harmless|toxic|poisonous|carcinogenic|addictive|contagious|effective|ineffective)\b|"
    r"\b(?:good|bad|better|worse) for (?:(?:you|people)\b|(?:your |the |human )?(?:health|heart|eyes?|eyesight|teeth|skin|brain|lungs|liver|kidneys?|"
    r"bones?|joints?|body|environment|climate)\b)",
    re.IGNORECASE,
)
"""Effects that studies measure, though the words judge: "unhealthy", "bad for your heart"."""
_RULE = re.compile(
    r"\b(?:must|(?:have|has|needs?) to) be (?:at (?:least|most)|over|under|older|younger|aged|no (?:more|less|older|younger))\b",
    re.IGNORECASE,
)
"""A demand of a law or a rule, with a figure.

Example: "must be at least 35".
"""
_NUMBER = r"(?:about |exactly |only )?(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|sixty|a (?:hundred|thousand|million))"
_DEFINED = re.compile(
    rf"^(?:(?:an?|one|every|each) [a-z-]+(?: [a-z]+)? (?:is|are|is worth|has|have|equals|lasts|contains|consists of) {_NUMBER}\b|there are {_NUMBER} [a-z]+ in (?:an?|one|every|each) [a-z]+\b|"
    r"(?:(?:an?|the) )?[a-z-]+ (?:is|are|means?) (?:(?:an?|the) )?(?:(?:words?|terms?|names?|study|science|sum|product|distance) (?:that|which|of|for|between)|(?<=the )(?:person|people|money) (?:that|who|which))\b)",
    re.IGNORECASE,
)
"""What a thing is, or how much of something it has, by definition.

Examples: "A decade is ten years", "A dime is worth ten cents", "Antonyms are words that ..."."""
_KINDS = (
    "animals?|mammals?|birds?|fish|insects?|reptiles?|amphibians?|rodents?|predators?|pollinators?|decomposers?|species|breeds?|pets?|plants?|trees?|"
    "flowers?|grass(?:es)?|crops?|grains?|fruits?|vegetables?|berr(?:y|ies)|nuts?|spices?|herbs?|foods?|dish(?:es)?|drinks?|beverages?|sports?|games?|"
    "metals?|minerals?|elements?|gas(?:es)?|liquids?|acids?|alloys?|rocks?|gems?|planets?|moons?|galax(?:y|ies)|organs?|muscles?|bones?|glands?|"
    "hormones?|proteins?|vitamins?|bacteri(?:um|a)|fung(?:us|i)|instruments?|languages?|currenc(?:y|ies)|fabrics?|fuels?|proverbs?"
)
_OF_A_KIND = re.compile(
    rf"^(?!(?:this|that|these|those|he|she|it|they|your|his|her|their|life|love)\b)[\w' -]{{2,40}}? (?:is|are) (?:(?:an?|the) )?(?:[a-z-]+ )?(?:{_KINDS})$",
    re.IGNORECASE,
)
"""The kind of a thing, perhaps with one more word.

Examples: "Wolves are social animals", "Bread is a staple food".
"""
_STANDING = re.compile(r"\b(?:important|major|main|key|staple) ", re.IGNORECASE)
"""Words before a kind that judge little: "an important crop"."""
_SENSED = re.compile(
    r"^(?!(?:this|that|these|those|he|she|it|they|your|his|her|their|life|love|revenge|victory|success)\b)[\w' -]{2,40}? (?:is|are|tastes?) (?:sweet|sour|salty|wet|sticky|transparent|flammable|magnetic|acidic)$",
    re.IGNORECASE,
)
"""A quality that anyone can sense or that is measured: "Honey is sweet"."""
_FRAMED = re.compile(r"^(?:I|we|my|our|in my|in our|everyone|everybody|nobody)\b", re.IGNORECASE)
_PLAIN_WORD, _MAX_WORDS = re.compile(r"(?<![\w'\u2019-])[a-z][a-z-]{3,}(?![\w'\u2019])"), 40
_CHECKED = {ClaimType.FACTUAL, ClaimType.MIXED}
_CLOSING = frozenset(".!?")
ORDER = re.compile(
    r"^(?:please|(?:do not|don['\u2019]t|just|now|never|always) )?[,\s]*(?:please )?(?:answer|click|consider|disregard|follow|forget|give|ignore|imagine|judge|"
    r"let|listen|look|mind|note|obey|output|pay|read|remember|repeat|reply|respond|return|say|see|share|show|stop|take|tell|think|translate|"
    r"wait|watch|write)\b(?! (?:is|was|are|were|has|have|had)\b)",
    re.IGNORECASE,
)

_LABEL = re.compile(
    r"^\W*(?:verdict|rating|answer(?: key)?|note|nb|system|assistant|instruction)s?\b[^.!?]{0,120}:|^[(\[{<].*[)\]}>]\W*$",
    re.IGNORECASE | re.DOTALL,
)
_PROSE = 0.75
"""Lowest share of letters and spaces at which a sentence is prose."""


def classify(claim: ParsedClaim, classifier: Classifier) -> Classification:
    """Return a claim's type and reason, with the factual part of a MIXED claim.

    Any other claim is returned as it is, errors included. A claim of several sentences is typed sentence by sentence: the
    factual ones are what is checked, and `unclear` lists those that do not say what they are about. A failing classifier
    is no reason to refuse: the claim then counts as FACTUAL, and `fell_back` says so. The same holds for a claim in a
    language that the classifier does not read.
    """
    if claim.foreign:
        reason = f"its type is not told: it is written in another language ({claim.foreign}), and the bundled models read English"
        return Classification(ClaimType.FACTUAL, reason, claim.text, fell_back=True)
    try:
        if len(claim.sentences) > 1:
            return _of_several(claim.sentences, classifier)
        return _of_framed(claim.text, (claim.statement.text, claim.denied), classifier)
    except ModelError as exc:
        return Classification(
            ClaimType.FACTUAL,
            f"the classifier failed ({exc}), so the text is checked as it stands",
            claim.text,
            fell_back=True,
        )


def _of_several(statements: Sequence[str], classifier: Classifier) -> Classification:
    """Type several statements together.

    Those that state a fact are checked, each with a full stop.
    """
    kinds = [(one, None if _states_nothing(one) else _of_one(one, classifier)) for one in statements]
    facts = [kind for _, kind in kinds if kind and kind.claim_type in _CHECKED]
    unclear = tuple(one for one, kind in kinds if kind and kind.claim_type is ClaimType.AMBIGUOUS)
    judging = [one for one, kind in kinds if kind is None or kind.claim_type is ClaimType.OPINION]
    if not facts:
        typed = [kind for _, kind in kinds if kind]
        surest = max(typed, key=lambda kind: max(kind.probabilities.values())) if typed else None
        return replace(surest, claim=" ".join(statements)) if surest else _of_one(" ".join(statements), classifier)
    mixed = bool(judging) or any(kind.claim_type is ClaimType.MIXED for kind in facts)
    reason = _REASONS[ClaimType.FACTUAL]
    if mixed:
        reason = "it contains a judgement beside facts; only the facts are checked"
        reason += f", not: {' '.join(judging)}" if judging else ""
    return Classification(
        ClaimType.MIXED if mixed else ClaimType.FACTUAL,
        reason,
        " ".join(kind.claim if kind.claim[-1:] in _CLOSING else f"{kind.claim}." for kind in facts),
        facts[0].probabilities,
        unclear=unclear,
    )


def _states_nothing(sentence: str) -> bool:
    """Return whether a sentence cannot be true or false.

    It asks, orders, labels, is in brackets or is not prose.
    """
    prose = sum(character.isalpha() or character.isspace() for character in sentence) >= _PROSE * len(sentence)
    return sentence.endswith("?") or bool(ORDER.match(sentence) or _LABEL.match(sentence)) or not prose


def _of_one(claim: str, classifier: Classifier) -> Classification:
    """Return the type of one sentence; see `_of_framed`."""
    return _of_framed(claim, unframed(claim), classifier)


def _of_framed(claim: str, framing: tuple[str, bool], classifier: Classifier) -> Classification:
    """Return the type of one sentence.

    A denial has the type of the statement that it denies, and stays a denial.

    Raises:
        ModelError: the model failed.
    """
    statement, denied = framing
    if denied:
        kind = _of_one(statement, classifier)
        return replace(kind, claim=claim if kind.claim == statement else f"It is not true that {kind.claim}")
    probabilities = classifier.probabilities(claim)
    claim_type = ClaimType(max(probabilities, key=lambda label: probabilities[label]))
    if claim_type in {ClaimType.OPINION, ClaimType.AMBIGUOUS}:
        plain = probabilities[claim_type] < SURELY_OPEN or (bool(_DEFINED.match(claim)) and not judges(claim))
    else:
        plain = claim_type is ClaimType.MIXED and not _is_judging(claim, classifier)
    if plain:
        return Classification(ClaimType.FACTUAL, _REASONS[ClaimType.FACTUAL], claim, probabilities)
    if claim_type is ClaimType.MIXED:
        return _mixed(claim, probabilities, lambda text: classifier.probabilities(text)[ClaimType.FACTUAL])
    if claim_type is ClaimType.OPINION and _is_measurable(claim, classifier):
        return Classification(ClaimType.FACTUAL, _REASONS[ClaimType.FACTUAL], claim, probabilities)
    if claim_type is ClaimType.OPINION:
        facts = [part for part in _parts(claim) if classifier.probabilities(part)[ClaimType.FACTUAL] >= SURELY_FACTUAL]
        if facts:  # a judgement and a fact about one subject: "Chocolate is delicious and contains caffeine"
            part = facts[0] if len(facts) == 1 else " ".join(f"{fact}." for fact in facts)
            return Classification(ClaimType.MIXED, _only(part), part, probabilities)
    return Classification(claim_type, _REASONS[claim_type], claim, probabilities)


def _is_measurable(claim: str, classifier: Classifier) -> bool:
    """Return whether what the model takes for an opinion can be measured.

    It can if it gives a figure, a kind, a sensed quality or an effect that studies measure, or is a fact without
    its words of stress, "a kind of", or "may" for "is allowed to".

    Raises:
        ModelError: the model failed.
    """
    if _FRAMED.match(claim):
        return False
    plain = _MAY.sub(r"\1 is\2 allowed to", _KIND_OF.sub("", _STRESS.sub("", claim)))
    unhedged = _KIND_OF.sub("", claim)
    bare = unhedged.rstrip(" .!")
    if _SENSED.match(bare):
        return True
    if _OF_A_KIND.match(bare) or (unhedged != claim and _ALSO_KINDS.search(bare)):
        return not _is_judging(_STANDING.sub("", bare), classifier)
    if _MEASURED_EFFECT.search(claim):
        return not judges(_MEASURED_EFFECT.sub("so", plain))
    if judges(plain):
        return False
    if plain != claim:
        return classifier.probabilities(plain)[ClaimType.FACTUAL] >= SURELY_FACTUAL
    return _RULE.search(claim) is not None and any(figures(claim))


def _is_judging(claim: str, classifier: Classifier) -> bool:
    """Return whether a claim holds a judgement that can be pointed at.

    That is a word of the lists, its last clause, or a word that the model knows. Without this, the model takes one
    plain fact in twenty about unheard-of people and things for a mixed claim.

    Raises:
        ModelError: the model failed.
    """
    if judges(claim):
        return True
    last = _LAST_CLAUSE.search(claim)  # "..., a childish tantrum", "... and no beer is worth that"
    if last and classifier.probabilities(last[1])[ClaimType.OPINION] >= SURELY_JUDGING:
        return True
    words = dict.fromkeys(_PLAIN_WORD.findall(claim)[:_MAX_WORDS])
    return any(
        all(classifier.probabilities(frame.format(word))[ClaimType.OPINION] >= least for frame, least in _OF_A_WORD)
        for word in words
    )


def _parts(claim: str) -> list[str]:
    """Return the clauses of a claim that has several; else none."""
    parts = clauses_of(claim)
    return parts if len(parts) > 1 else []


def _only(part: str) -> str:
    return f"it contains a judgement beside a fact; only the fact is checked: {part}"


def _mixed(claim: str, probabilities: dict[str, float], is_factual: Callable[[str], float]) -> Classification:
    part = factual_part(claim, is_factual)
    if part == claim:
        reason = "it contains a judgement beside the fact, but the two could not be separated"
    else:
        reason = _only(part)
    return Classification(ClaimType.MIXED, reason, part, probabilities)
