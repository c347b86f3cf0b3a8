"""One step of a recurrent network of TensorFlow 1, and what all its loops need to know.

A cell is any callable of inputs and states with `state_size` and `output_size`: those of
`tf.compat.v1.nn.rnn_cell`, and those of Keras, whose states are lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapeflow import nest
from tapeflow._src.api.arrays import (
    broadcast_to,
    concat,
    convert_to_tensor,
    identity,
    reshape,
    shape,
    where,
    zeros,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.scopes import control_dependencies
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core.dtypes import as_dtype, int32
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike
from tapeflow.debugging import assert_equal

Call = Callable[[Any, Any], tuple[Any, Any]]


def require_cell(name: str, cell: Any) -> None:
    """Check that a cell has the attributes that the loops use.

    Raises:
        TypeError: It is not callable, or has no sizes or no way to make states.
    """
    makes_states = hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")
    has_sizes = hasattr(cell, "output_size") and hasattr(cell, "state_size")
    if has_sizes and makes_states and callable(cell):
        return
    raise TypeError(
        f"The argument '{name}' ({cell!r}) is not an RNNCell: expected a callable with "
        f"`output_size`, `state_size`, and `zero_state` or `get_initial_state`."
    )


def calling(cell: Any) -> Call:
    """Return how a cell is called: those of Keras take and return lists of states."""
    if hasattr(cell, "zero_state"):
        return lambda inputs, state: cell(inputs, state)

    def call(inputs: Any, state: Any) -> tuple[Any, Any]:
        output, following = cell(inputs, state if nest.is_nested(state) else [state])
        return output, nest.pack_sequence_as(state, nest.flatten(following))

    return call


def initial_state_of(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """Return the states of a cell before its first step.

    Raises:
        ValueError: There is no dtype.
    """
    if dtype is None:
        raise ValueError(
            "Without initial_state, dtype must be specified: expected the dtype of the states, "
            "received None for both."
        )
    if not hasattr(cell, "get_initial_state"):
        return cell.zero_state(batch_size, dtype)
    options = {"batch_size": batch_size, "dtype": as_dtype(dtype)}
    accepted = inspect.signature(cell.get_initial_state).parameters
    state = cell.get_initial_state(**{k: v for k, v in options.items() if k in accepted})
    # Cells of Keras with one state return it in a list.
    alone = not nest.is_nested(cell.state_size) and isinstance(state, list) and len(state) == 1
    return state[0] if alone else state


def state_dtype(dtype: Any, state: Any) -> Any:
    """Return the dtype of outputs: the requested one, else that of all states.

    Raises:
        ValueError: There is no state, or states have several dtypes.
    """
    if dtype is not None:
        return as_dtype(dtype)
    dtypes = {each.dtype for each in nest.flatten(state)}
    if len(dtypes) != 1:
        raise ValueError(
            f"Expected states of one dtype, since dtype is None; received {len(dtypes)}: "
            f"{sorted(each.name for each in dtypes)}. Specify dtype."
        )
    return dtypes.pop()


def zeros_of(size: Any, batch_size: Any, dtype: DTypeLike) -> Any:
    """Return zeros for each size of a structure, with the batch in front."""

    def one(each: Any) -> Any:
        inner = TensorShape(each if isinstance(each, TensorShape | list | tuple) else [each])
        return zeros([batch_size, *inner.as_list()], dtype)

    return nest.map_structure(one, size)


def batch_size_of(inputs: list[Any], axis: int) -> Any:
    """Return how many sequences a batch has: a number if it is static, else a tensor."""
    for each in inputs:
        if each.shape.rank is not None:
            if each.shape.rank <= axis:
                raise ValueError(
                    f"Expected inputs with {axis + 1} axes or more, received the shape "
                    f"{each.shape}."
                )
            if each.shape[axis] is not None:
                return each.shape[axis]
    return shape(inputs[0])[axis]


def checked_lengths(sequence_length: Any, batch_size: Any) -> Any:
    """Return the lengths of sequences as integers, one for each sequence of the batch.

    Raises:
        ValueError: They are not a vector.
    """
    lengths = cast(convert_to_tensor(sequence_length), int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"Expected sequence_length of shape [batch_size], received the shape {lengths.shape}."
        )
    check = assert_equal(
        shape(lengths),
        [batch_size],
        message="sequence_length must have one length for each sequence of the batch.",
    )
    with control_dependencies([] if check is None else [check]):
        return identity(lengths)


def copied_through(finished: Any, old: Any, new: Any) -> Any:
    """Return `new`, but `old` for the sequences of the batch that have finished."""

    def one(before: Any, after: Any) -> Any:
        if isinstance(after, TensorArray) or before.shape.rank == 0:
            return after
        rank = after.shape.rank or 2
        mask = reshape(finished, concat([shape(finished), [1] * (rank - 1)], 0))
        return where(broadcast_to(mask, shape(after)), before, after)

    return nest.map_structure(one, old, new)
