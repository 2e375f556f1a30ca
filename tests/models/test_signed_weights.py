"""Unsigned weights made signed: the same numbers, on the network that ships and on a processor of either kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from errors import ModelError
from models.adapter import adapted
from models.catalogue import WEIGHTS, Role
from models.files import checked_path
from models.reader import NETWORK, Reader, load_session
from models.signed_weights import fastest, multiplies_signed, signed

READER = checked_path(WEIGHTS[Role.READER])
IDS = {
    "input_ids": np.array([[0, 2054, 2003, 1041, 2, 2, 1045, 2572, 3407, 2]], dtype=np.int64),
    "attention_mask": np.ones((1, 10), dtype=np.int64),
}


@pytest.fixture(scope="module")
def network() -> onnx.ModelProto:
    return signed(onnx.load(READER / NETWORK))


def test_all_weights_of_products_are_signed_and_the_word_vectors_are_not(network: onnx.ModelProto) -> None:
    kinds = {tensor.name: tensor.data_type for tensor in network.graph.initializer}
    products = [node for node in network.graph.node if node.op_type == "MatMulInteger"]
    assert len(products) == 72
    assert {kinds[node.input[place]] for node in products for place in (1, 3)} == {TensorProto.INT8}
    assert TensorProto.UINT8 in kinds.values()


def test_signed_weights_give_the_same_numbers(network: onnx.ModelProto) -> None:
    if not multiplies_signed():
        pytest.skip("signed products overflow on this processor, so the weights stay unsigned")
    before = load_session(READER / NETWORK).run(None, IDS)[0]
    after = load_session(READER / NETWORK, lambda _: network.SerializeToString()).run(None, IDS)[0]
    assert np.array_equal(before, after)


def test_the_file_is_read_as_the_processor_wants_it() -> None:
    stance = checked_path(WEIGHTS[Role.STANCE]) / NETWORK
    as_stored = fastest(stance) == stance.read_bytes()
    assert as_stored is not multiplies_signed()


def test_a_network_with_an_adapter_is_read_with_it() -> None:
    merged = adapted(READER / NETWORK)
    assert fastest(READER / NETWORK) == (signed(merged) if multiplies_signed() else merged).SerializeToString()
    assert merged != onnx.load(READER / NETWORK)


def test_a_network_that_is_signed_stays_so(network: onnx.ModelProto) -> None:
    before = network.SerializeToString()
    assert signed(network).SerializeToString() == before


@pytest.mark.parametrize("content", [b"", b"no network", None])
def test_a_file_that_is_no_network_is_one_clear_line(tmp_path: Path, content: bytes | None) -> None:
    for name in ("tokenizer.json", "reader.json"):
        (tmp_path / name).write_bytes((READER / name).read_bytes())
    if content is not None:
        (tmp_path / NETWORK).write_bytes(content)
    with pytest.raises(ModelError, match=r"^ONNX Runtime cannot load .*reader\.onnx"):
        Reader(tmp_path, 1)
