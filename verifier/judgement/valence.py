"""Tell whether a sentence says that the claim's subject does good or harm: "Smoking causes lung cancer", of "Smoking is good for the lungs".

A small model takes the one for the other, and a sentence that says neither for either. Code judges only claims of the form
"X is good, bad, healthy, harmful, safe, dangerous ... (for Y)", and sentences that begin with X, or with going without it.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import subject_of
from verifier.claim.parsed import Statement
from verifier.judgement.signals import NEGATION
from verifier.text.forms import are_forms_of_one, words_of

_HEALTHY = "healthy|beneficial|nutritious|wholesome"
_UNHEALTHY = "unhealthy|harmful|damaging|detrimental"
_SAFE = "safe|harmless"
_DANGEROUS = "dangerous|unsafe"
_DEADLY = "hazardous|toxic|poisonous|deadly|carcinogenic"
"""What a thing is of which a sentence must say so itself: not all that causes an illness is poison."""
_GOOD, _BAD = f"{_HEALTHY}|{_SAFE}", f"{_UNHEALTHY}|{_DANGEROUS}|{_DEADLY}"
_HOW = (
    "very|really|actually|completely|totally|perfectly|extremely|quite|generally|always|absolutely|highly|entirely|so"
)
_ASKED = re.compile(
    rf"^(?P<what>.+?) (?:is|are|was|were|can be) (?P<not>not )?(?:(?:{_HOW}) )?"
    rf"(?:(?P<good>{_HEALTHY}|good(?= for))|(?P<bad>{_UNHEALTHY}|bad(?= for))|(?P<safe>{_SAFE})|(?P<dangerous>{_DANGEROUS})|(?:{_DEADLY}))"
    r"(?: (?:for|to) (?:the |an? )?(?P<whom>.+))?$",
    re.IGNORECASE,
)
_ANYONE = frozenset(
    "you your us our people everyone everybody anyone humans human person persons man health body bodies adults eat drink use touch breathe swallow take".split()
)
"""What a thing is good or bad for, where any good or harm that it does to people counts."""
_PARTS = frozenset(
    "heart lung liver skin tooth eye brain bone kidney stomach gut bowel hair memory blood pressure immune system muscle joint sleep digestion "
    "hearing eyesight mind child kid baby infant woman men pregnant teenager dog cat pet animal plant bee bird wildlife environment planet climate mental".split()
)
_IRREGULAR = {"teeth": "tooth", "children": "child", "women": "woman", "babies": "baby", "feet": "foot"}
_ILLS = (
    r"cancers?|diseases?|deaths?|damage|illness(?:es)?|harm|injur(?:y|ies)|infections?|poisoning|decay|asthma|strokes?|heart attacks?|"
    r"diabetes|birth defects|addiction|inflammation|COPD|blindness|cavities|diarrh?oea|pneumonia|dementia|depression|miscarriages?|scurvy"
)
_MEASURES = r"risks?|chances?|blood pressure|cholesterol"
_HARMS = re.compile(
    rf"\b(?:(?:harm|damage|kill|poison|injure|weaken|worsen|destroy|ruin|endanger)s?\b"
    rf"|(?:causes?|causing|leads? to|contributes? to)\b[^.;]*\b(?:{_ILLS})\b"
    rf"|(?:raise|increase)s?\b[^.;]*\b(?:{_MEASURES})\b"
    rf"|(?:is|are) (?:(?:{_HOW}) )?(?:{_BAD}|bad for)\b)",
    re.IGNORECASE,
)
_HELPS = re.compile(
    rf"\b(?:(?:lower|reduce|cut|decrease)s?\b[^.;]*\b(?:{_MEASURES})\b"
    rf"|prevents?\b[^.;]*\b(?:{_ILLS})\b"
    rf"|(?:improve|strengthen|benefit)s?\b"
    rf"|protects? (?:\w+ )?(?:against|from)\b"
    rf"|(?:is|are) (?:(?:{_HOW}) )?(?:{_GOOD}|good for)\b)",
    re.IGNORECASE,
)
_OF_HARM = re.compile(
    rf"\b(?:{_BAD}|{_ILLS}|bad|worse|harm\w*|danger\w*|damag\w*|toxi\w*|poison\w*|kill\w*|die[sd]?|fatal\w*|lethal|unhealth\w*|risks?|risky|sick\w*|"
    r"ill|carcinogen\w*|hurts?|burn\w*|injur\w*|threat\w*|avoid\w*|warn\w*|side effects?|problems?|pollut\w*|weaken\w*|explo\w*|attack\w*|"
    r"venom\w*|accident\w*|crime|disorders?|symptoms?|erod\w*)\b",
    re.IGNORECASE,
)
_OF_GOOD = re.compile(
    rf"\b(?:{_GOOD}|good|better|safe\w*|health\w*|benefi\w*|protect\w*|prevent\w*|improv\w*|help\w*|cure[sd]?|treat\w*|essential|needed?|needs|"
    r"vital|nutri\w*|vitamins?|recommend\w*|advis\w*|should|strengthen\w*|lower\w*|reduc\w*)\b",
    re.IGNORECASE,
)
_WITHOUT = frozenset("stopping quitting giving avoiding reducing cutting less fewer lack without limiting no".split())
"""Words of a subject that make it the thing's absence: "Stopping smoking improves health"."""
_TAKING = frozenset(
    "the a an drinking eating using taking breathing inhaling smoking regular regularly of tobacco cigarettes up down in all most any to exposure".split()
)
"""Words of a subject that leave it what it is: "Drinking alcohol"; "too much water" is another thing than water."""
_LIMITED = re.compile(
    r"\b(?:than|less|fewer|if|unless|but|although|only|more|can|sometimes|rarely|occasionally|mild|minor)\b",
    re.IGNORECASE,
)
"""What makes a good or a harm one of some cases, or a comparison."""


def does_good_or_harm(claim: Statement, sentence: str) -> bool | None:
    """Whether a sentence says of the claim's subject the good or harm that the claim does (True) or the other (False).

    None where the claim or the sentence says neither plainly, or the sentence of something else.
    """
    asked = _asked(claim)
    subject = subject_of(sentence)[0]
    if asked is None or not subject or NEGATION.search(sentence):
        return None
    said = sentence[sentence.find(subject) + len(subject) :]
    harms, helps = bool(_HARMS.search(said)), bool(_HELPS.search(said))
    without = _is_without(asked["what"], subject)
    if harms is helps or without is None or _LIMITED.search(said) or not _is_for(asked["whom"] or "", said):
        return None
    does_harm = harms is not without
    if asked["safe"] or asked["dangerous"]:  # to do good is not to be safe
        return bool(asked["dangerous"]) is not bool(asked["not"]) if does_harm else None
    return does_harm is (bool(asked["bad"]) is not bool(asked["not"])) if asked["good"] or asked["bad"] else None


def says_nothing_of_good_or_harm(claim: Statement, text: str) -> bool:
    """Whether a claim says that something does good or harm, and a text has no word of either."""
    return _asked(claim) is not None and not (_OF_GOOD.search(text) or _OF_HARM.search(text))


def speaks_of_the_opposite(claim: Statement, text: str) -> bool:
    """Whether a claim says that something does good and a text has words of harm alone, or the other way round: it does not support the claim."""
    asked = _asked(claim)
    if asked is None or NEGATION.search(text):
        return False
    good, bad = bool(_OF_GOOD.search(text)), bool(_OF_HARM.search(text))
    return good is not bad and bad is (bool(asked["good"] or asked["safe"]) is not bool(asked["not"]))


def _asked(claim: Statement) -> re.Match[str] | None:
    """The claim's parts, where it says that a thing is good or bad for people, a part of them or another living thing."""
    asked = _ASKED.match(claim.text.rstrip(" .!"))
    whom = _words(asked["whom"] or "") if asked else []
    return asked if asked and all(word in _ANYONE or word in _PARTS for word in whom) else None


def _is_without(what: str, subject: str) -> bool | None:
    """Whether a sentence's subject is going without the claim's (True), or the claim's itself (False); None where it is another."""
    wanted, said = words_of(what), words_of(subject)
    asked = [word for word in wanted if word not in _TAKING] or wanted
    left = [word for word in said if not any(are_forms_of_one(word, other) for other in asked)]
    if not asked or len(said) - len(left) < len(asked):
        return None
    without = any(word in _WITHOUT for word in left)
    return without if all(word in _WITHOUT or word in _TAKING for word in left) else None


def _is_for(whom: str, said: str) -> bool:
    """Whether what a sentence says touches what the claim's good or harm is done to."""
    asked = _words(whom)
    if all(word in _ANYONE for word in asked):
        return True
    told = _words(said)
    return all(any(are_forms_of_one(word, other) for other in told) for word in asked if word in _PARTS)


def _words(text: str) -> list[str]:
    """The words of a text, the letters alone, each in the singular where that is known."""
    found = re.findall(r"[a-z]+", text.lower())
    return [_IRREGULAR.get(word, word[:-1] if len(word) > 3 and re.search("[^s]s$", word) else word) for word in found]
