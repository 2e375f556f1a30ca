"""Phrase the fixed sentences of a result in English, as the code writes them, or in another language."""

from __future__ import annotations


class Phrases:
    """Tells in English; what tells in another language does the same by a table of these frames."""

    def say(self, frame: str, /, **values: str) -> str:
        """Fill a frame such as "Against it, {quotations}."; the values stay as they are."""
        return frame.format(**values)

    def retell(self, told: str) -> str:
        """Say again what another stage has put together of such frames."""
        return told


ENGLISH = Phrases()
