"""Layers that reshape, transpose or repeat their inputs."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer


def _known_size(dims: Any) -> int | None:
    return None if None in tuple(dims) else math.prod(dims)


def _reshaped(x: TensorLike, shape: ShapeLike) -> Any:
    return tf.sparse.reshape(x, shape) if type(x) is tf.SparseTensor else tf.reshape(x, shape)


def _transposed(x: TensorLike, axes: Axis) -> Any:
    return tf.sparse.transpose(x, axes) if type(x) is tf.SparseTensor else tf.transpose(x, axes)


class Flatten(Layer):
    """Flattens each example: (batch, ...) to (batch, size).

    Args:
        data_format: `"channels_last"`, or `"channels_first"` to move channels last first.

    >>> tf.keras.layers.Flatten()(tf.ones((2, 3, 4))).shape
    TensorShape([2, 12])
    """

    _tpf_keeps_dtype = True
    _tpf_keeps_sparsity = True

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)
        self._channels_first = self.data_format == "channels_first"

    def call(self, inputs: Any) -> Any:
        rank = len(inputs.shape)
        if self._channels_first and rank > 1:
            inputs = _transposed(inputs, (0, *range(2, rank), 1))
        size = _known_size(inputs.shape[1:])
        if size is None:
            return _reshaped(inputs, (tf.shape(inputs)[0], -1))
        if size:
            return _reshaped(inputs, (-1, size))
        return _reshaped(inputs, (tf.shape(inputs)[0], 0))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (input_shape[0], _known_size(input_shape[1:]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    """Reshapes each example to `target_shape`.

    Args:
        target_shape: Shape without the batch axis; -1 for one size that is inferred.

    Raises:
        ValueError: If the number of values would change.

    >>> tf.keras.layers.Reshape((3, -1))(tf.ones((2, 12))).shape
    TensorShape([2, 3, 4])
    """

    _tpf_has_no_weights = True
    _tpf_keeps_dtype = True
    _tpf_keeps_sparsity = True

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        shape = tuple(target_shape)
        if shape.count(-1) > 1 or any(n is not None and (n == 0 or n < -1) for n in shape):
            raise ValueError(
                f"Reshape: `target_shape` must consist of positive sizes, with -1 for at most one "
                f"of them. Received: target_shape={target_shape}"
            )
        self.target_shape = shape

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        target = list(self.target_shape)
        size = _known_size(input_shape[1:])
        if -1 in target:
            known_product = math.prod(n for n in target if n != -1)
            free_axis = target.index(-1)
            target[free_axis] = None if size is None else size // max(known_product, 1)
            wrong = size is not None and (known_product == 0 or size % known_product)
        else:
            wrong = size is not None and math.prod(target) != size
        if wrong:
            raise ValueError(
                f"Reshape '{self.name}' cannot change the number of values. Received the input "
                f"shape {tuple(input_shape[1:])} and target_shape={self.target_shape} (both "
                f"without the batch)."
            )
        return (input_shape[0], *target)

    def call(self, inputs: Any) -> Any:
        # Raises a ValueError that names the layer if the size is impossible.
        static_batch, *sizes = self.compute_output_shape(tuple(inputs.shape))
        target = [-1 if size is None else size for size in sizes]
        batch: Any = static_batch
        if static_batch is None:
            batch = tf.shape(inputs)[0] if -1 in target else -1
        return _reshaped(inputs, (batch, *target))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """Transposes the axes of each example.

    Args:
        dims: New order of the axes, counted from 1; the batch axis 0 stays first.

    >>> tf.keras.layers.Permute((2, 1))(tf.ones((1, 3, 5))).shape
    TensorShape([1, 5, 3])

    Raises:
        ValueError: `dims` is no permutation of 1, 2, ....
    """

    _tpf_keeps_dtype = True
    _tpf_keeps_sparsity = True

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                f"Permute: `dims` must have each of 1..{len(self.dims)} once; the batch axis 0 "
                f"stays where it is. Received: dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        return _transposed(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (input_shape[0], *[input_shape[dim] for dim in self.dims])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """Repeats each vector `n` times: (batch, features) to (batch, n, features).

    Args:
        n: Number of repetitions.

    Raises:
        TypeError: `n` is no integer.
        ValueError: `n` is not positive.

    Example:
        >>> tf.keras.layers.RepeatVector(3)(tf.ones((2, 4))).shape
        TensorShape([2, 3, 4])
    """

    _tpf_keeps_dtype = True

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(n, int) and n <= 0:
            raise ValueError(f"RepeatVector: `n` must be positive. Received: n={n}")
        if not isinstance(n, int):
            raise TypeError(
                f"RepeatVector: `n` must be an integer. Received: {n!r} of type {type(n).__name__}"
            )
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        return tf.tile(tf.expand_dims(inputs, 1), (1, self.n, 1))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (input_shape[0], self.n, input_shape[1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "n": self.n}
