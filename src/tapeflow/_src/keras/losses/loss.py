"""`Loss`: base class of losses, from labels and predictions to a scalar to minimize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.layers.masks import get_mask
from tapeflow._src.keras.losses.reduction import reduce_weighted, same_rank, standardize_reduction
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import LOSS
from tapeflow._src.keras.utils.naming import auto_name
from tapeflow.keras import dtype_policies
from tapeflow.keras.saving import serialize_keras_object


class Loss:
    """Base class of losses; a subclass defines `call(y_true, y_pred)`, the loss of each sample.

    Calls take `(y_true, y_pred, sample_weight=None)`: `y_true` and `y_pred` are cast to `dtype`,
    losses are multiplied by the weights, what a Keras mask leaves out does not count, and the rest
    is reduced to a scalar.

    Args:
        name: Name of the loss; None derives it from the class.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> class Cubic(tf.keras.Loss):
        ...     def call(self, y_true, y_pred):
        ...         return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)
        >>> Cubic()(tf.constant([[0.0, 0.0]]), tf.constant([[1.0, 2.0]])).numpy()
        np.float32(4.5)
    """

    def __init__(
        self,
        name: str | None = None,
        reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:
        self.name = name or auto_name(type(self).__name__)
        self.reduction = standardize_reduction(reduction)
        self._dtype = dtype_policies.get(dtype or floatx()).compute_dtype

    @property
    def dtype(self) -> str:
        return self._dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        masks = [get_mask(y_pred)]
        y_pred = tf.nest.map_structure(self._tpf_convert, y_pred)
        y_true = tf.nest.map_structure(self._tpf_convert, y_true)
        losses = tf.convert_to_tensor(self.call(y_true, y_pred))
        masks = [mask for mask in (*masks, get_mask(losses)) if mask is not None]
        mask = tf.logical_and(*masks) if len(masks) == 2 else (masks or [None])[0]
        losses = tf.cast(losses, self._dtype)
        return reduce_weighted(losses, sample_weight, mask, self.reduction)

    def _tpf_convert(self, value: TensorLike) -> Any:
        if isinstance(value, tf.RaggedTensor):
            value = value.to_tensor()
        value = tf.convert_to_tensor(value)
        return value if value.dtype.name == self._dtype else tf.cast(value, self._dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Compute the loss of each sample.

        Args:
            y_true: Labels, cast to the dtype of the loss.
            y_pred: Predictions, cast to it, too.

        Returns:
            A tensor of shape (batch, ...), which `reduction` is applied to.

        Example:
            >>> tf.keras.losses.MeanSquaredError().call([[0.0, 2.0]], [[1.0, 2.0]]).numpy()
            array([0.5], dtype=float32)
        """
        raise NotImplementedError(f"{type(self).__name__} has no `call` method.")

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` recreates the loss from, as a dict.

        Example:
            >>> tf.keras.losses.Huber(delta=2.0).get_config()["delta"]
            2.0
        """
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Loss:
        """Create a loss from the config of `get_config`.

        Args:
            config: The dict.

        Returns:
            A new loss.

        Example:
            >>> tf.keras.losses.Huber.from_config({"delta": 2.0}).name
            'huber_loss'
        """
        return cls(**config)


class LossFunctionWrapper(Loss):
    """Wraps a function of labels and predictions as a loss."""

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        if isinstance(y_true, tf.Tensor) and isinstance(y_pred, tf.Tensor):
            y_true, y_pred = same_rank(y_true, y_pred)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "fn": serialize_keras_object(self.fn),
            **serialize_keras_object(self._fn_kwargs),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Loss:
        return cls(**(read_object(config, LOSS, required=False) if "fn" in config else config))

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.fn}, kwargs={self._fn_kwargs})>"


class Named(LossFunctionWrapper):
    """A loss of Keras' own: its arguments are those of its function, and its config has them."""

    def get_config(self) -> dict[str, Any]:
        return {**Loss.get_config(self), **self._fn_kwargs}

    def __getattr__(self, name: str) -> Any:
        kwargs = self.__dict__.get("_fn_kwargs", {})
        if name in kwargs:
            return kwargs[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
