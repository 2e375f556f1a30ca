"""The same 22-million-parameter encoder in three runtimes, on pairs of 60 tokens: which one is fastest on this machine?

pip install onnx==1.23.2 onnxruntime==1.31.1 onnxscript==0.7.2
python -m benchmarks.runtimes [--threads 2]

llama.cpp runs one pair at a time, torch and ONNX Runtime 32. Each figure is the median of five runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from benchmarks.bench import median_of
from models.catalogue import WEIGHTS, Role
from models.encoder import Encoder
from models.files import WEIGHTS_FOLDER

TOKENS, BATCH, PAIRS = 60, 32, 128


def pairs_per_second(run: Callable[[], None]) -> float:
    """`PAIRS` over the median time of a run."""

    def seconds() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return PAIRS / median_of(seconds)


def llama_cpp(threads: int) -> float:
    """Pairs a second by llama.cpp, 8 bits, one at a time."""
    encoder = Encoder(WEIGHTS_FOLDER / WEIGHTS[Role.STANCE].path, threads)
    ids = list(range(2_000, 2_000 + TOKENS))

    def run() -> None:
        for _ in range(PAIRS):
            encoder.pooled(ids)

    return pairs_per_second(run)


def body() -> torch.nn.Module:
    """The cross-encoder's BERT, in full precision."""
    from sentence_transformers import CrossEncoder

    path = WEIGHTS_FOLDER / WEIGHTS[Role.RELEVANCE].path
    model = CrossEncoder(str(path), device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32})
    found: torch.nn.Module = model[0].model
    return found.eval()


def torch_batched(model: torch.nn.Module, dtype: torch.dtype) -> float:
    """Pairs a second by torch in batches."""
    ids = torch.randint(2_000, 3_000, (BATCH, TOKENS))
    mask = torch.ones_like(ids)

    def run() -> None:
        with torch.inference_mode(), torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
            for _ in range(PAIRS // BATCH):
                model(input_ids=ids, attention_mask=mask)

    return pairs_per_second(run)


def onnx_int8(model: torch.nn.Module, threads: int) -> float:
    """Pairs a second by ONNX Runtime in batches, weights and activations in 8 bits."""
    import onnxruntime
    from onnxruntime.quantization import quantize_dynamic

    ids = torch.randint(2_000, 3_000, (BATCH, TOKENS))
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.onnx", Path(folder) / "int8.onnx"
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        torch.onnx.export(model, (), str(whole), kwargs=inputs, dynamo=True, external_data=False)
        quantize_dynamic(whole, small)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(small), options, providers=["CPUExecutionProvider"])
    feed = {name.name: np.asarray(inputs[name.name]) for name in session.get_inputs()}

    def run() -> None:
        for _ in range(PAIRS // BATCH):
            session.run(None, feed)

    return pairs_per_second(run)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    threads = parser.parse_args().threads
    torch.set_num_threads(threads)
    model = body()
    print(f"| runtime, {threads} threads | pairs a second |\n|---|---|")
    print(f"| llama.cpp, Q8_0, one at a time | {llama_cpp(threads):.0f} |")
    print(f"| llama.cpp, Q8_0, one at a time, one thread | {llama_cpp(1):.0f} |")
    print(f"| torch, float32, batches of {BATCH} | {torch_batched(model, torch.float32):.0f} |")
    print(f"| torch, bfloat16, batches of {BATCH} | {torch_batched(model, torch.bfloat16):.0f} |")
    print(f"| ONNX Runtime, int8, batches of {BATCH} | {onnx_int8(model, threads):.0f} |")


if __name__ == "__main__":
    main()
