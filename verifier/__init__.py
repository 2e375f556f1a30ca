"""A claim goes in; a verdict with word-for-word citations comes out, on this machine.

from verifier import Checker, Settings
result = Checker(Settings.from_env()).verify("The Earth is flat")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from errors import InputError, ModelError, SettingsError, StoreError, VerifierError

if TYPE_CHECKING:
    from verifier.schema import Evidence, Verdict, VerificationResult
    from verifier.serve.checker import Checker
    from verifier.settings import Settings

__all__ = [
    "Checker",
    "Evidence",
    "InputError",
    "ModelError",
    "Settings",
    "SettingsError",
    "StoreError",
    "Verdict",
    "VerificationResult",
    "VerifierError",
]

_HOMES = {
    "Checker": "verifier.serve.checker",
    "Evidence": "verifier.schema",
    "Settings": "verifier.settings",
    "Verdict": "verifier.schema",
    "VerificationResult": "verifier.schema",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a public name on first use, so that `--help` loads no model library."""
    if name not in _HOMES:
        raise AttributeError(f"module 'verifier' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
