"""Phrase a result's fixed sentences in English, as in the code, or another language."""

from __future__ import annotations


class Phrases:
    """Phrases in English. Another language does the same with a table of these frames."""

    def say(self, frame: str, /, **values: str) -> str:
        """Fill a frame such as "Against it, {quotations}."; the values stay as they are."""
        return frame.format(**values)

    def retell(self, told: str) -> str:
        """Phrase again what another stage composed from such frames."""
        return told


ENGLISH = Phrases()
