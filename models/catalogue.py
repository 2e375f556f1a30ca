"""Every weight that the product runs, one entry each: role, files with checksums, licence, what it was trained on.

To replace a weight, put the new file into models/weights/, write its model card beside it, and change its entry here.
`python -m models` prints the sizes and checksums of what lies in models/weights/.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a model does in the product."""

    STANCE = "stance"
    CLAIM_TYPE = "claim type"
    RELEVANCE = "relevance"
    EMBEDDER = "embedder"


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file: its name, its size in bytes, and the SHA-256 of its content."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Weight:
    """A model that ships with the repository.

    `temperature` divides a classifier's logits; `scale` and `offset` map a cross-encoder's raw score onto the common
    logit-like scale, on which 0 is as likely relevant as not. All three were fitted on held-out data (see the card).
    """

    role: Role
    path: str
    files: tuple[WeightFile, ...]
    licence: str
    origin: str
    card: str
    labels: tuple[str, ...] = ()
    temperature: float = 1.0
    scale: float = 1.0
    offset: float = 0.0

    @property
    def is_folder(self) -> bool:
        """Whether the model is a folder of several files."""
        return len(self.files) > 1

    @property
    def checksum(self) -> str:
        """The SHA-256 that identifies the model: its largest file's."""
        return max(self.files, key=lambda file: file.size).sha256


WEIGHTS: dict[Role, Weight] = {
    Role.STANCE: Weight(
        role=Role.STANCE,
        path="stance.gguf",
        files=(
            WeightFile("stance.gguf", 25283776, "764f7071c36eed051a59d008095b8cf5cbf111e22c18e2779ad5624e308c9af4"),
        ),
        licence="Apache-2.0",
        origin="all-MiniLM-L6-v2, tuned on public claim verification and inference sets and on our own passages",
        card="stance.md",
        labels=("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"),
        temperature=1.745,
    ),
    Role.CLAIM_TYPE: Weight(
        role=Role.CLAIM_TYPE,
        path="claim-type.gguf",
        files=(
            WeightFile("claim-type.gguf", 25284800, "98501f843062c97cec0ebeac902ee9bdfc83baf03c1d25d2c8b92bdcb188da1e"),
        ),
        licence="Apache-2.0",
        origin="all-MiniLM-L6-v2, tuned on this project's own labelled claims and news sentences",
        card="claim-type.md",
        labels=("FACTUAL", "OPINION", "MIXED", "AMBIGUOUS"),
        temperature=0.95,
    ),
    Role.RELEVANCE: Weight(
        role=Role.RELEVANCE,
        path="relevance",
        files=(
            WeightFile(
                "model.safetensors", 45437760, "9881f565b1f56ef555663ecb599758ca75c57d2a5fb572402fbc911840d919b5"
            ),
            WeightFile(
                "2_Dense/model.safetensors", 591520, "0313107cc9db52bf3d8a6cdc34c7d7e119efa72ddeef7ffd5035cbefeea001be"
            ),
            WeightFile(
                "3_Dense/model.safetensors", 1684, "d002025b78210d8a601f4dd4544770ee2784502307103ee1d75fc0c8ce15b0ce"
            ),
            WeightFile("tokenizer.json", 711661, "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"),
            WeightFile("config.json", 746, "67b6acb8ea53433963e0a50b29a6324e639b102feb62d7174dd06b40dbbe3a94"),
            WeightFile(
                "config_sentence_transformers.json",
                260,
                "fb31ee1a81bd3d0592d5536d29a6c9e76944d4e080988e08db676c6aa03e73a4",
            ),
            WeightFile("modules.json", 525, "13d797a4f47c1a2eb3571ad850c0dc247fe8630916dce738bee39878700bae49"),
            WeightFile(
                "sentence_bert_config.json", 241, "3084164002c0bca01b0259c5327123803fce32e660a57feb93184ffead186fc8"
            ),
            WeightFile(
                "tokenizer_config.json", 632, "ae2c6d27e0a187a98657e6317992a86f4da2be4f61ab54c18c34aa0d84caea7b"
            ),
            WeightFile("1_Pooling/config.json", 90, "4fef0a7e8c8ee36e74c0fad89bab60ade72324442d43f559ea219bb7c2580710"),
            WeightFile("2_Dense/config.json", 227, "84aa1c3eaf4d556b1fe17a11b7b855d82c3f118d820dd3683b18d13b4add9a7a"),
            WeightFile("3_Dense/config.json", 213, "7336df458b11aaeacc6fe0f6eb22273233a77a9ff2c448c11ee04cf20b46086f"),
        ),
        licence="Apache-2.0",
        origin="all-MiniLM-L6-v2, tuned on public claim verification and question answering sets",
        card="relevance.md",
        scale=0.875,
        offset=0.025,
    ),
    Role.EMBEDDER: Weight(
        role=Role.EMBEDDER,
        path="embedder.gguf",
        files=(
            WeightFile("embedder.gguf", 24885920, "b8b86b1bda194fa7fd05de7adb896c7f48f459635fd7509b91235c1543fe6428"),
        ),
        licence="Apache-2.0",
        origin="all-MiniLM-L6-v2, tuned to find what settles a claim",
        card="embedder.md",
    ),
}
