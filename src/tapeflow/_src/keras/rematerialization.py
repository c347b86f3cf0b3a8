"""Rematerialization: intermediate results are computed again for gradients, not kept."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.scopes import calls

_MODES = ("full", "activations", "larger_than", "list_of_layers", None)


class RematMode(NamedTuple):
    """Recomputation policy of the layers created in a scope."""

    mode: str | None
    output_size_threshold: int
    layer_names: list[str]


class RematScope:
    """Layers made in this scope compute their intermediate results again for gradients.

    Args:
        mode: Which layers: "full" for all, "larger_than" for those with more than
            `output_size_threshold` output elements, "list_of_layers" for those in `layer_names`,
            "activations" for the activation functions of all; None for none.
        output_size_threshold: Number of output elements, for "larger_than".
        layer_names: Names of layers, for "list_of_layers".

    Raises:
        ValueError: `mode` has another value.

    Example:
        >>> with tf.keras.RematScope(mode="full"):
        ...     layer = tf.keras.layers.Dense(4, activation="relu")
        >>> layer(tf.ones((2, 3))).shape
        TensorShape([2, 4])
    """

    def __init__(
        self,
        mode: str | None = "full",
        output_size_threshold: int = 1024,
        layer_names: list[str] | None = None,
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
        self.mode = mode
        self.output_size_threshold = output_size_threshold
        self.layer_names = layer_names or []

    def __enter__(self) -> RematScope:
        calls.remat = (*calls.remat, self)
        return self

    def __exit__(self, *error: Any) -> None:
        calls.remat = calls.remat[:-1]


def get_current_remat_mode() -> RematMode | None:
    """The mode of the innermost `RematScope`, or None."""
    if not calls.remat:
        return None
    scope = calls.remat[-1]
    return RematMode(scope.mode, scope.output_size_threshold, scope.layer_names)


def remat(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that keeps no intermediate results of `f` for gradients.

    They are computed again when a gradient needs them: less memory for more time.

    Args:
        f: Function of tensors.

    Returns:
        A function of the same arguments and results.

    Example:
        >>> f = tf.keras.remat(lambda x: tf.keras.ops.sin(tf.keras.ops.exp(x)))
        >>> x = tf.Variable(0.0)
        >>> with tf.GradientTape() as tape:
        ...     y = f(x)
        >>> tape.gradient(y, x).numpy().round(4)
        np.float32(0.5403)
    """

    @functools.wraps(f, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return tf.recompute_grad(functools.partial(f, **kwargs))(*args)

    return wrapper


def rematerialized(operation: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `call` of an operation that was created in a `RematScope`, as its mode says."""
    about = operation._remat_mode
    if about is None or about.mode is None:
        return call
    if about.mode == "list_of_layers" and operation.name not in about.layer_names:
        return call
    if about.mode == "activations":
        return functools.partial(_with_activation, operation, call)
    if about.mode == "larger_than":
        return functools.partial(_if_large, operation, call)
    return remat(call)


def _with_activation(operation: Any, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an operation whose activation function is computed again for gradients."""
    activation = getattr(operation, "activation", None)
    if not callable(activation):
        return call(*args, **kwargs)
    object.__setattr__(operation, "activation", remat(activation))
    try:
        return call(*args, **kwargs)
    finally:
        object.__setattr__(operation, "activation", activation)


def _if_large(operation: Any, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call an operation, computed again for gradients if its outputs are large."""

    def spec(leaf: Any) -> Any:
        return KerasTensor(leaf.shape, leaf.dtype) if isinstance(leaf, tf.Tensor) else leaf

    specs, named = tf.nest.map_structure(spec, (args, kwargs))
    outputs = tf.nest.flatten(operation.compute_output_spec(*specs, **named))
    leaves = [leaf for leaf in outputs if isinstance(leaf, KerasTensor)]
    size = sum(math.prod(length or 1 for length in leaf.shape) for leaf in leaves)
    large = size > operation._remat_mode.output_size_threshold
    return (remat(call) if large else call)(*args, **kwargs)
