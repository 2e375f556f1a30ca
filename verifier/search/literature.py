"""Decide which claims and words to search in the literature, and which works to read.

A claim concerns science or health if it has a term from the first list. It also does if it has one from the second
list, whose words occur in other claims too ("health minister"), and one from the third, the list of effects. Terms are
beginnings of words, or phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kb.chunk import passages
from kb.publishers.credibility import PublisherOf
from kb.record import Collection, NewEvidence, Origin
from verifier.search.base import SearchResult
from verifier.search.pages import Reading, nearest
from verifier.text.stems import stems

_TERMS = """
vaccin hyperactiv fasting weight\\sloss immunis immuniz mmr autis adhd cancer carcino tumour tumor leukaemi leukemi melanoma chemotherap diabet insulin obes cholester asthma
alzheimer dementia parkinson epileps migraine arthrit osteopor hypertens cardiovasc heart(?=\\s(?:attack|disease|failure|rate)) stroke(?=\\s(?:risk|patient|surviv))
hiv\\b malaria tubercul measles polio influenza covid sars-cov ebola zika hepatit pneumon infect contagi pathogen antibiotic antibod antivir
antidepress anxi depressi(?=\\w+\\s(?:symptom|disorder)) schizophren placebo clinical\\strial randomi[sz]ed meta-analys peer-review symptom
therap diagnos chronic tissue stem\\scell hormon testosteron estrogen oestrogen thyroid pregnan fertil menopaus fluorid aspirin ibuprofen
paracetamol acetaminophen ivermectin hydroxychloroquin statin(?=s?\\b) opioid nicotin smoking smokers tobacco caffein vitamin omega-3
probiotic microb gut\\sbacter bacteri enzym protein antioxid carbohydr calori metabol nutrient nutrit glyphosat pesticid toxi carcin
allerg immun cognit neuro dopamin serotonin insomnia gene\\b genes\\b genet genom dna\\b rna\\b mrna crispr chromosom mutation
photosynth biodivers ecosystem species extinct(?=ion) evolution(?=ary) dinosaur mammal vertebrat coral\\sreef microplast climate\\schang
global\\swarming greenhouse carbon\\sdioxid co2\\b methane ozone sea\\slevel glacier ice\\ssheet fossil\\sfuel acidif
comet\\b asteroid astronom archaeolog palaeontolog paleontolog solar\\scell quantum neutrino higgs boson photon electron\\b electrons proton isotop radioactiv radiation electromagn superconduct relativit thermodynam
galax exoplanet black\\shole supernova gravitation cosmic molecul chemical\\sreaction tectonic seismic scientists researchers scientific
"""
_MATTERS = """
health disease illness virus viral drug medic patient doctor brain heart blood lung liver kidney skin bone muscle sleep exercis diet eat eating
food drink alcohol coffee tea\\b sugar salt fat\\b meat milk water weight ageing aging lifespan life\\sexpectancy mortality death\\srate
child infant baby babies women human animal plants insect bees cells? acid oxygen hydrogen nuclear earthquak volcan fossil climate
air\\spollution temperatur 5g\\b cell\\sphone mobile\\sphone physic chemi biolog psycholog
"""
_EFFECTS = """
caus prevent cur(?=e\\b|es\\b|ed\\b|ing\\b) treat linked harm effect risk reduc lower(?=s\\b|ed\\b|ing\\b) increas improv boost damag kill slow trigger dose study
studies research healthy unhealthy
"""
_STRONG, _MATTER, _EFFECT = (
    re.compile(rf"\b(?:{'|'.join(terms.split())})", re.IGNORECASE) for terms in (_TERMS, _MATTERS, _EFFECTS)
)
_EMPTY = frozenset(
    "about above according actually after again also although always among another around because been before being below better between both "
    "called cannot claim claims could does doing done during each either ever every false from give given goes have having here into just "
    "know like made make makes making many more most much must myth need never none only other over people really said same says shall should "
    "show shown shows since some such than that their them then there these they this those through true under until upon very was well were "
    "what when where whether which while will with within without would your".split()
)
_SHARE = 0.5
"""Share of the best work's matching words below which a work's kind does not count."""


def asks_literature(claim: str) -> bool:
    """Tell whether a claim concerns science or health."""
    return bool(_STRONG.search(claim)) or bool(_MATTER.search(claim) and _EFFECT.search(claim))


def words_for(text: str) -> list[str]:
    """List a query's meaningful words, once each, in lower case and without operators and signs."""
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", text.lower())
    return list(dict.fromkeys(word for word in words if _tells(word)))


def _tells(word: str) -> bool:
    return word not in _EMPTY and (len(word) > 3 or any(map(str.isdigit, word)) or word in {"dna", "rna", "hiv", "mmr"})


def works_to_read(
    claim: str, results: Sequence[SearchResult], limit: int, order: Sequence[str], publisher_of: PublisherOf
) -> list[SearchResult]:
    """Choose at most `limit` works, each once, sorted by kind in `order`, retracted works last.

    A work that shares fewer than half as many words with the claim as the best work goes to the end, whatever its kind.
    """
    words = set(stems(claim))
    works: dict[str, SearchResult] = {}
    for result in results:
        known = works.setdefault(result.url, result)
        if result.rating and not known.rating:  # one of two indexes may know that it was retracted
            works[result.url] = result
    shared = {
        url: len(words.intersection(stems(f"{work.title} {' '.join(work.passages)}"))) for url, work in works.items()
    }
    least = _SHARE * max(shared.values(), default=0)

    def place(work: SearchResult) -> tuple[bool, bool, int, int]:
        return bool(work.rating), shared[work.url] < least, order.index(work.study), -shared[work.url]

    return [work for work in sorted(works.values(), key=place) if not publisher_of(work.url).denied][:limit]


def readings_of(claim: str, works: Iterable[SearchResult]) -> list[Reading]:
    """Take the abstracts' passages that share most words with the claim; fetch no page."""
    return [
        Reading(
            work.url,
            tuple(
                NewEvidence(
                    text,
                    work.url,
                    work.title,
                    Origin.WEB,
                    Collection.STATIC,
                    work.published_at,
                    work.publisher,
                    work.rating,
                )
                for text in nearest(claim, passages(" ".join(work.passages)))
            ),
        )
        for work in works
    ]
