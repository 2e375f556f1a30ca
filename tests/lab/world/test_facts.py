from __future__ import annotations

import re
from collections import Counter

from lab.world.facts import Expected, claims, events
from lab.world.pages import Kind, build_pages
from lab.world.ranking import words_of
from lab.world.wording import ASIDES, BLOG_CLOSE, BLOG_OPEN, CLOSINGS, QUOTES, TOPIC_LINES


def test_there_are_enough_events_and_each_is_told_in_several_ways() -> None:
    assert len(events()) >= 60 and len({event.id for event in events()}) == len(events())
    for event in events():
        assert 3 <= len(set(event.true)) <= 5 and event.names and event.figures and len(event.background) >= 2
        assert event.wrong not in event.true and len(event.headlines) == 2


def test_there_are_over_a_hundred_claims_of_three_kinds() -> None:
    counts = Counter(claim.expected for claim in claims())
    assert sum(counts.values()) >= 100 and min(counts[kind] for kind in Expected) >= 50
    assert len({claim.text for claim in claims()}) == len(claims())


def test_no_page_answers_an_unsupported_claim() -> None:
    """What such a claim says beyond its event's names takes a word that stands on no page about the event."""
    pages = build_pages(events())
    for claim in claims():
        if claim.expected is not Expected.NOT_ENOUGH_EVIDENCE:
            continue
        told = {
            word for page in pages if page.event_id == claim.event_id for word in words_of(page.title + " " + page.text)
        }
        assert set(words_of(claim.text)) - told, claim.text


def test_a_false_claim_differs_from_every_true_sentence() -> None:
    true = {sentence for event in events() for sentence in event.true}
    assert not true & {claim.text for claim in claims() if claim.expected is Expected.FALSE}


def test_what_surrounds_the_facts_names_nothing_of_any_event() -> None:
    """No filler may support or refute: it holds no figure and no name."""
    fillers = " ".join(
        [*QUOTES, *ASIDES, *CLOSINGS, BLOG_OPEN, BLOG_CLOSE, *(s for lines in TOPIC_LINES.values() for s in lines)]
    )
    assert not re.search(r"\d", fillers)
    assert not [name for event in events() for name in event.names if name in fillers]


def test_the_same_pages_are_made_every_time() -> None:
    assert build_pages(events()) == build_pages(events())
    kinds = Counter(page.kind for page in build_pages(events()))
    assert kinds.total() >= 300 and kinds[Kind.NEWS] >= 200


def test_the_blogs_copy_each_other_word_for_word() -> None:
    rumours: dict[str, set[str]] = {}
    sites: Counter[str] = Counter()
    for page in build_pages(events()):
        if page.kind is Kind.BLOG:
            rumours.setdefault(page.event_id, set()).add(page.text)
            sites[page.site.domain] += 1
    assert len(sites) == 4 and rumours and all(len(texts) == 1 for texts in rumours.values())
