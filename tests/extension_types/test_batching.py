"""Batchable extension types in datasets and maps; encoders of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Batchable = tf.experimental.BatchableExtensionType
Dataset = tf.data.Dataset


class Vehicle(Batchable):
    speed: tf.Tensor
    mpg: tf.Tensor


class Single(tf.experimental.ExtensionType):
    v: tf.Tensor


class Mixed(Batchable):
    shape: tf.TensorShape
    rows: tf.RaggedTensor
    named: Mapping[str, tf.Tensor]
    inner: Vehicle
    nothing: tf.Tensor | None = None
    label: str = "x"


FLEET = Vehicle([[1, 2], [3, 4], [5, 6]], [1.0, 2.0, 3.0])
MIXED = Mixed(
    [2], tf.ragged.constant([[1], [2, 3]]), {"x": [1, 2]}, Vehicle([[1], [2]], [1.0, 2.0])
)


def plain(value: Any) -> Any:
    def leaf(part: Any) -> Any:
        return part.to_list() if isinstance(part, tf.RaggedTensor) else part.numpy().tolist()

    parts = value._type_spec._to_components(value)
    return [plain(p) if hasattr(p, "_tf_extension_type_make_spec") else leaf(p) for p in parts]


def specs(*shapes: Any) -> Any:
    return Vehicle.Spec(tf.TensorSpec(shapes[0], tf.int32), tf.TensorSpec(shapes[1]))


# -- datasets ---------------------------------------------------------------------------------


def test_slices_and_batches() -> None:
    slices = Dataset.from_tensor_slices(FLEET)
    assert slices.element_spec == specs([2], [])
    assert [plain(v) for v in slices] == [[[1, 2], 1.0], [[3, 4], 2.0], [[5, 6], 3.0]]
    batches = slices.batch(2)
    assert batches.element_spec == specs([None, 2], [None])
    assert slices.batch(2, drop_remainder=True).element_spec == specs([2, 2], [2])
    assert [plain(v) for v in batches] == [[[[1, 2], [3, 4]], [1.0, 2.0]], [[[5, 6]], [3.0]]]
    assert [plain(v) for v in batches.unbatch()] == [plain(v) for v in slices]
    assert [plain(v) for v in batches.rebatch(3)] == [plain(FLEET)]
    assert all(isinstance(v, Vehicle) for v in batches)


def test_functions_of_elements() -> None:
    slices = Dataset.from_tensor_slices(FLEET)
    faster = slices.map(lambda v: Vehicle(v.speed * 2, v.mpg))
    assert [plain(v) for v in faster] == [[[2, 4], 1.0], [[6, 8], 2.0], [[10, 12], 3.0]]
    assert [s.numpy().tolist() for s in slices.map(lambda v: v.mpg)] == [1.0, 2.0, 3.0]
    assert [plain(v)[1] for v in slices.filter(lambda v: v.mpg > 1)] == [2.0, 3.0]
    total = slices.reduce(
        Vehicle([0, 0], 0.0), lambda s, v: Vehicle(s.speed + v.speed, s.mpg + v.mpg)
    )
    assert plain(total) == [[9, 12], 6.0]
    pairs = list(Dataset.zip(slices, Dataset.range(3)))
    assert plain(pairs[1][0]) == [[3, 4], 2.0] and pairs[1][1].numpy() == 1


def test_loops_over_datasets() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        found = Vehicle([0, 0], 0.0)
        for one in dataset:
            if one.mpg > 1.0:
                found = Vehicle(found.speed + one.speed, found.mpg + one.mpg)
        return found

    assert plain(total(Dataset.from_tensor_slices(FLEET))) == [[8, 10], 5.0]


def test_generators_and_iterators() -> None:
    generated = Dataset.from_generator(
        lambda: iter([Vehicle([1], 2.0)]), output_signature=specs([1], [])
    )
    assert [plain(v) for v in generated] == [[[1], 2.0]]
    iterator = iter(Dataset.from_tensors(Single(5)))
    assert iterator.next().v.numpy() == 5
    with pytest.raises(StopIteration):
        iterator.next()


def test_types_that_cannot_be_batched() -> None:
    assert [v.v.numpy().tolist() for v in Dataset.from_tensors(Single([1, 2]))] == [[1, 2]]
    with pytest.raises(ValueError, match="cannot be put together in a batch"):
        Dataset.from_tensors(Single([1, 2])).batch(2)
    with pytest.raises(ValueError, match="cannot be taken apart along its first axis"):
        Dataset.from_tensor_slices(Single([1, 2]))
    with pytest.raises(TypeError, match="as_numpy_iterator"):
        Dataset.from_tensor_slices(FLEET).as_numpy_iterator()


def test_fields_of_all_kinds() -> None:
    slices = list(Dataset.from_tensor_slices(MIXED))
    assert [s.shape for s in slices] == [[], []]
    assert slices[1].rows.numpy().tolist() == [2, 3] and slices[1].label == "x"
    assert slices[1].named["x"].numpy() == 2 and plain(slices[1].inner) == [[2], 2.0]
    (again,) = Dataset.from_tensor_slices(MIXED).batch(2)
    assert again.shape.as_list() == [None]
    assert again.rows.to_list() == [[1], [2, 3]] and plain(again.inner) == plain(MIXED.inner)


def test_specs_of_batches() -> None:
    spec = FLEET._type_spec
    assert spec._batch(7) == specs([7, 3, 2], [7, 3])
    assert spec._unbatch() == specs([2], [])
    assert MIXED._type_spec._unbatch()._batch(2).named["x"] == tf.TensorSpec([2], tf.int32)
    with pytest.raises(ValueError, match="rank 1 or more"):
        spec._unbatch()._unbatch()


# -- maps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "traced"])
def test_map_fn(wrap: Any) -> None:
    doubled = wrap(lambda v: tf.map_fn(lambda one: Vehicle(one.speed * 2, one.mpg), v))(FLEET)
    assert isinstance(doubled, Vehicle)
    assert plain(doubled) == [[[2, 4], [6, 8], [10, 12]], [1.0, 2.0, 3.0]]
    mpg = wrap(lambda v: tf.map_fn(lambda one: one.mpg * 2, v, fn_output_signature=tf.float32))
    np.testing.assert_array_equal(mpg(FLEET), [2.0, 4.0, 6.0])
    made = wrap(
        lambda x: tf.map_fn(lambda one: Vehicle([1, 2], one), x, fn_output_signature=specs([2], []))
    )(tf.constant([1.0, 2.0]))
    assert plain(made) == [[[1, 2], [1, 2]], [1.0, 2.0]]


def test_map_fn_in_structures() -> None:
    both = (FLEET, tf.constant([10.0, 20.0, 30.0]))
    signature = {"v": FLEET._type_spec._unbatch(), "x": tf.float32}
    result = tf.map_fn(lambda e: {"v": e[0], "x": e[1] + e[0].mpg}, both, signature)
    assert plain(result["v"]) == plain(FLEET)
    np.testing.assert_array_equal(result["x"], [11.0, 22.0, 33.0])
    assert tf.map_fn(lambda m: m, MIXED).rows.to_list() == [[1], [2, 3]]


def test_map_fn_must_give_what_is_described() -> None:
    with pytest.raises(ValueError, match="expected `fn` to return"):
        tf.map_fn(lambda v: v.mpg, FLEET)
    with pytest.raises(ValueError, match="to a Tensor"):
        tf.map_fn(lambda v: v.v, Single([1, 2]), fn_output_signature=tf.int32)


def test_vectorized_map() -> None:
    doubled = tf.vectorized_map(lambda v: Vehicle(v.speed * 2, v.mpg), FLEET)
    assert plain(doubled) == [[[2, 4], [6, 8], [10, 12]], [1.0, 2.0, 3.0]]


# -- encoders ---------------------------------------------------------------------------------


class SumFirst(tf.experimental.ExtensionTypeBatchEncoder):
    """Encodes two fields as their sum and difference."""

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        return {"sum": value.a + value.b, "difference": value.a - value.b}

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        total, difference = encoded_value["sum"], encoded_value["difference"]
        return spec._from_components([(total + difference) / 2, (total - difference) / 2])

    def encoding_specs(self, spec: Any) -> Any:
        return {"sum": spec.a, "difference": spec.b}


class Encoded(Batchable):
    a: tf.Tensor
    b: tf.Tensor
    __batch_encoder__ = SumFirst()


def test_an_encoder_of_ones_own() -> None:
    value = Encoded([1.0, 2.0], [3.0, 5.0])
    slices = Dataset.from_tensor_slices(value)
    assert [plain(v) for v in slices] == [[1.0, 3.0], [2.0, 5.0]]
    assert plain(next(iter(slices.batch(2)))) == plain(value)
    assert plain(tf.map_fn(lambda v: v, value)) == plain(value)
