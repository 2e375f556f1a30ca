"""What a claim of any kind becomes when it is put to a search engine."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from verifier.claim.english import english_words
from verifier.claim.parsed import parse_claim
from verifier.claim.plan import make_plan
from verifier.claim.queries import MAX_CHARACTERS, cleaned
from verifier.text.language import InEnglish

OPERATOR = re.compile(
    r"(?<![\w.])[^\W\d_]{2,20}:(?=\S)|(?<![\w)'\u2019])[-+!~^]\w|\b(?:OR|AND|NOT|NEAR)\b|[\\|*\[\]{}<>^~`]"
)
"""What search engines take for an instruction: a field, a sign before a word, a joining word, a wildcard."""

CLAIMS = {
    "The Eiffel Tower in Paris is 330 metres tall": ("Eiffel Tower", "Paris", "330"),
    "Norway had 5.5 million people in January 2024": ("Norway", "5.5", "2024"),
    "Apple sold 230 million iPhones in 2023, more than Samsung": ("Apple", "230", "2023", "Samsung"),
    "Inflation in Argentina reached 211% last year": ("Argentina", "211%"),
    "The mayor of Velm paid $4.5m for a statue": ("Velm", "$4.5m"),
    "On 5 May 2023 the World Health Organization ended the emergency": ("World Health Organization", "5 May 2023"),
    "Einstein said \u201cimagination is more important than knowledge\u201d": ("imagination is more important", "Einstein"),
    'Ana Orso told the Courier "we will not sell the harbour"': ("we will not sell the harbour", "Ana Orso"),
    "It is a myth that Napoleon Bonaparte was short": ("Napoleon Bonaparte",),
    "It is not true that NASA faked the Moon landing in 1969": ("NASA", "1969"),
    "There is no truth in the claim that Bill Gates owns 80% of farmland": ("Bill Gates", "80%"),
    "Vaccines don't cause autism, says the CDC": ("CDC",),
    "Temperatures in Oymyakon fell to -67.7 degrees in 1933": ("Oymyakon", "67.7", "1933"),
    "\U0001f6a8\U0001f6a8 BREAKING: Lake Orso has dried up!!! \U0001f631 #breaking #LakeOrso": ("Lake Orso",),
    "@someone @other The Velm bridge collapsed in 2024 https://t.co/abc123": ("Velm", "2024"),
    "#MeToo began in 2006 with Tarana Burke": ("MeToo", "2006", "Tarana Burke"),
    "COVID-19 vaccines contain 5G chips": ("COVID-19", "5G"),
    "H.R. 1319 gave $1,400 to most Americans": ("1319", "$1,400"),
    "Dr. Maria Velasco of the University of Turku won the 2021 Orso Prize": ("Maria Velasco", "Turku", "2021"),
    "NASA'S ARTEMIS II FLEW AROUND THE MOON IN 2026": ("ARTEMIS", "2026"),
    "the tunnel between dover and calais is 50 km long": ("dover", "calais", "50"),
    "Did Lionel Messi score 91 goals in 2012?": ("Lionel Messi", "91", "2012"),
    "Beyonc\u00e9 and Bj\u00f6rk met in S\u00e3o Paulo in 2019": ("Beyonc\u00e9", "Bj\u00f6rk", "S\u00e3o Paulo", "2019"),
    "The C++ language was made at Bell Labs in 1979": ("Bell Labs", "1979"),
    "AT&T bought Time Warner for $85 billion": ("Time Warner", "$85"),
    "The score was 3-2 after 90 minutes in Orso": ("3-2", "90", "Orso"),
    "He ran the marathon in 2:01:09 in Berlin": ("2:01:09", "Berlin"),
    "Between 1990 and 2020, 420 million hectares of forest were lost, says the FAO": ("1990", "2020", "420", "FAO"),
    "J.K. Rowling wrote seven books about Harry Potter": ("Rowling", "Harry Potter"),
    "Iceland is larger than the island of Ireland": ("Iceland", "Ireland"),
    "site:evil.example OR \" The bridge in Velm fell in 2019": ("Velm", "2019"),
    "-reuters -bbc intitle:hoax The bridge in Velm fell in 2019": ("Velm", "2019"),
    "!g \\ The bridge (in Velm) fell in 2019 | filetype:pdf AND NOT *": ("Velm", "2019"),
    "after:2020-01-01 before:2021 source:evil lang:xx near:\"Velm\" The Velm bridge fell": ("Velm",),
}  # fmt: skip
LONG = {
    "Because heat was expected all over the country on that Sunday, the organisers of the Port Lassiter Marathon, who had "
    "long been asked for it by doctors and by runners alike, let it begin two hours earlier than in all the years before, yet "
    "a mere 3,000 of the 11,500 people who had paid for a place lined up at the start near the harbour, said Tomas Vielle": (
        "Port Lassiter Marathon", "3,000", "11,500", "Tomas Vielle"
    ),
    "word " * 120 + "and the mayor of Velm paid 12 million francs to Ana Orso": ("Velm", "12"),
    'She said "' + "we have never in all our lives seen so much water " * 2 + '" when Lake Orso rose by 4 metres in 2024': ("Orso",),
    "x" * 1900 + " in 2024": ("2024",),
}  # fmt: skip
STRANGE = [
    "?", "a", '"""', "\\\\\\", "site:", "OR OR OR", "- - -", "#", "@a @b", "#one #two #three", "https://t.co/abc", "\U0001f631",
    '"' * 50, "( [ {", "-" * 500 + "a", "\u201c" * 20 + "b", "a\u0300" * 400, "!!!", ": : :", "no", "12", "-5", "...", "site:a site:b",
]  # fmt: skip


def assert_harmless(claim: str, queries: tuple[str, ...]) -> None:
    """Hold the queries of any claim to their number, their length, and words that steer no search."""
    assert 1 <= len(queries) <= 4
    for query in queries:
        assert query.strip() == query and query and len(query) <= MAX_CHARACTERS
        assert query.count('"') % 2 == 0 and "\n" not in query
        outside = re.sub(r'"[^"]*"', " ", query)
        assert not OPERATOR.search(outside), (claim, query)
    sets = [frozenset(re.findall(r'"[^"]*"|\w+', query.lower())) for query in queries]
    assert len(set(sets)) == len(sets), queries


@pytest.mark.parametrize("claim", [*CLAIMS, *LONG])
def test_every_query_keeps_names_or_figures_and_nothing_that_steers_a_search(claim: str) -> None:
    queries = make_plan(parse_claim(claim)).queries
    assert_harmless(claim, queries)
    assert len(queries) >= 2
    telling = (CLAIMS | LONG)[claim]
    for query in queries:
        assert any(word in query for word in telling), query
    assert any(query.startswith("fact check ") for query in queries)
    for query in queries[1:]:
        assert len(query.removeprefix("fact check ").removesuffix(" false or true").split()) <= 12, query


@pytest.mark.parametrize("claim", CLAIMS)
def test_between_them_the_queries_keep_all_that_is_telling(claim: str) -> None:
    queries = make_plan(parse_claim(claim)).queries
    assert [word for word in CLAIMS[claim] if not any(word in query for query in queries)] == []


@pytest.mark.parametrize("claim", STRANGE)
def test_whatever_is_typed_gives_a_query(claim: str) -> None:
    queries = make_plan(parse_claim(claim)).queries
    assert 1 <= len(queries) <= 4 and all(query.strip() and len(query) <= MAX_CHARACTERS for query in queries)


def test_any_mixture_of_words_and_operators_gives_harmless_queries() -> None:
    pieces = [
        "site:evil.example", "OR", "AND", "NOT", '"', "\\", "-reuters", "+x", "!g", "~a", "intitle:", "filetype:pdf", "|", "*", "(", ")",
        "Velm", "the mayor of", "2019", "12 million", "Ana Orso", "don't", "#tag", "@who", "\u201c", "\u201d", ":", "-", "'", "\U0001f631",
        "It is a myth that", "https://evil.example/?q=site:a", "\u202e", "a:b:c", "near/3", "^2", "{x}", "[y]", "<z>", "`", "5 May", "-5%",
    ]  # fmt: skip
    made = random.Random(3)
    for _ in range(600):
        claim = "bridge " + made.choice([" ", ""]).join(made.choices(pieces, k=made.randint(1, 60)))
        assert_harmless(claim, make_plan(parse_claim(claim)).queries)


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ("It is a myth that the Great Wall of China is visible from the Moon", '"Great Wall of China" visible Moon'),
        ("Coffee doesn't stunt growth", "Coffee stunt growth"),
        ("Ana Orso never won the Velm Prize in 2019", '"Ana Orso" won Velm Prize 2019'),
        ("The bridge in Velm opened on 5 May 2023.", "bridge Velm opened 5 May 2023"),
        ("He may have sold 3 boats in May 2020", "sold 3 boats May 2020"),
    ],
)
def test_denials_and_their_frames_are_not_searched_for(claim: str, query: str) -> None:
    assert make_plan(parse_claim(claim)).queries[1] == query


@pytest.mark.parametrize(
    ("claim", "plain"),
    [
        ("@a @b The bridge opened. #breaking #news https://t.co/x", "The bridge opened."),
        ("The bridge has fallen! #Velm #breaking", "The bridge has fallen! Velm"),
        ("#Velm", "Velm"),
        ("site:evil.example The bridge fell", "site evil.example The bridge fell"),
        ("It fell to -5 degrees -reuters", "It fell to \u22125 degrees reuters"),
        ('He said "no" and "', "He said no and"),
        ("Yes OR no \\ maybe", "Yes or no maybe"),
        ('He said "no" to Ana (Velm) at 2:14', 'He said "no" to Ana (Velm) at 2:14'),
    ],
)
def test_the_first_query_is_the_claim_without_what_is_not_part_of_it(claim: str, plain: str) -> None:
    assert cleaned(claim) == plain == make_plan(parse_claim(claim)).queries[0]


@pytest.mark.parametrize(
    ("claim", "english"),
    [
        ("Die Bundesregierung hat 2023 in Deutschland 1,5 Milliarden Euro ausgegeben", "2023 Germany 1.5 billion"),
        ("Россия потеряла 300 тысяч солдат в Украине в 2023 году", "Russia 300 thousand Ukraine 2023"),
        ("Алексей Навальный вернулся в Москву 17 января 2021 года", "Aleksey Navalnyy Moscow 17 January 2021"),
        ("La France comptait 68,5 millions d'habitants en 2024", "France 68.5 million 2024"),
        ("El gobierno de España aprobó 20 leyes en marzo de 2022, según Pedro Sánchez", "Spain 20 March 2022 Pedro Sánchez"),
        ("L'Italia ha vinto contro la Germania nel 2012", "Italy Germany 2012"),
        ("O Brasil tem 210.000.000 de habitantes, segundo os dados do IBGE", "Brazil 210,000,000 IBGE"),
        ("中国人口有14亿", "China 1,400,000,000"),
        ("日本の人口は1億2000万人です", "Japan 120,000,000"),
        ("قالت الأمم المتحدة إن عدد سكان مصر بلغ ١٠٥ مليون نسمة", "United Nations Egypt 105 million"),
        ("Ο Κυριάκος Μητσοτάκης είπε ότι η Ελλάδα έχει 10,4 εκατομμύρια κατοίκους", "Kyriakos Mitsotakis Greece 10.4 million"),
        ("Polska ma 38 milionów mieszkańców, podała Unia Europejska", "Poland 38 million European Union"),
        ("भारत ने 2023 में चीन को पीछे छोड़ा", "India 2023 China"),
    ],
)  # fmt: skip
def test_a_claim_in_another_language_is_asked_for_in_english_too(claim: str, english: str) -> None:
    assert parse_claim(claim).english is InEnglish.NO
    queries = make_plan(parse_claim(claim)).queries
    assert queries[0] == cleaned(claim) and queries[1] == english and f"fact check {english}" in queries
    assert_harmless(claim, queries)


def test_where_the_language_is_unsure_the_original_is_asked_for_first() -> None:
    claim = "Louis Pasteur discovered penicillin"
    parsed = parse_claim(claim)
    assert parsed.english is InEnglish.PERHAPS
    unsure, sure = (make_plan(replace(parsed, english=english)).queries for english in (parsed.english, InEnglish.YES))
    assert unsure[:3] == sure[:3] and unsure[3] == "Louis Pasteur"


@pytest.mark.parametrize("claim", ["The Earth is flat", "Water boils at 50C at sea level", "12", "?"])
def test_english_claims_are_asked_for_in_english_alone(claim: str) -> None:
    assert parse_claim(claim).english is InEnglish.YES


@pytest.mark.parametrize("text", ["", "la casa es grande", "x" * 5_000, "\u4e00" * 5_000, "А" * 5_000, "1." * 3_000])
def test_without_names_there_is_little_to_say_in_english(text: str) -> None:
    assert sum(len(word.split()) for word in english_words(text)) <= 12
