"""Define every setting: its variable, default, parser, bounds and help."""

from verifier.settings.environment import ROOT
from verifier.settings.parts import JudgementSettings, RetrievalSettings, SearchSettings, ServerSettings, UpkeepSettings
from verifier.settings.settings import Settings, with_supplies

__all__ = [
    "ROOT",
    "JudgementSettings",
    "RetrievalSettings",
    "SearchSettings",
    "ServerSettings",
    "Settings",
    "UpkeepSettings",
    "with_supplies",
]
