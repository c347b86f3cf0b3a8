"""Branches, loops and maps over tensors, and own gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import infer
from tapeflow._src.keras.ops.axes import normalized, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_op = functools.partial(declare, family="core", nested=True)


def _check_callable(name: str, function: Any) -> None:
    if not callable(function):
        raise TypeError(f"`{name}` must be callable. Received: {name}={function!r}")


def _cond_spec(self: Any, pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """The outputs of both branches, which must be alike."""
    first, second = infer(true_fn), infer(false_fn)
    kinds = [
        tf.nest.map_structure(
            lambda leaf: (getattr(leaf, "shape", leaf), getattr(leaf, "dtype", None)), spec
        )
        for spec in (first, second)
    ]
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"Both branches of `cond` must have outputs of one structure, shape and dtype. "
            f"Received: {first} and {second}"
        )
    return first


@_op(call=("pred", "true_fn", "false_fn"), output_spec=_cond_spec)
def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Returns `true_fn()` if `pred` is true, else `false_fn()`."""
    if not tf.is_tensor(pred):
        return true_fn() if pred else false_fn()
    return tf.cond(to_tensor(pred, "bool"), true_fn, false_fn)


@_op(call=("index", "branches", "operands"))
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Returns `branches[index](*operands)`; an index out of range is the nearest in it."""
    chosen = tf.clip_by_value(to_tensor(index, "int32"), 0, len(branches) - 1)
    return tf.switch_case(chosen, [functools.partial(branch, *operands) for branch in branches])


def _spec_of(x: Any) -> Any:
    """A KerasTensor of the shape and dtype of a tensor, an array or a number."""
    if isinstance(x, KerasTensor):
        return KerasTensor(x.shape, x.dtype, sparse=x.sparse, ragged=x.ragged)
    x = to_tensor(x)
    return KerasTensor(x.shape, x.dtype)


def _unchanged(self: Any, values: Any) -> Any:
    """A loop returns what its values are."""
    return tf.nest.map_structure(_spec_of, values)


@_op(call=("loop_vars",), output_spec=_unchanged)
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """Replaces `loop_vars` by `body(*loop_vars)` while `cond(*loop_vars)` is true.

    >>> tf.keras.ops.while_loop(lambda x: x < 10, lambda x: x * 2, 3).numpy().item()
    12
    """
    single = not isinstance(loop_vars, (list, tuple))
    values = (loop_vars,) if single else tuple(loop_vars)

    def step(*args: Any) -> Any:
        result = body(*args)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)

    result = tf.while_loop(
        lambda *args: to_tensor(cond(*args), "bool"),
        step,
        values,
        maximum_iterations=maximum_iterations,
    )
    return result[0] if single else tuple(result)


@_op(call=("init_val",), output_spec=_unchanged)
def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """Replaces a value by `body_fun(i, value)` for each `i` from `lower` to before `upper`."""
    upper = to_tensor(upper, "int32")
    result = tf.while_loop(
        lambda i, value: i < upper,
        lambda i, value: (i + 1, body_fun(i, value)),
        (to_tensor(lower, "int32"), init_val),
    )
    return result[1]


@_op(call=("f", "xs"))
def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Applies `f` to each slice along the first axis, one after the other, and stacks results."""
    _check_callable("f", f)
    xs = tf.nest.map_structure(to_tensor, xs)
    sample = infer(f, tf.nest.map_structure(_slice_spec, xs))
    kinds = tf.nest.map_structure(lambda leaf: tf.TensorSpec(leaf.shape, leaf.dtype), sample)
    return tf.map_fn(f, xs, fn_output_signature=kinds)


def _slice_spec(x: Any) -> KerasTensor:
    """Return the spec of a slice along the first axis."""
    return KerasTensor(x.shape[1:], x.dtype)


def _vectorized_spec(self: Any, elements: Any) -> Any:
    count = tf.nest.flatten(elements)[0].shape[0]
    sample = infer(self.function, tf.nest.map_structure(_slice_spec, elements))
    return tf.nest.map_structure(lambda leaf: KerasTensor((count, *leaf.shape), leaf.dtype), sample)


@_op(call=("elements",), output_spec=_vectorized_spec)
def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """Applies `function` to each slice along the first axis, all at once."""
    return tf.vectorized_map(function, tf.nest.map_structure(to_tensor, elements))


@_op(call=("f", "init", "xs"))
def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> Any:
    """Carries a value along the first axis of `xs`: `carry, y = f(carry, x)` for each slice.

    Args:
        init: The first carry.
        xs: Tensors that are sliced, or None.
        length: How many steps, if `xs` do not say it.
        reverse: Whether slices are taken from the last to the first.
        unroll: Accepted; compiled loops are unrolled where it pays.

    Returns:
        The last carry, and all `y` stacked.
    """
    _check_callable("f", f)
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be a boolean or a positive integer. Received: {unroll!r}")
    if xs is None and length is None:
        raise ValueError("`scan` needs `xs` or `length`: the number of steps is not known.")
    init = tf.nest.map_structure(to_tensor, init)
    xs = None if xs is None else tf.nest.map_structure(to_tensor, xs)
    leaves = [] if xs is None else tf.nest.flatten(xs)
    steps = int(length) if length is not None else sizes(leaves[0])[0]
    known = steps if isinstance(steps, int) else None
    row = None if xs is None else tf.nest.map_structure(_slice_spec, xs)
    carry_spec = tf.nest.map_structure(lambda leaf: KerasTensor(leaf.shape, leaf.dtype), init)
    sample = infer(f, carry_spec, row)[1]
    kinds = [] if sample is None else tf.nest.flatten(sample)
    arrays = [tf.TensorArray(k.dtype, size=steps, element_shape=k.shape) for k in kinds]

    def step(number: Any, carry: Any, arrays: Any) -> Any:
        place = steps - 1 - number if reverse else number
        slices = None if xs is None else tf.nest.map_structure(lambda x: x[place], xs)
        carry, ys = f(carry, slices)
        flat = [] if sample is None else tf.nest.flatten(ys)
        return number + 1, carry, [a.write(place, y) for a, y in zip(arrays, flat)]

    _, carry, arrays = tf.while_loop(
        lambda number, *_: number < steps, step, (tf.constant(0), init, arrays)
    )
    stacked = [tf.ensure_shape(a.stack(), [known, *k.shape]) for a, k in zip(arrays, kinds)]
    return carry, None if sample is None else tf.nest.pack_sequence_as(sample, stacked)


@_op(call=("f", "elems"))
def associative_scan(
    f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Combines all slices up to each with an associative function: running sums for `add`.

    Each of a logarithmic number of steps combines slices twice as far apart.
    """
    _check_callable("f", f)
    leaves = [to_tensor(leaf) for leaf in tf.nest.flatten(elems)]
    lengths = {leaf.shape[axis] for leaf in leaves}
    if len(lengths - {None}) > 1:
        raise ValueError(
            f"All tensors must be equally long along axis {axis}. Received: shapes "
            f"{[leaf.shape for leaf in leaves]}"
        )
    axis = normalized(axis, leaves[0].shape.rank)
    if reverse:
        leaves = [tf.reverse(leaf, [axis]) for leaf in leaves]
    total = next(iter(lengths - {None}), None)
    shapes = [leaf.shape for leaf in leaves]
    moved = [_moved(leaf, axis) for leaf in leaves]

    def combined(distance: Any, leaves: list[Any]) -> list[Any]:
        early, late = [x[:-distance] for x in leaves], [x[distance:] for x in leaves]
        pair = (
            tf.nest.pack_sequence_as(elems, [_moved(x, axis, back=True) for x in part])
            for part in (early, late)
        )
        sums = [_moved(x, axis) for x in tf.nest.flatten(f(*pair))]
        return [tf.concat([x[:distance], s], 0) for x, s in zip(leaves, sums)]

    if total is not None:
        distance = 1
        while distance < total:
            moved, distance = combined(distance, moved), distance * 2
    else:
        count = tf.shape(moved[0])[0]
        kept = [x.shape for x in moved]

        def step(distance: Any, leaves: Any) -> Any:
            results = combined(distance, leaves)
            return distance * 2, [tf.ensure_shape(x, s) for x, s in zip(results, kept)]

        moved = tf.while_loop(lambda distance, _: distance < count, step, (tf.constant(1), moved))[
            1
        ]
    results = [tf.ensure_shape(_moved(x, axis, back=True), s) for x, s in zip(moved, shapes)]
    if reverse:
        results = [tf.reverse(x, [axis]) for x in results]
    return tf.nest.pack_sequence_as(elems, results)


def _moved(x: Any, axis: int, back: bool = False) -> Any:
    """`x` with an axis first, or from the first position back to its own."""
    if axis == 0:
        return x
    rank = x.shape.rank
    order = [axis, *(n for n in range(rank) if n != axis)]
    if back:
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return tf.transpose(x, order)


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that returns its result and the function of its gradient."""
    return tf.custom_gradient(f)
