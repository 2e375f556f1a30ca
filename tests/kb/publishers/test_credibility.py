from __future__ import annotations

import csv
from pathlib import Path

from kb.publishers.credibility import SourceType, domains_of_type, publisher_of

LISTED = {
    "https://www.snopes.com/fact-check/x": (0.95, SourceType.FACT_CHECKER),
    "https://science.nasa.gov/earth": (0.95, SourceType.GOVERNMENT),
    "https://www.navy.mil/x": (0.95, SourceType.GOVERNMENT),
    "https://www.stats.gov.au/x": (0.95, SourceType.GOVERNMENT),
    "https://www.reuters.com/x": (0.9, SourceType.NEWS),
    "https://www.bbc.com/news/1": (0.85, SourceType.NEWS),
    "https://www.nytimes.com/x": (0.8, SourceType.NEWS),
    "https://www.aljazeera.com/x": (0.75, SourceType.NEWS),
    "https://www.nature.com/x": (0.9, SourceType.ACADEMIC),
    "https://physics.somewhere.edu/x": (0.85, SourceType.ACADEMIC),
    "https://x.com/someone/status/1": (0.2, SourceType.SOCIAL),
    "https://a-blog.example/x": (0.5, SourceType.UNKNOWN),
    "": (0.5, SourceType.UNKNOWN),
}
OPEN_TO_ANYBODY = (
    "go.eu gov.cc mil.tv govt.ai gob.io news.gov.cc abc.go.it go.it foo.ac foo.ac.se x.ac.im int.la x.int.la edu.cc abc.edu.pl mil.io x.gov.eu"
    " gouv.eu gov mil go.com gov.uk.com gov.co.com evil.example\\.nasa.gov evil.example%2f.nasa.gov nasa.gov.evil.co.uk".split()
)
STATES = (
    "science.nasa.gov navy.mil esa.int stats.gov.au ons.gov.uk meti.go.jp bps.go.id sante.gouv.fr economie.gouv.ci sat.gob.mx stats.govt.nz bmi.gv.at"
    " impo.gub.uy statcan.gc.ca police.gov.np data.gov.sk www.gov.si www.gov.im bag.admin.ch health.gov.mt sante.gouv.qc.ca".split()
)
UNIVERSITIES = "mit.edu cam.ac.uk u-tokyo.ac.jp uct.ac.za anu.edu.au tsinghua.edu.cn metu.edu.tr".split()
UNSEEN = [
    "https://someone.blogspot.com/2024/05/post.html",
    "https://someone.blogspot.co.uk/2024/05/post.html",
    "https://truth.wordpress.com/2023/01/a",
    "https://letters.substack.com/p/a",
    "https://medium.com/@someone/a-1",
    "https://someone.medium.com/a-1",
    "https://someone.tumblr.com/post/1",
    "https://shop.weebly.com/blog/a",
    "https://someone.wixsite.com/site/post/a",
    "https://sites.google.com/view/a/b",
    "https://pages.neocities.org/a",
    "https://www.youtube.com/watch?v=1",
    "https://youtu.be/1",
    "https://old.reddit.com/r/a/comments/1",
]
FARMS = ["https://www.ehow.com/a", "https://starwars.fandom.com/wiki/a", "https://www.ask.com/a"]


def test_credibility_follows_the_table_then_the_rules() -> None:
    found = {url: publisher_of(url) for url in LISTED}
    assert {url: (known.credibility, known.source_type) for url, known in found.items()} == LISTED


def test_a_name_that_only_looks_official_gains_nothing() -> None:
    for url in ("https://nasa.gov.evil.example/x", "https://fakegov/x", "https://reuters.com.evil.example/x"):
        assert publisher_of(url).credibility == 0.5


def test_a_name_that_anybody_may_register_is_no_authority() -> None:
    found = {host: publisher_of(f"https://{host}/x") for host in OPEN_TO_ANYBODY}
    assert [host for host, known in found.items() if known.listed or known.credibility != 0.5] == []


def test_a_zone_that_only_a_state_or_universities_get_is_an_authority() -> None:
    wanted = dict.fromkeys(STATES, (0.95, SourceType.GOVERNMENT))
    wanted |= dict.fromkeys(UNIVERSITIES, (0.85, SourceType.ACADEMIC))
    found = {host: publisher_of(f"https://{host}/x") for host in wanted}
    assert {host: (known.credibility, known.source_type) for host, known in found.items()} == wanted


def test_where_anybody_may_publish_unseen_is_context_only_and_content_farms_are_low() -> None:
    found = {url: publisher_of(url) for url in UNSEEN + FARMS}
    assert [url for url, known in found.items() if known.credibility > 0.35 or known.listed] == []
    assert {found[url].source_type for url in UNSEEN} == {SourceType.SOCIAL}


def test_two_sites_on_one_host_of_blogs_are_two_voices_and_two_pages_of_one_are_one() -> None:
    one, again, other, host = (
        publisher_of(f"https://{name}blogspot.com/a").voice for name in ("one.", "m.one.", "other.", "")
    )
    assert one == again == "one.blogspot.com" and len({one, other, host}) == 3


def test_a_listed_domain_of_low_credibility_is_not_one_to_prefer() -> None:
    assert publisher_of("https://www.reuters.com/x").listed and not publisher_of("https://www.infowars.com/x").listed


def test_two_domains_of_one_organisation_are_one_voice() -> None:
    assert (
        publisher_of("https://www.bbc.co.uk/news/1").voice
        == publisher_of("https://www.bbc.com/news/1").voice
        == "bbc.com"
    )


def test_the_first_three_fact_checkers_are_the_ones_that_are_searched() -> None:
    assert domains_of_type(SourceType.FACT_CHECKER, 0.95)[:3] == ("snopes.com", "factcheck.org", "politifact.com")


def test_the_table_is_well_formed() -> None:
    with (Path(__file__).parents[3] / "kb" / "publishers" / "domains.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    domains = [row["domain"] for row in rows]
    assert len(domains) == len(set(domains)) > 250
    assert all(
        0 <= float(row["credibility"]) <= 1 and SourceType(row["source_type"]) and row["publisher"] for row in rows
    )
    assert all(not row["same_voice_as"] or row["same_voice_as"] in domains for row in rows)
