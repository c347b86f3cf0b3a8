"""Targets and sources of a differentiation: how tapes flatten them and pack their gradients.

Both may be tensors, variables or composites such as ragged tensors, of which the values count. A
composite may define its differentiable components with `__composite_gradient__`, an object with the
methods `get_gradient_components(value)` and `replace_gradient_components(value, gradients)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.log import warn_first
from tapeflow._src.core.source import user_location
from tapeflow._src.core.tensor import Tensor, acts_as_variable, handle_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import Token, token_of
from tapeflow._src.ops.array.common import broadcast_to, ones_like, shape_of, zeros_like
from tapeflow._src.ops.indexed_slices import IndexedSlices, densify


class UnconnectedGradients(Enum):
    """The result for a source that the target does not depend on.

    `NONE` stands for None, `ZERO` for a tensor of zeros in the shape of the source.

    Example:
        >>> x, unused = tf.Variable(2.0), tf.Variable(1.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.gradient(y, unused, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy()
        np.float32(0.0)
    """

    NONE = "none"
    ZERO = "zero"


def is_zero_requested(unconnected_gradients: Any) -> bool:
    """Whether unconnected gradients are zeros; ValueError for an unknown option."""
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}. "
            f"Use 'none', 'zero' or a tf.UnconnectedGradients."
        ) from None


def _not_a_tensor(role: str, value: Any) -> Exception:
    """Build the error for a target or source that is no tensor, of TensorFlow's class for it."""
    text = (
        f"The {role} {value!r} of type {type(value).__name__!r} is not a tf.Tensor or tf.Variable, "
        f"so nothing is known of how it was computed."
    )
    numeric = isinstance(value, (int, float, complex, np.ndarray, np.generic))
    return AttributeError(text) if numeric else TypeError(text)


def warn_of_dtype(role: str, tensor: Any) -> None:
    """Warn that a tensor has no gradient because of its dtype."""
    warn_first(
        f"{role} dtype",
        5,
        "The %s tensor must be floating-point or complex to have a gradient, received %r, so "
        "the result is None: use tf.cast(x, tf.float32) before the tape%s",
        role,
        tensor.dtype,
        _at_user_line(),
    )


def _at_user_line() -> str:
    location = user_location()
    return "" if location is None else f" [{location}]"


def values_of(value: Any, role: str) -> Any:
    """Return the differentiable tensor of a tensor or a composite."""
    if isinstance(value, Tensor):
        return value
    components = nest.flatten(value, expand_composites=True)
    if len(components) == 1:
        raise _not_a_tensor(role, value)
    return next((c for c in components if c.dtype in DIFFERENTIABLE), components[0])


# -- composites that define their components ---------------------------------------------------

_PROTOCOL = "__composite_gradient__"


def any_defines_components(values: list[Any]) -> bool:
    """Whether any of the values defines its own gradient components."""
    return any(hasattr(cls, _PROTOCOL) for cls in set(map(type, values)))


def parts_of(value: Any) -> list[Any]:
    """Return the gradient components that a value defines, or the value itself."""
    return nest.flatten(_components(value)) if hasattr(value, _PROTOCOL) else [value]


def packed_gradient(value: Any, gradients: list[Any]) -> Any:
    """Pack the gradients w.r.t. the components of a value; None if all of them are."""
    if not hasattr(value, _PROTOCOL):
        return gradients[0]
    if all(gradient is None for gradient in gradients):
        return None
    packed = nest.pack_sequence_as(_components(value), gradients)
    return getattr(value, _PROTOCOL).replace_gradient_components(value, packed)


def _components(value: Any) -> Any:
    protocol = getattr(value, _PROTOCOL)
    if protocol is None:
        raise ValueError(
            f"{type(value).__name__} cannot be differentiated as a whole: take gradients with "
            f"respect to its fields, or define `{_PROTOCOL}` with the methods "
            "`get_gradient_components` and `replace_gradient_components`."
        )
    return protocol.get_gradient_components(value)


_WITH_VALUES = (RaggedTensor, SparseTensor, IndexedSlices)


def differentiable_parts(value: Any) -> list[Any]:
    """Return the tensors of a tensor or composite that are differentiated."""
    if isinstance(value, _WITH_VALUES):
        return [values_of(value, "value")]
    if hasattr(value, _PROTOCOL):
        return parts_of(value)
    return nest.flatten(value, expand_composites=True)


def with_parts(value: Any, parts: list[Any]) -> Any:
    """Return `value` with its `differentiable_parts` replaced."""
    if isinstance(value, _WITH_VALUES):
        return source_gradient(parts[0], value, zero=False)
    if hasattr(value, _PROTOCOL):
        return packed_gradient(value, parts)
    return nest.pack_sequence_as(value, parts, expand_composites=True)


# -- targets ------------------------------------------------------------------------------------


def seeds(targets: list[Any], output_gradients: Sequence[Any]) -> list[tuple[Token, Any]]:
    """Return the targets with their upstream gradients, which default to ones."""
    if output_gradients and len(output_gradients) != len(targets):
        warn_first(
            "output_gradients count",
            5,
            "Got %d output_gradients (a list counts as several) for %d target(s): those left over "
            "are ignored, those missing are ones. Pass one tensor per target.",
            len(output_gradients),
            len(targets),
        )
    pairs = []
    for i, target in enumerate(targets):
        dtype = target.dtype
        if dtype not in DIFFERENTIABLE:
            warn_of_dtype("target", target)
            continue
        if i < len(output_gradients):
            gradient = _output_gradient(output_gradients[i], target)
        elif target.static_shape == ():
            gradient = dispatch.convert(1, dtype)
        else:
            gradient = ones_like(target, name="ones")
        pairs.append((target._id or token_of(target), gradient))
    return pairs


def _output_gradient(gradient: Any, target: Any) -> Any:
    """Convert an upstream gradient to a tensor like `target`."""
    if isinstance(gradient, IndexedSlices):
        return gradient
    if len(nest.flatten(gradient, expand_composites=True)) > 1:
        gradient = values_of(gradient, "output gradient")
    gradient = dispatch.convert(gradient, None, target.dtype)
    if gradient.dtype is not target.dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"An output gradient must have the dtype of its target, {target.dtype.name}, "
            f"but is a {gradient.dtype.name} tensor.",
        )
    if gradient.static_shape != target.static_shape:
        return broadcast_to(gradient, shape_of(target))
    return gradient


# -- sources ------------------------------------------------------------------------------------


def source_token(source: Any) -> Token:
    """Return the token under which tapes know a source."""
    if isinstance(source, Variable):
        handle = source.handle
        return handle._id or token_of(handle)
    if isinstance(source, Tensor):
        values = source
    elif (handle := handle_in(source)) is not None:
        return handle._id or token_of(handle)
    else:
        values = values_of(source, "source")
    if values.dtype not in DIFFERENTIABLE:
        warn_of_dtype("source", values)
    return values._id or token_of(values)


def source_gradient(gradient: Any, source: Any, zero: bool) -> Any:
    """Return the gradient for a source: of its structure, zeros for None if requested."""
    if isinstance(source, (Tensor, Variable)) or acts_as_variable(source):
        if gradient is None and zero:
            return zeros_like(dispatch.convert(source))
        return gradient
    values = values_of(source, "source")
    if gradient is None:
        if not zero:
            return None
        gradient = zeros_like(values)
    parts = nest.flatten(source, expand_composites=True)
    replaced = [densify(gradient) if part is values else part for part in parts]
    return nest.pack_sequence_as(source, replaced, expand_composites=True)
