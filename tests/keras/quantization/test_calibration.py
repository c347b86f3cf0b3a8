"""GPTQ and AWQ: calibration on examples, files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.quantizers.affine import (
    compute_quantization_parameters,
    dequantize_with_zero_point,
    quantize_with_zero_point,
)
from tapeflow._src.keras.quantizers.calibration import get_dataloader

keras = tf.keras
TOKENS = np.random.default_rng(1).integers(0, 20, 64)
CONFIGS = {"gptq": keras.quantizers.GPTQConfig, "awq": keras.quantizers.AWQConfig}
MODES = pytest.mark.parametrize("mode", sorted(CONFIGS))


def model_of(units: int = 12) -> Any:
    keras.utils.set_random_seed(1)
    blocks = [keras.layers.Dense(units, activation="relu"), keras.layers.Dense(8)]
    return keras.Sequential(
        [keras.Input((16,)), keras.layers.Embedding(20, 8), *blocks, keras.layers.Dense(3)]
    )


def config_of(mode: str, model: Any, **options: Any) -> Any:
    structure = {"pre_block_layers": model.layers[:1], "sequential_blocks": model.layers[1:3]}
    return CONFIGS[mode](
        **{
            "dataset": [TOKENS],
            "tokenizer": list,
            "num_samples": 4,
            "sequence_length": 16,
            "group_size": -1,
            "quantization_layer_structure": structure,
            **options,
        }
    )


@MODES
def test_calibrated_models_come_back_from_files(mode: str, tmp_path: Path) -> None:
    model = model_of()
    x = TOKENS.reshape(4, 16)
    exact = model.predict(x, verbose=0)
    model.quantize(config=config_of(mode, model))
    assert [layer.quantization_mode for layer in model.layers] == [None, mode, mode, None]
    assert model.layers[1].kernel.dtype == tf.uint8
    quantized = model.predict(x, verbose=0)
    assert np.abs(quantized - exact).max() < 0.3 * exact.std()
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again.predict(x, verbose=0), quantized, rtol=1e-5, atol=1e-6)


@MODES
def test_the_model_may_say_what_is_calibrated(mode: str) -> None:
    class Model(keras.Sequential):
        def get_quantization_layer_structure(self, mode: str | None = None) -> Any:
            return {"pre_block_layers": self.layers[:1], "sequential_blocks": self.layers[1:]}

    model = Model(model_of().layers)
    model.build((None, 16))
    model.quantize(mode, config=config_of(mode, model, quantization_layer_structure=None))
    assert [layer.quantization_mode for layer in model.layers] == [None, mode, mode, mode]


def test_gptq_compensates_errors() -> None:
    errors = {}
    for num_samples in (1, 64):
        model = model_of(64)
        x = TOKENS.reshape(4, 16)
        exact = model.predict(x, verbose=0)
        # With all the weight on the diagonal, the inputs do not matter.
        damping = 1.0 if num_samples == 1 else 0.01
        options = {"num_samples": num_samples, "hessian_damping": damping, "weight_bits": 3}
        model.quantize(config=config_of("gptq", model, **options))
        errors[num_samples] = np.square(model.predict(x, verbose=0) - exact).mean()
    assert errors[64] < errors[1]


def test_more_inputs_than_a_block_share_one_scale() -> None:
    model = model_of(300)
    model.quantize(config=config_of("gptq", model))
    assert model.layers[2].kernel_scale.shape == (8, 1)


def test_filters_choose_layers() -> None:
    model = model_of()
    first, second = model.layers[1:3]
    model.quantize(config=config_of("gptq", model), filters=f"^{second.name}$")
    assert first.quantization_mode is None
    assert second.is_gptq_calibrated


@MODES
def test_calibrated_layers_refuse_adapters_and_early_saving(mode: str) -> None:
    layer = keras.layers.Dense(2)
    layer.build((None, 4))
    layer.quantize(config=CONFIGS[mode](None, None))
    with pytest.raises(NotImplementedError, match="lora"):
        layer.enable_lora(2)
    with pytest.raises(ValueError, match="calibrated"):
        layer.save_own_variables({})
    unbuilt = keras.layers.Dense(2, dtype=layer.dtype_policy)
    with pytest.raises(ValueError, match="load its weights"):
        unbuilt(np.ones((1, 4), "float32"))


def test_missing_examples_leave_the_model_as_it_was() -> None:
    model = model_of()
    for options in ({"dataset": None}, {"quantization_layer_structure": {}}):
        with pytest.raises(ValueError, match=r"GPTQConfig|sequential_blocks"):
            model.quantize(config=config_of("gptq", model, **options))
    assert {layer.quantization_mode for layer in model.layers} == {None}


def test_groups_of_one_sign_are_represented() -> None:
    weights = np.random.default_rng(0).uniform(2.0, 3.0, (3, 8)).astype("float32")
    for x in (weights, -weights):
        scale, zero, highest = compute_quantization_parameters(x, bits=4, per_channel=True)
        levels = quantize_with_zero_point(x, scale, zero, highest)
        restored = dequantize_with_zero_point(levels, scale, zero).numpy()
        assert np.abs(restored - x).max() <= scale.numpy().max()


@pytest.mark.parametrize("strategy", ["strided", "linspace", "random"])
def test_sequences_are_cut_from_the_dataset(strategy: str) -> None:
    texts = ["abcdefgh", "ijk"]
    found = get_dataloader(lambda text: [ord(c) for c in text], 4, texts, 5, strategy=strategy)
    assert found.shape == (5, 1, 4)
    stream = "abcdefghijk" * 3
    assert all("".join(map(chr, row[0])) in stream for row in found)


def test_ends_of_texts_are_marked() -> None:
    def codes(text: str) -> list[int]:
        return [ord(c) for c in text]

    found = get_dataloader(codes, 5, ["ab", "cd"], 1, strategy="linspace", eos_id=7)
    assert found.tolist() == [[[97, 98, 7, 99, 100]]]


def test_embeddings_count_negative_indices_from_the_end() -> None:
    layer = keras.layers.Embedding(5, 2)
    table = layer(np.arange(5))
    np.testing.assert_array_equal(layer(np.array([-1, -5])), table.numpy()[[4, 0]])
    layer.quantize("int8")
    np.testing.assert_array_equal(layer(np.array([-1])), layer(np.array([4])))
    with pytest.raises(tf.errors.InvalidArgumentError):
        layer(np.array([-6]))
