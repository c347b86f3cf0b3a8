"""`Normalization`: features shifted and scaled to mean 0 and variance 1."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.adaptable import Adaptable
from tapeflow.keras.utils import PyDataset


class Normalization(Adaptable, Layer):
    """Shifts and scales features: `(x - mean) / sqrt(variance)`.

    The mean and the variance are those of the data that `adapt` is called on, or are passed.

    Args:
        axis: Axis or axes that have a mean and a variance for each index; all others are reduced.
            None for one mean and one variance of all.
        mean: Mean, if it is known; with `variance`, and broadcastable to the axes in `axis`.
        variance: Variance, if it is known.
        invert: Whether to compute `x * sqrt(variance) + mean` instead.

    Raises:
        ValueError: Only one of `mean` and `variance` is passed, or their shapes do not fit.

    Example:
        >>> scaling = tf.keras.layers.Normalization(axis=None)
        >>> scaling.adapt(np.array([1.0, 3.0]))
        >>> scaling([4.0]).numpy()
        array([2.], dtype=float32)
    """

    def __init__(
        self,
        axis: Any = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert
        self.supports_masking = True
        self._build_input_shape: Any = None
        self._constants: Any = None
        self._rows_seen = 0
        self._totals: Any = None
        self._allow_non_tensor_positional_args = True
        self._check_arguments(mean, variance)

    def _check_arguments(self, mean: Any, variance: Any) -> None:
        if (mean is None) != (variance is None):
            raise ValueError(
                f"Normalization: `mean` and `variance` are passed together or not at all. "
                f"Received: mean={mean}, variance={variance}"
            )
        if mean is None:
            return
        shape = np.shape(mean)
        if shape != np.shape(variance):
            raise ValueError(
                f"Normalization: `mean` and `variance` must be of one shape. Received: {shape} "
                f"and {np.shape(variance)}"
            )
        if len(shape) > len(self.axis):
            raise ValueError(
                f"Normalization: `mean` has {len(shape)} axes, but axis={self.axis} keeps only "
                f"{len(self.axis)}."
            )

    # -- building ----------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        if input_shape is None:
            return
        input_shape = tuple(input_shape)
        rank = len(input_shape)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(
                f"Normalization: each `axis` must be within [-{rank}, {rank}) for inputs of "
                f"{rank} axes. Received: axis={self.axis}"
            )
        self._build_input_shape = input_shape
        self._keep_axis = tuple(sorted(axis % rank for axis in self.axis))
        for axis in self._keep_axis:
            if input_shape[axis] is None:
                raise ValueError(
                    f"Normalization: the size of axis {axis}, which has means of its own, must be "
                    f"known. Received inputs of shape {input_shape}"
                )
        self._reduce_axis = tuple(axis for axis in range(rank) if axis not in self._keep_axis)
        self._broadcast_shape = [
            size if axis in self._keep_axis else 1 for axis, size in enumerate(input_shape)
        ]
        if self.input_mean is not None:
            self._constants = self._broadcast(self.input_mean), self._broadcast(self.input_variance)
            return
        shape = tuple(input_shape[axis] for axis in self._keep_axis)
        self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
        self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
        self.count = self.add_weight((), "zeros", "int64", trainable=False, name="count")

    def _broadcast(self, value: Any) -> Any:
        """A passed mean or variance in the rank of the inputs."""
        value = np.asarray(value)
        expanded = [1] * len(self._broadcast_shape)
        for size, axis in zip(reversed(value.shape), reversed(self._keep_axis)):
            expanded[axis] = size
        value = np.broadcast_to(value.reshape(expanded), self._broadcast_shape)
        return tf.constant(value, self.compute_dtype)

    def get_build_config(self) -> dict[str, Any] | None:
        if self._build_input_shape is None:
            return None
        return {"input_shape": self._build_input_shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        if config:
            self.build(config["input_shape"])

    # -- adapting ----------------------------------------------------------------------------

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Compute the mean and the variance of data.

        Args:
            data: Array, tensor, dataset, `PyDataset` or another iterable of batches. Of tuples, as
                in datasets for training, the first item is used.
            batch_size: Ignored; an argument of Keras 2.
            steps: Number of batches to use; None for all.

        Raises:
            TypeError: `data` is nothing that has batches.
            ValueError: There are no data, or the layer was created with a `mean`.

        Example:
            >>> layer = tf.keras.layers.Normalization()
            >>> layer.adapt(np.array([[0.0, 1.0], [2.0, 5.0]], "float32"))
            >>> layer.mean.numpy()
            array([[1., 3.]], dtype=float32)
        """
        if isinstance(data, list) and data and not any(map(_is_batch, data)):
            data = np.array(data)
        if isinstance(data, (np.ndarray, tf.Tensor, tf.Variable)):
            stream: Any = iter([data])
        elif isinstance(data, tf.data.Dataset):
            stream = iter(_batched(data))
        elif isinstance(data, PyDataset):
            stream = (data[i] for i in range(len(data)))  # type: ignore[arg-type]
        elif hasattr(data, "__iter__"):
            stream = iter(data)
        else:
            raise TypeError(
                f"Normalization.adapt expected an array, a tensor, a dataset or an iterable of "
                f"batches. Received: {type(data).__name__}"
            )
        stream = stream if steps is None else itertools.islice(stream, steps)
        first = next(stream, None)
        if first is None:
            raise ValueError("Normalization.adapt received no data: the iterable is empty.")
        self.reset_state()
        for batch in itertools.chain([first], stream):
            self.update_state(batch)
        self.finalize_state()
        self._tpf_set_adapted(True)

    def update_state(self, data: Any) -> None:
        """Take one more batch into the mean and the variance.

        Args:
            data: Array or tensor, or a tuple that begins with one.

        Raises:
            TypeError: The batch is no array or tensor.
            ValueError: The layer was created with a `mean`, or was built for another shape.
        """
        if self.input_mean is not None:
            raise ValueError("Normalization: a layer with a passed `mean` cannot be adapted.")
        batch = data[0] if isinstance(data, tuple) else data
        if not hasattr(batch, "shape"):
            raise TypeError(
                f"Normalization.adapt expected batches that are arrays or tensors. Received: "
                f"{type(batch).__name__}"
            )
        self._fit_shape(tuple(batch.shape))
        batch = np.asarray(batch)
        if batch.dtype.kind not in "fc":
            batch = batch.astype(self.compute_dtype)
        mean, variance = batch.mean(self._reduce_axis), batch.var(self._reduce_axis)
        rows = int(np.prod([batch.shape[axis] for axis in self._reduce_axis], dtype=np.int64))
        total = self._rows_seen + rows
        if self._rows_seen:
            # The combination of two groups: the spread between their means counts as well.
            share = rows / total
            old_mean, old_variance = self._totals
            shift = mean - old_mean
            mean = old_mean + share * shift
            variance = (1 - share) * (old_variance + share * shift**2) + share * variance
        self._totals = mean, variance
        self._rows_seen = total

    def _fit_shape(self, shape: tuple[int, ...]) -> None:
        if not self.built:
            self.build(shape)
            return
        built = self._build_input_shape
        if len(shape) != len(built) or any(shape[a] != built[a] for a in self._keep_axis):
            raise ValueError(
                f"Normalization '{self.name}' was built for inputs of shape {built}. "
                f"Received data of the incompatible shape {shape}"
            )

    def finalize_state(self) -> None:
        """Use the mean and the variance of the batches so far."""
        if self._rows_seen:
            mean, variance = self._totals
            self.adapt_mean.assign(tf.cast(mean, self.variable_dtype))
            self.adapt_variance.assign(tf.cast(variance, self.variable_dtype))

    def reset_state(self) -> None:
        """Forget the batches so far."""
        self._rows_seen, self._totals = 0, None
        self._tpf_set_adapted(False)

    # -- calling -----------------------------------------------------------------------------

    @property
    def mean(self) -> Any:
        """The mean, in the rank of the inputs; None before the layer is built."""
        return self._statistics()[0]

    @property
    def variance(self) -> Any:
        """The variance, in the rank of the inputs; None before the layer is built."""
        return self._statistics()[1]

    def _statistics(self) -> tuple[Any, Any]:
        if self._constants is not None:
            return self._constants
        if not self.built:
            return None, None
        dtype = self.compute_dtype
        pair = self.adapt_mean, self.adapt_variance
        return tuple(tf.cast(tf.reshape(v, self._broadcast_shape), dtype) for v in pair)  # type: ignore[return-value]

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, (list, tuple, int, float)):
            inputs = tf.convert_to_tensor(inputs, self.compute_dtype)
        return super().__call__(inputs, **kwargs)

    def call(self, inputs: Any) -> Any:
        mean, variance = self._statistics()
        if mean is None:
            raise ValueError(
                f"Normalization '{self.name}' has no mean and variance: call "
                f"`.build(input_shape)` or `.adapt(data)` first."
            )
        inputs = tf.cast(inputs, self.compute_dtype)
        deviation = tf.maximum(tf.sqrt(variance), tf.cast(epsilon(), self.compute_dtype))
        return mean + inputs * deviation if self.invert else (inputs - mean) / deviation

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "axis": self.axis,
            "invert": self.invert,
            "mean": np.array(self.input_mean).tolist(),
            "variance": np.array(self.input_variance).tolist(),
        }


def _is_batch(item: Any) -> bool:
    """Whether an item of a list is an array, or a tuple of the inputs and what belongs to them."""
    return hasattr(item[0] if isinstance(item, tuple) and item else item, "shape")


def _batched(data: Any) -> Any:
    """A dataset with batches: single rows are put together."""
    spec = data.element_spec
    shape = (spec[0] if isinstance(spec, tuple) else spec).shape
    return data.batch(128) if shape.rank == 1 else data
