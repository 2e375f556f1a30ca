from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kb.record import NewEvidence, Origin
from verifier.check.gather import Models
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.evidence.retrieve import from_texts
from verifier.evidence.sufficiency import AUTHORITY
from verifier.judgement.aggregate import aggregate
from verifier.judgement.citations import problems
from verifier.judgement.explain import Finding, explain, explain_parts
from verifier.judgement.quotation import MAX_QUOTE
from verifier.judgement.reading import read
from verifier.judgement.stance import judge_stances, stance_of
from verifier.judgement.verdict import CONFLICT, Circumstances, held_back
from verifier.judgement.verdict import judge as judge_claim
from verifier.schema import Basis, Citation, Evidence, Judgement, Stance, StanceLabel, Tier, Verdict

FOR, AGAINST, OPEN = Stance(0.95, 0.03, 0.02), Stance(0.03, 0.95, 0.02), Stance(0.05, 0.05, 0.9)
NEWS, BLOG, OTHER = "https://www.reuters.com/a", "https://blog.example/a", "https://other.example/a"
CHECKER, OFFICIAL, SOCIAL = "https://www.snopes.com/a", "https://www.nasa.gov/a", "https://x.com/a"


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def judge(evidence: list[Evidence], time_bound: bool = False) -> Judgement:
    return judge_claim(parse_claim("The rate fell"), evidence, Circumstances(time_bound, NOW))


def finding(evidence: list[Evidence], claim: str = "The rate fell") -> Finding:
    return Finding(
        parse_claim(claim),
        judge_claim(parse_claim(claim), evidence, Circumstances()),
        evidence,
        range(1, len(evidence) + 1),
    )


def piece(stance: Stance, source: str, text: str = "A text. It has two sentences.", stored: bool = True) -> Evidence:
    (found,) = from_texts([NewEvidence(text, source, origin=Origin.KB if stored else Origin.USER)])
    return replace(found, stance=stance, relevance=4.0, record_id="id" if stored else "")


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        ([], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(OPEN, OFFICIAL), piece(OPEN, NEWS)], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(FOR, BLOG), piece(FOR, OTHER)], Verdict.TRUE),
        ([piece(AGAINST, BLOG), piece(AGAINST, OTHER)], Verdict.FALSE),
        ([piece(FOR, OFFICIAL)], Verdict.TRUE),
        ([piece(FOR, BLOG)], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(FOR, BLOG), piece(FOR, "https://blog.example/b")], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(FOR, "https://bbc.co.uk/a"), piece(FOR, "https://bbc.com/b")], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(FOR, NEWS), piece(AGAINST, OFFICIAL)], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(FOR, NEWS), piece(AGAINST, CHECKER)], Verdict.NOT_ENOUGH_EVIDENCE),
        ([piece(AGAINST, OFFICIAL), piece(AGAINST, NEWS), piece(AGAINST, CHECKER), piece(FOR, SOCIAL)], Verdict.FALSE),
        ([piece(FOR, "", stored=False)], Verdict.TRUE),
    ],
)
def test_the_verdict_follows_the_votes(evidence: list[Evidence], verdict: Verdict) -> None:
    assert judge(evidence).verdict is verdict


def test_one_authority_may_decide_but_never_with_high_confidence() -> None:
    assert piece(FOR, OFFICIAL).credibility >= AUTHORITY
    assert judge([piece(FOR, OFFICIAL)]).tier is Tier.MEDIUM
    assert judge([piece(FOR, OFFICIAL), piece(FOR, NEWS)]).tier is Tier.HIGH


def test_contradiction_and_social_media_keep_confidence_low() -> None:
    divided = judge([piece(AGAINST, OFFICIAL), piece(AGAINST, NEWS), piece(AGAINST, CHECKER), piece(FOR, SOCIAL)])
    assert divided.tier is Tier.LOW and "opposite" in divided.notes[0]
    assert judge([piece(FOR, NEWS), piece(AGAINST, OFFICIAL)]).tier is Tier.LOW
    social = [piece(FOR, SOCIAL), piece(FOR, "https://www.facebook.com/a"), piece(FOR, "https://www.reddit.com/a")]
    assert judge(social).tier is Tier.LOW


@pytest.mark.parametrize(
    ("others", "verdict"),
    [
        ([], Verdict.NOT_ENOUGH_EVIDENCE),
        ([(FOR, BLOG)], Verdict.NOT_ENOUGH_EVIDENCE),
        ([(FOR, BLOG), (FOR, OTHER)], Verdict.TRUE),
        ([(FOR, OFFICIAL)], Verdict.TRUE),
        ([(AGAINST, OFFICIAL), (AGAINST, NEWS)], Verdict.FALSE),
        ([(AGAINST, BLOG), (AGAINST, OTHER)], Verdict.FALSE),
    ],
)
def test_social_media_are_context_and_decide_nothing(others: list[tuple[Stance, str]], verdict: Verdict) -> None:
    sites = (SOCIAL, "https://www.facebook.com/a", "https://www.reddit.com/a", "https://someone.blogspot.com/a")
    posts = [piece(FOR, url, f"Post number {n} says so.") for n, url in enumerate(sites)]
    reports = [piece(stance, url, f"Report number {n}.") for n, (stance, url) in enumerate(others)]
    found = judge([*posts, *reports])
    assert found.verdict is verdict
    if not others:
        assert "only social media take a side" in (found.told, *found.notes)[0] and found.tier is Tier.LOW


def test_one_authority_beside_social_media_decides_alone() -> None:
    found = judge([piece(FOR, OFFICIAL), piece(FOR, SOCIAL, "A post says so.")])
    assert found.verdict is Verdict.TRUE and found.tier is not Tier.HIGH
    assert found.told.startswith("1 independent source supports")


def test_posts_that_the_user_hands_over_are_judged_by_but_never_surely() -> None:
    sites = (SOCIAL, "https://www.facebook.com/a", "https://www.reddit.com/a")
    posts = [piece(FOR, url, f"Post number {n} says so.", stored=False) for n, url in enumerate(sites)]
    for given in (posts[:1], posts):
        found = judge(given)
        assert found.verdict is Verdict.TRUE and found.tier is Tier.LOW and "only social media" in found.notes[0]
    paper = piece(FOR, NEWS, "A report says so.", stored=False)
    assert judge([*posts, paper]).tier is not Tier.LOW
    assert judge(posts[:1]).confidence < judge([paper]).confidence


def test_what_held_a_verdict_back_is_told() -> None:
    assert judge([piece(FOR, BLOG)]).held_back.endswith(
        "needs two independent sources, or one of credibility 0.9 or more"
    )
    assert judge([piece(FOR, OFFICIAL)]).held_back == judge([piece(OPEN, NEWS)]).held_back == ""
    assert aggregate([judge([piece(FOR, BLOG)]), judge([piece(FOR, OFFICIAL)])]).held_back
    assert not aggregate([judge([piece(FOR, BLOG)]), judge([piece(AGAINST, OFFICIAL)])]).held_back


def test_a_rating_that_a_blog_gives_itself_counts_for_nothing() -> None:
    post = replace(piece(OPEN, "https://someone.blogspot.com/a", "The rate fell, they say."), rating="Misleading")
    assert judge([post]).verdict is Verdict.NOT_ENOUGH_EVIDENCE
    check = replace(piece(OPEN, CHECKER, "The rate fell, they say."), rating="Misleading")
    assert judge([check]).verdict is Verdict.MISLEADING


def test_confidence_is_never_certainty() -> None:
    many = [piece(Stance(1, 0, 0), f"https://agency{n}.gov/a") for n in range(5)]
    assert 0.9 < judge(many).confidence <= 0.99
    assert judge([]).confidence <= 0.99


@pytest.mark.parametrize(
    ("claim", "text", "label"),
    [
        ("The Earth is flat", "Earth is not flat. Earth is an oblate spheroid.", StanceLabel.REFUTES),
        ("Water boils at 50C", "Water boils at 100 degrees Celsius at sea level.", StanceLabel.REFUTES),
        (
            "The UN was founded in 1945",
            "The United Nations came into existence on 24 October 1945.",
            StanceLabel.SUPPORTS,
        ),
        (
            "The UN was founded in 1955",
            "The United Nations came into existence on 24 October 1945.",
            StanceLabel.REFUTES,
        ),
        ("Vaccines cause autism", "Vaccines do not cause autism.", StanceLabel.REFUTES),
        (
            "The mayor sold the hospital",
            "A viral post says the mayor sold the hospital. That is false.",
            StanceLabel.REFUTES,
        ),
        ("The bridge is 412 metres long", "The parliament of Norway has 169 members.", StanceLabel.NEUTRAL),
        ("Unemployment rose in May", "Unemployment fell in May, the agency said.", StanceLabel.REFUTES),
    ],
)
def test_the_real_model_tells_the_stances_apart(models: Models, claim: str, text: str, label: StanceLabel) -> None:
    assert stance_of(parse_claim(claim), text, models.stance)[0].label is label


def test_every_piece_gets_a_stance_and_what_it_has_is_kept(models: Models) -> None:
    judged = judge_stances(
        parse_claim("The Earth is flat"), [replace(piece(OPEN, NEWS), stance=None), piece(FOR, NEWS)], models.stance
    )
    assert judged[0].stance is not None and judged[1].stance == FOR


class Recorded:
    """Every text is judged alike; the texts are kept."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        pass

    def probabilities(self, *texts: str) -> dict[str, float]:
        self.texts.append(texts[1])
        return {"SUPPORTS": 0.1, "REFUTES": 0.8, "NOT ENOUGH INFO": 0.1}


def test_the_whole_text_and_its_closest_sentence_are_read() -> None:
    recorded = Recorded()
    read(parse_statement("The rate fell"), "It rained. The rate fell.", recorded)
    assert recorded.texts == ["It rained. The rate fell.", "The rate fell."]
    recorded.texts.clear()
    read(parse_statement("The rate fell"), "It fell.", recorded)
    assert recorded.texts == ["It fell."]


def test_a_text_in_another_language_is_left_open_and_says_so() -> None:
    recorded = Recorded()
    stance, note = stance_of(
        parse_claim("The tower is 330 metres tall"), "Der Turm in Paris ist 330 Meter hoch.", recorded
    )
    assert stance.label is StanceLabel.NEUTRAL and "another language (de)" in note and recorded.texts == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("The tower rises 120 metres.", "it says 120 metres, the claim 90 metres"),
        ("A post says the tower is 90 metres tall.", "it reports what somebody said"),
        ("The claim that the tower is 90 metres tall is false.", ""),
        ("Is the tower 90 metres tall?", "it asks the question"),
        ("In the novel the tower is 90 metres tall.", "it speaks of something imagined"),
        ("The tower is 90 metres tall.", ""),
    ],
)
def test_the_note_says_how_a_text_speaks(text: str, note: str) -> None:
    found = read(parse_statement("The tower is 90 metres tall"), text, Recorded()).note
    assert found.startswith(note) and bool(found) is bool(note)


def test_the_reasoning_quotes_and_cites_what_is_there() -> None:
    evidence = [
        piece(OPEN, BLOG, "Something else."),
        piece(AGAINST, NEWS, "It fell by 3%."),
        piece(AGAINST, OFFICIAL, "The rate fell."),
    ]
    reasoning, citations = explain(finding(evidence))
    assert "contradicts the claim" in reasoning and "nasa.gov says \u201cThe rate fell\u201d [3]" in reasoning
    assert {citation.number for citation in citations} == {2, 3}
    assert problems(reasoning, citations, evidence) == []
    assert 2 <= reasoning.count(". ") + 1 <= 4


def test_one_publisher_is_quoted_once_a_side() -> None:
    evidence = [piece(FOR, NEWS, "First."), piece(FOR, NEWS, "Second."), piece(FOR, OFFICIAL, "Third.")]
    _, citations = explain(finding(evidence))
    assert sorted(citation.number for citation in citations) in ([1, 3], [2, 3])


def test_listed_publishers_are_cited_first_where_there_are_three() -> None:
    listed = [piece(FOR, url, f"Text {n}.") for n, url in enumerate((NEWS, OFFICIAL, CHECKER))]
    loud = replace(piece(FOR, BLOG, "Loud."), credibility=1.0, relevance=9.0)
    _, citations = explain(finding([loud, *listed]))
    assert all(citation.number != 1 for citation in citations)
    _, few = explain(finding([loud, listed[0]]))
    assert few[0].number == 1


def test_both_sides_of_a_conflict_are_quoted() -> None:
    found = judge([piece(FOR, NEWS), piece(AGAINST, OFFICIAL)])
    assert found.held_back == CONFLICT and found.notes == (CONFLICT,) and found.tier is Tier.LOW
    evidence = [piece(FOR, NEWS, "It rose."), piece(AGAINST, OFFICIAL, "It fell.")]
    reasoning, citations = explain(finding(evidence))
    assert len(citations) == 2 and "For it" in reasoning and "Against it" in reasoning


def test_what_only_the_model_reads_is_not_quoted_against_plain_words() -> None:
    plain = replace(piece(FOR, OFFICIAL, "The rate fell."), basis=Basis.WORDS)
    read_so = piece(AGAINST, BLOG, "The rate has a name of its own.")
    found = replace(finding([plain, read_so]), judgement=Judgement(Verdict.TRUE, 0.8, Tier.MEDIUM, (), "1 source"))
    reasoning, (citation,) = explain(found)
    assert citation.number == 1 and "Against it" not in reasoning
    stated = replace(read_so, basis=Basis.WORDS)
    assert "Against it" in explain(replace(found, evidence=[plain, stated]))[0]


def test_a_long_quotation_is_cut_at_a_word_and_stays_word_for_word() -> None:
    evidence = [piece(FOR, OFFICIAL, "word " * 100 + "end.")]
    reasoning, (citation,) = explain(finding(evidence))
    assert len(citation.quote) <= MAX_QUOTE and citation.quote.endswith("word")
    assert problems(reasoning, (citation,), evidence) == []


def test_without_evidence_nothing_is_cited() -> None:
    reasoning, citations = explain(finding([]))
    assert citations == () and "No relevant evidence" in reasoning


@pytest.mark.parametrize(
    "text",
    [
        "The tower is 330 m tall [7] and \u201cgrows\u201d in summer.",
        "He called it \u201cflat\u201d [1] and \u201cround\u201d [12] on one day.",
    ],
)
def test_marks_of_a_source_are_not_citations(text: str) -> None:
    evidence = [piece(FOR, OFFICIAL, text), replace(piece(FOR, "", text), title="Notes [3] \u201cx\u201d [4]")]
    reasoning, citations = explain(finding(evidence))
    assert len(citations) == 2
    assert problems(reasoning, citations, evidence) == []


@pytest.mark.parametrize(
    ("reasoning", "citation", "words"),
    [
        ("It is \u201cA text\u201d [2].", Citation(2, "A text", 0, 6, "", ""), "[2] is not in the evidence"),
        ("It is so [1].", Citation(1, "A text", 0, 6, "", ""), "does not quote [1]"),
        ("It is \u201cA texts\u201d [1].", Citation(1, "A texts", 0, 7, "", ""), "not in its text word for word"),
        ("It is \u201cA text\u201d [1].", Citation(1, "A text", 2, 8, "", ""), "not in its text word for word"),
        ("It is \u201cA text\u201d [1], see [3].", Citation(1, "A text", 0, 6, "", ""), "[3] is not in the evidence"),
        ("Nothing.", Citation(1, "A text", 0, 6, "", ""), "does not quote [1]"),
    ],
)
def test_a_citation_that_does_not_hold_is_found(reasoning: str, citation: Citation, words: str) -> None:
    assert any(words in problem for problem in problems(reasoning, [citation], [piece(FOR, NEWS)]))


def test_verdicts_map_to_the_other_scales() -> None:
    assert [verdict.three_way for verdict in Verdict] == ["SUPPORTED", "REFUTED", "REFUTED", "REFUTED", "NEI", "NEI"]
    assert [verdict.with_mixed for verdict in Verdict][:4] == ["Supported", "Refuted", "Mixed", "Mixed"]
    assert Judgement(Verdict.TRUE, 0.9, Tier.HIGH).notes == ()


def test_the_reasons_count_the_sources_and_say_which_side_is_older() -> None:
    old, new = (datetime(year, 5, 1, tzinfo=UTC) for year in (2020, 2025))
    evidence = [
        replace(piece(FOR, NEWS), published_at=new),
        replace(piece(FOR, BLOG), published_at=new),
        replace(piece(AGAINST, OTHER), published_at=old),
    ]
    told = judge(evidence, time_bound=True).told
    assert (
        told
        == "2 independent sources support it, 1 independent source contradicts it; the contradicting evidence is older"
    )
    assert judge([piece(OPEN, NEWS)]).told == "no source takes a side"


def test_the_count_of_sources_agrees_with_the_pieces_that_a_reader_sees() -> None:
    weak = replace(piece(FOR, "https://third.example/a"), relevance=-4.0)
    assert judge([weak]).told == "no source takes a side; 1 piece that supports it counts for too little"
    told = judge(
        [piece(AGAINST, BLOG), piece(AGAINST, OTHER), weak, replace(weak, source="", voice="", text="Another")]
    ).told
    assert told == "2 independent sources contradict it; 2 pieces that support it count for too little"
    social = judge([piece(AGAINST, OFFICIAL), piece(FOR, SOCIAL)]).told
    assert social == "1 independent source contradicts it; 1 piece that supports it counts for too little"


def test_a_verdict_held_back_never_speaks_of_only_no_source() -> None:
    faint = Stance(0.4, 0.2, 0.4)
    for count in range(1, 6):
        pieces = [replace(piece(faint, f"https://site{n}.example/a"), relevance=0.5) for n in range(count)]
        assert "only no source" not in " ".join(judge(pieces).notes)
    assert held_back([], 0.2).notes[0].startswith("no source takes a side clearly; a verdict needs")
    single = judge([piece(FOR, BLOG)])
    assert single.notes[0].startswith("a single source takes a side (blog.example); a verdict needs")


def test_a_rating_of_this_very_claim_decides_and_is_quoted() -> None:
    text = "The rate fell, as claimed, but only because the way of counting changed."
    evidence = [piece(FOR, NEWS, "The rate fell."), replace(piece(OPEN, CHECKER, text), rating="Missing context")]
    found = judge(evidence)
    assert found.verdict is Verdict.MISLEADING and found.rated_by == 1
    reasoning, (citation,) = explain(finding(evidence))
    assert citation.number == 2 and reasoning.startswith("The claim misleads: a fact-checker rates it so.")


def test_every_part_is_told_with_its_verdict_and_its_own_quotation() -> None:
    first = finding([piece(FOR, OFFICIAL, "The tower is 90 metres tall.")], "The tower is 90 metres tall")
    second = finding(
        [piece(AGAINST, OFFICIAL, "The mayor opened it, not the queen.")], "The tower was opened by the queen"
    )
    whole = aggregate([first.judgement, second.judgement])
    reasoning, citations, cited = explain_parts(whole, [first, replace(second, numbers=[2])])
    assert whole.verdict is Verdict.PARTIALLY_TRUE and cited == [(1,), (2,)]
    assert "(The tower was opened by the queen) False: nasa.gov says" in reasoning
    assert problems(reasoning, citations, [*first.evidence, *second.evidence]) == []


def test_a_refuted_and_an_open_part_are_both_told_in_the_first_sentence() -> None:
    first = finding([piece(AGAINST, OFFICIAL, "The tower is not in Rome.")], "The tower is in Rome")
    second = finding([piece(OPEN, OFFICIAL, "The sea is salt.")], "The tower was opened by the queen")
    whole = aggregate([first.judgement, second.judgement])
    reasoning, _, _ = explain_parts(whole, [first, replace(second, numbers=[2])])
    assert reasoning.startswith("The claim is contradicted: one part is false, one is not settled.")
