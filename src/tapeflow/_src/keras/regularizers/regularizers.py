"""Penalties on weights, which layers add to the loss."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf


class Regularizer:
    """Base class of weight penalties; subclasses define `__call__(x)`, which returns a scalar.

    Any function of a tensor can stand for one.

    Example:
        >>> class Largest(tf.keras.regularizers.Regularizer):
        ...     def __call__(self, x):
        ...         return 0.5 * tf.reduce_max(tf.abs(x))
        >>> Largest()(tf.constant([1.0, -4.0])).numpy()
        np.float32(2.0)
    """

    def __call__(self, x: Any) -> Any:
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal regularizer from, as a dict.

        Raises:
            NotImplementedError: The subclass does not define it; it is needed to save a model.

        Example:
            >>> tf.keras.regularizers.L2(0.5).get_config()
            {'l2': 0.5}
        """
        raise NotImplementedError(f"{self} does not implement get_config()")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Regularizer:
        """Create a regularizer from the config of `get_config`.

        Args:
            config: The dict.

        Returns:
            A new regularizer.

        Example:
            >>> float(tf.keras.regularizers.L2.from_config({"l2": 0.5})(tf.constant([2.0])))
            2.0
        """
        return cls(**config)


def _factor(name: str, value: Any) -> Any:
    """A factor of a penalty, checked."""
    number = isinstance(value, (int, float))
    if not number or math.isinf(value) or math.isnan(value) or value < 0:
        raise ValueError(f"`{name}` must be a finite number >= 0. Received: {name}={value!r}")
    return float(value)


class L1L2(Regularizer):
    """L1 and L2 regularizer: `l1 * sum(abs(x)) + l2 * sum(x ** 2)`.

    Args:
        l1: Factor of the L1 penalty, 0 or more.
        l2: Factor of the L2 penalty, 0 or more.

    Raises:
        ValueError: A factor is negative or not a finite number.

    Example:
        >>> tf.keras.regularizers.L1L2(l1=1.0, l2=0.5)(tf.constant([1.0, -2.0])).numpy()
        np.float32(5.5)
    """

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0) -> None:
        self.l1 = _factor("l1", 0.0 if l1 is None else l1)
        self.l2 = _factor("l2", 0.0 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        x = tf.convert_to_tensor(x)
        penalty = tf.zeros([], x.dtype)
        if self.l1:
            penalty = penalty + self.l1 * tf.reduce_sum(tf.abs(x))
        if self.l2:
            penalty = penalty + self.l2 * tf.reduce_sum(tf.square(x))
        return penalty

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


class L1(Regularizer):
    """L1 regularizer: `l1 * sum(abs(x))`.

    Args:
        l1: Factor of the penalty, 0 or more.

    Raises:
        ValueError: The factor is negative or not a finite number.

    Example:
        >>> tf.keras.regularizers.L1(0.5)(tf.constant([1.0, -2.0])).numpy()
        np.float32(1.5)
    """

    def __init__(self, l1: float | None = 0.01) -> None:
        self.l1 = _factor("l1", 0.01 if l1 is None else l1)

    def __call__(self, x: Any) -> Any:
        return self.l1 * tf.reduce_sum(tf.abs(tf.convert_to_tensor(x)))

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1}


class L2(Regularizer):
    """L2 regularizer: `l2 * sum(x ** 2)`.

    Args:
        l2: Factor of the penalty, 0 or more.

    Raises:
        ValueError: The factor is negative or not a finite number.

    Example:
        >>> tf.keras.regularizers.L2(0.5)(tf.constant([1.0, -2.0])).numpy()
        np.float32(2.5)
        >>> layer = tf.keras.layers.Dense(
        ...     1, kernel_regularizer=tf.keras.regularizers.L2(0.5), kernel_initializer="ones"
        ... )
        >>> outputs = layer(tf.ones((1, 4)))
        >>> [float(loss) for loss in layer.losses]
        [2.0]
    """

    def __init__(self, l2: float | None = 0.01) -> None:
        self.l2 = _factor("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        return self.l2 * tf.reduce_sum(tf.square(tf.convert_to_tensor(x)))

    def get_config(self) -> dict[str, Any]:
        return {"l2": self.l2}


class OrthogonalRegularizer(Regularizer):
    """Orthogonality regularizer: penalizes the cosines between rows, or columns, of a matrix.

    Args:
        factor: Factor of the penalty, the mean of the absolute cosines of all pairs.
        mode: "rows" or "columns": which of them are to be orthogonal.

    Raises:
        ValueError: `mode` has another value, or the factor is negative or not a finite number.

    Example:
        >>> regularizer = tf.keras.regularizers.OrthogonalRegularizer(factor=0.5)
        >>> regularizer([[1.0, 0.0], [0.0, 1.0]]).numpy().round(4)
        np.float32(0.0)
        >>> regularizer([[1.0, 1.0], [1.0, 1.0]]).numpy().round(4)
        np.float32(0.5)
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(f"`mode` must be 'rows' or 'columns'. Received: mode={mode!r}")
        self.factor = _factor("factor", factor)
        self.mode = mode

    def __call__(self, inputs: Any) -> Any:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank != 2:
            raise ValueError(
                f"OrthogonalRegularizer penalizes matrices, tensors of rank 2. Received the shape "
                f"{inputs.shape}"
            )
        rows = inputs if self.mode == "rows" else tf.transpose(inputs)
        rows = tf.math.l2_normalize(rows, axis=1, epsilon=1e-14)
        size = rows.shape[0]
        cosines = tf.matmul(rows, rows, transpose_b=True)
        others = cosines * (1.0 - tf.eye(size, dtype=rows.dtype))
        pairs = size * (size - 1.0) / 2.0
        return self.factor * 0.5 * tf.reduce_sum(tf.abs(others)) / pairs

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "mode": self.mode}
