"""Normalise web addresses, find the organisation behind them, and tell articles from other pages."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit, urlunsplit

import tldextract
from courlan import normalize_url

_SUFFIXES = tldextract.TLDExtract(
    suffix_list_urls=(), cache_dir=None
)  # the list that ships with the library: no download
_INDEX_PAGE = re.compile(
    r"/(index|default|home|main|start|startseite|accueil|inicio|portada)\.(html?|php|aspx?|jsp|shtml|stm)$"
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?|int|intl|global")
_SECTION_WORDS = frozenset(
    word
    for line in (Path(__file__).parent / "section_words.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for word in line.split()
)
_LISTS = frozenset(
    "tag tags label labels hashtag keyword keywords etiqueta etiquetas schlagwort schlagworte schlagwoerter stichwort mot-cle mots-cles tagi category categories "
    "categoria categorias categorie kategorie kategori kategoria kategorija rubrik rubriken rubrique rubriques seccion secciones sezione section "
    "sections ressort hub author authors autor autoren autore autori auteur auteurs autorzy by byline contributor contributors profile profiles user users channel channels "
    "search suche suchen recherche rechercher buscar buscador busqueda busca pesquisa ricerca cerca zoeken szukaj poisk haku sok sog arama ara results "
    "rss rss.xml feed feeds sitemap sitemap.xml sitemaps".split()
)
"""Directories of pages that list others and have no text of their own."""
_DATED_LISTS = frozenset("archive archives archiv archivo archivos archivio arkiv archief page pagina seite".split())
"""The same, if nothing or only a date or a number follows: some papers keep their articles in an archive."""
_LIVE = frozenset(
    "live live-news live-updates liveblog live-blog livestream live-tv liveticker newsticker ticker en-direct direct en-vivo directo ao-vivo aovivo "
    "diretta nazywo na-zywo canli direkt".split()
)
"""Pages that change while they are read."""
_DOORS = frozenset(
    "login signin sign-in log-in logon signup sign-up register registration registrieren anmelden anmeldung connexion inscription iniciar-sesion "
    "registro accedi registrati entrar inloggen logowanie subscribe subscription abo abonnement abonnements abonnieren suscripcion account "
    "my-account konto mein-konto cart checkout".split()
)
_WIKI_LIST = re.compile(
    r"(?:special|category|portal|user|talk|spezial|kategorie|categorie|categoria|especial|portail|portale|kategoria|speciale|wikipedia):|main_page$|hauptseite$"
)
_TRACKING = re.compile(
    r"utm_.*|fbclid|gclid|msclkid|igshid|ref|ref_src|referrer|source|src|cmp|cmpid|ns_.*|at_.*|mc_.*|amp"
)
_LIST_KEYS = frozenset(
    "s q query search search_query keyword keywords term text suche cat category categoria tag author autor page paged p_page lang hl section sort filter".split()
)
_SLUG_WORDS = 5
"""From this many words on, the last part of a path is an article's title, and no list's name."""


_NOWHERE = SplitResult("", "", "", "", "")
_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d{4,14}[a-z_]*/(https?:/{1,2}.+)", re.IGNORECASE)


_DOI = re.compile(r"(?<![\w.])(10\.\d{4,9}/[^\s?#\"]{1,200})")
_AFTER_DOI = re.compile(
    r"(?:/(?:full|abstract|pdf|epdf|fulltext|summary|meta|html|xml))+$|\.pdf$|[.,;/]+$", re.IGNORECASE
)


def doi_of(url: str) -> str:
    """Return the DOI in a text or an address, in lower case; "" for none.

    What publishers append to it ("/full") is left out.
    """
    found = _DOI.search(unquote(url[:3_000]))
    return _AFTER_DOI.sub("", found[1]).lower() if found else ""


def doi_address(doi: str) -> str:
    """Return the address of the work with this DOI."""
    return f"https://doi.org/{quote(doi, safe='/:;()._-')}"


def _split(url: str) -> SplitResult:
    """Return the parts of an address; all empty if it is none ("http://[::1")."""
    try:
        return urlsplit(url.strip())
    except ValueError:
        return _NOWHERE


def original_of(url: str) -> str:
    """Return the original address of a copy at the Internet Archive; others as they are.

    The copy is what its publisher wrote: the archive only vouches for the day.
    """
    archived = _ARCHIVED.fullmatch(url.strip())
    return re.sub(r"^(https?:)/+", r"\1//", archived[1], flags=re.IGNORECASE) if archived else url


def host_of(url: str) -> str:
    """Return an address's lower-case host, without "www." and a final full stop; "" if none."""
    return (_split(url).hostname or "").rstrip(".").removeprefix("www.")


def is_web_address(text: str) -> bool:
    """Return whether `text` is just one http(s) address, or a bare host with a path."""
    return bool(
        re.fullmatch(r"(https?://|www\.)\S+", text.strip(), re.IGNORECASE)
        or re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}/\S*", text.strip())
    )


def canonical_url(url: str) -> str:
    """Return one spelling per page.

    It has https, a lower-case host without "www.", no tracking, no fragment, no trailing slash.

    An address that is not http(s) comes back as it is.
    """
    parts = _split(url)
    if parts.scheme.lower() not in {"http", "https"} or not parts.netloc:
        return url.strip()
    cleaned = urlsplit(str(normalize_url(url.strip(), strict=False)))
    host = cleaned.netloc.lower().removeprefix("www.")
    path = posixpath.normpath(cleaned.path) if cleaned.path.strip("/") else ""
    return urlunsplit(("https", host, path, cleaned.query, ""))


@lru_cache(maxsize=4096)
def domain_of(url: str) -> str:
    """Return the registered domain of an address, or "" if there is none.

    For example "https://science.nasa.gov/earth" -> "nasa.gov".

    Two addresses with one registered domain count as one voice.
    """
    host = host_of(url)
    return str(_SUFFIXES(host).top_domain_under_public_suffix or host)


@lru_cache(maxsize=4096)
def suffix_of(url: str) -> str:
    """Return the public suffix of an address's host ("https://www.ons.gov.uk/x" -> "gov.uk").

    Its registrants are strangers to each other.
    """
    return str(_SUFFIXES(host_of(url)).suffix)


def is_homepage(url: str) -> bool:
    """Return whether an address is a front, section, list, search, login or live page.

    The content of such a page changes or is not there to read.
    """
    parts = _split(url)
    words = _path_words(parts.path)
    keys = {key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
    asked = {key for key in keys if not _TRACKING.fullmatch(key)}
    if words[:1] == ["wiki"] and len(words) > 1:
        return bool(_WIKI_LIST.match(words[1]))
    if _is_list(words) or (words and words[-1] in _DOORS) or any(word in _LIVE for word in words):
        return True
    front = all(word in _SECTION_WORDS for word in words)
    return front and asked <= _LIST_KEYS


def _path_words(path: str) -> list[str]:
    """Return a path's directories in lower case, without accents, language and index page name."""
    plain = unicodedata.normalize("NFKD", unquote(path).lower())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    words = [word for word in _INDEX_PAGE.sub("/", plain).split("/") if word]
    if words and _LANGUAGE.fullmatch(words[0]) and words[0] not in _SECTION_WORDS | _LISTS:
        words = words[1:]
    if words:
        words[-1] = re.sub(r"\.(?:html?|php|aspx?|jsp)$", "", words[-1])
    return words


def _is_list(words: Sequence[str]) -> bool:
    """Return whether a path names a list, directly or after sections, without an article's title."""
    start = next((i for i, word in enumerate(words) if word not in _SECTION_WORDS), len(words))
    word, rest = words[start] if start < len(words) else "", words[start + 1 :]
    if word in _DATED_LISTS:
        return all(part.isdigit() for part in rest)
    if word.startswith("@"):  # a person or a channel
        return all(part in _SECTION_WORDS for part in rest)
    if word in _LISTS:
        return not (len(rest) > 1 and len(rest[-1].split("-")) >= _SLUG_WORDS)
    return words[:start] == ["news", "topics"] and not rest
