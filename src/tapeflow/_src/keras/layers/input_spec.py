"""`InputSpec`: what a layer asks of an input, and the errors for one that it cannot take."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor, standardize_shape


class InputSpec:
    """Declares the rank, shape, dtype or axis sizes that a layer expects of an input.

    Args:
        dtype: Expected dtype.
        shape: Expected shape with the batch; None where any size is allowed.
        ndim: Expected rank.
        max_ndim: Largest rank.
        min_ndim: Smallest rank.
        axes: Dict of axis to expected size.
        allow_last_axis_squeeze: Whether a last axis of size 1 may be missing or extra.
        name: Key of the input, if inputs are passed as a dict.
        optional: Whether the input may be None.

    Raises:
        TypeError: `axes` is no dict of integers.
        ValueError: An axis is out of range for the rank.

    Example:
        >>> layer = tf.keras.layers.Layer()
        >>> layer.input_spec = tf.keras.layers.InputSpec(ndim=2, axes={-1: 3})
        >>> layer.input_spec
        InputSpec(ndim=2, axes={-1: 3})
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else standardize_dtype(dtype)
        self.shape = None if shape is None else standardize_shape(shape)
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.optional = optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (AttributeError, TypeError, ValueError):
            raise TypeError(
                f"InputSpec: `axes` must map integer axes to sizes, as in {{-1: 10}}. Received: "
                f"{axes!r}"
            ) from None
        rank = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and rank is not None and max(self.axes) > rank - 1:
            raise ValueError(
                f"InputSpec: axis {max(self.axes)} in `axes` is out of range for inputs of rank "
                f"{rank}; the highest axis is {rank - 1}."
            )

    def __repr__(self) -> str:
        shown = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        parts = [f"{name}={getattr(self, name)}" for name in shown if getattr(self, name)]
        return f"InputSpec({', '.join(parts)})"

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` recreates the spec from.

        Returns:
            A dict of constructor arguments.
        """
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Create the spec that has this config.

        Args:
            config: Dict that `get_config` returned.

        Returns:
            An `InputSpec`.
        """
        return cls(**config)


def dims_of(x: Any) -> tuple[int | None, ...] | None:
    """The sizes of a tensor as far as they are known; None if not even the rank is."""
    if isinstance(x, KerasTensor):
        return x._shape
    shape = x.shape
    if isinstance(shape, tf.TensorShape):
        return None if shape.rank is None else tuple(shape)
    return tuple(shape)


def check_inputs(spec: Any, inputs: Any, layer_name: str) -> None:
    """Raise unless `inputs` are as the layer's spec (or its list or dict of specs) demands."""
    specs = tf.nest.flatten(spec)
    if isinstance(spec, dict):
        specs = [spec[key] for key in sorted(spec)]
    values = tf.nest.flatten(inputs)
    if len(values) != len(specs):
        raise ValueError(
            f"Layer '{layer_name}' expected {len(specs)} input(s). Received {len(values)} instead."
        )
    for index, (value, each) in enumerate(zip(values, specs)):
        if each is None or (value is None and each.optional):
            continue
        if not hasattr(value, "shape"):
            raise ValueError(
                f"Layer '{layer_name}' expected a tensor as input {index}. Received: {value!r} "
                f"of type {type(value).__name__}"
            )
        dims = dims_of(value)
        if dims is None:
            return
        problem = _problem(each, value, dims)
        if problem is not None:
            named = f" ('{each.name}')" if each.name else ""
            raise ValueError(
                f"Input {index}{named} is incompatible with the layer '{layer_name}': {problem}"
            )


def _problem(spec: InputSpec, value: Any, dims: tuple[int | None, ...]) -> str | None:
    """A description of what is wrong with an input, or None."""
    rank = len(dims)
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}{_rank_hint(spec.ndim, dims)}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return (
            f"expected max_ndim={spec.max_ndim}, found ndim={rank}, shape {dims}. Remove axes with "
            f"`tf.squeeze` or a `Flatten` layer"
        )
    if spec.min_ndim is not None and rank < spec.min_ndim:
        hint = _rank_hint(spec.min_ndim, dims)
        return f"expected min_ndim={spec.min_ndim}, found ndim={rank}{hint}"
    if spec.dtype is not None and standardize_dtype(value.dtype) != spec.dtype:
        return (
            f"expected dtype={spec.dtype}, found dtype={value.dtype}. Convert the input: "
            f"`tf.cast(x, '{spec.dtype}')`"
        )
    for axis, size in spec.axes.items():
        if size is not None and dims[axis] not in (size, None):
            return (
                f"expected axis {axis} to have size {size}, for which the layer was built. "
                f"Received shape: {dims}. Pass inputs of that size, or use another layer (with "
                f"weights of its own) for these"
            )
    if spec.shape is not None:
        for expected, size in zip(spec.shape, dims):
            if expected is not None and size is not None and expected != size:
                return (
                    f"expected shape={spec.shape}, found shape={dims}. Reshape or resize the "
                    f"input, or declare the axis as None in `keras.Input`"
                )
    return None


def _rank_hint(rank: int, dims: tuple[int | None, ...]) -> str:
    """The shape received, and what adds or removes the axes that are missing or too many."""
    if len(dims) == rank - 1:
        hint = "If the batch axis is missing, add it: `x[tf.newaxis, ...]`"
        if rank == 4:
            hint += "; if it is the channels, `x[..., tf.newaxis]`"
    elif len(dims) < rank:
        hint = f"Add axes with `tf.reshape` or a `Reshape` layer, up to {rank} with the batch axis"
    else:
        hint = "Remove axes with `tf.squeeze`, a `Flatten` or a `Reshape` layer"
    return f", shape {dims}. {hint}"
