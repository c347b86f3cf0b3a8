"""Run a cell over a sequence: unrolled in Python, or as a loop over one traced step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike

Step = Callable[[Any, Any], tuple[Any, Any]]


def run(
    step: Step,
    sequence: Any,
    states: Any,
    *,
    mask: Any = None,
    go_backwards: bool = False,
    unroll: bool = False,
    zero_output_for_mask: bool = False,
    return_all: bool = True,
) -> tuple[Any, Any, Any]:
    """Call `step(inputs, states) -> (output, states)` for each step of a time-major sequence.

    Where the mask (steps, batch) is false, states stay as they are and the output is that of the
    step before, or zeros.

    Returns:
        The last output, all outputs (time-major, in the order of the steps taken; None unless
        `return_all`), and the last states.
    """
    if go_backwards:
        sequence = tf.nest.map_structure(lambda x: tf.reverse(x, [0]), sequence)
        mask = None if mask is None else tf.reverse(mask, [0])
    if mask is not None and mask.dtype is not tf.bool:
        mask = tf.cast(mask, tf.bool)
    runner = _unrolled if unroll else _looped
    return runner(_masked(step, zero_output_for_mask), sequence, states, mask, return_all)


def _masked(step: Step, zero_output_for_mask: bool) -> Callable[..., tuple[Any, Any]]:
    """A step that heeds a mask and the output before; both are None where there is no mask."""

    def masked(inputs: Any, states: Any, mask: TensorLike, previous: Any) -> tuple[Any, Any]:
        output, new_states = step(inputs, states)
        tf.nest.assert_same_structure(states, new_states)
        if mask is None:
            return output, new_states
        if previous is None or zero_output_for_mask:
            previous = tf.nest.map_structure(tf.zeros_like, output)
        output = tf.nest.map_structure(lambda new, old: _where(mask, new, old), output, previous)
        new_states = tf.nest.map_structure(
            lambda new, old: _where(mask, new, old), new_states, states
        )
        return output, new_states

    return masked


def _where(mask: Any, new: Any, old: Any) -> Any:
    missing = new.shape.rank - mask.shape.rank
    if missing > 0:
        mask = tf.reshape(mask, tf.concat([tf.shape(mask), [1] * missing], 0))
    return tf.where(mask, new, old)


def _row(sequence: TensorLike, index: Any) -> Any:
    return tf.nest.map_structure(lambda x: x[index], sequence)


def _unrolled(
    step: Callable[..., tuple[Any, Any]], sequence: Any, states: Any, mask: Any, return_all: bool
) -> tuple[Any, Any, Any]:
    steps = tf.nest.flatten(sequence)[0].shape[0]
    if not steps:
        raise ValueError(
            f"`unroll=True` needs sequences of a known length above 0. Received inputs with "
            f"{steps} time steps. Set the length in `Input(shape=(steps, ...))`, or leave "
            f"`unroll=False`."
        )
    outputs: list[Any] = []
    for index in range(steps):
        now = None if mask is None else mask[index]
        output, states = step(_row(sequence, index), states, now, outputs[-1] if outputs else None)
        outputs.append(output)
    stacked = tf.nest.map_structure(lambda *each: tf.stack(each), *outputs) if return_all else None
    return outputs[-1], stacked, states


def _looped(
    step: Callable[..., tuple[Any, Any]], sequence: Any, states: Any, mask: Any, return_all: bool
) -> tuple[Any, Any, Any]:
    first = tf.nest.flatten(sequence)[0]
    static_steps, steps = first.shape[0], tf.shape(first)[0]
    # What a step returns, asked of a step that nothing depends on: it is pruned.
    sample, _ = step(_row_or_zeros(sequence), states, None, None)
    kinds = tf.nest.flatten(sample)
    lists = [
        tf.TensorArray(each.dtype, size=steps if return_all else 0, element_shape=each.shape)
        for each in kinds
    ]
    previous = tf.nest.map_structure(tf.zeros_like, sample)

    def body(index: Any, lists: Any, previous: Any, states: Any) -> Any:
        now = None if mask is None else mask[index]
        output, new_states = step(_row(sequence, index), states, now, previous)
        if return_all:
            leaves = tf.nest.flatten(output)
            lists = [each.write(index, leaf) for each, leaf in zip(lists, leaves)]
        new_states = tf.nest.map_structure(_shaped_like, new_states, states)
        return index + 1, lists, tf.nest.map_structure(_shaped_like, output, previous), new_states

    _, lists, last, states = tf.while_loop(
        lambda index, *_: index < steps,
        body,
        (tf.constant(0), lists, previous, states),
        maximum_iterations=steps,
    )
    if not return_all:
        return last, None, states
    stacked = [
        tf.ensure_shape(each.stack(), [static_steps, *k.shape]) for each, k in zip(lists, kinds)
    ]
    return last, tf.nest.pack_sequence_as(sample, stacked), states


def _row_or_zeros(sequence: TensorLike) -> Any:
    """A row like those of the sequence, which need not have one."""
    return tf.nest.map_structure(
        lambda x: tf.ensure_shape(tf.zeros(tf.shape(x)[1:], x.dtype), x.shape[1:]), sequence
    )


def _shaped_like(new: Any, old: Any) -> Any:
    return new if new.shape == old.shape else tf.ensure_shape(new, old.shape)
