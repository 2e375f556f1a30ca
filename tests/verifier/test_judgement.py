from __future__ import annotations

from dataclasses import replace

import pytest

from kb.record import NewEvidence, Origin
from verifier.evidence.retrieve import from_texts
from verifier.gather import Models
from verifier.judgement.citations import problems
from verifier.judgement.explain import MAX_QUOTE, explain
from verifier.judgement.stance import closest_sentence, judge_stances, sentence_spans, stance_of
from verifier.judgement.verdict import AUTHORITY, judge, vote_of
from verifier.schema import Citation, Evidence, Judgement, Stance, StanceLabel, Tier, Verdict

FOR, AGAINST, OPEN = Stance(0.95, 0.03, 0.02), Stance(0.03, 0.95, 0.02), Stance(0.05, 0.05, 0.9)
NEWS, BLOG, OTHER = "https://www.reuters.com/a", "https://blog.example/a", "https://other.example/a"
CHECKER, OFFICIAL, SOCIAL = "https://www.snopes.com/a", "https://www.nasa.gov/a", "https://x.com/a"


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
        ([piece(FOR, NEWS), piece(AGAINST, OFFICIAL)], Verdict.PARTIALLY_TRUE),
        ([piece(FOR, NEWS), piece(AGAINST, CHECKER)], Verdict.MISLEADING),
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


def test_confidence_is_never_certainty() -> None:
    many = [piece(Stance(1, 0, 0), f"https://agency{n}.gov/a") for n in range(5)]
    assert 0.9 < judge(many).confidence <= 0.99
    assert judge([]).confidence <= 0.5


def test_a_vote_weighs_stance_relevance_and_credibility() -> None:
    strong = piece(FOR, OFFICIAL)
    assert (
        vote_of(strong)
        > vote_of(replace(strong, relevance=0.3))
        > vote_of(replace(strong, relevance=0.3, credibility=0.2))
    )
    assert vote_of(replace(strong, stance=OPEN)) == 0


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
    assert stance_of(claim, text, models.stance).label is label


def test_every_piece_gets_a_stance_and_what_it_has_is_kept(models: Models) -> None:
    judged = judge_stances(
        "The Earth is flat", [replace(piece(OPEN, NEWS), stance=None), piece(FOR, NEWS)], models.stance
    )
    assert judged[0].stance is not None and judged[1].stance == FOR


def test_the_closest_sentence_shares_the_words_of_the_claim() -> None:
    text = "Many people visited the fair. The Earth is not flat but round. It rained on Sunday."
    start, end = closest_sentence("The Earth is flat", text)
    assert text[start:end] == "The Earth is not flat but round."
    assert closest_sentence("Nothing of that", text) == (0, len("Many people visited the fair."))


class Recorded:
    """Every text is judged alike; the texts are kept."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def probabilities(self, *texts: str) -> dict[str, float]:
        self.texts.append(texts[1])
        return {"SUPPORTS": 0.1, "REFUTES": 0.8, "NOT ENOUGH INFO": 0.1}


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        ("It fell.", ["It fell."]),
        ("The rate fell. It rained.", ["The rate fell. It rained.", "The rate fell."]),
        ("The rate fell, they say. That is false.", ["The rate fell, they say. That is false."]),
    ],
)
def test_the_closest_sentence_is_judged_too_unless_another_speaks_of_truth(text: str, judged: list[str]) -> None:
    recorded = Recorded()
    stance = stance_of("The rate fell", text, recorded)
    assert recorded.texts == judged
    assert stance.refutes == pytest.approx(0.8) and stance.supports + stance.refutes + stance.neutral == pytest.approx(
        1
    )


def test_sentence_spans_cover_their_sentences() -> None:
    text = "Dr. Smith left.  He came back!\nThen he slept."
    assert [text[a:b] for a, b in sentence_spans(text)] == ["Dr. Smith left.", "He came back!", "Then he slept."]
    assert sentence_spans("") == [(0, 0)]


def whole(found: Evidence) -> tuple[int, int]:
    return 0, len(found.text)


def test_the_reasoning_quotes_and_cites_what_is_there() -> None:
    evidence = [
        piece(OPEN, BLOG, "Something else."),
        piece(AGAINST, NEWS, "It fell by 3%."),
        piece(AGAINST, OFFICIAL, "The rate fell."),
    ]
    reasoning, citations = explain(judge(evidence), evidence, whole)
    assert "contradicts the claim" in reasoning and "nasa.gov says \u201cThe rate fell\u201d [3]" in reasoning
    assert {citation.number for citation in citations} == {2, 3}
    assert problems(reasoning, citations, evidence) == []
    assert 2 <= reasoning.count(". ") + 1 <= 4


def test_one_publisher_is_quoted_once_a_side() -> None:
    evidence = [piece(FOR, NEWS, "First."), piece(FOR, NEWS, "Second."), piece(FOR, OFFICIAL, "Third.")]
    _, citations = explain(judge(evidence), evidence, whole)
    assert sorted(citation.number for citation in citations) in ([1, 3], [2, 3])


def test_listed_publishers_are_cited_first_where_there_are_three() -> None:
    listed = [piece(FOR, url, f"Text {n}.") for n, url in enumerate((NEWS, OFFICIAL, CHECKER))]
    loud = replace(piece(FOR, BLOG, "Loud."), credibility=1.0, relevance=9.0)
    _, citations = explain(judge([loud, *listed]), [loud, *listed], whole)
    assert all(citation.number != 1 for citation in citations)
    _, few = explain(judge([loud, listed[0]]), [loud, listed[0]], whole)
    assert few[0].number == 1


def test_both_sides_of_a_conflict_are_quoted() -> None:
    evidence = [piece(FOR, NEWS, "It rose."), piece(AGAINST, OFFICIAL, "It fell.")]
    reasoning, citations = explain(judge(evidence), evidence, whole)
    assert len(citations) == 2 and "For it" in reasoning and "Against it" in reasoning


def test_a_long_quotation_is_cut_at_a_word_and_stays_word_for_word() -> None:
    evidence = [piece(FOR, OFFICIAL, "word " * 100 + "end.")]
    reasoning, (citation,) = explain(judge(evidence), evidence, whole)
    assert len(citation.quote) <= MAX_QUOTE and citation.quote.endswith("word")
    assert problems(reasoning, (citation,), evidence) == []


def test_without_evidence_nothing_is_cited() -> None:
    reasoning, citations = explain(judge([]), [], whole)
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
    reasoning, citations = explain(judge(evidence), evidence, whole)
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
