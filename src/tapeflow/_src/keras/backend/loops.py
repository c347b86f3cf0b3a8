"""Loops over the first axis, and recurrent ones over time."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.layers.rnn import loop


@in_models
def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: DTypeLike | None = None) -> Any:
    """Apply `fn` to each slice along the first axis.

    Args:
        fn: Function of a slice.
        elems: Tensor of shape (slices, ...).
        name: Name of the ops.
        dtype: Dtype of the results, if it is not that of `elems`.

    Returns:
        The results, stacked.

    Example:
        >>> tf.keras.backend.map_fn(lambda x: 2 * x, tf.constant([1, 2])).numpy()
        array([2, 4], dtype=int32)
    """
    return tf.map_fn(fn, elems, dtype=dtype, name=name)


@in_models
def foldl(
    fn: Any, elems: Any, initializer: Identifier | None = None, name: str | None = None
) -> Any:
    """Combine the slices along the first axis from the first to the last.

    Args:
        fn: Function of the value so far and a slice, which returns the next value.
        elems: Tensor of shape (slices, ...).
        initializer: The value to begin with; None is the first slice.
        name: Name of the ops.

    Returns:
        The last value.

    Example:
        >>> tf.keras.backend.foldl(lambda a, x: a - x, tf.constant([10, 1, 2])).numpy()
        np.int32(7)
    """
    return tf.foldl(fn, elems, initializer=initializer, name=name)


@in_models
def foldr(
    fn: Any, elems: Any, initializer: Identifier | None = None, name: str | None = None
) -> Any:
    """Combine the slices along the first axis from the last to the first.

    Args:
        fn: Function of the value so far and a slice, which returns the next value.
        elems: Tensor of shape (slices, ...).
        initializer: The value to begin with; None is the last slice.
        name: Name of the ops.

    Returns:
        The last value.

    Example:
        >>> tf.keras.backend.foldr(lambda a, x: a - x, tf.constant([1, 2, 10])).numpy()
        np.int32(7)
    """
    return tf.foldr(fn, elems, initializer=initializer, name=name)


def _swapped(x: Any) -> Any:
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])


@in_models
def rnn(
    step_function: Any,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: TensorLike | None = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> Any:
    """Call a function for each step of sequences.

    Args:
        step_function: Function of inputs and states of a step; returns output and new states.
        inputs: Tensor of shape (batch, steps, ...), or a nest of them.
        initial_states: List of tensors.
        go_backwards: Whether to begin with the last step.
        mask: Booleans (batch, steps): where false, states stay as they are.
        constants: Tensors that are appended to the states of each step.
        unroll: Whether to write out the loop; needs a known number of steps.
        input_length: How many steps to take at most; later outputs are zeros.
        time_major: Whether inputs and outputs are (steps, batch, ...).
        zero_output_for_mask: Whether masked outputs are zeros, not those before.
        return_all_outputs: False keeps the last of all outputs only.

    Returns:
        The last output, all outputs, and the list of the last states.

    Example:
        >>> inputs = tf.ones([1, 3, 2])
        >>> last, outputs, states = tf.keras.backend.rnn(
        ...     lambda x, s: (x + s[0], [x + s[0]]), inputs, [tf.zeros([1, 2])]
        ... )
        >>> last.numpy()
        array([[3., 3.]], dtype=float32)
    """
    inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    if not time_major:
        inputs = tf.nest.map_structure(_swapped, inputs)
    steps = tf.shape(tf.nest.flatten(inputs)[0])[0]
    mask = None if mask is None else _time_major_mask(mask, time_major)
    inputs, mask = _shortened(inputs, mask, input_length)
    extra = tuple(constants or ())

    def step(inputs: Any, states: Any) -> Any:
        output, new_states = step_function(inputs, (*states, *extra))
        return output, tuple(new_states)

    last, outputs, states = loop.run(
        step,
        inputs,
        tuple(tf.convert_to_tensor(state) for state in initial_states),
        mask=mask,
        go_backwards=go_backwards,
        unroll=unroll,
        zero_output_for_mask=zero_output_for_mask,
        return_all=return_all_outputs,
    )
    if not return_all_outputs:
        outputs = tf.nest.map_structure(lambda x: x[None], last)
    elif input_length is not None:
        outputs = tf.nest.map_structure(lambda x: _extended(x, steps), outputs)
    if not time_major:
        outputs = tf.nest.map_structure(_swapped, outputs)
    return last, outputs, list(states)


def _shortened(inputs: Any, mask: Any, input_length: Any) -> tuple[Any, Any]:
    """Cut off the steps after the longest sequence."""
    if input_length is None:
        return inputs, mask
    longest = tf.reduce_max(input_length)
    inputs = tf.nest.map_structure(lambda x: x[:longest], inputs)
    return inputs, None if mask is None else mask[:longest]


def _time_major_mask(mask: TensorLike, time_major: bool) -> Any:
    mask = tf.cast(mask, tf.bool)
    if mask.shape.rank == 3:
        mask = tf.squeeze(mask, -1)
    return mask if time_major else tf.transpose(mask)


def _extended(x: Any, steps: Any) -> Any:
    missing = steps - tf.shape(x)[0]
    return tf.pad(x, [[0, missing], *([0, 0] for _ in range(x.shape.rank - 1))])
