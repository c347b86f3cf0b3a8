"""Preparation of gradients for a step: missing and sparse ones, scaling, clipping.

The gradient of rows that were looked up is a `tf.IndexedSlices`, in which a row may come twice.
Functions of the elements of a gradient apply to each of those; sums remain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal import missing_gradients
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.user_warnings import warn_user


def on_elements(function: Callable[[Any], Any], gradient: TensorLike) -> Any:
    """A function of each element of a gradient, which stays sparse if it is."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(function(gradient.values), gradient.indices, gradient.dense_shape)
    return function(gradient)


def dense(gradient: TensorLike, variable: Any) -> Any:
    """A gradient as a tensor of the variable's dtype and shape."""
    if isinstance(gradient, tf.IndexedSlices):
        rows = tf.cast(gradient.values, variable.dtype)
        indices = tf.expand_dims(gradient.indices, -1)
        shape = tf.cast(tf.shape(variable), gradient.indices.dtype)
        return tf.scatter_nd(indices, rows, shape)
    return as_dtype(gradient, variable.dtype)


def summed(gradient: TensorLike) -> Any:
    """A gradient with each row once, as Keras 2 has it; Keras 3 squares each of equal rows."""
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    indices, positions = tf.unique(gradient.indices)
    rows = tf.math.unsorted_segment_sum(gradient.values, positions, tf.size(indices))
    return tf.IndexedSlices(rows, indices, gradient.dense_shape)


def as_dtype(value: Any, dtype: Any) -> Any:
    """A value as a tensor, cast only if it must be."""
    value = tf.convert_to_tensor(value)
    return value if value.dtype == dtype else tf.cast(value, dtype)


def _paths(variables: Sequence[Any]) -> list[str]:
    return [getattr(variable, "path", variable.name) for variable in variables]


_COMPUTE = "Compute the loss from the variables inside `with tf.GradientTape()`, without NumPy."


def _reasons(variables: Sequence[Any]) -> str:
    """Why the gradients are None, in one sentence for each reason; "" if it is not known."""
    by_reason: dict[str, list[Any]] = {}
    for variable in variables:
        by_reason.setdefault(missing_gradients.latest_reason(variable), []).append(variable)
    return " ".join(
        f"{', '.join(map(repr, _paths(of_reason)))}: {reason}."
        for reason, of_reason in by_reason.items()
        if reason
    )


def with_gradients(grads: Sequence[Any], variables: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the gradients that are not None with their variables; warn of the others."""
    missing = [v for g, v in zip(grads, variables) if g is None]
    if not missing:
        return list(grads), list(variables)
    if len(missing) == len(grads):
        raise ValueError(
            f"No gradients provided for any variable: all are None, for {_paths(missing)}. "
            f"{_reasons(missing) or _COMPUTE}"
        )
    warn_user(
        f"The optimizer received no gradient for the variables {_paths(missing)}, which stay as "
        f"they are. {_reasons(missing) or 'The loss does not depend on them.'} Set "
        f"`trainable=False` on variables that should not be trained."
    )
    present = [(g, v) for g, v in zip(grads, variables) if g is not None]
    return [g for g, _ in present], [v for _, v in present]


def clip_by_value(gradient: TensorLike, limit: float) -> Any:
    """Each element between `-limit` and `limit`."""
    return on_elements(lambda x: tf.clip_by_value(x, -limit, limit), gradient)


def clip_by_norm(gradient: TensorLike, limit: float) -> Any:
    """The gradient, made shorter if its norm is above `limit`."""
    return tf.clip_by_norm(gradient, limit)


def clip_by_global_norm(gradients: Sequence[Any], limit: float) -> list[Any]:
    """The gradients, all made shorter if the norm of all together is above `limit`."""
    return tf.clip_by_global_norm(gradients, limit)[0]


def is_overwritten(variable: Any) -> bool:
    """Whether the gradient of a variable is its new value, as of scales in float8 training."""
    return getattr(variable, "overwrite_with_gradient", False)


def overwrite(
    grads: list[Any], variables: list[Any], assign: Callable[[Any, Any], None]
) -> tuple[list[Any], list[Any]]:
    """Call `assign(variable, gradient)` where gradients are new values; return the others."""
    if not any(map(is_overwritten, variables)):
        return grads, variables
    left: list[Any] = []
    for gradient, variable in zip(grads, variables):
        if is_overwritten(variable):
            assign(variable, gradient)
        else:
            left.append((gradient, variable))
    return [gradient for gradient, _ in left], [variable for _, variable in left]
