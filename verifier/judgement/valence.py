"""Check whether a sentence says that the claim's subject does good or harm.

Example: "Smoking causes lung cancer", for "Smoking is good for the lungs". A small model confuses the two, and takes a
sentence that says neither for either. Code judges only claims of the form "X is good, bad, healthy, harmful, safe,
dangerous ... (for Y)". It judges only sentences that begin with X, or with going without it, and continue at once with
a harm or a good to people: no doses, cases, doubts, comparisons, animals or germs.
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
"""A sentence must say these outright: not everything that causes an illness is poison."""
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
"""Whom a thing is good or bad for, where any good or harm to people counts."""
_PARTS = frozenset(
    "heart lung liver skin tooth eye brain bone kidney stomach gut bowel hair memory blood pressure immune system muscle joint sleep digestion "
    "hearing eyesight mind child kid baby infant woman men pregnant teenager mental".split()
)
_IRREGULAR = {"teeth": "tooth", "children": "child", "women": "woman", "babies": "baby", "feet": "foot"}
_ILLS = (
    r"cancers?|diseases?|deaths?|illness(?:es)?|injur(?:y|ies)|infections?|poisoning|decay|asthma|strokes?|heart attacks?|"
    r"diabetes|birth defects|blindness|cavities|diarrh?oea|pneumonia|dementia|depression|miscarriages?|scurvy|cataracts"
)
_OF_THE_BODY = r"health|organs?|hearts?|lungs?|livers?|skin|brains?|kidneys?|bod(?:y|ies)|teeth|eyes?|bones?|muscles?|hearing|memory|mood|sleep|nervous system|people|children|babies"
_UP_TO = r"(?:[\w%-]+,? ){0,5}?"
_HARMS = re.compile(
    rf"(?:causes? {_UP_TO}(?:{_ILLS})\b"
    rf"|(?:is|are) (?:the|an?|one of the) {_UP_TO}causes? of {_UP_TO}(?:{_ILLS})\b"
    rf"|(?:raise|increase)s? (?:blood pressure\b|(?:the |your )?risk of {_UP_TO}(?:{_ILLS})\b)"
    rf"|(?:harm|damage)s? {_UP_TO}(?:{_OF_THE_BODY})\b"
    rf"|(?:is|are) (?:(?:{_HOW}) )?(?:{_BAD}|bad) (?:to|for) {_UP_TO}(?:{_OF_THE_BODY})\b)",
    re.IGNORECASE,
)
_HELPS = re.compile(
    rf"(?:(?:lower|reduce|cut)s? (?:the |your )?risk of {_UP_TO}(?:{_ILLS})\b"
    rf"|prevents? (?:(?!from\b)[\w%-]+,? ){{0,4}}?(?:{_ILLS})\b"
    rf"|protects? (?:the \w+ |\w+ )?(?:against|from) {_UP_TO}(?:{_ILLS})\b"
    rf"|(?:improve|strengthen)s? {_UP_TO}(?:{_OF_THE_BODY})\b"
    rf"|(?:is|are) (?:(?:{_HOW}) )?good for {_UP_TO}(?:{_OF_THE_BODY})\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"^(?:(?:also|always|[a-z]+ly)\s+)*")
_OF_HARM = re.compile(
    rf"\b(?:{_BAD}|{_ILLS}|harm\w*|danger\w*|damag\w*|toxi\w*|poison\w*|fatal\w*|lethal|carcinogen\w*)\b",
    re.IGNORECASE,
)
_OF_GOOD = re.compile(
    rf"\b(?:{_GOOD}|good for|benefi\w*|protect\w*|prevent\w*|improv\w*|strengthen\w*|lowers?|reduces?|lack|treat\w*)\b",
    re.IGNORECASE,
)
_OF_EITHER = re.compile(
    rf"{_OF_HARM.pattern}|{_OF_GOOD.pattern}|\b(?:good|bad|better|worse|safe\w*|health\w*|unhealth\w*|kill\w*|die[sd]?|risk\w*|sick\w*|ill|cure[sd]?|treat\w*|"
    r"essential|needed?|needs|vital|nutri\w*|vitamins?|hurts?|burn\w*|injur\w*|threat\w*|recommend\w*|avoid\w*|warn\w*|advis\w*|should|side effects?|"
    r"problems?|pollut\w*|weaken\w*|explo\w*|attack\w*|venom\w*|accident\w*|crash\w*|crime|disorders?|symptoms?|erod\w*|help\w*|disrupt\w*|disturb\w*|impair\w*|"
    r"loss\w*|delay\w*|age[sd]?|ageing|shorten\w*|bit(?:e|es|ten)|stings?|starv\w*|pressure|cholesterol|rich in|strong\w*|important|boost\w*|source of|lower\w*|reduc\w*)\b",
    re.IGNORECASE,
)
_WITHOUT = frozenset("stopping quitting avoiding reducing cutting less fewer lack without limiting no little".split())
"""Words that turn a subject into the thing's absence: "Stopping smoking improves health"."""
_TAKING = frozenset(
    "the a an drinking eating using taking regular regularly of tobacco cigarettes down in all most any".split()
)
"""Words that do not change what a subject is: "Drinking alcohol"; "too much water" is not the same as water."""
_LIMITED = re.compile(
    r"\b(?:than|less|fewer|few|little|lower|if|unless|but|although|only|more|can|sometimes|some (?:people|cases|users|studies|patients|crashes)|rarely|rare|occasionally|hardly|barely|seldom|mild|minor|thought|"
    r"feared|believed|once|one in|when|while|doses?|amounts?|quantit\w+|overdose|excess\w*|heavy|allerg\w+|under|late|early|former\w*)\b",
    re.IGNORECASE,
)
"""What limits a good or harm to some cases or a dose, or makes it a comparison or a doubt."""
_OTHERS = re.compile(
    r"\b(?:dogs?|cats?|pets?|animals?|birds?|bees?|fish|insects?|plants?|crops?|germs|bacteria|virus(?:es)?|microbes|cells|pests)\b",
    re.IGNORECASE,
)
"""Good or harm to these is not good or harm to people."""


def does_good_or_harm(claim: Statement, sentence: str) -> bool | None:
    """Return whether a sentence gives the subject the claimed good or harm (False: the opposite).

    None if the claim or the sentence says neither plainly, or the sentence is about something else.
    """
    asked = _asked(claim)
    subject = subject_of(sentence)[0]
    if asked is None or not subject or not sentence.startswith(subject) or NEGATION.search(sentence):
        return None
    said = _BETWEEN.sub("", sentence[len(subject) :].strip())
    clause = re.split(r"[;:]|, (?:and|but|while) ", said)[0]
    harms, helps = bool(_HARMS.match(clause)), bool(_HELPS.match(clause))
    without = _is_without(asked["what"], subject)
    limited = _LIMITED.search(sentence) or _OTHERS.search(sentence)
    if harms is helps or without is None or limited or not _is_for(asked["whom"] or "", clause):
        return None
    does_harm = harms is not without
    if asked["safe"] or asked["dangerous"]:  # doing good does not mean being safe
        return bool(asked["dangerous"]) is not bool(asked["not"]) if does_harm else None
    return does_harm is (bool(asked["bad"]) is not bool(asked["not"])) if asked["good"] or asked["bad"] else None


def says_nothing_of_good_or_harm(claim: Statement, text: str) -> bool:
    """Return whether a claim asserts good or harm to someone, and a text mentions neither."""
    asked = _asked(claim)
    return asked is not None and bool(asked["whom"]) and not _OF_EITHER.search(text)


def speaks_of_the_opposite(claim: Statement, text: str) -> bool:
    """Return whether a text speaks only of harm, and the claim of good or safety.

    Such a text does not support the claim.
    """
    asked = _asked(claim)
    if asked is None or not (asked["good"] or asked["safe"]) or not _WITHOUT.isdisjoint(words_of(asked["what"])):
        return False
    if NEGATION.search(text) or NEGATION.search(claim.text) or _LIMITED.search(text):
        return False
    return bool(_OF_HARM.search(text)) and not _OF_GOOD.search(text)


def _asked(claim: Statement) -> re.Match[str] | None:
    """Parse a claim that something is good or bad for people or their parts."""
    asked = _ASKED.match(claim.text.rstrip(" .!"))
    whom = _words(asked["whom"] or "") if asked else []
    return asked if asked and all(word in _ANYONE or word in _PARTS for word in whom) else None


def _is_without(what: str, subject: str) -> bool | None:
    """Return whether a sentence's subject is the absence of the claim's (False: the claim's itself).

    None if it is another subject.
    """
    wanted, said = words_of(what), words_of(subject)
    asked = [word for word in wanted if word not in _TAKING] or wanted
    left = [word for word in said if not any(are_forms_of_one(word, other) for other in asked)]
    if not asked or len(said) - len(left) < len(asked):
        return None
    without = any(word in _WITHOUT for word in left)
    return without if all(word in _WITHOUT or word in _TAKING for word in left) else None


def _is_for(whom: str, said: str) -> bool:
    """Return whether a sentence concerns whom or what the claim says is affected."""
    asked = _words(whom)
    if all(word in _ANYONE for word in asked):
        return True
    told = _words(said)
    return all(any(are_forms_of_one(word, other) for other in told) for word in asked if word in _PARTS)


def _words(text: str) -> list[str]:
    """Split a text into words of letters only, in the singular where that is known."""
    found = re.findall(r"[a-z]+", text.lower())
    return [_IRREGULAR.get(word, word[:-1] if len(word) > 3 and re.search("[^s]s$", word) else word) for word in found]
