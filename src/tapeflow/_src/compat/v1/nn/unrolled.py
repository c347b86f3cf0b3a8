"""`static_rnn` and its relatives: recurrent networks with operations of their own per step."""

from __future__ import annotations

from typing import Any

from tapeflow import nest
from tapeflow._src.api.arrays import (
    concat,
    convert_to_tensor,
    identity,
    reverse_sequence,
    stack,
    unstack,
)
from tapeflow._src.api.scopes import control_dependencies
from tapeflow._src.compat.v1.nn.rnn_step import (
    batch_size_of,
    calling,
    checked_lengths,
    copied_through,
    initial_state_of,
    require_cell,
    state_dtype,
    zeros_of,
)
from tapeflow._src.compat.v1.variable_scope import variable_scope
from tapeflow._src.core.types import DTypeLike, TensorLike


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Run a cell over a list of inputs, one for each step.

    Args:
        cell: A cell of `tf.compat.v1.nn.rnn_cell`, or of Keras.
        inputs: A list of tensors of shape [batch, ...], or of structures of these.
        initial_state: The states before the first step; else zeros of `dtype`.
        dtype: The dtype of outputs and of the states that are created.
        sequence_length: The length of each sequence: after it, outputs are 0 and states stay.
        scope: The variable scope of the cell, "rnn" by default.

    Returns:
        The list of outputs, and the states after the last step.
    """
    require_cell("cell", cell)
    _require_list(inputs)
    call = calling(cell)
    with variable_scope(scope or "rnn") as opened:
        inputs = [nest.map_structure(convert_to_tensor, each) for each in inputs]
        rows = batch_size_of(nest.flatten(inputs[0]), 0)
        state = initial_state
        if state is None:
            state = initial_state_of(cell, rows, dtype)
        state = nest.map_structure(convert_to_tensor, state)
        lengths = None if sequence_length is None else checked_lengths(sequence_length, rows)
        blank = None
        if lengths is not None:
            blank = zeros_of(cell.output_size, rows, state_dtype(dtype, state))
        outputs = []
        for time, each in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            output, following = call(each, state)
            if lengths is not None:
                output = copied_through(time >= lengths, blank, output)
                following = copied_through(time >= lengths, state, following)
            outputs.append(output)
            state = following
        return outputs, state


def _require_list(inputs: Any) -> None:
    if not isinstance(inputs, list | tuple) or not nest.is_nested(inputs):
        raise TypeError(
            f"Expected inputs as a list with one item per step, received {type(inputs).__name__}. "
            f"Split a tensor with tf.unstack(inputs, axis=1)."
        )
    if not inputs:
        raise ValueError("Expected inputs of one step or more, received an empty list.")


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Run a cell over a list of inputs, from a state that is read and saved by its name.

    Args:
        cell: A cell of `tf.compat.v1.nn.rnn_cell`.
        inputs: A list of tensors of shape [batch, ...].
        state_saver: An object with `state(name)` and `save_state(name, value)`.
        state_name: The name of the state, in the structure of `cell.state_size`.
        sequence_length: The length of each sequence.
        scope: The variable scope of the cell, "rnn" by default.

    Returns:
        The list of outputs, of which the last waits for the saving, and the last states.
    """
    names, sizes = nest.flatten(state_name), nest.flatten(cell.state_size)
    if nest.is_nested(state_name) != nest.is_nested(cell.state_size) or len(names) != len(sizes):
        raise ValueError(
            f"Expected one state_name for each state of the cell, {cell.state_size}; received "
            f"{state_name}."
        )
    initial = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial, sequence_length=sequence_length, scope=scope)
    saved = [
        state_saver.save_state(name, value)
        for name, value in zip(names, nest.flatten(state), strict=True)
    ]
    with control_dependencies([each for each in saved if each is not None]):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
        state = nest.map_structure(identity, state)
    return outputs, state


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Run one cell over a list of inputs, and another one over the reversed list.

    Returns:
        For each step the outputs of both, joined along axis 1, and the last states of both.
    """
    require_cell("cell_fw", cell_fw)
    require_cell("cell_bw", cell_bw)
    _require_list(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=inner
            )
        with variable_scope("bw") as inner:
            turned = _reversed_in_time(inputs, sequence_length)
            backward, state_bw = static_rnn(
                cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=inner
            )
    backward = _reversed_in_time(backward, sequence_length)
    joined = [
        nest.map_structure(lambda one, other: concat([one, other], 1), *pair)
        for pair in zip(forward, backward, strict=True)
    ]
    return joined, state_fw, state_bw


def _reversed_in_time(steps: Any, lengths: TensorLike) -> list[Any]:
    """Return the steps from the last to the first one, of each sequence of a batch."""
    if lengths is None:
        return list(reversed(steps))
    columns = zip(*(nest.flatten(step) for step in steps), strict=True)
    turned = [unstack(reverse_sequence(stack(list(c)), lengths, 0, 1)) for c in columns]
    return [
        nest.pack_sequence_as(step, list(flat))
        for step, flat in zip(steps, zip(*turned, strict=True), strict=True)
    ]
