"""`dynamic_rnn`, `bidirectional_dynamic_rnn` and `raw_rnn`: recurrent networks as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow import nest
from tapeflow._src.api.arrays import (
    convert_to_tensor,
    reverse,
    reverse_sequence,
    shape,
    transpose,
    zeros,
)
from tapeflow._src.api.control_flow import while_loop
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
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core.dtypes import int32
from tapeflow._src.core.shape import TensorShape
from tapeflow.math import logical_or, reduce_all


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Run a cell over sequences, step by step.

    Args:
        cell: A cell of `tf.compat.v1.nn.rnn_cell`, or of Keras.
        inputs: Tensors of shape [batch, time, ...], or [time, batch, ...] if `time_major`.
        sequence_length: The length of each sequence: after it, outputs are 0 and states stay.
        initial_state: The states before the first step; else zeros of `dtype`.
        dtype: The dtype of outputs and of the states that are created.
        parallel_iterations: How many steps may run at a time, as a hint.
        swap_memory: A hint that is not needed here.
        time_major: Whether time is the first axis of inputs and outputs.
        scope: The variable scope of the cell, "rnn" by default.

    Returns:
        The outputs of all steps, and the states after the last one.
    """
    require_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        if not time_major:
            inputs = nest.map_structure(_swapped, inputs)
        flat = nest.flatten(inputs)
        _require_sequences(flat)
        rows = batch_size_of(flat, 1)
        lengths = None if sequence_length is None else checked_lengths(sequence_length, rows)
        state = initial_state
        if state is None:
            state = initial_state_of(cell, rows, dtype)
        state = nest.map_structure(convert_to_tensor, state)
        outputs, state = _loop(cell, inputs, lengths, state, dtype, parallel_iterations or 32)
        return (outputs if time_major else nest.map_structure(_swapped, outputs)), state


def _loop(
    cell: Any, inputs: Any, lengths: Any, state: Any, dtype: Any, parallel: int
) -> tuple[Any, Any]:
    """Return the outputs of all steps, time first, and the last states."""
    call, flat = calling(cell), nest.flatten(inputs)
    steps, static_steps = shape(flat[0])[0], flat[0].shape[0]
    rows = batch_size_of(flat, 1)
    kind = state_dtype(dtype, state)
    blank = zeros_of(cell.output_size, rows, kind)
    arrays = [
        TensorArray(kind, size=steps, element_shape=each.shape) for each in nest.flatten(blank)
    ]

    def step(time: Any, written: Any, before: Any) -> tuple[Any, Any, Any]:
        now = nest.map_structure(lambda each: each[time], inputs)
        output, after = call(now, before)
        nest.assert_same_structure(blank, output)
        nest.assert_same_structure(before, after)
        if lengths is not None:
            finished = time >= lengths
            output = copied_through(finished, blank, output)
            after = copied_through(finished, before, after)
        pairs = zip(written, nest.flatten(output), strict=True)
        return time + 1, [array.write(time, each) for array, each in pairs], after

    _, written, state = while_loop(
        lambda time, *_: time < steps,
        step,
        (convert_to_tensor(0, int32), arrays, state),
        parallel_iterations=parallel,
        maximum_iterations=steps,
    )
    stacked = []
    for array, each in zip(written, nest.flatten(blank), strict=True):
        values = array.stack()
        values.set_shape(TensorShape([static_steps]).concatenate(each.shape))
        stacked.append(values)
    return nest.pack_sequence_as(cell.output_size, stacked), state


def _require_sequences(inputs: list[Any]) -> None:
    """Check that all inputs are sequences, equally many and equally long, of known sizes.

    Raises:
        ValueError: They are not.
    """
    for each in inputs:
        if each.shape.rank is None or each.shape.rank < 3 or None in each.shape[2:].as_list():
            raise ValueError(
                f"Expected inputs with axes for time, batch and a static depth; received the shape "
                f"{each.shape}, time first. Set the shape of the inputs."
            )
        if each.shape[:2].as_list() != inputs[0].shape[:2].as_list():
            raise ValueError(
                f"Expected the same time steps and batch size for all inputs; received the shapes "
                f"{inputs[0].shape} and {each.shape}, time first."
            )


def _swapped(value: Any) -> Any:
    """Swap the batch and time axes."""
    rank = value.shape.rank
    if rank is None or rank < 2:
        raise ValueError(
            f"Expected inputs of shape [batch, time, ...], received the shape {value.shape}."
        )
    return transpose(value, [1, 0, *range(2, rank)])


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Run one cell over sequences, and another one over the reversed sequences.

    Returns:
        The outputs of both, in the order of the inputs, and the last states of both.
    """
    require_cell("cell_fw", cell_fw)
    require_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)
    options = {
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }

    def reversed_in_time(value: Any) -> Any:
        if sequence_length is None:
            return reverse(value, [time_axis])
        return reverse_sequence(value, sequence_length, time_axis, batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, scope=inner, **options
            )
        with variable_scope("bw") as inner:
            turned = nest.map_structure(reversed_in_time, inputs)
            backward, state_bw = dynamic_rnn(
                cell_bw, turned, sequence_length, initial_state_bw, scope=inner, **options
            )
    return (forward, nest.map_structure(reversed_in_time, backward)), (state_fw, state_bw)


class _RawRnnState(NamedTuple):
    """The loop state of `raw_rnn`."""

    time: Any
    finished: Any
    inputs: Any
    emitted: Any
    state: Any
    loop_state: Any


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Run a cell in a loop whose inputs, states and end a function determines.

    Args:
        cell: A cell of `tf.compat.v1.nn.rnn_cell`.
        loop_fn: A function of the time, and of the output, the state and the state of the loop
            after the step before; None for these at first. It returns which sequences have
            finished, the next input, the next state, what to emit, and the state of the loop.
        parallel_iterations: How many steps may run at a time, as a hint.
        swap_memory: A hint that is not needed here.
        scope: The variable scope of the cell, "rnn" by default.

    Returns:
        Tensor arrays of what was emitted, and the last states of the cell and of the loop.
    """
    require_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Expected a callable for loop_fn, received {loop_fn!r}.")
    with variable_scope(scope or "rnn"):
        time = convert_to_tensor(0, int32)
        finished, inputs, state, example, loop_state = loop_fn(time, None, None, None)
        inputs = nest.map_structure(convert_to_tensor, inputs)
        state = nest.map_structure(convert_to_tensor, state)
        nest.assert_same_structure(state, cell.state_size)
        blank = _blank_emitted(cell, example, batch_size_of(nest.flatten(inputs), 0), state)
        arrays = nest.map_structure(
            lambda each: TensorArray(
                each.dtype, size=0, dynamic_size=True, element_shape=each.shape
            ),
            blank,
        )
        carried = convert_to_tensor(0, int32) if loop_state is None else loop_state
        step = _raw_step(calling(cell), loop_fn, blank)
        last = while_loop(
            lambda time, finished, *_: ~reduce_all(finished),
            step,
            tuple(_RawRnnState(time, convert_to_tensor(finished), inputs, arrays, state, carried)),
            parallel_iterations=parallel_iterations or 32,
        )
        last = _RawRnnState(*last)
        return last.emitted, last.state, None if loop_state is None else last.loop_state


def _blank_emitted(cell: Any, example: Any, rows: Any, state: Any) -> Any:
    """Return zeros such as one step emits."""
    if example is None:
        return zeros_of(cell.output_size, rows, nest.flatten(state)[0].dtype)

    def one(each: Any) -> Any:
        each = convert_to_tensor(each)
        return zeros([rows, *each.shape.as_list()], each.dtype)

    return nest.map_structure(one, example)


def _raw_step(call: Any, loop_fn: Any, blank: Any) -> Callable[..., Any]:
    def step(*carried: Any) -> tuple[Any, ...]:
        before = _RawRnnState(*carried)
        output, state = call(before.inputs, before.state)
        time = before.time + 1
        now, inputs, state, emitted, loop_state = loop_fn(time, output, state, before.loop_state)
        loop_state = before.loop_state if loop_state is None else loop_state
        nest.assert_same_structure(before.inputs, inputs)
        emitted = nest.map_structure(convert_to_tensor, emitted)
        emitted = copied_through(before.finished, blank, emitted)
        state = copied_through(before.finished, before.state, state)
        arrays = nest.map_structure(
            lambda array, each: array.write(before.time, each), before.emitted, emitted
        )
        finished = logical_or(before.finished, now)
        return tuple(_RawRnnState(time, finished, inputs, arrays, state, loop_state))

    return step
