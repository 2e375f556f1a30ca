"""List every weight the product runs: role, files with checksums, licence, training data.

To replace a weight, put the new file into models/weights/, write its model card next to it, and change its entry here.
`python -m models` prints the sizes and checksums of the files in models/weights/.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256


class Role(StrEnum):
    """What a model does in the product."""

    READER = "reader"
    STANCE = "stance"
    CLAIM_TYPE = "claim type"
    EMBEDDER = "embedder"


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file: its name, size in bytes, and SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Weight:
    """A model that ships with the repository.

    `temperature` divides a classifier's logits. `scale` and `offset` map the reader's raw relevance to the common
    logit-like scale, where 0 means as likely relevant as not. All three were fitted on held-out data (see the card).
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
        """The model's identity: the SHA-256 of its file, or of those of its files."""
        found = [file.sha256 for file in self.files]
        return found[0] if len(found) == 1 else sha256("\n".join(found).encode()).hexdigest()


WEIGHTS: dict[Role, Weight] = {
    Role.READER: Weight(
        role=Role.READER,
        path="reader",
        files=(
            WeightFile("reader.onnx", 112706845, "cab5800c75ce9087e80291b63de0b8261a7d4579a823e9817c7b1c5da151b98c"),
            WeightFile(
                "adapter.safetensors", 18309320, "8da7477b05bdb30846198b9486de822dd41500d836abf74db5b64d35ccd5e99e"
            ),
            WeightFile(
                "adapter_2.safetensors", 3342256, "28256eade80c272fe0be5781087917b18d7bd3d1c3d54c4050d9d73604613c3d"
            ),
            WeightFile(
                "adapter_3.safetensors", 2855112, "841c6bbcb7419ee9a4437d80db0a3ca45ea0b85d816d5c01729570aaa7a2c368"
            ),
            WeightFile("tokenizer.json", 466021, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
            WeightFile("reader.json", 34, "2299915d006547c74c4f3574bd1fdef4b4e03fbce131abada4e17d3c3e1f09f3"),
        ),
        licence="CC BY-SA 4.0",
        origin="all-mpnet-base-v2, tuned on public claim verification and inference sets and on our own passages",
        card="reader.md",
        labels=("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"),
        temperature=1.847,
        scale=0.564,
        offset=0.494,
    ),
    Role.STANCE: Weight(
        role=Role.STANCE,
        path="stance",
        files=(
            WeightFile("reader.onnx", 23228494, "f6b14c117d10c0546e367f149f4b1d1b3b64b0d86f75374cce281aed64a28b37"),
            WeightFile("tokenizer.json", 709386, "28e56c0801f746691886cf3ce10f4ced368f95d65a63f477a5c6a2b5cf4399e4"),
            WeightFile("reader.json", 34, "e25ca0b9085240beb82f3a1bb4d4a2a8d37db0866a5b3e8a60862dedf239dc46"),
        ),
        licence="CC BY-SA 4.0",
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
        licence="CC BY-SA 4.0",
        origin="all-MiniLM-L6-v2, tuned on this project's own labelled claims and news sentences",
        card="claim-type.md",
        labels=("FACTUAL", "OPINION", "MIXED", "AMBIGUOUS"),
        temperature=0.95,
    ),
    Role.EMBEDDER: Weight(
        role=Role.EMBEDDER,
        path="embedder.gguf",
        files=(
            WeightFile("embedder.gguf", 24885920, "b8b86b1bda194fa7fd05de7adb896c7f48f459635fd7509b91235c1543fe6428"),
        ),
        licence="CC BY-SA 4.0",
        origin="all-MiniLM-L6-v2, tuned to find what settles a claim",
        card="embedder.md",
    ),
}
