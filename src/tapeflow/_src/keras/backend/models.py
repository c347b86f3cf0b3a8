"""Functions of Keras 2 that put models together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor


def is_keras_tensor(x: Any) -> bool:
    """Return whether `x` is a KerasTensor.

    Args:
        x: Anything; in Keras 2, some tensor.

    Returns:
        A boolean.

    Raises:
        ValueError: `x` is not a tensor, in Keras 2.

    Example:
        >>> tf.keras.backend.is_keras_tensor(keras.Input((3,)))
        True
    """
    if is_keras_2() and not isinstance(x, (KerasTensor, tf.Tensor, tf.Variable)):
        raise ValueError(
            f"`is_keras_tensor` expected a tensor of whichever kind. Received: {x!r} of type "
            f"{type(x).__name__}"
        )
    return isinstance(x, KerasTensor)


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """Return a KerasTensor that a model, or `K.function`, takes as an input.

    Args:
        shape: The whole shape, with the axis of the batch; None for unknown sizes.
        ndim: Number of axes, if `shape` is None.
        dtype: Dtype of the result; None is `floatx()`.
        sparse: Whether it stands for sparse tensors.
        name: Name of the input.
        ragged: Whether it stands for ragged tensors.

    Returns:
        A KerasTensor.

    Raises:
        ValueError: Neither `shape` nor `ndim` is passed, or it is both sparse and ragged.

    Example:
        >>> tf.keras.backend.placeholder((None, 3)).shape
        (None, 3)
    """
    if sparse and ragged:
        raise ValueError("A placeholder is either sparse or ragged. Received both as True.")
    if shape is None and ndim is None:
        raise ValueError("A placeholder needs `shape` or `ndim`. Received neither.")
    shape = (None,) * (ndim or 0) if shape is None else tuple(shape)
    return tf.keras.Input(
        batch_shape=shape, dtype=dtype or floatx(), sparse=sparse, ragged=ragged, name=name
    )


def function(
    inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any
) -> Callable[[Any], Any]:
    """Return a function from values of `inputs` to those of `outputs`, as NumPy arrays.

    Args:
        inputs: KerasTensors.
        outputs: KerasTensors computed from them.
        updates: Accepted for TensorFlow 1: None or empty.
        name: Accepted; not used.
        **kwargs: Accepted for TensorFlow 1: none.

    Returns:
        A function of a list of values.

    Raises:
        ValueError: There are updates or other arguments.

    Example:
        >>> K = tf.keras.backend
        >>> x = K.placeholder((None, 2))
        >>> K.function([x], [K.sum(x)])([[[1.0, 2.0]]])
        [3.0]
    """
    if updates or kwargs:
        raise ValueError(
            f"K.function computes outputs from inputs; it takes neither updates nor arguments of "
            f"sessions. Received: updates={updates}, {kwargs}"
        )
    model = tf.keras.Model(inputs, outputs)
    in_a_list = isinstance(outputs, list) and len(outputs) == 1

    def compute(values: TensorLike) -> Any:
        if isinstance(inputs, (list, tuple)) and isinstance(values, (list, tuple)):
            # Each one is the value of a tensor, lists of numbers too.
            values = [v if hasattr(v, "shape") else np.array(v) for v in values]
        results = model(values)
        if in_a_list and not isinstance(results, list):
            results = [results]
        return tf.nest.map_structure(_to_numpy, results)

    return compute


def _to_numpy(tensor: Any) -> Any:
    value = tensor.numpy()
    return value if value.ndim else value.item()


def gradients(loss: Any, variables: Any) -> Any:
    """Return the gradients of `loss` with respect to `variables`, inside a `tf.function`.

    In eager code use `tf.GradientTape`.

    Args:
        loss: Scalar tensor of the function.
        variables: List of variables or tensors.

    Returns:
        A list of tensors; None where `loss` does not depend on a variable.
    """
    return tf.gradients(loss, variables)
