"""Branches, loops and maps over tensors, and own gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
    """Returns `true_fn()` if `pred` is true, else `false_fn()`.

    In functions and models both branches are traced, and one of them runs.

    Args:
        pred: A boolean, or a scalar tensor.
        true_fn: Function without arguments.
        false_fn: Function without arguments, with outputs of the same structure.

    Returns:
        The result of the chosen function.

    Raises:
        ValueError: Both are called on KerasTensors, and their outputs differ in structure, shape or
            dtype.

    Example:
        >>> x = tf.constant(3.0)
        >>> tf.keras.ops.cond(x > 0, lambda: x * 2, lambda: -x).numpy()
        np.float32(6.0)
    """
    if not tf.is_tensor(pred):
        return true_fn() if pred else false_fn()
    return tf.cond(to_tensor(pred, "bool"), true_fn, false_fn)


@_op(call=("index", "branches", "operands"))
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Returns `branches[index](*operands)`; an index out of range is the nearest in it.

    Args:
        index: An integer, or a scalar tensor.
        branches: List of functions of the operands, with outputs of one structure.
        *operands: Arguments of the chosen function.

    Returns:
        The result of the chosen function.

    Example:
        >>> branches = [lambda x: x + 1, lambda x: x * 10]
        >>> tf.keras.ops.switch(1, branches, tf.constant(4)).numpy()
        np.int32(40)
    """
    chosen = tf.clip_by_value(to_tensor(index, "int32"), 0, len(branches) - 1)
    return tf.switch_case(chosen, [functools.partial(branch, *operands) for branch in branches])


def _spec_of(x: Any) -> Any:
    """A KerasTensor of the shape and dtype of a tensor, an array or a number."""
    if isinstance(x, KerasTensor):
        return KerasTensor(x.shape, x.dtype, sparse=x.sparse, ragged=x.ragged)
    x = to_tensor(x)
    return KerasTensor(x.shape, x.dtype)


def _unchanged(self: Any, values: TensorLike) -> Any:
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

    Args:
        cond: Function of the loop variables that returns a boolean.
        body: Function of the loop variables that returns as many, of the same shapes and dtypes.
        loop_vars: A tuple or list of tensors, or a single one.
        maximum_iterations: After how many steps to stop at the latest; None for no limit.

    Returns:
        The loop variables at the end: a tuple, or a single one.

    Example:
        >>> tf.keras.ops.while_loop(lambda x: x < 10, lambda x: x * 2, 3).numpy()
        np.int32(12)
        >>> i, total = tf.keras.ops.while_loop(
        ...     lambda i, total: i < 4, lambda i, total: (i + 1, total + i), (0, 0)
        ... )
        >>> total.numpy()
        np.int32(6)
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
def fori_loop(
    lower: TensorLike, upper: TensorLike, body_fun: Callable[[Any, Any], Any], init_val: Any
) -> Any:
    """Replaces a value by `body_fun(i, value)` for each `i` from `lower` to before `upper`.

    Args:
        lower: The first index.
        upper: The index to stop before.
        body_fun: Function of an `int32` index and the value, which returns the next value.
        init_val: The value at the start: a tensor, or a nest of them.

    Returns:
        The value at the end.

    Example:
        >>> tf.keras.ops.fori_loop(0, 4, lambda i, total: total + i, 0).numpy()
        np.int32(6)
    """
    upper = to_tensor(upper, "int32")
    result = tf.while_loop(
        lambda i, value: i < upper,
        lambda i, value: (i + 1, body_fun(i, value)),
        (to_tensor(lower, "int32"), init_val),
    )
    return result[1]


@_op(call=("f", "xs"))
def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Applies `f` to each slice along the first axis, one after the other, and stacks results.

    `vectorized_map` computes all at once, which is faster.

    Args:
        f: Function of one slice, or of a nest of slices if `xs` is one.
        xs: Tensor, or nest of tensors of one size along the first axis.

    Returns:
        The results, stacked along a new first axis.

    Raises:
        TypeError: `f` is not callable.

    Example:
        >>> tf.keras.ops.map(tf.keras.ops.sum, tf.constant([[1, 2], [3, 4]])).numpy()
        array([3, 7], dtype=int32)
    """
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
    """Applies `function` to each slice along the first axis, all at once.

    Args:
        function: Function of one slice, or of a nest of slices. It is called once, with symbolic
            slices.
        elements: Tensor, or nest of tensors of one size along the first axis.

    Returns:
        The results, stacked along a new first axis.

    Example:
        >>> tf.keras.ops.vectorized_map(tf.keras.ops.sum, tf.constant([[1, 2], [3, 4]])).numpy()
        array([3, 7], dtype=int32)
    """
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
        f: Function of carry and slice, which returns the next carry and a result.
        init: The first carry.
        xs: Tensors that are sliced; None to call `f` with None.
        length: Number of steps; needed if `xs` is None.
        reverse: Whether slices are taken from the last to the first.
        unroll: Accepted; compiled loops are unrolled where it pays.

    Returns:
        A tuple of the last carry and of all results, stacked.

    Raises:
        TypeError: `f` is not callable.
        ValueError: Neither `xs` nor `length` is passed, or `unroll` is below 1.

    Example:
        >>> def add(carry, x):
        ...     return carry + x, carry + x
        >>> total, sums = tf.keras.ops.scan(add, tf.constant(0), tf.constant([1, 2, 3]))
        >>> total.numpy(), sums.numpy()
        (np.int32(6), array([1, 3, 6], dtype=int32))
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


def _common_length(leaves: list[Any], axis: int) -> int | None:
    """Return the static size of all tensors along an axis; None if it is not known of any."""
    lengths = {leaf.shape[axis] for leaf in leaves} - {None}
    if len(lengths) > 1:
        raise ValueError(
            f"All tensors must be equally long along axis {axis}. Received: shapes "
            f"{[leaf.shape for leaf in leaves]}"
        )
    return next(iter(lengths), None)


@_op(call=("f", "elems"))
def associative_scan(
    f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Combines all slices up to each with an associative function: running sums for `add`.

    Each of a logarithmic number of steps combines slices twice as far apart.

    Args:
        f: Associative function of two (nests of) tensors, applied to slices along `axis`.
        elems: Tensor, or nest of tensors of one size along `axis`.
        reverse: Whether to combine from the end.
        axis: The axis to scan along.

    Returns:
        A nest of tensors of the shapes of `elems`.

    Raises:
        TypeError: `f` is not callable.
        ValueError: The tensors differ in size along `axis`.

    Example:
        >>> tf.keras.ops.associative_scan(lambda a, b: a * b, tf.constant([1, 2, 3, 4])).numpy()
        array([ 1,  2,  6, 24], dtype=int32)
    """
    _check_callable("f", f)
    leaves = [to_tensor(leaf) for leaf in tf.nest.flatten(elems)]
    total = _common_length(leaves, axis)
    axis = normalized(axis, leaves[0].shape.rank)
    if reverse:
        leaves = [tf.reverse(leaf, [axis]) for leaf in leaves]
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

        start = (tf.constant(1), moved)
        _, moved = tf.while_loop(lambda distance, _: distance < count, step, start)
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
    """Decorates a function that returns its result and the function of its gradient.

    Args:
        f: Function that returns `(result, gradient)`, where `gradient` takes the upstream gradient
            (and returns that w.r.t. each argument).

    Returns:
        A function of the same arguments that returns `result`.

    Example:
        >>> @tf.keras.ops.custom_gradient
        ... def clipped(x):
        ...     return x, lambda upstream: tf.keras.ops.clip(upstream, -1.0, 1.0)
        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = 10.0 * clipped(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(1.0)
    """
    return tf.custom_gradient(f)
