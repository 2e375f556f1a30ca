"""Words for persons, bodies, places and things that stand for an earlier name.

Examples: "the company", "the bridge".
"""

from __future__ import annotations

import re

PERSONS = frozenset(
    "president minister king queen prince princess scientist physicist chemist biologist economist author writer poet novelist actor actress "
    "singer player footballer athlete artist painter composer politician senator governor mayor director founder chairman chairwoman doctor "
    "professor man woman lawyer judge general architect engineer inventor philosopher historian journalist".split()
)
_BODIES = frozenset(
    "company firm group manufacturer maker retailer bank airline startup organisation organization agency charity club team band party "
    "newspaper university school college hospital museum library".split()
)
FIRMS = frozenset("company firm group manufacturer maker retailer airline startup".split())
BUSINESS = re.compile(
    r"\b(?:revenues?|profits?|shares|employ(?:s|ed|ees)|founded|headquarter\w*|chief executive|CEO|customers|subsidiary|acquired|jobs|AG|plc|Ltd|Inc|GmbH|quarter|turnover|a loss)\b"
)
"""What shows that a sentence is about a company."""
PLACES = frozenset("city town village capital country nation state province region island river lake mountain".split())
THINGS = frozenset(
    "bridge tower building church castle stadium airport station ship vessel aircraft plane film movie novel book song album series show game "
    "study report law bill treaty agreement telescope satellite spacecraft mission drug vaccine virus disease".split()
)
NOUNS = PERSONS | _BODIES | PLACES | THINGS
NO_PERSON = frozenset(
    "inc ltd corp corporation company group bank university college school institute museum library hospital church bridge tower river lake "
    "mountain mount island islands street park city north south east west new united republic kingdom union council party league ministry "
    "department office agency association society club football court house tribune times post news world european american national royal "
    "international central san los las saint st the airport station stadium cup game games prize prizes award awards act treaty war".split()
)
TITLES = frozenset(
    "mr mrs ms dr prof sir dame lord lady president senator governor minister mayor king queen prince judge general".split()
)
ROLES = PERSONS | frozenset(
    "spokesman spokeswoman spokesperson husband wife son daughter brother sister father mother parents friend colleague boy girl child student "
    "pupil teacher official officer driver policeman soldier witness patient nurse victim suspect neighbour worker owner boss leader manager "
    "executive coach captain trainer candidate opponent successor predecessor rival partner person guest visitor reporter editor judge guard".split()
)
"""Words for a person who may be unnamed and be the one meant next."""
MEASURES = frozenset(
    "length height depth width thickness weight size age speed area volume loss profit revenue turnover income share rate number total average sum "
    "cost price rise fall increase decrease growth decline end start beginning middle time year month week day century decade half third quarter "
    "rest part majority most lot way same first last result reason fact case".split()
)
"""What a thing has or does; "it" seldom means one of these."""


def is_plural(noun: str) -> bool:
    """Return whether a noun has the form of a plural."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
