"""Introduce an article whose sentences are offered for checking."""

from __future__ import annotations

from html import escape

from ui.pieces import source_link
from verifier.check.article import Article


def article_intro(article: Article) -> str:
    """Name the article, and say why its reader must choose a sentence."""
    day = f", published {article.published_at:%Y-%m-%d}" if article.published_at else ""
    return (
        f'<p class="cv-intro"><b>{source_link(article.url, article.title)}</b>{escape(day)}</p>'
        '<p class="cv-small">An article as a whole is neither true nor false. Choose the sentence that matters to you.</p>'
    )
