"""`tf.zeros_initializer` and related classes: callables that create a tensor of a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.conversion import constant
from tapeflow._src.api.arrays.creation import ones, zeros
from tapeflow._src.api.random.stateful import normal, uniform
from tapeflow._src.api.random.stateless import stateless_normal, stateless_uniform
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC, QUANTIZED, DType, as_dtype
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike

_PARTITION = "partition_shape"
_OFFSET = "partition_offset"


class Initializer:
    """Base class of initializers: callables that create a tensor of a shape and dtype."""

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what it makes.")

    def get_config(self) -> dict[str, Any]:
        """Return the constructor arguments as a dict.

        Returns:
            A dict that `from_config` turns back into an equal initializer.
        """
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create an initializer from the result of `get_config`.

        Args:
            config: The constructor arguments; a key "dtype" is ignored.

        Returns:
            An initializer of this class.
        """
        return cls(**{key: value for key, value in config.items() if key != "dtype"})

    def _part(self, shape: ShapeLike, kwargs: dict[str, Any]) -> Any:
        """Return the shape of the requested partition: the whole shape if there is none."""
        for key in kwargs:
            if key not in (_PARTITION, _OFFSET):
                raise TypeError(
                    f"Unknown keyword argument {key!r}; expected {_PARTITION} or {_OFFSET}."
                )
        return kwargs.get(_PARTITION, shape)


def _numeric_or_bool(dtype: DTypeLike) -> DType:
    kind = as_dtype(dtype)
    if kind not in NUMERIC | QUANTIZED | {dtypes.bool}:
        raise ValueError(f"dtype must be numeric or boolean, received {kind.name}.")
    return kind


def _floating(dtype: DTypeLike) -> DType:
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating-point dtype, received {kind.name}.")
    return kind


class zeros_initializer(Initializer):
    """Create tensors of zeros of the shape and dtype passed to the call.

    The call takes `shape`, `dtype` (numeric or bool; float32 by default) and, for a partition of a
    larger variable, `partition_shape` and `partition_offset`.

    Example:

        >>> tf.zeros_initializer()((2, 2)).numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        shape = self._part(shape, kwargs)
        return zeros(shape, _numeric_or_bool(dtype))


class ones_initializer(Initializer):
    """Create tensors of ones of the shape and dtype passed to the call.

    The call takes `shape`, `dtype` (numeric or bool; float32 by default) and, for a partition of a
    larger variable, `partition_shape` and `partition_offset`.

    Example:

        >>> tf.ones_initializer()((2,), tf.int32).numpy().tolist()
        [1, 1]
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        shape = self._part(shape, kwargs)
        return ones(shape, _numeric_or_bool(dtype))


class constant_initializer(Initializer):
    """Create tensors of one value, or of a list with as many values as the shape has elements.

    Args:
        value: A number or string, or a list, tuple or array of them.
        support_partition: Whether calls may ask for a partition of a larger variable; the value
            should then be a scalar.

    Raises:
        TypeError: `value` is of another type, such as a tensor.

    Example:

        >>> tf.constant_initializer(3)((2, 2), tf.int32).numpy().tolist()
        [[3, 3], [3, 3]]
        >>> tf.constant_initializer([1, 2, 3, 4])((2, 2)).numpy().tolist()
        [[1, 2], [3, 4]]
    """

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                "The value must be a number, a list, a tuple or a numpy.ndarray, received "
                f"{type(value).__name__}."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if kwargs and not self.support_partition:
            raise ValueError(
                "Constant initializer doesn't support partition-related arguments, unless it is "
                f"made with support_partition=True. Received: {kwargs}"
            )
        shape = self._part(shape, kwargs)
        return constant(self.value, None if dtype is None else as_dtype(dtype), shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class random_uniform_initializer(Initializer):
    """Create tensors of draws from a uniform distribution over `[minval, maxval)`.

    Args:
        minval: The lower bound.
        maxval: The upper bound, excluded.
        seed: A seed: with it, every call returns the same values for a shape. Without it, values
            come from the global random state (`tf.random.set_seed`).

    Example:

        >>> initializer = tf.random_uniform_initializer(0.0, 1.0, seed=1)
        >>> bool(tf.reduce_all(initializer((2, 3)) == initializer((2, 3))))
        True
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        shape = self._part(shape, kwargs)
        kind = _numeric_or_bool(dtype)
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, kind)
        return stateless_uniform(shape, (self.seed, 0), self.minval, self.maxval, kind)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class random_normal_initializer(Initializer):
    """Create tensors of draws from a normal distribution.

    Args:
        mean: The mean of the distribution.
        stddev: The standard deviation.
        seed: A seed: with it, every call returns the same values for a shape. Without it, values
            come from the global random state (`tf.random.set_seed`).

    Example:

        >>> initializer = tf.random_normal_initializer(stddev=0.1, seed=1)
        >>> initializer((2, 3)).shape
        TensorShape([2, 3])
        >>> initializer.get_config()
        {'mean': 0.0, 'stddev': 0.1, 'seed': 1}
    """

    def __init__(self, mean: TensorLike = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        shape = self._part(shape, kwargs)
        kind = _floating(dtype)
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, kind)
        return stateless_normal(shape, (self.seed, 0), self.mean, self.stddev, kind)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
