"""Find the site behind an address. A page may speak for its own site only."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from web.address import MAX_URL

if TYPE_CHECKING:
    from tldextract import TLDExtract


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract

    # the list that ships with the library, no download; it includes github.io and the like, whose users are unrelated
    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


@lru_cache(maxsize=4096)
def site_of(url: str) -> str:
    """Return the registered domain of an http(s) address, or "".

    If there is none (an IP address, a suffix), it is the host.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host:
        return ""
    return str(_suffixes()(host).top_domain_under_public_suffix or host.removeprefix("www."))


def on_same_site(stated: object, page_url: str) -> str:
    """Return an address that a page states, in full, if on its site; else ""."""
    if not isinstance(stated, str) or not stated.strip() or len(stated) > MAX_URL:
        return ""
    try:
        full = urljoin(page_url, stated.strip())
    except ValueError:
        return ""
    fit = full.isprintable() and " " not in full and "\\" not in full and "@" not in full.split("?")[0]
    return full if fit and site_of(full) and site_of(full) == site_of(page_url) else ""
