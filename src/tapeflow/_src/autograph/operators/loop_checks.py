"""Checks of loop variables: they keep their structure, dtype and shape in a staged loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.autograph.operators import staging
from tapeflow._src.autograph.operators.variables import UNDEFINED
from tapeflow._src.core import nest
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TypeSpec
from tapeflow._src.core.tensor import Tensor


def invariants_of(pairs: Any, values: Sequence[Any]) -> list[Any]:
    """Return the shape invariants of the values, matched by identity."""
    by_value = {id(value): invariant for value, invariant in pairs or ()}
    return [by_value.get(id(value)) for value in values]


def relaxed(value: Any) -> Any:
    """Relax the shapes of a value that is unknown before the loop, if they are partial."""
    shapes = [_static_shape(leaf) for leaf in nest.flatten(value)]
    if all(shape is None or shape.is_fully_defined() for shape in shapes):
        return None
    return nest.pack_sequence_as(value, shapes)


def _static_shape(leaf: Any) -> TensorShape | None:
    shape = getattr(leaf, "shape", None)
    return shape if isinstance(leaf, Tensor) else None


def shape_of(name: str, leaf: Any, invariant: Any) -> Any:
    """Return the shape invariant of a loop variable, which its initial value must fit."""
    if not isinstance(leaf, Tensor):
        leaf = staging.as_tensor(leaf)
    shape = getattr(leaf, "shape", None)
    if invariant is None or isinstance(invariant, TypeSpec):
        return shape if invariant is None else invariant
    demanded = as_shape(invariant)
    if isinstance(leaf, Tensor) and not leaf.shape.is_subtype_of(demanded):
        raise ValueError(
            f"'{name}' has shape {shape} before the loop, not a case of its shape invariant "
            f"{demanded}."
        )
    return demanded


def require_same_structure(name: str, before: Any, after: Any) -> None:
    """Check that the value after an iteration is nested like the one before."""
    if after is UNDEFINED and before is not UNDEFINED:
        raise ValueError(f"'{name}' is undefined at the end of the iteration.")
    if after is None and before is not None:
        raise ValueError(
            f"'{name}' is None after an iteration of the loop, but was not before: a loop variable "
            "must stay a tensor."
        )
    try:
        nest.assert_same_structure(before, after, expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' must have the same structure before and after an iteration of the "
            f"loop.\n\n{error}"
        ) from error


def checked_leaf(
    name: str, before: Any, after: Any, has_invariant: bool, any_shape: bool = False
) -> Any:
    """Return the value after an iteration as a tensor; None for one that must not change.

    any_shape: the shape may change, unless there is an invariant for it.
    """
    if not staging.can_be_staged(before):
        if after is not before:
            raise TypeError(
                f"'{name}' becomes {after!r} in the loop, but was {before!r} before it. What "
                f"changes in a loop of the graph must be a tensor, or a number that can become one."
            )
        return None
    if not staging.can_be_staged(after):
        raise TypeError(f"'{name}' is {after!r} after one iteration, but was a tensor before it.")
    tensor = staging.as_tensor(after)
    if not isinstance(before, Tensor) or not isinstance(tensor, Tensor):
        return tensor
    if tensor.dtype is not before.dtype:
        raise TypeError(
            f"'{name}' has dtype {before.dtype.name} before the loop and {tensor.dtype.name} after "
            "an iteration; a loop variable must keep its dtype: use tf.cast"
        )
    checks_shape = has_invariant or not any_shape
    if checks_shape and not tensor.shape.is_subtype_of(before.shape):
        raise ValueError(_shape_problem(name, before.shape, tensor.shape, has_invariant))
    return tensor


def _shape_problem(name: str, before: TensorShape, after: TensorShape, has_invariant: bool) -> str:
    if has_invariant:
        return (
            f"'{name}' has shape {after} after an iteration, not a case of its shape invariant "
            f"{before}."
        )
    return (
        f"'{name}' has shape {before} before the loop and {after} after an iteration. If its shape "
        "may change, say so in the loop: "
        "tf.autograph.experimental.set_loop_options(shape_invariants=[(x, shape)])."
    )
