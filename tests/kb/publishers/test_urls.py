from __future__ import annotations

from kb.publishers.urls import canonical_url, domain_of, is_homepage, is_web_address, original_of

CANONICAL = {
    "HTTP://www.BBC.co.uk:80/news/world-1/?utm_source=x&b=2&a=1#top": "https://bbc.co.uk/news/world-1?a=1&b=2",
    "https://example.org/a/../b?fbclid=1": "https://example.org/b",
    "javascript:alert(1)": "javascript:alert(1)",
    "http://[::1": "http://[::1",
    "": "",
}
DOMAINS = {
    "https://science.nasa.gov/earth": "nasa.gov",
    "https://news.bbc.co.uk/1": "bbc.co.uk",
    "https://www.gov.uk/browse": "gov.uk",
    "https://www.nhs.uk/conditions/flu": "nhs.uk",
    "http://127.0.0.1:80/x": "127.0.0.1",
    "notes from the archive": "",
    "http://[::1": "",
}
ORIGINALS = {
    "https://web.archive.org/web/20260115/https://www.cia.gov/a/": "https://www.cia.gov/a/",
    "http://web.archive.org/web/20260115093000id_/https:/www.cia.gov/a": "https://www.cia.gov/a",
} | {
    url: url
    for url in (
        "https://web.archive.org/about",
        "https://web.archive.org.evil.example/web/2026/https://www.cia.gov/",
        "https://evil.example/web.archive.org/web/2026/https://www.cia.gov/",
        "https://www.cia.gov/a",
    )
}
FRONT_PAGES = """
https://www.nasa.gov
https://www.nasa.gov/?utm_source=newsletter
https://edition.cnn.com/world
https://www.reuters.com/world/europe/
https://www.reuters.com/tags/climate-change/
https://a.example/tag/x/
https://a.example/index.html
https://www.bbc.com/news
https://www.bbc.com/news/live/world-europe-60506682
https://www.bbc.com/news/topics/cx1m7zg01xyt
https://www.bbc.co.uk/search?q=bridge
https://apnews.com/hub/climate
https://www.theguardian.com/world/live/2024/may/01/storm-latest
https://www.theguardian.com/uk/business
https://www.theguardian.com/profile/someone
https://www.nytimes.com/section/world
https://www.nytimes.com/by/someone
https://www.washingtonpost.com/search/?query=bridge
https://www.aljazeera.com/news/
https://www.aljazeera.com/climate
https://www.snopes.com/fact-check/
https://www.snopes.com/fact-check/category/politics/
https://www.snopes.com/search/?q=bridge
https://fullfact.org/latest/
https://www.politifact.com/search/?q=x
https://www.tagesschau.de/ausland/
https://www.tagesschau.de/ausland/europa/index.html
https://www.spiegel.de/politik/deutschland/
https://www.spiegel.de/suche/?suchbegriff=x
https://www.zeit.de/suche/index?q=bridge
https://www.faz.net/aktuell/politik/ausland/
https://www.sueddeutsche.de/autoren/someone-1.1
https://www.lemonde.fr/international/
https://www.lemonde.fr/recherche/?search_keywords=pont
https://www.lemonde.fr/en-direct/article
https://www.lefigaro.fr/actualit%C3%A9s
https://www.francetvinfo.fr/en-direct/tv.html
https://elpais.com/internacional/
https://elpais.com/noticias/
https://www.elmundo.es/ultimas-noticias.html
https://www.eldiario.es/etiquetas/clima/
https://www.bbc.com/mundo
https://www.corriere.it/esteri/
https://www.repubblica.it/ultime-notizie/
https://g1.globo.com/ao-vivo/
https://www.uol.com.br/esportes/
https://nos.nl/nieuws/binnenland
https://ria.ru/search/?query=x
https://www.svt.se/nyheter/inrikes/
https://www.hurriyet.com.tr/gundem/
https://www.who.int/news
https://www.who.int/es/news
https://en.wikipedia.org/wiki/Main_Page
https://en.wikipedia.org/wiki/Category:Bridges
https://de.wikipedia.org/wiki/Spezial:Suche?search=x
https://www.youtube.com/results?search_query=bridge
https://www.youtube.com/@somechannel
https://a.example/?s=bridge
https://a.example/?cat=4
https://a.example/page/3/
https://a.example/archive/2024/05/
https://a.example/en-us/news/login
https://a.example/my-account
https://a.example/author/jane-doe/
https://a.example/feed/
https://a.example/sitemap.xml
https://a.example/news/latest?page=2
""".split()
ARTICLES = """
https://www.who.int/news-room/fact-sheets/detail/measles
https://www.who.int/health-topics/measles
https://en.wikipedia.org/wiki/Earth
https://en.wikipedia.org/wiki/Live
https://de.wikipedia.org/wiki/Politik
https://a.example/?p=12
https://a.example/index.php?id=77
https://a.example/news?id=12345
https://a.example/2024/05/bridge-opens
https://www.bbc.com/news/articles/c4ng7v2w8y9o
https://www.bbc.com/news/world-europe-60506682
https://www.bbc.com/mundo/articles/c1rr5jn0x7do
https://www.reuters.com/world/europe/bridge-opens-after-ten-years-2024-05-01/
https://apnews.com/article/bridge-opens-0a1b2c3d4e
https://edition.cnn.com/2024/05/01/europe/bridge-opens-intl/index.html
https://www.theguardian.com/world/2024/may/01/bridge-opens-after-ten-years
https://www.nytimes.com/2024/05/01/world/europe/bridge-opens.html
https://www.theatlantic.com/politics/archive/2024/05/a-bridge-opens/678123/
https://www.aljazeera.com/news/2024/5/1/bridge-opens
https://www.snopes.com/fact-check/bridge-opened-twice/
https://www.politifact.com/factchecks/2024/may/01/someone/bridge-cost/
https://fullfact.org/health/measles-cases/
https://www.factcheck.org/2024/05/claims-about-a-bridge/
https://www.tagesschau.de/ausland/europa/bruecke-eroeffnet-100.html
https://www.spiegel.de/politik/deutschland/bruecke-eroeffnet-a-0a1b2c3d-0001-0002-0003-000000000001
https://www.faz.net/aktuell/politik/ausland/bruecke-eroeffnet-19700000.html
https://www.lemonde.fr/international/article/2024/05/01/le-pont-est-ouvert_6230000_3210.html
https://elpais.com/internacional/2024-05-01/abre-el-puente-tras-diez-anos.html
https://www.corriere.it/esteri/24_maggio_01/ponte-aperto-0a1b2c3d.shtml
https://g1.globo.com/mundo/noticia/2024/05/01/ponte-abre.ghtml
https://ria.ru/20240501/most-1940000000.html
https://www.nature.com/articles/s41586-024-07000-1
https://pubmed.ncbi.nlm.nih.gov/38000000/
https://arxiv.org/abs/2401.00001
https://www.britannica.com/topic/bridge-engineering
https://www.britannica.com/place/Earth
https://www.history.com/topics/world-war-ii/battle-of-midway
https://science.nasa.gov/earth/facts/
https://www.cdc.gov/measles/about/index.html
https://www.gov.uk/government/news/bridge-opens
https://www.gov.uk/guidance/bridge-tolls
https://ec.europa.eu/commission/presscorner/detail/en/ip_24_1234
https://news.un.org/en/story/2024/05/1149000
https://www.youtube.com/watch?v=abc123
https://x.com/someone/status/1780000000000000000
https://medium.com/@someone/why-the-bridge-opened-0a1b2c
https://a.example/category/politics/mayor-of-velm-opens-bridge-after-vote
https://a.example/blog/why-the-bridge-opened
https://a.example/live-music-in-velm-returns
https://a.example/news/search-for-missing-boat-goes-on
https://a.example/register-of-bridges-published
""".split()


def test_one_spelling_per_page() -> None:
    assert {url: canonical_url(url) for url in CANONICAL} == CANONICAL


def test_the_registered_domain_names_the_organisation() -> None:
    assert {url: domain_of(url) for url in DOMAINS} == DOMAINS


def test_front_list_search_login_and_live_pages_are_recognised() -> None:
    assert [url for url in FRONT_PAGES if not (is_homepage(url) and is_homepage(canonical_url(url)))] == []


def test_articles_are_not_front_pages() -> None:
    assert [url for url in ARTICLES if is_homepage(url) or is_homepage(canonical_url(url))] == []


def test_a_web_address_alone_is_recognised_and_a_sentence_is_none() -> None:
    addresses = ["https://a.example/x", " www.a.example ", "example.com/story?id=1"]
    sentences = ["See https://a.example/x", "U.S.A.", "The site example.com/x is down", "e.g. this"]
    assert [text for text in addresses + sentences if is_web_address(text)] == addresses


def test_a_copy_at_the_internet_archive_is_its_publishers() -> None:
    assert {url: original_of(url) for url in ORIGINALS} == ORIGINALS
