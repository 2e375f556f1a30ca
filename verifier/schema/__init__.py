"""The records that pass between the stages of a check, and their choices.

Frozen: a stage returns new ones.
"""

from verifier.schema.choices import (
    SIDE_OF,
    Basis,
    ClaimType,
    Stage,
    StanceLabel,
    Status,
    Tier,
    Verdict,
)
from verifier.schema.evidence import (
    Advice,
    Citation,
    Evidence,
    Reason,
    Stance,
)
from verifier.schema.result import (
    Classification,
    Judgement,
    PartEvidence,
    PartResult,
    Step,
    VerificationResult,
)

__all__ = [
    "Advice",
    "Basis",
    "Citation",
    "ClaimType",
    "Classification",
    "Evidence",
    "Judgement",
    "PartEvidence",
    "PartResult",
    "Reason",
    "SIDE_OF",
    "Stage",
    "Stance",
    "StanceLabel",
    "Status",
    "Step",
    "Tier",
    "Verdict",
    "VerificationResult",
]
