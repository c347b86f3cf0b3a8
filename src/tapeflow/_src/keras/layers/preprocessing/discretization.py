"""`Discretization`: numbers as the indices of the ranges that they fall into."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.adaptable import Adaptable
from tapeflow._src.keras.layers.preprocessing.categories import (
    ENCODINGS,
    batches,
    check_option,
    check_sparse,
    encode,
    one_hot_shape,
    over_values,
)

_EMPTY = ((), ())


class Discretization(Adaptable, Layer):
    """Replaces numbers by the indices of bins, or by vectors of them.

    The bins are passed as `bin_boundaries`, or found by `adapt`. Bins include their lower end.

    Args:
        bin_boundaries: Numbers between the bins, in ascending order.
        num_bins: Number of bins, if `adapt` is to find boundaries between which equally many values
            lie.
        epsilon: Error of the quantiles that `adapt` allows itself; a smaller one takes more memory.
        output_mode: `"int"` for indices, `"one_hot"`, `"multi_hot"` or `"count"`.
        sparse: Whether to return a `tf.SparseTensor`, unless the mode is `"int"`.
        dtype: Dtype of vectors; indices are int32, in Keras 2 int64.

    Raises:
        ValueError: Both or none of `bin_boundaries` and `num_bins` are passed, or another argument
            is invalid.

    Example:
        >>> tf.keras.layers.Discretization(bin_boundaries=[0.0, 1.0])([-1.5, 0.0, 3.0]).numpy()
        array([0, 1, 2], dtype=int32)
    """

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        dtype: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        kind = type(self).__name__
        check_sparse(kind, sparse, output_mode)
        check_option(kind, "output_mode", output_mode, ("int", *ENCODINGS))
        if num_bins is not None and num_bins < 0:
            raise ValueError(f"{kind}: `num_bins` must be 0 or more. Received: {num_bins}")
        if (num_bins is None) == (bin_boundaries is None):
            raise ValueError(
                f"{kind}: pass either `bin_boundaries`, or `num_bins` and call `adapt`. Received: "
                f"num_bins={num_bins}, bin_boundaries={bin_boundaries}"
            )
        self.bin_boundaries = bin_boundaries
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = output_mode
        self.sparse = sparse
        self._allow_non_tensor_positional_args = True
        # Two rows: ascending values, and how many of the data each stands for.
        self.summary: Any = None if bin_boundaries else np.array(_EMPTY, "float32")

    @property
    def input_dtype(self) -> str:
        return floatx()

    @property
    def output_dtype(self) -> str:
        """The dtype of the outputs: int32 for indices."""
        if self.output_mode == "int":
            return "int64" if is_keras_2() else "int32"
        return self.compute_dtype

    # -- adapting ----------------------------------------------------------------------------

    def adapt(self, data: Any, steps: int | None = None, batch_size: int | None = None) -> None:
        """Find the boundaries between bins of about equally many values.

        Args:
            data: Array, tensor, dataset or another iterable of batches.
            steps: Number of batches to use; None for all.
            batch_size: Ignored; an argument of Keras 2.

        Raises:
            ValueError: The layer was created with `bin_boundaries`.

        Example:
            >>> layer = tf.keras.layers.Discretization(num_bins=2)
            >>> layer.adapt(np.array([1.0, 2.0, 3.0, 4.0]))
            >>> layer([0.0, 9.0]).numpy()
            array([0, 1], dtype=int32)
        """
        if self.num_bins is None:
            raise ValueError(
                "Discretization: a layer with passed `bin_boundaries` cannot be adapted; pass "
                "`num_bins` instead."
            )
        self.reset_state()
        stream = batches(data, steps, (np.ndarray,))
        for batch in [data] if stream is None else stream:
            self.update_state(batch)
        self.finalize_state()
        self._tpf_set_adapted(True)

    def update_state(self, data: Any) -> None:
        """Take one more batch into the summary of the values.

        Args:
            data: Array or tensor of numbers.
        """
        values = np.sort(np.asarray(data).astype("float32").reshape(-1))
        step = max(values.size * self.epsilon, 1)
        quantiles = values[int(step - 1) :: int(step)]
        summary = np.stack([quantiles, np.full_like(quantiles, step)])
        merged = np.concatenate([summary, self.summary], axis=1)
        self.summary = _compressed(merged[:, np.argsort(merged[0])], self.epsilon)

    def finalize_state(self) -> None:
        """Use the boundaries of the batches so far."""
        if self.num_bins is not None:
            bins = _compressed(self.summary, 1.0 / self.num_bins)
            self.bin_boundaries = bins[0, :-1].tolist()

    def reset_state(self) -> None:
        """Forget the batches so far."""
        self._tpf_set_adapted(False)
        if self.num_bins is not None:
            self.summary = np.array(_EMPTY, "float32")

    def load_own_variables(self, store: Any) -> None:
        # Files of older versions have the summary; the boundaries are in the config.
        if len(store) == 1:
            self.summary = np.asarray(store["0"])

    # -- calling -----------------------------------------------------------------------------

    def call(self, inputs: Any) -> Any:
        if self.bin_boundaries is None:
            raise ValueError(
                f"Discretization '{self.name}' has no boundaries: pass `bin_boundaries`, or call "
                f"`adapt` before the layer is used."
            )
        indices = over_values(self._bins, inputs)
        depth = len(self.bin_boundaries) + 1
        return encode(indices, self.output_mode, depth, self.output_dtype, self.sparse)

    def _bins(self, values: TensorLike) -> Any:
        values = tf.convert_to_tensor(values)
        boundaries = np.asarray(self.bin_boundaries, "float32")
        if values.dtype in (tf.float64, tf.int64):
            boundaries = boundaries.astype("float64")
        flat = tf.reshape(tf.cast(values, boundaries.dtype), [-1])
        indices = tf.searchsorted(tf.constant(boundaries), flat, side="right")
        return tf.reshape(indices, tf.shape(values))

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.output_mode == "int":
            return input_shape
        shape = tuple(input_shape)
        has_boundaries = self.bin_boundaries is not None
        depth: Any = len(self.bin_boundaries) + 1 if has_boundaries else self.num_bins
        if self.output_mode == "one_hot":
            return one_hot_shape(shape, depth)
        return (shape[0], *shape[2:], depth) if len(shape) >= 2 else (depth,)

    def compute_output_spec(self, inputs: Any) -> Any:
        shape = self.compute_output_shape(inputs.shape)
        return KerasTensor(shape, dtype=self.output_dtype, sparse=self.sparse)

    def get_config(self) -> dict[str, Any]:
        return {
            "bin_boundaries": self.bin_boundaries,
            "num_bins": self.num_bins,
            "epsilon": self.epsilon,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "name": self.name,
            "dtype": self.dtype,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        adapted = None
        if config.get("num_bins") is not None:
            adapted = config.pop("bin_boundaries", None)
        layer = cls(**config)
        if adapted is not None:
            layer.bin_boundaries = adapted
        return layer


def _compressed(summary: np.ndarray, epsilon: float) -> np.ndarray:
    """A summary with about `1 / epsilon` values, at even steps of the cumulated weight."""
    if summary.shape[1] * epsilon < 1:
        return summary
    steps = epsilon + np.arange(0.0, 1.0, epsilon)
    weights = summary[1].cumsum()
    shares = weights / weights[-1]
    cumulated = np.interp(steps, shares, weights)
    values = np.interp(steps, shares, summary[0])
    return np.stack([values, np.diff(cumulated, prepend=0)]).astype("float32")
