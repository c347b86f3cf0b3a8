"""Cells around a cell: dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.tf1.rnn_cell.base import RNNCell
from tapeflow._src.keras.tf1.rnn_cell.lstm import LSTMStateTuple


class _Wrapper(RNNCell):
    """A cell that has the sizes and weights of another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not (callable(cell) and hasattr(cell, "state_size") and hasattr(cell, "output_size")):
            raise TypeError(
                f"The argument 'cell' ({cell!r}) is not an RNNCell: expected a callable with "
                f"`state_size` and `output_size`."
            )
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def build(self, inputs_shape: Any) -> None:
        self.cell.build(inputs_shape)
        self.built = True

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        # The scope of the weights is that of the cell inside, as if it were called itself.
        return self._around(inputs, state, {} if scope is None else {"scope": scope})

    def _around(self, inputs: Any, state: Any, options: dict[str, Any]) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        inner = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {**super().get_config(), "cell": inner}


class DropoutWrapper(_Wrapper):
    """Dropout of the inputs, outputs and states of a cell.

    Args:
        cell: The cell.
        input_keep_prob: The probability that an element of the inputs stays.
        output_keep_prob: The probability that an element of the outputs stays.
        state_keep_prob: The probability that an element of the states stays.
        variational_recurrent: Whether all steps drop the same elements.
        input_size: The sizes of inputs, for `variational_recurrent` with dropped inputs.
        dtype: The dtype of the tensors, for `variational_recurrent`.
        seed: A number that determines what is dropped.
        dropout_state_filter_visitor: A function of a part of the state that returns whether it is
            dropped, or this for each item of it. By default the memory of LSTMs is not.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: Any = None,
        dropout_state_filter_visitor: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(
                "Expected a callable for dropout_state_filter_visitor, received "
                f"{dropout_state_filter_visitor!r}."
            )
        self._filter = dropout_state_filter_visitor or _all_but_memories
        self._keep = {
            "input": _probability("input_keep_prob", input_keep_prob),
            "output": _probability("output_keep_prob", output_keep_prob),
            "state": _probability("state_keep_prob", state_keep_prob),
        }
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._draw_noise(dtype)

    def _draw_noise(self, dtype: Any) -> None:
        """Draw what all steps share."""
        if dtype is None:
            raise ValueError("With variational_recurrent=True, dtype must be specified.")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._keep["input"]):
            if self._input_size is None:
                raise ValueError(
                    "With variational_recurrent=True and input_keep_prob < 1, input_size must be "
                    "specified."
                )
            sizes["input"] = self._input_size
        for salt, size in sizes.items():
            self._noise[salt] = [
                tf.random.uniform(
                    [1, *tf.TensorShape(each).as_list()], dtype=dtype, seed=self._salted(salt, i)
                )
                for i, each in enumerate(tf.nest.flatten(size))
            ]

    def _salted(self, salt: str, index: int) -> int | None:
        """Return the seed of one tensor: a hash, so that tensors do not drop alike."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}"
        return int(hashlib.md5(text.encode()).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: TensorLike, salt: str, flags: Any = None) -> Any:
        """Return a structure after dropout; `flags` are pairs of an index, or None, per leaf."""
        flat = tf.nest.flatten(values)
        indices = range(len(flat)) if flags is None else flags
        keep = self._keep[salt]
        results = []
        for position, (index, value) in enumerate(zip(indices, flat, strict=True)):
            if index is not None and self._variational_recurrent:
                noise = self._noise[salt][position]
                value = value / keep * tf.floor(keep + noise)
            elif index is not None:
                value = tf.nn.dropout(value, 1.0 - keep, seed=self._salted(salt, index))
            results.append(value)
        return tf.nest.pack_sequence_as(values, results)

    def _around(self, inputs: Any, state: Any, options: dict[str, Any]) -> Any:
        if _drops(self._keep["input"]):
            inputs = self._dropped(inputs, "input")
        output, state = self.cell(inputs, state, **options)
        if _drops(self._keep["state"]):
            state = self._dropped(state, "state", _chosen(self._filter, state, itertools.count()))
        if _drops(self._keep["output"]):
            output = self._dropped(output, "output")
        return output, state

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            **{f"{salt}_keep_prob": keep for salt, keep in self._keep.items()},
            "variational_recurrent": self._variational_recurrent,
            "input_size": self._input_size,
            "seed": self._seed,
        }


def _probability(name: str, value: Any) -> Any:
    """Return a probability: a number if it is static, else a tensor."""
    tensor = tf.convert_to_tensor(value)
    static = tf.get_static_value(tensor)
    if static is None:
        return tensor
    if not 0 <= static <= 1:
        raise ValueError(f"{name} must be between 0 and 1, received {static}.")
    return float(static)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _all_but_memories(part: Any) -> Any:
    """Return which parts of a state are dropped: all but the memories of LSTMs."""
    if isinstance(part, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(part, tf.TensorArray)


def _chosen(visitor: Any, part: Any, numbers: Iterator[int]) -> list[int | None]:
    """Return the number of each leaf that is dropped, None for the others.

    A part that is not dropped counts as one.
    """
    answer = visitor(part)
    nested = tf.nest.is_nested(part)
    if not nested or answer is False:
        number = next(numbers)
        kept = isinstance(answer, bool) and not answer
        return [None if kept else number] * len(tf.nest.flatten(part))
    items = _items(part)
    answers = [True] * len(items) if isinstance(answer, bool) else _items(answer)
    leaves: list[int | None] = []
    for each, item in zip(answers, items, strict=True):
        inner = visitor if each else lambda _: False
        leaves += _chosen(inner, item, numbers)
    return leaves


def _items(part: Any) -> list[Any]:
    return [part[key] for key in sorted(part)] if isinstance(part, dict) else list(part)


class ResidualWrapper(_Wrapper):
    """A cell to whose output its inputs are added, or what `residual_fn` returns for both."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _around(self, inputs: Any, state: Any, options: dict[str, Any]) -> Any:
        output, state = self.cell(inputs, state, **options)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, output), state
        tf.nest.assert_same_structure(inputs, output)
        tf.nest.map_structure(
            lambda one, other: one.shape.assert_is_compatible_with(other.shape), inputs, output
        )
        return tf.nest.map_structure(lambda one, other: one + other, inputs, output), state


class DeviceWrapper(_Wrapper):
    """A cell that runs on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        with tf.device(self._device):
            return super().zero_state(batch_size, dtype)

    def _around(self, inputs: Any, state: Any, options: dict[str, Any]) -> Any:
        with tf.device(self._device):
            return self.cell(inputs, state, **options)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "device": self._device}
