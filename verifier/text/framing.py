"""Remove the frame of a claim about a statement; say whether it denies it.

A frame is "It is a myth that ...". A small stance model reads the statement's words and misses the frame around them.
So evidence is read for the statement, and what supports the statement counts against a claim that denies it.
"""

from __future__ import annotations

import re

_FALSEHOOD = (
    r"(?:(?:a|an|the|just|simply|only|nothing but|all|complete(?:ly)?|total(?:ly)?|pure(?:ly)?|utter(?:ly)?|common|popular|widespread|old|urban|"
    r"persistent|outright|demonstrably|entirely|simply)\s+)*"
    r"(?:myths?|hoax(?:es)?|lies?|falsehoods?|misconceptions?|fallac(?:y|ies)|fabrications?|legends?|conspiracy theor(?:y|ies)|fake news|false|untrue|incorrect|wrong|"
    r"nonsense|baseless|made up|not true|not correct|not the case|not a fact)"
)
_TRUTH = r"(?:(?:a|the|just|simply|well|widely|scientifically|in fact|indeed)\s+)*(?:fact|truth|true|correct|the case|proven|known|confirmed)"
_IT = r"(?:it|this)(?:['\u2019]s| is| was)\s+"
_DENIALS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:{_IT}){_FALSEHOOD}\s+that\s+(?P<said>.+)$",
        r"^(?:it(?: is|['\u2019]s)n['\u2019]t|it is not)\s+(?:(?:actually|really|at all)\s+)?(?:true|correct|the case|a fact)\s+that\s+(?P<said>.+)$",
        r"^there(?: is|['\u2019]s) no truth (?:(?:in|to) (?:the|a) (?:claim|idea|rumou?r|story|belief) )?that\s+(?P<said>.+)$",
        rf"^(?:the (?:claim|idea|notion|belief|story|rumou?r|assertion) )?that\s+(?!(?:\w+ed|is|was|were|has|had|won|made)\b)(?P<said>.+?)\s+(?:is|was)\s+{_FALSEHOOD}$",
    )
)
_ASSERTIONS = (re.compile(rf"^(?:{_IT}){_TRUTH}\s+that\s+(?P<said>.+)$", re.IGNORECASE),)


def unframed(claim: str) -> tuple[str, bool]:
    """Return the statement that a claim is about, and whether the claim denies it.

    A claim without such a frame is its own statement.
    """
    text = claim.strip().rstrip(".!")
    for patterns, denied in ((_DENIALS, True), (_ASSERTIONS, False)):
        for pattern in patterns:
            found = pattern.match(text)
            if found:
                said = found["said"]
                return said[:1].upper() + said[1:], denied
    return claim, False
