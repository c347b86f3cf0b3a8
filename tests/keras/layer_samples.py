"""Layers and inputs for them: a table that Keras and we run alike.

`python -m tests.keras.layer_samples FILE` records what Keras gives, where it is installed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

# Class, arguments, shapes of the inputs.
SAMPLES: list[tuple[str, dict[str, Any], list[tuple[int, ...]]]] = [
    ("Dense", {"units": 4}, [(3, 5)]),
    ("Dense", {"units": 2, "activation": "relu", "use_bias": False}, [(2, 3, 5)]),
    ("Dense", {"units": 2, "activation": "softmax"}, [(2, 1, 3, 4)]),
    ("EinsumDense", {"equation": "ab,bc->ac", "output_shape": 6, "bias_axes": "c"}, [(3, 4)]),
    (
        "EinsumDense",
        {"equation": "abc,cde->abde", "output_shape": (None, 2, 3), "bias_axes": "de"},
        [(2, 3, 4)],
    ),
    ("EinsumDense", {"equation": "...x,xy->...y", "output_shape": 3}, [(2, 3, 4)]),
    ("Activation", {"activation": "tanh"}, [(2, 3)]),
    ("ReLU", {}, [(2, 3)]),
    ("ReLU", {"max_value": 0.5, "negative_slope": 0.2, "threshold": 0.1}, [(2, 3)]),
    ("LeakyReLU", {}, [(2, 3)]),
    ("LeakyReLU", {"negative_slope": 0.1}, [(2, 3)]),
    ("ELU", {"alpha": 0.5}, [(2, 3)]),
    ("PReLU", {"alpha_initializer": "ones"}, [(2, 3, 4)]),
    ("PReLU", {"shared_axes": [1]}, [(2, 3, 4)]),
    ("Softmax", {}, [(2, 3)]),
    ("Softmax", {"axis": 1}, [(2, 3, 4)]),
    ("Softmax", {"axis": [1, 2]}, [(2, 3, 4)]),
    ("Dropout", {"rate": 0.5}, [(2, 3)]),
    ("SpatialDropout1D", {"rate": 0.5}, [(2, 3, 4)]),
    ("SpatialDropout2D", {"rate": 0.5}, [(2, 3, 4, 2)]),
    ("GaussianNoise", {"stddev": 0.5}, [(2, 3)]),
    ("GaussianDropout", {"rate": 0.5}, [(2, 3)]),
    ("AlphaDropout", {"rate": 0.3}, [(2, 3)]),
    ("ActivityRegularization", {"l1": 0.1, "l2": 0.2}, [(2, 3)]),
    ("Flatten", {}, [(2, 3, 4)]),
    ("Flatten", {"data_format": "channels_first"}, [(2, 3, 4)]),
    ("Flatten", {}, [(3,)]),
    ("Reshape", {"target_shape": (4, 3)}, [(2, 3, 4)]),
    ("Reshape", {"target_shape": (-1, 2)}, [(2, 3, 4)]),
    ("Permute", {"dims": (2, 1)}, [(2, 3, 4)]),
    ("RepeatVector", {"n": 3}, [(2, 4)]),
    ("Conv1D", {"filters": 3, "kernel_size": 2}, [(2, 6, 4)]),
    ("Conv1D", {"filters": 3, "kernel_size": 3, "padding": "causal"}, [(2, 6, 4)]),
    (
        "Conv1D",
        {"filters": 3, "kernel_size": 3, "padding": "causal", "dilation_rate": 2},
        [(2, 6, 4)],
    ),
    ("Conv2D", {"filters": 3, "kernel_size": 3, "activation": "relu"}, [(2, 5, 6, 4)]),
    ("Conv2D", {"filters": 3, "kernel_size": (2, 3), "padding": "same"}, [(2, 5, 6, 4)]),
    ("Conv2D", {"filters": 4, "kernel_size": 2, "strides": 2, "padding": "same"}, [(2, 5, 6, 2)]),
    ("Conv2D", {"filters": 4, "kernel_size": 2, "dilation_rate": (2, 1)}, [(2, 5, 6, 2)]),
    ("Conv2D", {"filters": 4, "kernel_size": 2, "groups": 2}, [(2, 5, 6, 4)]),
    (
        "Conv2D",
        {"filters": 3, "kernel_size": 2, "data_format": "channels_first"},
        [(2, 4, 5, 6)],
    ),
    ("Conv3D", {"filters": 2, "kernel_size": 2, "strides": (1, 2, 1)}, [(1, 4, 5, 4, 3)]),
    ("DepthwiseConv1D", {"kernel_size": 2, "depth_multiplier": 2}, [(2, 6, 3)]),
    ("DepthwiseConv2D", {"kernel_size": 2, "padding": "same"}, [(2, 5, 5, 3)]),
    ("DepthwiseConv2D", {"kernel_size": 3, "strides": 2, "depth_multiplier": 2}, [(2, 7, 7, 2)]),
    ("DepthwiseConv2D", {"kernel_size": 2, "dilation_rate": 2}, [(2, 5, 5, 3)]),
    ("SeparableConv1D", {"filters": 4, "kernel_size": 2}, [(2, 6, 3)]),
    ("SeparableConv2D", {"filters": 4, "kernel_size": 2, "depth_multiplier": 2}, [(2, 5, 5, 3)]),
    ("SeparableConv2D", {"filters": 4, "kernel_size": 3, "padding": "same"}, [(2, 5, 5, 3)]),
    ("Conv1DTranspose", {"filters": 3, "kernel_size": 3, "strides": 2}, [(2, 5, 4)]),
    ("Conv2DTranspose", {"filters": 3, "kernel_size": 2, "strides": 2}, [(2, 3, 4, 2)]),
    (
        "Conv2DTranspose",
        {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"},
        [(2, 3, 4, 2)],
    ),
    (
        "Conv2DTranspose",
        {"filters": 2, "kernel_size": 3, "strides": 2, "output_padding": 1},
        [(2, 3, 4, 2)],
    ),
    ("Conv2DTranspose", {"filters": 2, "kernel_size": 3, "dilation_rate": 2}, [(2, 3, 4, 2)]),
    ("Conv3DTranspose", {"filters": 2, "kernel_size": 2, "strides": 2}, [(1, 2, 3, 2, 2)]),
    ("MaxPooling1D", {}, [(2, 6, 3)]),
    ("MaxPooling1D", {"pool_size": 3, "strides": 1, "padding": "same"}, [(2, 6, 3)]),
    ("MaxPooling2D", {"pool_size": (2, 3), "strides": 1}, [(2, 5, 6, 3)]),
    ("MaxPooling2D", {"data_format": "channels_first"}, [(2, 3, 5, 6)]),
    ("MaxPooling3D", {}, [(1, 4, 4, 4, 2)]),
    ("AveragePooling1D", {"pool_size": 2}, [(2, 7, 3)]),
    ("AveragePooling2D", {"pool_size": 2, "padding": "same"}, [(2, 5, 6, 3)]),
    ("AveragePooling3D", {"pool_size": 2}, [(1, 4, 4, 5, 2)]),
    ("GlobalMaxPooling1D", {}, [(2, 5, 3)]),
    ("GlobalMaxPooling2D", {"keepdims": True}, [(2, 5, 4, 3)]),
    ("GlobalMaxPooling3D", {}, [(2, 2, 4, 3, 2)]),
    ("GlobalAveragePooling1D", {}, [(2, 5, 3)]),
    ("GlobalAveragePooling2D", {"data_format": "channels_first"}, [(2, 5, 4, 3)]),
    ("GlobalAveragePooling3D", {"keepdims": True}, [(2, 2, 4, 3, 2)]),
    ("ZeroPadding1D", {"padding": (1, 2)}, [(2, 3, 2)]),
    ("ZeroPadding2D", {"padding": ((1, 0), (0, 2))}, [(2, 3, 2, 2)]),
    ("ZeroPadding3D", {"padding": 1}, [(1, 2, 2, 1, 2)]),
    ("Cropping1D", {"cropping": (1, 2)}, [(2, 5, 2)]),
    ("Cropping2D", {"cropping": ((1, 0), (0, 2))}, [(2, 3, 4, 2)]),
    ("Cropping3D", {}, [(1, 4, 3, 5, 2)]),
    ("UpSampling1D", {"size": 3}, [(2, 3, 2)]),
    ("UpSampling2D", {"size": (2, 3)}, [(2, 2, 3, 2)]),
    ("UpSampling2D", {"size": 2, "interpolation": "bilinear"}, [(2, 2, 3, 2)]),
    ("UpSampling3D", {}, [(1, 2, 1, 2, 2)]),
    ("BatchNormalization", {}, [(4, 3)]),
    ("BatchNormalization", {"axis": 1, "scale": False, "epsilon": 0.1}, [(4, 3, 5)]),
    ("BatchNormalization", {"center": False, "momentum": 0.5}, [(2, 3, 4, 5)]),
    ("LayerNormalization", {}, [(4, 3)]),
    ("LayerNormalization", {"axis": [1, 2], "center": False}, [(4, 3, 5)]),
    ("LayerNormalization", {"axis": 1, "epsilon": 0.1}, [(2, 3, 4)]),
    ("RMSNormalization", {}, [(4, 3)]),
    ("GroupNormalization", {"groups": 2}, [(2, 3, 4)]),
    ("GroupNormalization", {"groups": -1, "axis": 1}, [(2, 3, 4, 2)]),
    ("UnitNormalization", {}, [(2, 3)]),
    ("UnitNormalization", {"axis": [1, 2]}, [(2, 3, 4)]),
    ("Add", {}, [(2, 3), (2, 3), (2, 1)]),
    ("Subtract", {}, [(2, 3), (2, 3)]),
    ("Multiply", {}, [(2, 3), (2, 3)]),
    ("Average", {}, [(2, 3), (2, 3)]),
    ("Maximum", {}, [(2, 3), (2, 3)]),
    ("Minimum", {}, [(2, 3), (2, 3)]),
    ("Concatenate", {}, [(2, 3), (2, 4)]),
    ("Concatenate", {"axis": 1}, [(2, 3, 2), (2, 4, 2)]),
    ("Dot", {"axes": (1, 2)}, [(2, 3, 4), (2, 5, 3)]),
    ("Dot", {"axes": 1, "normalize": True}, [(2, 3), (2, 3)]),
    ("Masking", {}, [(2, 3, 4)]),
    ("Identity", {}, [(2, 3)]),
    ("Rescaling", {"scale": 0.5, "offset": -1.0}, [(2, 3)]),
    ("Embedding", {"input_dim": 6, "output_dim": 3}, [(2, 4)]),
    ("SimpleRNN", {"units": 4}, [(2, 5, 3)]),
    ("SimpleRNN", {"units": 4, "return_sequences": True, "go_backwards": True}, [(2, 5, 3)]),
    ("SimpleRNN", {"units": 3, "activation": "relu", "use_bias": False}, [(2, 5, 3)]),
    ("LSTM", {"units": 4}, [(2, 5, 3)]),
    ("LSTM", {"units": 4, "return_sequences": True, "unroll": True}, [(2, 5, 3)]),
    ("LSTM", {"units": 4, "return_sequences": True, "go_backwards": True}, [(2, 5, 3)]),
    ("LSTM", {"units": 3, "recurrent_activation": "hard_sigmoid"}, [(2, 5, 3)]),
    ("LSTM", {"units": 3, "use_bias": False, "unit_forget_bias": False}, [(2, 5, 3)]),
    ("GRU", {"units": 4}, [(2, 5, 3)]),
    ("GRU", {"units": 4, "return_sequences": True, "reset_after": False}, [(2, 5, 3)]),
    ("GRU", {"units": 3, "activation": "softsign", "go_backwards": True}, [(2, 5, 3)]),
    ("GRU", {"units": 3, "use_bias": False}, [(2, 5, 3)]),
    ("ConvLSTM1D", {"filters": 3, "kernel_size": 2}, [(2, 3, 6, 2)]),
    (
        "ConvLSTM2D",
        {"filters": 3, "kernel_size": (2, 3), "padding": "same", "return_sequences": True},
        [(2, 3, 4, 5, 2)],
    ),
    ("ConvLSTM2D", {"filters": 3, "kernel_size": 3, "strides": 2}, [(2, 3, 7, 7, 2)]),
    ("ConvLSTM3D", {"filters": 2, "kernel_size": 2}, [(1, 2, 3, 4, 3, 2)]),
]


def name_of(index: int) -> str:
    return f"{index}_{SAMPLES[index][0]}"


def inputs_of(index: int) -> Any:
    """The inputs of a sample: one array, or a list of them."""
    cls, _, shapes = SAMPLES[index]
    random = np.random.default_rng(index)
    if cls == "Embedding":
        return random.integers(0, 6, shapes[0]).astype("int32")
    arrays = [random.standard_normal(shape).astype("float32") for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def weights_of(layer: Any, index: int) -> list[np.ndarray]:
    """Values for the weights of a layer: above zero, as variances are."""
    random = np.random.default_rng(1000 + index)
    return [random.uniform(0.2, 1.0, w.shape).astype("float32") for w in layer.weights]


def run(keras: Any, index: int) -> dict[str, Any]:
    """What a layer gives: outputs, with training and without, shapes, names and its config."""
    cls, arguments, shapes = SAMPLES[index]
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(index)
    layer = getattr(keras.layers, cls)(**arguments)
    x = inputs_of(index)
    layer(x)
    layer.set_weights(weights_of(layer, index))
    found: dict[str, Any] = {"output": np.asarray(layer(x))}
    if "training" in layer.call.__code__.co_varnames:
        found["trained"] = np.asarray(layer(x, training=True))
        found["after"] = np.asarray(layer(x, training=False))
    losses = [float(loss) for loss in layer.losses]
    inputs = [keras.Input(a.shape[1:], dtype=str(a.dtype)) for a in (x if len(shapes) > 1 else [x])]
    symbolic = inputs if len(shapes) > 1 else inputs[0]
    spec = layer(symbolic)
    config = layer.get_config()
    found["facts"] = json.dumps(
        {
            "paths": [w.path for w in layer.weights],
            "variables": [v.path for v in layer.variables],
            "trainable": [w.path for w in layer.trainable_weights],
            "shapes": [list(w.shape) for w in layer.weights],
            "symbolic": [list(spec.shape), spec.dtype],
            "static": list(layer.compute_output_shape(_shapes(shapes))),
            "config": _plain(config),
            "losses": losses,
            "params": layer.count_params(),
            "masking": layer.supports_masking,
        }
    )
    return found


def _shapes(shapes: list[tuple[int, ...]]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def main() -> None:
    import keras

    keras.utils.clear_session = keras.backend.clear_session
    arrays: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for index in range(len(SAMPLES)):
        try:
            found = run(keras, index)
        except Exception as error:
            print(f"{name_of(index)}: {type(error).__name__}: {error}")
            continue
        facts[name_of(index)] = json.loads(found.pop("facts"))
        arrays |= {f"{name_of(index)}/{part}": array for part, array in found.items()}
    np.savez_compressed(f"{sys.argv[1]}.npz", **arrays)
    with open(f"{sys.argv[1]}.json", "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
