"""The NumPy and core ops of Keras: values, dtypes, configs and shapes as Keras has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.ops import samples
from tests.keras.oracle import GOLDEN as GOLDEN_DIR
from tests.keras.oracle import difference, plain

GOLDEN = json.loads(samples.FILE.read_text(encoding="utf-8"))
DTYPES = json.loads(samples.DTYPES_FILE.read_text(encoding="utf-8"))
K = tf.keras
# Keras' symbolic calls differ from its own results on values here.
QUIRKS = {
    **dict.fromkeys(
        ("ops.imag(z)", "ops.real(z)", "ops.angle(z)", "ops.absolute(z)"),
        "KerasTensors keep the complex dtype",
    ),
    "ops.corrcoef(a)": "KerasTensors keep the shape of the input",
    "ops.ndim(a)": "the number of axes is a vector for KerasTensors",
    "ops.slogdet(s)": "the results have the shape of the input for KerasTensors",
    "ops.where(c)": "the indices are one tensor for KerasTensors",
}


def tensors(call: str) -> dict[str, Any]:
    return {name: tf.constant(samples.ARRAYS[name]) for name in samples.inputs_of(call)}


def has(call: str, part: str) -> bool:
    entry = GOLDEN[call].get(part)
    return entry is not None and not (isinstance(entry, dict) and "error" in entry)


WITH_VALUE = [call for call in samples.CALLS if has(call, "value")]
IN_MODELS = [call for call in samples.CALLS if has(call, "operations") and call not in QUIRKS]
WITH_SHAPES = [call for call in samples.CALLS if has(call, "shapes") and call not in QUIRKS]


def test_nothing_is_recorded_in_vain() -> None:
    assert set(GOLDEN) == set(samples.CALLS)
    assert set(DTYPES["ops"]) == {*samples.TYPED_UNARY, *samples.TYPED_BINARY}


@pytest.mark.parametrize("call", WITH_VALUE)
def test_values_are_those_of_keras_eagerly_and_in_functions(call: str) -> None:
    values = tensors(call)
    eager = samples.evaluate(K.ops, call, values)
    found = difference(plain(eager), GOLDEN[call]["value"])
    assert found is None, found
    if not values:
        return
    traced = tf.function(lambda **given: samples.evaluate(K.ops, call, given))(**values)
    found = difference(plain(traced), plain(eager), 2e-6)
    assert found is None or "ops.shape" in call or "ops.ndim" in call, found


@pytest.mark.parametrize("call", IN_MODELS)
def test_models_have_the_configs_of_keras_and_compute_the_same(call: str) -> None:
    assert samples.operations(K, call) == GOLDEN[call]["operations"]
    inputs, outputs = samples.symbolic(K, call, unknown=False)
    model = K.Model(inputs, outputs)
    read = K.Model.from_config(json.loads(json.dumps(model.get_config())))
    values = tensors(call)
    arguments = list(values.values())
    expected = samples.evaluate(K.ops, call, values)
    for each in (model, read):
        result = each(arguments[0] if len(arguments) == 1 else arguments)
        for x, y in zip(tf.nest.flatten(result), tf.nest.flatten(expected), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-6)
            assert x.dtype == y.dtype


@pytest.mark.parametrize("call", WITH_SHAPES)
def test_shapes_are_inferred_where_keras_infers_them(call: str) -> None:
    for ours, theirs in zip(samples.shapes(K, call), GOLDEN[call]["shapes"], strict=True):
        assert ours[1] == theirs[1]
        assert len(ours[0]) == len(theirs[0])
        for mine, peer in zip(ours[0], theirs[0], strict=True):
            assert peer is None or mine == peer, f"{ours} instead of {theirs}"


@pytest.mark.parametrize("op", [*samples.TYPED_UNARY, *samples.TYPED_BINARY])
def test_dtypes_of_results_are_those_of_keras(op: str) -> None:
    expected = DTYPES["tables"][DTYPES["ops"][op]].split()
    found = samples.dtype_row(K.ops, op)
    assert len(found) == len(expected)
    wrong = [(x, y) for x, y in zip(found, expected, strict=True) if y != "-" and x != y]
    assert wrong == []


def test_a_model_of_ops_saved_by_keras_computes_the_same(tmp_path: Path) -> None:
    """A model of a dozen ops and a Dense layer, written by Keras 3.15 with its predictions."""
    model = K.models.load_model(GOLDEN_DIR / "keras_ops.keras")
    with np.load(GOLDEN_DIR / "keras_ops.npz") as recorded:
        x, y = recorded["x"], recorded["y"]
    np.testing.assert_allclose(model.predict(x, verbose=0), y, rtol=1e-5, atol=1e-6)
    model.save(tmp_path / "again.keras")
    again = K.models.load_model(tmp_path / "again.keras")
    np.testing.assert_allclose(again.predict(x, verbose=0), y, rtol=1e-5, atol=1e-6)
    assert again.get_config() == model.get_config()
